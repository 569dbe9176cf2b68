"""Distances between chosen pairs of rows, dense or sparse, in bounded memory."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import numpy as np

from cocluster.linalg.types import Array, Matrix

# Parts the objects are worked on in: many, since a few heavy rows may be neighbours of all others.
CHUNKS = 256
SMALLEST_CHUNK = 64
# Compiling costs seconds, and so do differences of sparse rows with this many entries.
COMPILE_FROM_ENTRIES = 10_000_000


def row_chunks(n: int) -> Iterator[slice]:
    """Cut ``range(n)`` into at most ``CHUNKS`` slices."""
    step = max(SMALLEST_CHUNK, -(-n // CHUNKS))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def scattered_chunks(n: int) -> Iterator[slice]:
    """As `row_chunks`, each of rows far apart: where heavy rows stand together (words sorted by
    frequency), no chunk gets them all.
    """
    parts = max(1, min(CHUNKS, -(-n // SMALLEST_CHUNK)))
    return (slice(first, n, parts) for first in range(parts))


def row_dots(A: Matrix, B: Matrix) -> Array:
    """Inner products of equal rows, ``diag(A Bᵀ)``, summed in double precision."""
    if isinstance(A, np.ndarray):
        return np.einsum("ij,ij->i", A, B, dtype=np.float64)
    return np.asarray(A.multiply(B).sum(axis=1, dtype=np.float64)).ravel()


def squared_distances(A: Matrix, B: Matrix) -> Array:
    """Squared distances of equal rows; from differences, so that nearby rows lose no digits."""
    difference = A - B
    return row_dots(difference, difference)


def neighbour_distances(X: Matrix, neighbours: Array) -> Array:
    """Squared distances of each row of X to its neighbours, one column per neighbour."""
    return chosen_distances(X, np.arange(len(neighbours)), neighbours)


def chosen_distances(X: Matrix, left: Array, right: Array) -> Array:
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


def _compiled_distances(X: Matrix, left: Array, right: Array) -> Array:
    """The same, an order of magnitude faster for sparse rows and several times for dense ones."""
    from cocluster.graphs import _compiled

    if isinstance(X, np.ndarray):
        return _compiled.dense_distances(X, left, right)
    if not X.has_canonical_format:  # the kernel counts on every entry being stored once
        X = X.copy()
        X.sum_duplicates()
    return _compiled.sparse_distances(X.indptr, X.indices, X.data, left, right, X.shape[1])
