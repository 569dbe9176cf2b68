"""Eigenvectors, singular vectors and the embeddings made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import SpectralCoclustering
from sklearn.metrics import adjusted_rand_score

from cocluster.data.relational import RelationalData, bipartite, star
from cocluster.graphs import knn_graph
from cocluster.graphs.similarity import Gram
from cocluster.linalg import eigen
from cocluster.linalg.eigen import smallest_eigenvectors, truncated_svd
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.matrices import degree_scaled
from cocluster.linalg.subspace import unit_rows
from cocluster.methods.spectral.embedding import bsgp_embedding, ncut_embedding
from cocluster.methods.spectral.src_embedding import relational_embedding

Rng = np.random.default_rng


def blocks(seed: int, k: int = 4, n: int = 25, d: int = 18) -> tuple[np.ndarray, np.ndarray]:
    """Counts with k planted blocks on the diagonal, and the row labels."""
    rows, columns = np.arange(n * k) % k, np.arange(d * k) % k
    rate = np.where(rows[:, None] == columns, 3.0, 0.3)
    return Rng(seed).poisson(rate).astype(float), rows


def separate(seed: int, k: int) -> sp.csr_array:
    """k blocks without any connection."""
    rng = Rng(seed)
    # Sparse arrays as parts, or scipy 1.18 warns that the kind of the result will change.
    blocks = [sp.csr_array(rng.random((12, 9)) < 0.5) for _ in range(k)]
    return sp.csr_array(sp.block_diag(blocks).astype(float))


@pytest.fixture(params=["dense", "lanczos"])
def solver(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with the dense solver and again with the iteration."""
    if request.param == "lanczos":
        monkeypatch.setattr(eigen, "DENSE_SIZE", 0)


def hardly_connected(n: int) -> np.ndarray:
    """Laplacian of samples that are hardly similar to any other, some of them less than others."""
    similar = Rng(0).random((n, n)) * 1e-9
    W = np.eye(n) + (similar + similar.T) * np.logspace(-6, 0, n)[:, None] * np.logspace(-6, 0, n)
    scale = 1.0 / np.sqrt(W.sum(axis=1))
    return np.eye(n) - scale[:, None] * W * scale


def test_eigenvalues_without_gaps_go_to_a_dense_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eigen, "DENSE_SIZE", 100)
    L = hardly_connected(200)
    values, vectors = smallest_eigenvectors(L, 4, Rng(0))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(L)[:4], atol=1e-14)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-10)


def test_eigenvalues_without_gaps_are_refused_where_that_is_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(eigen, "DENSE_SIZE", 100)
    monkeypatch.setattr(eigen, "LAST_DENSE_SIZE", 100)
    with pytest.raises(ValueError, match="hardly connect the samples"):
        smallest_eigenvectors(hardly_connected(120), 4, Rng(0))


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("seed", range(3))
def test_smallest_eigenvectors_equal_a_full_decomposition(seed: int) -> None:
    A = Rng(seed).standard_normal((80, 80))
    A = A + A.T
    values, vectors = smallest_eigenvectors(A, 6, Rng(seed))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(A)[:6], atol=1e-8)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-6)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-8)
    assert (vectors.max(axis=0) >= -vectors.min(axis=0)).all()
    again = smallest_eigenvectors(A, 6, Rng(seed))[1]
    np.testing.assert_array_equal(vectors, again)


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("seed", range(5))
def test_no_copy_of_a_repeated_eigenvalue_is_missed(seed: int) -> None:
    N = degree_scaled(separate(seed, k=12))
    _, s, _ = truncated_svd(N, 14, Rng(seed))
    np.testing.assert_allclose(s, np.linalg.svd(N.toarray())[1][:14], atol=1e-7)


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("shape", [(70, 40), (40, 70)])
def test_singular_triplets_are_those_of_numpy(as_container: Any, shape: tuple[int, int]) -> None:
    X = Rng(0).random(shape)
    U, s, V = truncated_svd(as_container(X), 5, Rng(0))
    np.testing.assert_allclose(s, np.linalg.svd(X)[1][:5], rtol=1e-8)
    np.testing.assert_allclose(X @ V, U * s, atol=1e-6)
    np.testing.assert_allclose(X.T @ U, V * s, atol=1e-6)
    assert (U.max(axis=0) >= -U.min(axis=0)).all()


@pytest.mark.usefixtures("solver")
def test_single_precision_gives_the_same_space() -> None:
    X, _ = blocks(0)
    U, s, V = truncated_svd(X.astype(np.float32), 3, Rng(0))
    exact = truncated_svd(X, 3, Rng(0))
    for single, double in zip((U, s, V), exact, strict=True):
        np.testing.assert_allclose(single, double, rtol=1e-4, atol=1e-4)


def test_a_matrix_of_low_rank_has_zero_singular_values_and_finite_vectors() -> None:
    X = np.outer(np.arange(1, 9.0), np.arange(1, 6.0))
    U, s, V = truncated_svd(X, 3, Rng(0))
    np.testing.assert_array_equal(s[1:], 0.0)
    assert np.isfinite(U).all()
    assert np.isfinite(V).all()


def test_impossible_numbers_of_components_are_refused() -> None:
    with pytest.raises(ValueError, match="n_components"):
        smallest_eigenvectors(np.eye(4), 5, Rng(0))


@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
def test_degree_scaling_has_norm_one_and_keeps_empty_lines_empty(as_container: Any) -> None:
    X, _ = blocks(1)
    X[3] = 0.0
    X[:, 5] = 0.0
    N = degree_scaled(as_container(X))
    N = N if isinstance(N, np.ndarray) else N.toarray()
    assert np.linalg.norm(N, 2) == pytest.approx(1.0)
    np.testing.assert_array_equal(N[3], 0.0)
    np.testing.assert_array_equal(N[:, 5], 0.0)
    signed = degree_scaled(np.where(Rng(0).random(X.shape) < 0.5, X, -X))
    np.testing.assert_allclose(np.abs(signed), N)


@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(3))
def test_bsgp_labels_are_those_of_scikit_learn(as_container: Any, k: int, seed: int) -> None:
    X, _ = blocks(seed, k)
    Z = np.vstack(bsgp_embedding(as_container(X), k, Rng(seed)))
    labels = kmeans_labels(Z, k, seed, n_init=10)
    theirs = SpectralCoclustering(k, random_state=seed, n_init=10).fit(X)
    expected = np.append(theirs.row_labels_, theirs.column_labels_)
    assert adjusted_rand_score(expected, labels) == 1.0


@pytest.mark.parametrize("k", [1, 4, 6, 9])
def test_bsgp_recovers_separate_blocks_and_survives_empty_lines(k: int) -> None:
    X = sp.csr_array(sp.block_diag([separate(0, k), sp.csr_array((2, 3))]))
    rows, columns = bsgp_embedding(X, k, Rng(0))
    assert np.isfinite(rows).all()
    assert np.isfinite(columns).all()
    labels = kmeans_labels(rows[:-2], k, 0, n_init=10)
    assert adjusted_rand_score(np.repeat(np.arange(k), 12), labels) == 1.0


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
def test_ncut_recovers_clusters_of_a_graph_with_isolated_objects(as_container: Any) -> None:
    centres = np.array([[0.0, 0], [9, 0], [0, 9]])
    truth = np.arange(60) % 3
    X = centres[truth] + Rng(0).standard_normal((60, 2))
    W = knn_graph(X, 6, weights="heat").toarray()
    W[4] = W[:, 4] = 0.0
    Z = ncut_embedding(as_container(W), 3, Rng(0))
    np.testing.assert_array_equal(Z[4], 0.0)
    kept = np.arange(60) != 4
    labels = kmeans_labels(unit_rows(Z[kept]), 3, 0)
    assert adjusted_rand_score(truth[kept], labels) == 1.0


def test_ncut_lowers_the_relaxed_cut_to_its_minimum() -> None:
    W = Rng(2).random((40, 40))
    W = W + W.T
    Z = ncut_embedding(W, 4, Rng(0))
    D = np.diag(W.sum(axis=1))
    np.testing.assert_allclose(Z.T @ D @ Z, np.eye(4), atol=1e-8)
    smallest = np.linalg.eigvalsh(np.eye(40) - degree_scaled(W))[:4]
    assert np.trace(Z.T @ (D - W) @ Z) == pytest.approx(smallest.sum())


@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
def test_ncut_of_cosines_equals_that_of_the_graph_it_does_not_form(as_container: Any) -> None:
    X, _ = blocks(3)
    X[0] = 0.0
    unit = unit_rows(as_container(X))
    formed = unit @ unit.T
    slow = ncut_embedding(formed, 4, Rng(0))
    fast = ncut_embedding(Gram(unit), 4, Rng(0))
    np.testing.assert_allclose(fast @ fast.T, slow @ slow.T, atol=1e-6)


def star_data(seed: int) -> tuple[RelationalData, np.ndarray]:
    """Two views, one sparse, of the same planted clusters."""
    X, truth = blocks(seed)
    Y, _ = blocks(seed + 100, d=9)
    return star({"words": sp.csr_array(X), "people": Y}), truth


@pytest.mark.parametrize("seed", range(3))
def test_src_never_raises_its_objective_and_recovers_clusters(seed: int) -> None:
    data, truth = star_data(seed)
    k = {name: 4 for name in data.types}
    bases, history = relational_embedding(data, k, Rng(seed), tol=0.0, max_iter=30)
    assert (np.diff(history) <= 1e-9 * history[0]).all()
    for C in bases.values():
        np.testing.assert_allclose(C.T @ C, np.eye(4), atol=1e-10)
    labels = kmeans_labels(bases[data.center], 4, seed)
    assert adjusted_rand_score(truth, labels) == 1.0


def test_src_objective_is_the_loss_of_the_best_factorisation() -> None:
    data, _ = star_data(0)
    k = {name: 3 for name in data.types}
    bases, history = relational_embedding(data, k, Rng(0))
    loss = 0.0
    for relation in data.relations:
        R = (
            relation.matrix
            if isinstance(relation.matrix, np.ndarray)
            else relation.matrix.toarray()
        )
        left, right = bases[relation.rows], bases[relation.cols]
        loss += relation.weight * ((R - left @ (left.T @ R @ right) @ right.T) ** 2).sum()
    assert history[-1] == pytest.approx(loss)


def test_src_of_two_types_is_the_singular_value_decomposition() -> None:
    X, _ = blocks(4)
    data = bipartite(X)
    bases, history = relational_embedding(data, {name: 3 for name in data.types}, Rng(0))
    assert history[-1] == pytest.approx((np.linalg.svd(X)[1][3:] ** 2).sum())
    U = np.linalg.svd(X)[0][:, :3]
    np.testing.assert_allclose(np.abs(U.T @ bases[data.center]), np.eye(3), atol=1e-6)


def test_src_refuses_a_relation_of_a_type_with_itself() -> None:
    W = np.eye(5)
    relation = bipartite(W).relations[0]
    own = type(relation)(W, "samples", "samples")
    with pytest.raises(ValueError, match="with itself"):
        relational_embedding(RelationalData((own,), "samples"), {"samples": 2}, Rng(0))
