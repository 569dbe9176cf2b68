"""Compiled distances between chosen rows of a matrix. Imported only where there are many.

Each kernel works on the pairs from ``first`` to ``last`` and gives way to other threads;
`cocluster.graphs.distances` shares the pairs out, and has the twin that subtracts blocks of rows.
"""

from __future__ import annotations

import numpy as np

from cocluster.linalg.compiling import compiled
from cocluster.linalg.types import Array


@compiled
def sparse_distances(
    indptr: Array,
    indices: Array,
    data: Array,
    left: Array,
    right: Array,
    first: int,
    last: int,
    row: Array,
    out: Array,
) -> None:
    """out[r, c] = squared distance of rows left[r] and right[r, c], from their differences.

    ``row`` has a place for each column and is zero: the left row is written out in it.
    """
    for r in range(first, last):
        own = range(indptr[left[r]], indptr[left[r] + 1])
        for p in own:
            row[indices[p]] = data[p]
        for c in range(right.shape[1]):
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


@compiled
def dense_distances(X: Array, left: Array, right: Array, first: int, last: int, out: Array) -> None:
    """out[r, c] = squared distance of rows left[r] and right[r, c], from their differences."""
    for r in range(first, last):
        for c in range(right.shape[1]):
            total = 0.0
            for j in range(X.shape[1]):
                difference = np.float64(X[left[r], j]) - X[right[r, c], j]
                total += difference * difference
            out[r, c] = total
