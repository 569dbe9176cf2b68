"""Distances between chosen pairs of rows, dense or sparse, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cocluster.matrices import Array, Matrix

# Parts the objects are worked on in: many, since a few heavy rows may be neighbours of all others.
CHUNKS = 256
SMALLEST_CHUNK = 64


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
    result = np.empty(neighbours.shape)
    for chunk in scattered_chunks(len(neighbours)):
        rows = X[chunk]
        for column, other in enumerate(neighbours[chunk].T):
            result[chunk, column] = squared_distances(rows, X[other])
    return result
