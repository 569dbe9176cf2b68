"""Neighbour graphs with binary, heat or cosine weights, and the candidate graphs of RMC."""

from __future__ import annotations

from typing import Literal

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from cocluster.graphs.distances import mean_squared_distance, neighbour_distances, of_pairs
from cocluster.graphs.laplacians import symmetric
from cocluster.graphs.neighbours import nearest_neighbours
from cocluster.linalg.matrices import inverse_root, row_dots
from cocluster.linalg.types import Array, InMemory

Metric = Literal["euclidean", "cosine"]
Weights = Literal["binary", "heat", "cosine"]
# Bandwidths of RMC as multiples of the mean squared distance, section 4.2 of the paper.
HEAT_FACTORS = (1 / 100, 1 / 60, 1 / 30, 1 / 10, 1.0, 10.0, 30.0, 60.0, 100.0)


def knn_graph(
    X: InMemory,
    n_neighbors: int = 5,
    *,
    metric: Metric = "euclidean",
    weights: Weights = "binary",
    bandwidth: float | None = None,
    seed: int = 0,
) -> sp.csr_array:
    r"""Join each row of X with its nearest rows.

    An edge joins i and j if one is among the nearest neighbours of the other (symmetrised by
    maximum). Its weight is

    ========== ==================================================
    binary     1
    heat       :math:`\exp(-\|x_i - x_j\|^2 / t)`
    cosine     :math:`\max(0, x_i^T x_j / (\|x_i\| \|x_j\|))`
    ========== ==================================================

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        Objects are rows; pass ``X.T`` for a graph of the features.
    n_neighbors : int
        Neighbours besides the object itself.
    metric : {"euclidean", "cosine"}
        How neighbours are found. By cosine a zero row has no neighbours and stays isolated. Heat
        weights then use the distance between rows of unit length.
    weights : {"binary", "heat", "cosine"}
    bandwidth : float, optional
        The t of the heat weights. Default: the mean squared distance over all neighbour pairs.
    seed : int
        Seed of the approximate search used above 20,000 objects, see :func:`nearest_neighbours`.

    Returns
    -------
    csr_array of shape (n, n), symmetric, with an empty diagonal

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> knn_graph(X, 1).toarray().astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    _check_options(metric, weights, bandwidth)
    if metric == "euclidean":
        neighbours = nearest_neighbours(X, n_neighbors, seed)
        return _weighted(neighbours, _edge_weights(X, neighbours, weights, bandwidth))
    # Of unit rows the nearest by distance are the nearest by cosine: ‖x - y‖² = 2 - 2 x·y.
    X = normalize(X)
    kept = np.flatnonzero(row_dots(X, X))
    graph = knn_graph(X[kept], n_neighbors, weights=weights, bandwidth=bandwidth, seed=seed).tocoo()
    rows, columns = kept[graph.row], kept[graph.col]
    return sp.csr_array((graph.data, (rows, columns)), shape=(X.shape[0], X.shape[0]))


def candidate_graphs(
    X: InMemory, n_neighbors: int = 5, seed: int = 0, *, printed: bool = False
) -> dict[str, sp.csr_array]:
    r"""Make the eleven candidate graphs of RMC [1]_: binary, cosine, and nine with heat weights.

    All have the same Euclidean neighbours. The bandwidths are

    .. math:: t = \tau \{1/100, 1/60, 1/30, 1/10, 1, 10, 30, 60, 100\}, \qquad
              \tau = \frac{1}{n^2} \sum_{i,j} \|x_i - x_j\|^2 .

    The paper prints the inverse of this :math:`\tau`. As a bandwidth in :math:`\exp(-d^2/t)` that
    is right for data of unit scale only; ours makes the graphs independent of the scale of X.
    ``printed=True`` takes the inverse.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        Objects are rows.
    n_neighbors : int
        Neighbours besides the object itself.
    seed : int
        Seed of the approximate search used above 20,000 objects.
    printed : bool
        Whether the bandwidths are those that the paper prints.

    Returns
    -------
    dict of name to csr_array of shape (n, n)

    References
    ----------
    .. [1] Li et al., "Relational Multi-manifold Co-clustering", section 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).random((20, 3))
    >>> len(candidate_graphs(X, 3))
    11
    """
    neighbours = nearest_neighbours(X, n_neighbors, seed)
    tau = mean_squared_distance(X) or 1.0
    tau = 1.0 / tau if printed else tau
    d2 = neighbour_distances(X, neighbours)
    graphs = {
        "binary": _weighted(neighbours, np.ones(neighbours.shape)),
        "cosine": _weighted(neighbours, _cosines(X, neighbours)),
    }
    for factor in HEAT_FACTORS:
        graphs[f"heat {factor:.3g}"] = _weighted(neighbours, np.exp(-d2 / (factor * tau)))
    return graphs


def _check_options(metric: str, weights: str, bandwidth: float | None) -> None:
    """Refuse unknown names and a bandwidth that is useless."""
    if metric not in ("euclidean", "cosine"):
        raise ValueError(f"metric={metric!r} is unknown; use 'euclidean' or 'cosine'.")
    if weights not in ("binary", "heat", "cosine"):
        raise ValueError(f"weights={weights!r} is unknown; use 'binary', 'heat' or 'cosine'.")
    if bandwidth is not None and not bandwidth > 0:
        raise ValueError(f"bandwidth={bandwidth} must be positive; None takes it from the data.")


def _edge_weights(X: InMemory, neighbours: Array, weights: str, bandwidth: float | None) -> Array:
    """Weights of the edges from each row to its neighbours."""
    if weights == "binary":
        return np.ones(neighbours.shape)
    if weights == "cosine":
        return _cosines(X, neighbours)
    d2 = neighbour_distances(X, neighbours)
    # All neighbours are duplicates if the mean is zero: any bandwidth gives weight 1.
    return np.exp(-d2 / (bandwidth or d2.mean() or 1.0))


def _cosines(X: InMemory, neighbours: Array) -> Array:
    """Cosine of each row with its neighbours, negative ones as zero."""
    scale = inverse_root(row_dots(X, X))
    cosines = of_pairs(row_dots, X, np.arange(len(neighbours)), neighbours)
    return np.asarray(np.maximum(cosines * scale[:, None] * scale[neighbours], 0.0))


def _weighted(neighbours: Array, weights: Array) -> sp.csr_array:
    """Graph with an edge of the given weight from each row to its neighbours, symmetrised."""
    # Each row has k entries, so the three arrays of a csr array are there without sorting.
    n, k = neighbours.shape
    indptr = np.arange(0, n * k + 1, k)
    return symmetric(sp.csr_array((weights.ravel(), neighbours.ravel(), indptr), shape=(n, n)))
