"""LDCC: the operator, its eigenvectors, and what they recover."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from cocluster.graphs import patch_laplacian
from cocluster.linalg import eigen
from cocluster.linalg.eigen import smallest_eigenvectors, truncated_svd
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.matrices import degree_scaled
from cocluster.linalg.subspace import unit_rows
from cocluster.methods.spectral.ldcc_embedding import joint_embedding, joint_operator
from tests.methods.spectral.test_embedding import blocks

Rng = np.random.default_rng


def slow_matrix(
    X: np.ndarray, alpha: float, beta: float, k: int, unit_patches: bool = True
) -> np.ndarray:
    """Eq. 20 with all blocks written out, patches of objects at unit length or as they are."""
    N = X / np.sqrt(np.outer(X.sum(axis=1), X.sum(axis=0)))
    objects = [unit_rows(A) if unit_patches else A for A in (X, X.T)]
    LS, LF = (patch_laplacian(A, k).toarray() for A in objects)
    return np.block([[alpha * LS, -N], [-N.T, beta * LF]])


@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
def test_operator_equals_the_matrix_of_the_paper(as_container: Any) -> None:
    X, _ = blocks(0)
    operator = joint_operator(
        degree_scaled(as_container(X)),
        2.0 * patch_laplacian(unit_rows(X), 5),
        0.5 * patch_laplacian(unit_rows(X.T), 5),
    )
    L = slow_matrix(X, 2.0, 0.5, 5)
    np.testing.assert_allclose(operator @ np.eye(len(L)), L, atol=1e-12)
    np.testing.assert_allclose(operator @ L[:, 0], L @ L[:, 0], atol=1e-12)
    assert np.linalg.eigvalsh(L).min() >= -1 - 1e-12


@pytest.mark.parametrize("strength", [0.01, 1.0, 100.0])
def test_iteration_and_dense_solver_agree_within_the_promised_residual(
    strength: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, _ = blocks(1)
    L = slow_matrix(X, strength, strength, 5)
    exact, _ = smallest_eigenvectors(L, 6, Rng(0))
    monkeypatch.setattr(eigen, "DENSE_SIZE", 0)
    values, Z = smallest_eigenvectors(sp.csr_array(L), 6, Rng(0))
    np.testing.assert_allclose(values, exact, atol=1e-7)
    assert np.linalg.norm(L @ Z - Z * values, axis=0).max() < 1e-6


@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("iterate", [False, True])
def test_embedding_spans_the_smallest_eigenvectors(
    as_container: Any, iterate: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, _ = blocks(2)
    if iterate:
        monkeypatch.setattr(eigen, "DENSE_SIZE", 0)
    Z = np.vstack(joint_embedding(as_container(X), 4, Rng(0), row_strength=0.5))
    expected = np.linalg.eigh(slow_matrix(X, 0.5, 1.0, 5))[1][:, :4]
    np.testing.assert_allclose(Z @ Z.T, expected @ expected.T, atol=1e-5)


def test_without_strength_it_is_the_degree_scaled_spectral_embedding() -> None:
    X, _ = blocks(3)
    rows, columns = joint_embedding(X, 3, Rng(0), row_strength=0.0, column_strength=0.0)
    U, _, V = truncated_svd(degree_scaled(X), 3, Rng(0))
    expected = np.vstack([U, V]) / np.sqrt(2)
    Z = np.vstack([rows, columns])
    np.testing.assert_allclose(Z @ Z.T, expected @ expected.T, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(3))
def test_samples_and_features_of_a_block_share_a_cluster(dtype: Any, seed: int) -> None:
    X, truth = blocks(seed)
    Z = np.vstack(joint_embedding(sp.csr_array(X.astype(dtype)), 4, Rng(seed)))
    labels = kmeans_labels(unit_rows(Z), 4, seed)
    assert adjusted_rand_score(np.append(truth, np.arange(X.shape[1]) % 4), labels) == 1.0


def test_empty_rows_and_columns_are_embedded_without_complaint() -> None:
    X, _ = blocks(4)
    X[0] = 0.0
    X[:, 1] = 0.0
    assert all(np.isfinite(Z).all() for Z in joint_embedding(sp.csr_array(X), 4, Rng(0)))


def test_negative_strength_is_refused() -> None:
    with pytest.raises(ValueError, match="strength"):
        joint_embedding(np.eye(9), 2, Rng(0), row_strength=-1.0)


@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("unit_patches", [True, False])
def test_patches_have_the_scale_asked_for(as_container: Any, unit_patches: bool) -> None:
    X, _ = blocks(3)
    rows, columns = joint_embedding(
        as_container(X), 4, Rng(0), n_neighbors=5, unit_patches=unit_patches
    )
    _, exact = smallest_eigenvectors(slow_matrix(X, 1.0, 1.0, 5, unit_patches), 4, Rng(0))
    Z = np.vstack([rows, columns])
    np.testing.assert_allclose(np.linalg.svd(exact.T @ Z)[1], 1, atol=1e-6)
