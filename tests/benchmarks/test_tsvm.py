"""Laws of the transductive machine."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC

from benchmarks.baselines.tsvm import switch, tsvm_labels
from cocluster.linalg.types import Array


def clusters(seed: int, k: int, n: int = 90) -> tuple[Array, Array, Array]:
    """Samples of k separate clusters, their classes, and two known samples a class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    X = 4.0 * np.eye(k)[y] @ np.eye(k, 6) + 0.7 * rng.normal(size=(n, 6))
    partial = np.full(n, -1)
    partial[: 2 * k] = y[: 2 * k]
    return X, y, partial


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_separate_clusters_are_found(seed: int, k: int) -> None:
    X, y, partial = clusters(seed, k)
    labels = tsvm_labels(X, partial)
    np.testing.assert_array_equal(labels[partial >= 0], partial[partial >= 0])
    inductive = LinearSVC(dual=False).fit(X[: 2 * k], y[: 2 * k]).predict(X)
    assert (labels == y).mean() >= (inductive == y).mean()
    assert (labels == y).mean() > 0.97


def test_sparse_equals_dense() -> None:
    X, _, partial = clusters(0, 3, n=30)
    np.testing.assert_array_equal(tsvm_labels(sp.csr_array(X), partial), tsvm_labels(X, partial))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("power", [1, 2])
def test_switching_keeps_the_share_and_lowers_the_loss(seed: int, power: int) -> None:
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1, 1], size=12)
    scores = 2.0 * rng.normal(size=12)
    switched = switch(signs, scores)

    def loss(s: Array) -> float:
        return float((np.maximum(0, 1 - s * scores) ** power).sum())

    assert switched.sum() == signs.sum()
    if (switched != signs).any():
        assert loss(switched) < loss(signs)
    again = switch(switched, scores)
    assert loss(again) <= loss(switched)


def test_nothing_unknown() -> None:
    X, y, _ = clusters(0, 2)
    np.testing.assert_array_equal(tsvm_labels(X, y), y)


def test_bad_input() -> None:
    X, _, partial = clusters(0, 2)
    with pytest.raises(ValueError, match="two classes"):
        tsvm_labels(X, np.full(len(X), -1))
    with pytest.raises(ValueError, match="one entry per row"):
        tsvm_labels(X, partial[:-1])
