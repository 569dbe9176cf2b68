"""Graphs: laws of neighbour graphs and Laplacians, and slow twins of the formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from cocluster.graphs import (
    as_graph,
    candidate_graphs,
    distances,
    knn_graph,
    laplacian,
    nearest_neighbours,
    patch_laplacian,
    patches,
)
from cocluster.graphs.distances import chosen_distances
from cocluster.utils import threads
from tests.reference import slow_neighbours, slow_patch_laplacian

WEIGHTS = ["binary", "heat", "cosine"]


def points(seed: int, n: int = 60, d: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).random((n, d))


@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("seed", range(3))
def test_neighbours_equal_the_slow_search(as_container: Any, seed: int) -> None:
    X = points(seed)
    np.testing.assert_array_equal(nearest_neighbours(as_container(X), 5), slow_neighbours(X, 5))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("k", [1, 3, 5])
def test_of_many_rows_at_one_distance_the_first_are_neighbours(k: int, dtype: Any) -> None:
    rng = np.random.default_rng(k)
    few_ones = (rng.random((60, 30)) < 0.05).astype(dtype)
    corners = rng.integers(0, 2, size=(50, 4)).astype(dtype)
    for X in (few_ones, corners, 1e5 * few_ones):
        for hold in (np.asarray, sp.csr_array):
            np.testing.assert_array_equal(nearest_neighbours(hold(X), k), slow_neighbours(X, k))


@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_compiled_distances_equal_their_twin(
    as_container: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    X = as_container(np.where(rng.random((40, 9)) < 0.6, 0, rng.random((40, 9))).astype(dtype))
    left, right = rng.integers(40, size=300), rng.integers(40, size=(300, 7))
    expected = chosen_distances(X, left, right)
    monkeypatch.setattr(distances, "COMPILE_FROM_ENTRIES", 0)
    # Twin and kernel round in single precision where the data are in it.
    np.testing.assert_allclose(chosen_distances(X, left, right), expected, rtol=1e-6, atol=1e-12)


def test_entries_stored_twice_count_once_in_compiled_distances(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = (np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([0, 2, 3]))
    monkeypatch.setattr(distances, "COMPILE_FROM_ENTRIES", 0)
    X = sp.csr_array(parts, shape=(2, 2))
    found = chosen_distances(X, np.array([0]), np.array([[0, 1]]))
    np.testing.assert_array_equal(found, [[0.0, 3.0**2 + 5.0**2]])
    assert len(X.data) == 3


@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
def test_a_duplicated_point_is_not_its_own_neighbour(as_container: Any) -> None:
    X = as_container(np.repeat(points(0, n=5), 8, axis=0))
    found = nearest_neighbours(X, 3)
    assert (found != np.arange(40)[:, None]).all()
    assert (found // 8 == np.arange(40)[:, None] // 8).all()


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("seed", range(2))
def test_graph_is_symmetric_loopless_and_the_same_for_sparse(
    metric: Any, weights: Any, seed: int
) -> None:
    X = points(seed)
    X[X < 0.3] = 0.0
    W = knn_graph(X, 4, metric=metric, weights=weights)
    assert abs(W - W.T).max() == 0
    assert (W.diagonal() == 0).all()
    assert W.data.min() > 0
    assert W.data.max() <= 1 + 1e-12
    assert abs(W - knn_graph(sp.csr_array(X), 4, metric=metric, weights=weights)).max() < 1e-12


def test_edges_are_the_pairs_of_which_one_is_a_neighbour_of_the_other() -> None:
    X = points(1)
    expected = np.zeros((60, 60))
    for i, others in enumerate(slow_neighbours(X, 3)):
        expected[i, others] = expected[others, i] = 1
    np.testing.assert_array_equal(knn_graph(X, 3).toarray(), expected)


def test_weights_follow_their_formulas() -> None:
    X = points(2)
    edges = knn_graph(X, 3).tocoo()
    d2 = ((X[edges.row] - X[edges.col]) ** 2).sum(axis=1)
    cosine = (X[edges.row] * X[edges.col]).sum(axis=1)
    cosine /= np.linalg.norm(X[edges.row], axis=1) * np.linalg.norm(X[edges.col], axis=1)
    heat = knn_graph(X, 3, weights="heat", bandwidth=0.2)
    np.testing.assert_allclose(heat[edges.row, edges.col], np.exp(-d2 / 0.2))
    np.testing.assert_allclose(knn_graph(X, 3, weights="cosine")[edges.row, edges.col], cosine)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_graph_does_not_depend_on_the_scale_of_the_data(metric: Any, weights: Any) -> None:
    X = points(3)
    W, scaled = (knn_graph(Y, 4, metric=metric, weights=weights) for Y in (X, 1000 * X))
    assert abs(W - scaled).max() < 1e-9


def test_cosine_neighbours_ignore_the_length_of_rows_and_leave_zero_rows_alone() -> None:
    X = points(4)
    X[[7, 30]] = 0.0
    lengths = np.random.default_rng(0).uniform(0.1, 10, size=(60, 1))
    W = knn_graph(X, 4, metric="cosine")
    assert abs(W - knn_graph(lengths * X, 4, metric="cosine")).max() == 0
    np.testing.assert_array_equal(np.flatnonzero(W.sum(axis=1) == 0), [7, 30])


@pytest.mark.parametrize("weights", WEIGHTS)
def test_equal_points_make_a_finite_graph(weights: Any) -> None:
    assert np.isfinite(knn_graph(np.ones((10, 3)), 2, weights=weights).data).all()
    assert np.isfinite(knn_graph(np.zeros((10, 3)), 2, weights=weights).data).all()


@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
def test_candidate_graphs_are_eleven_and_independent_of_scale(as_container: Any) -> None:
    X = as_container(points(5))
    graphs = candidate_graphs(X)
    assert len(graphs) == 11
    assert abs(graphs["binary"] - knn_graph(X)).max() == 0
    assert abs(graphs["cosine"] - knn_graph(X, weights="cosine")).max() == 0
    tau = np.mean([((a - b) ** 2).sum() for a in points(5) for b in points(5)])
    assert abs(graphs["heat 1"] - knn_graph(X, weights="heat", bandwidth=tau)).max() < 1e-12
    for name, W in candidate_graphs(1000 * X).items():
        assert abs(W - graphs[name]).max() < 1e-9


def test_printed_bandwidths_are_multiples_of_the_inverse_mean_squared_distance() -> None:
    X = 3 * points(0)
    tau = np.mean([((x - y) ** 2).sum() for x in X for y in X])
    for printed, unit in ((False, tau), (True, 1 / tau)):
        graphs = candidate_graphs(X, 4, printed=printed)
        expected = knn_graph(X, 4, weights="heat", bandwidth=unit / 10)
        np.testing.assert_allclose(graphs["heat 0.1"].toarray(), expected.toarray())


def test_candidate_graphs_of_equal_points_are_finite() -> None:
    assert all(np.isfinite(W.data).all() for W in candidate_graphs(np.ones((8, 2)), 2).values())


@pytest.mark.parametrize("normalized", [False, True])
def test_laplacian_equals_its_formula_with_isolated_objects(normalized: bool) -> None:
    W = knn_graph(points(6), 3, weights="heat").toarray()
    W[5] = W[:, 5] = 0.0
    degrees = W.sum(axis=1)
    expected = np.diag(degrees) - W
    if normalized:
        root = np.sqrt([1 / d if d else 0.0 for d in degrees])
        expected = root[:, None] * expected * root
    L = laplacian(sp.csr_array(W), normalized)
    np.testing.assert_allclose(L.toarray(), expected, atol=1e-12)
    assert np.linalg.eigvalsh(L.toarray()).min() > -1e-12


def test_user_graph_is_symmetrised_by_maximum() -> None:
    W = np.array([[5.0, 2, 0], [1, 0, 0], [3, 0, 0]])
    expected = [[0, 2, 3], [2, 0, 0], [3, 0, 0]]
    for container in (W, W.tolist(), sp.coo_matrix(W), W.astype(int)):
        np.testing.assert_array_equal(as_graph(container, 3).toarray(), expected)
    assert W[0, 0] == 5


@pytest.mark.parametrize(
    ("W", "message"),
    [
        (np.ones((3, 4)), "shape"),
        (np.ones((4, 4)), "shape"),
        (-np.ones((3, 3)), "negative"),
        (np.full((3, 3), np.nan), "NaN"),
        (np.full((3, 3), np.inf), "infinite"),
    ],
)
def test_bad_user_graphs_are_refused(W: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_graph(W, 3)


def test_a_user_graph_of_words_is_refused() -> None:
    with pytest.raises(TypeError, match="real numbers"):
        as_graph(np.ones((3, 3), dtype=complex), 3)


@pytest.mark.parametrize("n_neighbors", [0, 60, 100])
def test_impossible_numbers_of_neighbours_are_refused(n_neighbors: int) -> None:
    with pytest.raises(ValueError, match="n_neighbors"):
        knn_graph(points(0), n_neighbors)


@pytest.mark.parametrize(
    "options", [{"metric": "manhattan"}, {"weights": "linear"}, {"bandwidth": 0.0}]
)
def test_unknown_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        knn_graph(points(0), **options)


@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("ridge", [0.01, 1.0])
@pytest.mark.parametrize("d", [2, 30])
def test_patch_laplacian_equals_the_paper(as_container: Any, ridge: float, d: int) -> None:
    X = points(7, d=d)
    L = patch_laplacian(as_container(X), 4, ridge=ridge)
    np.testing.assert_allclose(L.toarray(), slow_patch_laplacian(X, 4, ridge), atol=1e-12)


def test_patch_laplacian_is_a_laplacian_and_ignores_shifts_of_the_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = points(8)
    L = patch_laplacian(X, 4)
    assert abs(L - L.T).max() < 1e-15
    assert np.abs(L.sum(axis=1)).max() < 1e-13
    assert np.linalg.eigvalsh(L.toarray()).min() > -1e-12
    assert abs(L - patch_laplacian(X + 1e6, 4)).max() < 1e-6
    monkeypatch.setattr(distances, "ENTRIES_AT_ONCE", 7)
    monkeypatch.setattr(patches, "PATCH_ENTRIES", 200)
    assert abs(L - patch_laplacian(X, 4)).max() < 1e-14


def test_patch_laplacian_forgives_labels_that_are_linear_in_the_data() -> None:
    X = points(9)
    L = patch_laplacian(X, 6, ridge=1e-9)
    linear, noise = X @ [1.0, -2.0, 0.5, 3.0], np.random.default_rng(0).random(60)
    assert linear @ L @ linear < 1e-6 * (noise @ L @ noise)


def test_patch_laplacian_refuses_a_useless_ridge() -> None:
    with pytest.raises(ValueError, match="ridge"):
        patch_laplacian(points(0), ridge=0.0)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_compiled_distances_obey_the_limit_of_threads(monkeypatch, kind) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(distances, "COMPILE_FROM_ENTRIES", 0)
    used: list[int] = []
    pool = threads.ThreadPoolExecutor
    monkeypatch.setattr(threads, "ThreadPoolExecutor", lambda n: used.append(n) or pool(n))
    X = kind(np.random.default_rng(0).random((300, 4)))
    pairs = np.arange(300), np.arange(600).reshape(300, 2) % 300
    with threads.limit(2):
        two = chosen_distances(X, *pairs)
    with threads.limit(1):
        one = chosen_distances(X, *pairs)
    assert used == [2]
    assert_array_equal(one, two)
