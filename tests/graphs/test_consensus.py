"""Neighbour graphs that follow the density, walks on them, and eigenvectors without crumbs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from cocluster.graphs.consensus import common_graph, core_embedding, neighbour_graph, smoothed
from cocluster.linalg.kmeans import kmeans_labels


@pytest.fixture
def points(rng):
    """Three clouds in the plane."""
    return np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 20, axis=0) + rng.normal(size=(60, 2))


def test_weights_are_those_of_the_formula(points):
    n, q = 60, 8
    d = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(d, np.inf)
    scale = np.sort(d, axis=1)[:, 6]
    near = np.argsort(d, axis=1)[:, :q]
    expected = np.zeros((n, n))
    for i in range(n):
        for j in near[i]:
            expected[i, j] = expected[j, i] = np.exp(-(d[i, j] ** 2) / (scale[i] * scale[j]))
    np.testing.assert_allclose(neighbour_graph(points, q).toarray(), expected, rtol=1e-6)


def test_a_graph_does_not_depend_on_the_scale(points):
    one, other = neighbour_graph(points, 5), neighbour_graph(1e6 * points, 5)
    np.testing.assert_allclose(one.toarray(), other.toarray(), rtol=1e-6)


def test_duplicates_and_single_rows_have_a_graph():
    assert neighbour_graph(np.zeros((6, 2)), 3).max() == 1
    assert neighbour_graph(np.zeros((1, 2)), 3).nnz == 0


def test_the_common_graph_is_the_mean(points, rng):
    other = rng.normal(size=(60, 3))
    mean = (neighbour_graph(points, 4) + neighbour_graph(other, 4)) / 2
    np.testing.assert_allclose(common_graph([points, other], 4).toarray(), mean.toarray())


def test_smoothing_is_the_walk_written_out(points):
    W = neighbour_graph(points, 5)
    P = W.toarray() + np.eye(60)
    P /= P.sum(axis=1, keepdims=True)
    Z = P @ P @ P @ points
    Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    np.testing.assert_allclose(smoothed(W, points, 3), Z)


def test_crumbs_take_no_cluster(points, seed):
    """Two pairs of far points are components of their own; without care each has a vector."""
    crumbs = np.array([[90.0, 0.0], [90.1, 0.0], [0.0, 90.0], [0.0, 90.1]])
    W = sp.csr_array(
        sp.block_diag([neighbour_graph(points, 8), neighbour_graph(crumbs[:2], 1)] * 1)
    )
    W = sp.csr_array(sp.block_diag([W, neighbour_graph(crumbs[2:], 1)]))
    Z = core_embedding(W, 3, seed)
    labels = kmeans_labels(Z[:60], 3, seed)
    assert adjusted_rand_score(np.repeat(np.arange(3), 20), labels) == 1
    # All three clusters are there, and none of them is a crumb.
    assert np.bincount(labels, minlength=3).min() > 4
