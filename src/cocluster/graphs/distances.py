"""Distances between chosen pairs of rows, dense or sparse, in bounded memory."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.checked import in_form
from cocluster.linalg.matrices import chunks, row_dots
from cocluster.linalg.types import Array, InMemory
from cocluster.utils import threads

# Of two matrices: a number for each row of the one and the same row of the other.
Measure = Callable[[InMemory, InMemory], Array]
# Parts that rows are worked on in, so that what is made of a part is small beside the data.
CHUNKS = 256
# With fewer rows in a part, the loop over the parts would cost more than the work on them.
SMALLEST_CHUNK = 64
# Entries of pairs of rows that are held at a time, some 10 MB with their places: few enough to stay
# near the processor, and so many that the loop over the parts costs little.
ENTRIES_AT_ONCE = 250_000
# Compiling costs seconds, and so do differences of sparse rows with this many entries.
COMPILE_FROM_ENTRIES = 10_000_000


def row_chunks(n: int) -> Iterator[slice]:
    """Cut ``range(n)`` into at most ``CHUNKS`` slices."""
    return chunks(n, max(SMALLEST_CHUNK, -(-n // CHUNKS)))


def squared_distances(A: InMemory, B: InMemory) -> Array:
    """Squared distances of row i of A and row i of B."""
    # From differences: ‖a‖² + ‖b‖² - 2 a·b would lose all digits where two rows are nearly equal.
    difference = A - B
    return row_dots(difference, difference)


def neighbour_distances(X: InMemory, neighbours: Array) -> Array:
    """Squared distances of each row of X to its neighbours, one column per neighbour."""
    return chosen_distances(X, np.arange(len(neighbours)), neighbours)


def mean_squared_distance(X: InMemory) -> float:
    """Mean squared distance over all pairs of rows, in time linear in the entries of X."""
    # The mean over all pairs is twice the total variance. Rounding can take it below zero where all
    # rows are equal.
    mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    return 2.0 * max(float(row_dots(X, X).mean() - mean @ mean), 0.0)


def chosen_distances(X: InMemory, left: Array, right: Array) -> Array:
    """Squared distances of the rows ``left[r]`` and ``right[r, c]`` of X, at [r, c]."""
    # What has to be read: as many rows as there are pairs, with the average number of entries.
    entries = right.size * X.size / X.shape[0]
    if entries >= COMPILE_FROM_ENTRIES and importlib.util.find_spec("numba"):
        # One type of positions: kernels are compiled anew for every combination of types.
        return _compiled_distances(X, left.astype(np.int32), right.astype(np.int32))
    return of_pairs(squared_distances, X, left, right)


def of_pairs(measure: Measure, X: InMemory, left: Array, right: Array) -> Array:
    """What ``measure`` says of the rows ``left[r]`` and ``right[r, c]`` of X, at [r, c].

    It gets two matrices with a row for each pair.
    """
    result = np.empty(right.shape)
    flat, others, width = result.reshape(-1), right.reshape(-1), right.shape[1]
    for part in _pair_parts(X, left, right):
        own = left[np.arange(part.start, part.stop) // width]
        flat[part] = measure(X[own], X[others[part]])
    return result


def _pair_parts(X: InMemory, left: Array, right: Array) -> Iterator[slice]:
    """Cut the pairs, row by row of ``right``, into parts of about `ENTRIES_AT_ONCE` entries."""
    # Counted pair by pair: the heaviest row may be a neighbour of all others.
    entries = np.diff(X.indptr) if sp.issparse(X) else np.full(X.shape[0], X.shape[1])
    read = np.cumsum(entries[left][:, None] + entries[right], dtype=np.int64)
    cuts = 1 + np.flatnonzero(np.diff(read // ENTRIES_AT_ONCE))
    return (slice(first, last) for first, last in pairwise([0, *cuts.tolist(), right.size]))


def _compiled_distances(X: InMemory, left: Array, right: Array) -> Array:
    """The same, an order of magnitude faster for sparse rows and several times for dense ones."""
    from cocluster.graphs import _compiled

    out = np.empty(right.shape)

    def of_dense(rows: slice) -> None:
        _compiled.dense_distances(X, left, right, rows.start, rows.stop, out)

    def of_sparse(rows: slice) -> None:
        # Each call has a row of its own to write in: several threads work at the same time.
        written_out = np.zeros(X.shape[1], X.dtype)
        pairs = (left, right, rows.start, rows.stop)
        _compiled.sparse_distances(X.indptr, X.indices, X.data, *pairs, written_out, out)

    measure = of_dense
    if sp.issparse(X):
        # The kernel counts on every entry being stored once.
        X, measure = in_form(X), of_sparse
    threads.run_tasks(measure, list(row_chunks(len(left))))
    return out
