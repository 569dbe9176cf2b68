"""Distances between chosen pairs of rows, dense or sparse, in bounded memory."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.types import Array, InMemory
from cocluster.utils import threads
from cocluster.utils.chunks import chunks

# Parts the objects are worked on in: many, since a few heavy rows may be neighbours of all others.
CHUNKS = 256
SMALLEST_CHUNK = 64
# Compiling costs seconds, and so do differences of sparse rows with this many entries.
COMPILE_FROM_ENTRIES = 10_000_000


def row_chunks(n: int) -> Iterator[slice]:
    """Cut ``range(n)`` into at most ``CHUNKS`` slices."""
    return chunks(n, max(SMALLEST_CHUNK, -(-n // CHUNKS)))


def scattered_chunks(n: int) -> Iterator[slice]:
    """As `row_chunks`, each of rows far apart: where heavy rows stand together (words sorted by
    frequency), no chunk gets them all.
    """
    parts = max(1, min(CHUNKS, -(-n // SMALLEST_CHUNK)))
    return (slice(first, n, parts) for first in range(parts))


def row_dots(A: InMemory, B: InMemory) -> Array:
    """Inner products of equal rows, ``diag(A Bᵀ)``, summed in double precision."""
    if isinstance(A, np.ndarray):
        return np.einsum("ij,ij->i", A, B, dtype=np.float64)
    return np.asarray(A.multiply(B).sum(axis=1, dtype=np.float64)).ravel()


def squared_distances(A: InMemory, B: InMemory) -> Array:
    """Squared distances of equal rows; from differences, so that nearby rows lose no digits."""
    difference = A - B
    return row_dots(difference, difference)


def neighbour_distances(X: InMemory, neighbours: Array) -> Array:
    """Squared distances of each row of X to its neighbours, one column per neighbour."""
    return chosen_distances(X, np.arange(len(neighbours)), neighbours)


def mean_squared_distance(X: InMemory) -> float:
    """Mean squared distance over all pairs of rows, twice the total variance."""
    mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    return 2.0 * max(float(row_dots(X, X).mean() - mean @ mean), 0.0)


def chosen_distances(X: InMemory, left: Array, right: Array) -> Array:
    """Squared distances of the rows ``left[r]`` and ``right[r, c]`` of X, at [r, c]."""
    entries = right.size * X.size / X.shape[0]
    if entries >= COMPILE_FROM_ENTRIES and importlib.util.find_spec("numba"):
        return _compiled_distances(X, left.astype(np.int32), right.astype(np.int32))
    result = np.empty(right.shape)
    for chunk in scattered_chunks(len(left)):
        rows = X[left[chunk]]
        for column, other in enumerate(right[chunk].T):
            result[chunk, column] = squared_distances(rows, X[other])
    return result


def _compiled_distances(X: InMemory, left: Array, right: Array) -> Array:
    """The same, an order of magnitude faster for sparse rows and several times for dense ones."""
    from cocluster.graphs import _compiled

    out = np.empty(right.shape)
    if sp.issparse(X) and not X.has_canonical_format:
        X = X.copy()  # the kernel counts on every entry being stored once
        X.sum_duplicates()

    def measure(rows: slice) -> None:
        pairs = (left, right, rows.start, rows.stop)
        if sp.issparse(X):
            written_out = np.zeros(X.shape[1], X.dtype)
            arrays = (X.indptr, X.indices, X.data)
            _compiled.sparse_distances(*arrays, *pairs, written_out, out)
        else:
            _compiled.dense_distances(X, *pairs, out)

    threads.each(measure, list(row_chunks(len(left))))
    return out
