"""Neighbour graphs of data in row blocks, which are never compared all with all."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from cocluster.blocks.rows import stacked
from cocluster.graphs.laplacians import symmetric
from cocluster.graphs.neighbours import nearest_neighbours
from cocluster.graphs.weights import Metric
from cocluster.linalg.matrices import row_squares
from cocluster.linalg.subspace import leading_subspace
from cocluster.linalg.types import Array, Blocked, InMemory

# Rows that every block is compared with besides its own: without them the blocks would be
# components of the graph, and its leading eigenvectors would tell blocks apart, not clusters.
REFERENCES = 2_000
# Singular directions that describe a column. Whole columns could not be compared: they are as long
# as the data, and each block has a piece of all of them.
FEATURE_COMPONENTS = 50


def sample_graph(X: Blocked, n_neighbors: int, metric: Metric) -> sp.csr_array:
    """Join each row with its nearest ones of its block and of a sample of all rows."""
    n = X.shape[0]
    # A fixed seed: the graph is a property of the data, not of the fit.
    rng = np.random.default_rng(0)
    reference = np.sort(rng.choice(n, min(REFERENCES, n), replace=False))
    edges = X.collect(_edges, reference, X[reference], n_neighbors, metric, along=(np.arange(n),))
    ends = np.concatenate(edges, axis=1)
    graph = sp.csr_array((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(n, n))
    # A pair that was found from both ends, or twice, has been added up.
    graph.data[:] = 1
    return symmetric(graph)


def feature_points(X: Blocked) -> Array:
    """The columns as points: their coordinates on the leading singular directions of X."""
    size = min(FEATURE_COMPONENTS, *X.shape)
    return leading_subspace(X, size, np.random.default_rng(0))[1].astype(np.float64)


def _edges(
    X: InMemory, positions: Array, reference: Array, R: InMemory, n_neighbors: int, metric: Metric
) -> Array:
    """Pairs (row, neighbour) of one block, as positions in the whole, shape (2, pairs)."""
    # References that are in this block are there as its own rows already.
    others = ~np.isin(reference, positions)
    points, known = stacked([X, R[others]]), np.concatenate([positions, reference[others]])
    points = normalize(points) if metric == "cosine" else points
    kept = np.flatnonzero(row_squares(points)) if metric == "cosine" else np.arange(len(known))
    if n_neighbors >= len(kept):
        # Too few rows that are not empty: no edges, as such a block says nothing about neighbours.
        return np.empty((2, 0), np.intp)
    own = kept < len(positions)
    found = nearest_neighbours(points[kept], n_neighbors)[own]
    return np.stack([np.repeat(known[kept[own]], n_neighbors), known[kept[found.ravel()]]])
