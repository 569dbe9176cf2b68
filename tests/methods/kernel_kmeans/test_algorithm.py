"""Laws of kernel k-means, with scikit-learn's k-means and brute force beside it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans

from cocluster.linalg.types import Array
from cocluster.methods.kernel_kmeans import kernel_kmeans, kernel_matrix, supervised_kernel

NONE = np.empty((0, 2), dtype=int)
NAMES = ("linear", "rbf", "polynomial", "cosine")


def value(K: Array, labels: Array, a: Array) -> float:
    """J by its definition, cluster after cluster."""
    total = 0.0
    for c in np.unique(labels):
        i = labels == c
        share = a[i] / a[i].sum()
        mean_square = share @ K[np.ix_(i, i)] @ share
        total += a[i] @ (np.diag(K)[i] - 2 * K[np.ix_(i, i)] @ share + mean_square)
    return float(total)


def indefinite(rng: np.random.Generator, n: int) -> Array:
    """A symmetric matrix with negative eigenvalues."""
    K = rng.normal(size=(n, n))
    return K + K.T


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", [*NAMES, "indefinite"])
@pytest.mark.parametrize("weighted", [False, True])
def test_objective_falls_and_no_single_move_helps(seed: int, kind: str, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    n, k = 25, 4
    K = indefinite(rng, n) if kind == "indefinite" else kernel_matrix(rng.normal(size=(n, 3)), kind)
    a = rng.uniform(0.5, 2.0, size=n) if weighted else np.ones(n)
    run = kernel_kmeans(K, k, rng, n_init=1, weights=a if weighted else None)
    size = np.abs(K).sum()
    assert (np.diff(run.history) <= 0).all()
    assert run.objective == pytest.approx(run.history[-1], abs=1e-9 * size)
    assert run.objective == pytest.approx(value(K, run.labels, a), abs=1e-9 * size)
    assert set(run.labels) == set(range(k))
    for i, c in product(range(n), range(k)):
        if (run.labels == run.labels[i]).sum() > 1:
            moved = run.labels.copy()
            moved[i] = c
            assert value(K, moved, a) >= run.objective - 1e-9 * size


@pytest.mark.parametrize("seed", range(3))
def test_best_of_many_starts_is_the_optimum_of_tiny_data(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = 6, 3
    K = kernel_matrix(rng.normal(size=(n, 2)), "rbf")
    best = min(
        value(K, np.array(labels), np.ones(n))
        for labels in product(range(k), repeat=n)
        if len(set(labels)) == k
    )
    assert kernel_kmeans(K, k, rng, n_init=20).objective == pytest.approx(best)


@pytest.mark.parametrize("seed", range(4))
def test_linear_kernel_is_kmeans(seed: int) -> None:
    """From the same start no worse than Lloyd, and Lloyd finds nothing to improve."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 5)) + 3.0 * np.eye(5)[rng.integers(5, size=60)]
    start = np.arange(60) % 4

    def lloyd(labels: Array) -> float:
        centers = np.array([X[labels == c].mean(axis=0) for c in range(4)])
        return float(KMeans(4, init=centers, n_init=1, tol=0).fit(X).inertia_)

    run = kernel_kmeans(kernel_matrix(X, "linear"), 4, rng, start=start)
    assert run.objective <= lloyd(start) + 1e-9
    assert run.objective == pytest.approx(lloyd(run.labels))


def test_integer_weights_are_repeated_samples() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10, 2))
    counts = rng.integers(1, 4, size=10)
    labels = kernel_kmeans(kernel_matrix(X, "rbf", gamma=1.0), 3, rng, weights=counts).labels
    repeated = kernel_matrix(np.repeat(X, counts, axis=0), "rbf", gamma=1.0)
    weighted = value(kernel_matrix(X, "rbf", gamma=1.0), labels, counts.astype(float))
    plain = value(repeated, np.repeat(labels, counts), np.ones(counts.sum()))
    assert weighted == pytest.approx(plain)


def test_empty_clusters_and_equal_samples() -> None:
    rng = np.random.default_rng(0)
    K = kernel_matrix(np.ones((6, 2)), "linear")
    assert len(set(kernel_kmeans(K, 4, rng).labels)) == 4
    assert len(set(kernel_kmeans(K, 6, rng, start=np.zeros(6, dtype=int)).labels)) == 6


@pytest.mark.parametrize("seed", range(4))
def test_linked_kernel(seed: int) -> None:
    rng = np.random.default_rng(seed)
    K = kernel_matrix(rng.normal(size=(20, 3)), "rbf")
    must, cannot = np.array([[0, 1], [2, 3]]), np.array([[0, 2], [4, 5]])
    linked = supervised_kernel(K, must, cannot)
    off = ~np.eye(20, dtype=bool)
    assert np.linalg.eigvalsh(linked).min() >= -1e-9
    assert (linked[tuple(must.T)] >= K[off].max()).all()
    assert (linked[tuple(cannot.T)] <= K[off].min()).all()
    np.testing.assert_allclose(linked, linked.T, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_heavy_links_are_obeyed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    K = kernel_matrix(rng.normal(size=(20, 3)), "rbf")
    pairs = np.array([[0, 1], [2, 3]])
    together = kernel_kmeans(supervised_kernel(K, pairs, NONE, weight=50.0), 3, rng).labels
    assert (together[pairs[:, 0]] == together[pairs[:, 1]]).all()
    apart = kernel_kmeans(supervised_kernel(K, NONE, pairs, weight=50.0), 3, rng).labels
    assert (apart[pairs[:, 0]] != apart[pairs[:, 1]]).all()


def test_the_shift_changes_no_comparison() -> None:
    """J of K + σI and of K differ by the constant σ (n - k)."""
    rng = np.random.default_rng(0)
    K = kernel_matrix(rng.normal(size=(12, 2)), "linear")
    shifted = K + 5.0 * np.eye(12)
    for _ in range(5):
        labels = rng.permutation(np.arange(12) % 3)
        difference = value(shifted, labels, np.ones(12)) - value(K, labels, np.ones(12))
        assert difference == pytest.approx(5.0 * (12 - 3))


def test_no_links_no_change() -> None:
    K = kernel_matrix(np.eye(4), "linear")
    assert supervised_kernel(K, NONE, NONE) is K


@pytest.mark.parametrize("kernel", [*NAMES, lambda A, B: (A @ B.T) ** 2], ids=[*NAMES, "callable"])
def test_kernels_of_sparse_and_dense_data_agree(kernel: str) -> None:
    X = np.random.default_rng(0).poisson(1.0, size=(15, 6)).astype(float)
    X[0, 0] = 1.0
    sparse = sp.csr_array(X)
    if callable(kernel):
        assert np.allclose(kernel_matrix(X, kernel), (X @ X.T) ** 2)
    else:
        K = kernel_matrix(sparse, kernel)
        assert isinstance(K, np.ndarray)
        np.testing.assert_allclose(K, kernel_matrix(X, kernel), atol=1e-12)
        again = kernel_matrix(kernel_matrix(X, kernel), "precomputed")
        np.testing.assert_array_equal(again, kernel_matrix(X, kernel))


def test_default_width_ignores_the_scale() -> None:
    X = np.random.default_rng(0).normal(size=(15, 6))
    np.testing.assert_allclose(kernel_matrix(X, "rbf"), kernel_matrix(100 * X, "rbf"))
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    np.testing.assert_allclose(kernel_matrix(X, "rbf"), np.exp(-squared / squared.mean()))


def test_bad_kernels() -> None:
    with pytest.raises(ValueError, match="one of linear"):
        kernel_matrix(np.eye(3), "sigmoidal")
    with pytest.raises(ValueError, match="symmetric"):
        kernel_matrix(np.triu(np.ones((3, 3))), "precomputed")
    with pytest.raises(ValueError, match="shape"):
        kernel_matrix(np.ones((3, 2)), "precomputed")
    with pytest.raises(ValueError, match="finite"):
        kernel_matrix(np.full((2, 2), np.nan), "precomputed")


def test_bad_arguments() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="samples"):
        kernel_kmeans(np.eye(3), 4, rng)
    with pytest.raises(ValueError, match="positive"):
        kernel_kmeans(np.eye(3), 2, rng, weights=np.array([1.0, 0.0, 1.0]))
    with pytest.raises(ValueError, match="out of range"):
        supervised_kernel(np.eye(3), np.array([[0, 3]]), NONE)
