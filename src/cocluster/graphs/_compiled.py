"""Compiled distances between chosen rows of a matrix. Imported only where there are many.

The twin that subtracts blocks of rows is in `cocluster.graphs.distances`.
"""

from __future__ import annotations

import numba
import numpy as np

from cocluster.linalg.types import Array

# Enough for any number of threads to share the rows evenly.
N_PARTS = 256


@numba.njit(parallel=True, cache=True, nogil=True)  # type: ignore[untyped-decorator]
def sparse_distances(
    indptr: Array, indices: Array, data: Array, left: Array, right: Array, n_columns: int
) -> Array:
    """out[r, c] = squared distance of rows left[r] and right[r, c], from their differences."""
    n, k = right.shape
    out = np.empty((n, k), dtype=np.float64)
    for part in numba.prange(N_PARTS):
        first, last = n * part // N_PARTS, n * (part + 1) // N_PARTS
        row = np.zeros(n_columns if last > first else 0, dtype=data.dtype)
        for r in range(first, last):
            own = range(indptr[left[r]], indptr[left[r] + 1])
            for p in own:
                row[indices[p]] = data[p]
            for c in range(k):
                total = 0.0
                for p in range(indptr[right[r, c]], indptr[right[r, c] + 1]):
                    difference = np.float64(data[p]) - row[indices[p]]
                    total += difference * difference
                    # What both have is counted: the next loop finds what only the left one has.
                    row[indices[p]] = 0
                for p in own:
                    only_left = np.float64(row[indices[p]])
                    total += only_left * only_left
                    row[indices[p]] = data[p]
                out[r, c] = total
            for p in own:
                row[indices[p]] = 0
    return out


@numba.njit(parallel=True, cache=True, nogil=True)  # type: ignore[untyped-decorator]
def dense_distances(X: Array, left: Array, right: Array) -> Array:
    """out[r, c] = squared distance of rows left[r] and right[r, c], from their differences."""
    n, k = right.shape
    out = np.empty((n, k), dtype=np.float64)
    for r in numba.prange(n):
        for c in range(k):
            total = 0.0
            for j in range(X.shape[1]):
                difference = np.float64(X[left[r], j]) - X[right[r, c], j]
                total += difference * difference
            out[r, c] = total
    return out
