"""Neighbours that several pictures of the same objects agree on, and embeddings made from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from cocluster.graphs.distances import neighbour_distances
from cocluster.graphs.laplacians import symmetric
from cocluster.graphs.neighbours import nearest_neighbours
from cocluster.linalg.eigen import smallest_eigenvectors
from cocluster.linalg.kmeans import kmeans
from cocluster.linalg.matrices import degree_scaled, row_sums, safe_inverse, scaled
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array

# The distance to this neighbour is the scale of an object: dense and thin regions then have edges
# of the same weights (Zelnik-Manor and Perona 2004, who take the seventh as well).
SCALE_NEIGHBOUR = 7
# A cluster smaller than this share of the average one is a crumb: a few objects that hang on the
# rest by a thread, which an eigenvector describes before it describes a cluster.
CRUMB = 0.2
# How often crumbs are looked for: each time some are left out, others may come to light.
ROUNDS = 6
# Crumbs are few. Where they are half of all objects, they are what the data look like.
KEPT_AT_LEAST = 0.5
# Steps from the core outwards until every object that was left out has a place.
STEPS_OUT = 3
# Digits of the eigenvectors: k-means follows, which needs no more.
PRECISION = 1e-4


def neighbour_graph(Z: Array, n_neighbors: int, seed: int = 0) -> sp.csr_array:
    r"""Join each row with its nearest ones, with weights that follow the density.

    .. math:: w_{ij} = \exp(-\|z_i - z_j\|^2 / (\sigma_i \sigma_j))

    with :math:`\sigma_i` the distance from i to its seventh neighbour (or the last one, where
    fewer are asked for). Symmetrised by maximum.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
    n_neighbors : int
        Neighbours of each row; all others where there are fewer.
    seed : int
        Of the approximate search above 20,000 rows.

    Returns
    -------
    csr_array of shape (n, n), symmetric, with an empty diagonal
    """
    n = len(Z)
    q = min(n_neighbors, n - 1)
    if q < 1:
        return sp.csr_array((n, n))
    found = nearest_neighbours(Z, q, seed)
    d2 = neighbour_distances(Z, found)
    scale = np.sqrt(d2[:, min(SCALE_NEIGHBOUR, q) - 1])
    # Duplicates lie at distance 0 on a scale of 0: the tiny number makes their weight 1. Far from
    # there a quotient beyond all numbers stands for a weight of 0.
    product = np.maximum(scale[:, None] * scale[found], np.finfo(np.float64).tiny)
    with np.errstate(over="ignore"):
        weights = np.exp(-d2 / product)
    rows = np.arange(0, n * q + 1, q)
    return symmetric(sp.csr_array((weights.ravel(), found.ravel(), rows), shape=(n, n)))


def common_graph(parts: Sequence[Array], n_neighbors: int, seed: int = 0) -> sp.csr_array:
    """Mean of the neighbour graphs of several embeddings of the same rows."""
    graphs = [neighbour_graph(Z, n_neighbors, seed) for Z in parts]
    return sum(graphs[1:], start=graphs[0]) / len(graphs)


def smoothed(W: sp.csr_array, Z: Array, steps: int) -> Array:
    """Every row replaced by the mean over where a random walk from it leads, at unit length.

    The walk stays where it is with the weight of one certain neighbour. A few steps make rows of a
    dense region alike, and move no row far.
    """
    walk = sp.csr_array(W + sp.eye_array(W.shape[0]))
    walk = scaled(walk, row_scale=safe_inverse(row_sums(walk)))
    for _ in range(steps):
        Z = walk @ Z
    return np.asarray(unit_rows(Z))


def core_embedding(W: sp.csr_array, n_clusters: int, seed: int) -> Array:
    """Rows of the leading eigenvectors of a graph, which crumbs cannot take for themselves.

    Eigenvectors of :math:`D^{-1/2} W D^{-1/2}`, one for each cluster, at unit length. Where k-means
    on them finds clusters that are much too small, their objects are left out and the eigenvectors
    are computed anew; in the end they get the mean of their neighbours.

    Parameters
    ----------
    W : csr_array of shape (n, n), symmetric
    n_clusters : int
    seed : int

    Returns
    -------
    ndarray of shape (n, n_clusters)
    """
    n = W.shape[0]
    active = _without_small_components(W, CRUMB * n / n_clusters)
    Z = _leading(W[active][:, active], n_clusters, seed)
    for _ in range(ROUNDS):
        labels = kmeans(Z, n_clusters, seed, n_init=2).labels_
        crumbs = np.bincount(labels)[labels] < CRUMB * n / n_clusters
        if not crumbs.any() or len(active) - crumbs.sum() < KEPT_AT_LEAST * n:
            break
        active = active[~crumbs]
        Z = _leading(W[active][:, active], n_clusters, seed)
    return _completed(W, active, Z)


def _without_small_components(W: sp.csr_array, least: float) -> Array:
    """Objects in connected components of at least so many; all, if those are less than half."""
    component = connected_components(W, directed=False)[1]
    large = np.flatnonzero(np.bincount(component)[component] >= least)
    return large if len(large) >= KEPT_AT_LEAST * W.shape[0] else np.arange(W.shape[0])


def _leading(W: sp.csr_array, k: int, seed: int) -> Array:
    """Unit rows of the k eigenvectors that belong to the largest eigenvalues."""
    rng = np.random.default_rng(seed)
    # Largest of the scaled graph instead of smallest of its Laplacian: digits are counted from the
    # eigenvalue, and none are left to count from where that is zero.
    found = smallest_eigenvectors(-degree_scaled(W), min(k, W.shape[0]), rng, tol=PRECISION)
    return np.asarray(unit_rows(found[1]))


def _completed(W: sp.csr_array, active: Array, Z: Array) -> Array:
    """The embedding of all objects, of those left out by their neighbours."""
    whole = np.zeros((W.shape[0], Z.shape[1]))
    whole[active] = Z
    others = np.setdiff1d(np.arange(W.shape[0]), active)
    for _ in range(STEPS_OUT if len(others) else 0):
        whole[others] = unit_rows(W[others] @ whole)
    return whole
