"""Laws of the learned metrics and weights, and the full dense computation beside them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster.linalg.matrices import squared_norm
from cocluster.linalg.types import Array
from cocluster.methods.factorization.metric import (
    LearnedMetrics,
    TransformedRelation,
    learn,
    learn_metrics,
)
from cocluster.methods.factorization.metric import (
    operator as operators,
)

NONE = np.empty((0, 2), dtype=int)


def pairs_of(y: Array, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Random must-links and cannot-links that agree with labels."""
    i, j = np.triu_indices(len(y), 1)
    drawn = rng.choice(len(i), size=count, replace=False)
    pairs = np.stack([i[drawn], j[drawn]], axis=1)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return pairs[same], pairs[~same]


def problem(seed: int, n: int, m: int, count: int) -> tuple[Array, Array, Array]:
    """Non-negative data of two classes in which most columns are noise of uneven size."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.exponential(size=(n, m)) * rng.uniform(0.2, 3.0, size=m)
    X[:, :2] += 2.0 * np.eye(2)[y]
    X[X < 0.3] = 0.0
    return X, *pairs_of(y, count, rng)


def scatter(X: Array, pairs: Array) -> Array:
    """Sum of the outer products of differences, one pair after the other."""
    return sum((np.outer(X[i] - X[j], X[i] - X[j]) for i, j in pairs), np.zeros((X.shape[1],) * 2))


def dense_twin(X: Array, must: Array, cannot: Array, ridge: float) -> Array:
    """The root of the metric by full matrices, as the module's formulas read."""
    W, B = scatter(X, must), scatter(X, cannot)
    rho = ridge * np.trace(W) / len(W)
    w, U = np.linalg.eigh(W)
    ell = np.where(w > 1e-9 * w.max(), rho / (rho + w), 1.0)
    poor = np.diag(U.T @ B @ U) * np.trace(W) <= w * np.trace(B)
    candidates = [(U * e) @ U.T for e in (ell, np.where(poor, ell, 1.0))]
    L = max(candidates, key=lambda L: np.trace(L @ B) / np.trace(L @ W))
    values, vectors = np.linalg.eigh(L)
    root = (vectors * np.sqrt(values)) @ vectors.T
    lengths = [np.linalg.norm((X[i] - X[j]) @ root) for i, j in cannot]
    return root / np.mean(lengths)


def separation(X: Array, must: Array, cannot: Array) -> float:
    """Mean squared distance of cannot-links over that of must-links."""
    far, near = (
        np.mean([np.sum((X[i] - X[j]) ** 2) for i, j in pairs]) for pairs in (cannot, must)
    )
    return float(far / near)


# Fewer pairs than samples, more pairs than samples, more pairs and samples than features.
SHAPES = [(20, 40, 6), (12, 40, 50), (60, 10, 200)]


@pytest.mark.parametrize(("n", "m", "count"), SHAPES)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_thin_equals_full(n: int, m: int, count: int, sparse: bool) -> None:
    X, must, cannot = problem(0, n, m, count)
    view = sp.csr_array(X) if sparse else X
    metric = learn_metrics({"x": view}, must, cannot, ridge=0.3).metrics["x"]
    root = dense_twin(X, must, cannot, 0.3)
    np.testing.assert_allclose(metric.apply(view), X @ root, atol=1e-8)
    i, j = pairs = np.triu_indices(n, 1)
    lengths = (((X[i] - X[j]) @ root) ** 2).sum(axis=1)
    found = metric.squared_distances(view, np.transpose(pairs))
    np.testing.assert_allclose(found, lengths, atol=1e-8)
    np.testing.assert_allclose(metric.transformed(view), np.maximum(X @ root, 0), atol=1e-8)
    r = metric.gains.size
    assert r <= min(n - 1, m, len(must))
    np.testing.assert_allclose(metric.basis.T @ metric.basis, np.eye(r), atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("n", "m", "count"), SHAPES)
def test_links_are_separated_better(seed: int, n: int, m: int, count: int) -> None:
    X, must, cannot = problem(seed, n, m, count)
    moved = learn_metrics({"x": X}, must, cannot).metrics["x"].apply(X)
    assert separation(moved, must, cannot) > separation(X, must, cannot)


def test_a_wide_direction_that_separates_is_not_shrunk() -> None:
    """Whitening all of W would shrink the first column, the widest and the one that matters."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.column_stack([30.0 * y + 3.0 * rng.normal(size=40), rng.normal(size=40)])
    must, cannot = pairs_of(y, 200, rng)
    moved = learn_metrics({"x": X}, must, cannot, ridge=1e-3).metrics["x"].apply(X)
    assert separation(moved, must, cannot) >= separation(X, must, cannot) * (1 - 1e-12)


def test_cannot_links_are_at_mean_distance_one_on_any_scale() -> None:
    X, must, cannot = problem(1, 20, 15, 30)
    for scale in (1.0, 1e4):
        learned = learn_metrics({"x": scale * X}, must, cannot)
        moved = learned.metrics["x"].apply(scale * X)
        lengths = np.linalg.norm(moved[cannot[:, 0]] - moved[cannot[:, 1]], axis=1)
        assert lengths.mean() == pytest.approx(1.0)


def test_no_links_leave_the_data_alone() -> None:
    X, *_ = problem(2, 10, 6, 5)
    learned = learn_metrics({"a": X, "b": sp.csr_array(X)}, NONE, NONE)
    assert learned.transformed("a", X) is X
    assert learned.modality_weights == {"a": 1.0, "b": 1.0}


def test_links_of_one_kind() -> None:
    X, must, cannot = problem(3, 20, 10, 40)
    only_must = learn_metrics({"x": X}, must, NONE)
    only_cannot = learn_metrics({"x": X}, NONE, cannot)
    moved = only_must.metrics["x"].apply(X)
    shorter = [np.linalg.norm(moved[i] - moved[j]) < np.linalg.norm(X[i] - X[j]) for i, j in must]
    assert all(shorter)
    assert only_cannot.metrics["x"].gains.size == 0
    assert only_must.modality_weights == only_cannot.modality_weights == {"x": 1.0}


@pytest.mark.parametrize("seed", range(5))
def test_the_view_that_tells_weighs_more(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(60) % 2)
    views = {
        "noise": rng.uniform(size=(60, 8)),
        "telling": np.eye(2)[y][:, [0, 1, 0, 1]] + 0.3 * rng.uniform(size=(60, 4)),
    }
    weights = learn_metrics(views, *pairs_of(y, 60, rng)).modality_weights
    assert all(0.0 <= weight <= 1.0 for weight in weights.values())
    assert weights["telling"] > weights["noise"]


def test_weight_multiplies_the_relation() -> None:
    X, must, cannot = problem(4, 20, 10, 40)
    metric = learn_metrics({"x": X}, must, cannot).metrics["x"]
    learned = LearnedMetrics({"x": metric}, {"x": 0.25})
    np.testing.assert_allclose(learned.transformed("x", X), 0.25 * metric.transformed(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_sparse_relations_become_an_operator(
    monkeypatch: pytest.MonkeyPatch, dtype: type
) -> None:
    X, must, cannot = problem(5, 40, 12, 60)
    view = sp.csr_array(X.astype(dtype))
    learned = learn_metrics({"x": view}, must, cannot)
    monkeypatch.setattr(operators, "DENSE_ENTRIES", 1)
    monkeypatch.setattr(operators, "COLUMNS_AT_ONCE", 2)
    moved = learned.transformed("x", view)
    assert isinstance(moved, TransformedRelation)
    expected = learned.modality_weights["x"] * learned.metrics["x"].apply(view)
    for operator, matrix in ((moved, expected), (moved.T, expected.T)):
        G = np.random.default_rng(0).uniform(size=(matrix.shape[1], 3)).astype(dtype)
        assert (operator @ G).dtype == operator.dtype == dtype
        assert operator.shape == matrix.shape
        np.testing.assert_allclose(operator @ G, matrix @ G, rtol=1e-4)
        assert squared_norm(operator) == pytest.approx(float((matrix**2).sum()), rel=1e-4)


def test_leading_directions_suffice_when_they_are_all(monkeypatch: pytest.MonkeyPatch) -> None:
    X, must, cannot = problem(6, 30, 40, 12)
    exact = learn_metrics({"x": X}, must, cannot).metrics["x"].apply(X)
    monkeypatch.setattr(learn, "EXACT_ORDER", 2)
    monkeypatch.setattr(learn, "LEADING_DIRECTIONS", len(must))
    leading = learn_metrics({"x": sp.csr_array(X)}, must, cannot).metrics["x"].apply(X)
    np.testing.assert_allclose(leading, exact, atol=1e-8)


def test_float32_stays() -> None:
    X, must, cannot = problem(7, 20, 12, 30)
    X32 = X.astype(np.float32)
    learned = learn_metrics({"x": X32}, must, cannot)
    moved = learned.transformed("x", X32)
    assert moved.dtype == np.float32
    expected = learn_metrics({"x": X}, must, cannot).transformed("x", X)
    np.testing.assert_allclose(moved, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("must", "ridge", "message"),
    [
        (np.array([[0, 9]]), 1.0, "out of range"),
        (np.array([[1, 1]]), 1.0, "itself"),
        (np.array([0, 1]), 1.0, "shape"),
        (np.array([[0, 1]]), 0.0, "ridge"),
    ],
)
def test_bad_input(must: Array, ridge: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        learn_metrics({"x": np.eye(4)}, must, NONE, ridge=ridge)


def test_views_must_share_rows() -> None:
    with pytest.raises(ValueError, match="share their rows"):
        learn_metrics({"a": np.eye(4), "b": np.eye(5)}, NONE, NONE)


@pytest.mark.parametrize("seed", range(10))
def test_samples_that_differ_in_their_last_digits_are_equal(seed):
    X = 3 * (1 + 1e-13 * np.random.default_rng(seed).random((4, 3)))
    learned = learn_metrics({"words": X}, np.array([[0, 1]]), np.array([[0, 2]]))
    assert np.isfinite(list(learned.modality_weights.values())).all()
