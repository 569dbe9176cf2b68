"""Nearest neighbours of every row: exact for small data, an inverted file of faiss above."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import randomized_svd

from cocluster.graphs.distances import chosen_distances
from cocluster.linalg.matrices import as_dense, by_rows, chunks, row_squares
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.optional import library

# Up to here all pairs are looked at, in a time that grows with the square of the number of rows.
EXACT_LIMIT = 20_000
# Where faiss is not installed, a wait of up to nine times as long is better than an error.
EXACT_LIMIT_WITHOUT_FAISS = 60_000
# Directions on which rows are projected for faiss, which takes dense rows and slows down with their
# length. Candidates need not be exact: true distances choose among them.
ANN_COMPONENTS = 100
# Least bytes of a block of distances: smaller ones would make more calls of scipy than work.
SMALLEST_BLOCK = 4 * 2**20
# Candidates besides twice the wanted neighbours, from which the true distances choose: the
# projection puts near rows near each other, but not in their order.
ANN_SURPLUS = 100
# How often the neighbours of neighbours are looked at, and how many of each row: neighbours of
# neighbours are likely to be neighbours, also those that the inverted file has missed.
REFINEMENTS = 2
REFINED = 20
# Distances from products may be wrong by so many times the rounding of one operation, for rows of
# thousands of entries.
ROUNDINGS = 4096
# Pairs whose distances are held at a time: with the arrays that sort them some 100 MB.
BLOCK_PAIRS = 4_000_000


def nearest_neighbours(X: InMemory, n_neighbors: int, seed: int = 0) -> Array:
    """Find the nearest other rows of each row, by Euclidean distance, nearest first.

    A row is never its own neighbour, also when it has duplicates. Ties go to the lower index, so
    the answer is the same for dense and sparse containers of the same data.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    n_neighbors : int
        Neighbours besides the row itself; less than n.
    seed : int
        Seed of the approximate search. It is used above 20,000 rows only.

    Returns
    -------
    ndarray of shape (n, n_neighbors), row indices

    Notes
    -----
    Up to 20,000 rows the search is exact. Above, rows are projected on 100 singular directions
    (where they have more), about a hundred candidates are searched there with an inverted file of
    faiss (extra ``ann``), and true distances choose among them and then, twice, among the twenty
    nearest neighbours of the twenty nearest.

    Examples
    --------
    >>> import numpy as np
    >>> nearest_neighbours(np.array([[0.0], [0.1], [5.0], [5.1]]), 1).ravel().tolist()
    [1, 0, 3, 2]
    """
    n = X.shape[0]
    if not 1 <= n_neighbors < n:
        raise ValueError(
            f"n_neighbors={n_neighbors} must be at least 1 and less than the {n} objects; "
            "choose fewer neighbours."
        )
    faiss = _faiss(n) if n > EXACT_LIMIT else None
    # The first search computes distances with rounding (by inner products or in a projection), so
    # it gives more rows than are wanted, and distances from differences choose among them.
    surplus = min(2 * n_neighbors, n - 1)
    if faiss is None:
        return _with_all_ties(X, _exact(X, surplus), n_neighbors)
    candidates = _approximate(faiss, X, min(ANN_SURPLUS + surplus, n - 1), seed)
    return _refined(X, _closest(X, candidates, max(n_neighbors, REFINED)))[:, :n_neighbors]


def _faiss(n: int) -> Any:
    """Import faiss; without it return None where the exact search is bearable."""
    try:
        return library("faiss", f"graphs of {n} objects", "ann", "or give the graph yourself")
    except ImportError:
        if n > EXACT_LIMIT_WITHOUT_FAISS:
            raise
        return None


def _exact(X: InMemory, k: int) -> Array:
    """Look at all pairs; the row itself is left out."""
    if sp.issparse(X):
        return _exact_sparse(X, k)
    search = NearestNeighbors(n_neighbors=k).fit(X)
    return np.asarray(search.kneighbors(return_distance=False))


def _exact_sparse(X: sp.csr_array, k: int) -> Array:
    """As scikit-learn does it, but transposing X once instead of for every block of distances."""
    n = X.shape[0]
    transposed, squares = X.T.tocsr(), row_squares(X)
    # A block of distances takes about as much memory as an eighth of the data.
    step = max(SMALLEST_BLOCK, X.data.nbytes // 8) // (8 * n)
    result = np.empty((n, k), dtype=np.intp)
    for chunk in chunks(n, step):
        rows = np.arange(n)[chunk]
        d2 = _partial_distances(X, rows, transposed, squares)
        result[rows] = np.argpartition(d2, k - 1, axis=1)[:, :k]
    return result


def _with_all_ties(X: InMemory, candidates: Array, k: int) -> Array:
    """The k closest rows, ties to the lower index: also ties with rows that are no candidates.

    Of many rows at the same distance, which are candidates depends on how the search rounds, and so
    on whether X is dense or sparse.
    """
    n, width = candidates.shape
    result = np.empty((n, k), dtype=np.intp)
    open_ended = np.zeros(n, dtype=bool)
    for rows in _blocks(n, width):
        numbers = np.arange(n)[rows]
        ordered, distances = _ordered(X, numbers, candidates[rows])
        result[rows] = ordered[:, :k]
        # The last candidate is as near as the last one wanted: there may be more of them.
        open_ended[rows] = distances[:, k - 1] == distances[:, -1]
    if width < n - 1:
        transposed, squares = by_rows(X.T), row_squares(X)
        rounding = ROUNDINGS * np.finfo(X.dtype).eps
        for rows in _blocks(open_ended.sum(), n):
            numbers = np.flatnonzero(open_ended)[rows]
            d2 = _partial_distances(X, numbers, transposed, squares)
            # Products round: what may be as near as the last one wanted is looked at again.
            last = np.take_along_axis(d2, result[numbers, -1:], axis=1)
            near = d2 <= last + rounding * (squares.max() + squares[numbers, None])
            result[numbers] = _ordered(X, numbers, _padded(near, numbers))[0][:, :k]
    return result


def _padded(chosen: Array, rows: Array) -> Array:
    """Columns that are chosen in each row of a mask; shorter lists end with the row's own number.

    (A row is never its own neighbour, so that its number means nothing.)
    """
    counts = chosen.sum(axis=1)
    filled = np.arange(counts.max()) < counts[:, None]
    lists = np.repeat(rows[:, None], counts.max(), axis=1)
    lists[filled] = np.nonzero(chosen)[1]
    return lists


def _partial_distances(X: InMemory, rows: Array, transposed: InMemory, squares: Array) -> Array:
    """Squared distances of some rows to all, from products; infinite to the row itself.

    Without the squared length of the row itself: it does not change the order within a row.
    """
    d2 = squares - 2.0 * as_dense(X[rows] @ transposed)
    d2[np.arange(len(rows)), rows] = np.inf
    return np.asarray(d2)


def _approximate(faiss: Any, X: InMemory, k: int, seed: int) -> Array:
    """Search a projection of the rows with an inverted file (which, unlike HNSW, is repeatable)."""
    points = np.ascontiguousarray(_projected(X, seed), dtype=np.float32)
    n, d = points.shape
    # Number of lists as faiss advises. One in 25 of them is searched; the refinement by neighbours
    # of neighbours makes up for what that misses.
    n_lists = int(4 * np.sqrt(n))
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, n_lists)
    index.cp.seed = seed
    # faiss warns on standard error below 39 points a list and uses no more than 256.
    index.cp.min_points_per_centroid = 1
    index.train(points)
    index.add(points)
    index.nprobe = max(1, n_lists // 25)
    found = index.search(points, k + 1)[1]
    short = np.flatnonzero((found < 0).any(axis=1))
    if len(short):  # too few points in the lists that were looked at: look at all
        index.nprobe = n_lists
        found[short] = index.search(points[short], k + 1)[1]
    return np.asarray(found)


def _projected(X: InMemory, seed: int) -> Array:
    """Coordinates of the rows on their leading singular directions, or X if it is narrow."""
    if X.shape[1] <= ANN_COMPONENTS:
        return as_dense(X)
    U, s, _ = randomized_svd(X, ANN_COMPONENTS, n_iter=2, random_state=seed)
    return np.asarray(U * s)


def _refined(X: InMemory, neighbours: Array) -> Array:
    """Look for closer rows among the nearest neighbours of each row's nearest neighbours."""
    n, k = neighbours.shape
    for _ in range(REFINEMENTS):
        closer, few = np.empty_like(neighbours), neighbours[:, :REFINED]
        for rows in _blocks(n, k + REFINED**2):
            candidates = np.hstack(
                [neighbours[rows], few[few[rows]].reshape(-1, few.shape[1] ** 2)]
            )
            closer[rows] = _closest_of(X, np.arange(n)[rows], candidates, k)
        neighbours = closer
    return neighbours


def _closest(X: InMemory, candidates: Array, k: int) -> Array:
    """Choose for each row the k closest distinct others among its candidates."""
    n, width = candidates.shape
    result = np.empty((n, k), dtype=np.intp)
    for rows in _blocks(n, width):
        result[rows] = _closest_of(X, np.arange(n)[rows], candidates[rows], k)
    return result


def _blocks(n: int, width: int) -> Iterator[slice]:
    """Cut ``range(n)`` such that a block has about ``BLOCK_PAIRS`` pairs."""
    return chunks(n, BLOCK_PAIRS // width)


def _closest_of(X: InMemory, rows: Array, candidates: Array, k: int) -> Array:
    """Choose by true distance, ties to the lower index."""
    return _ordered(X, rows, candidates)[0][:, :k]


def _ordered(X: InMemory, rows: Array, candidates: Array) -> tuple[Array, Array]:
    """Candidates by true distance, ties by index; and how near they are, ties being equal.

    The row itself and whatever stands there twice come last, infinitely far.
    """
    # Sorted, a candidate that was found twice stands next to itself, and a stable sort by distance
    # keeps the lower index first.
    candidates = np.sort(candidates, axis=1)
    d2 = chosen_distances(X, rows, candidates)
    # Single precision, because equal distances differ in their last digits by order of summation.
    largest = d2.max(axis=1, keepdims=True)
    rounded = (d2 / np.where(largest > 0, largest, 1.0)).astype(np.float32)
    rounded[:, 1:][candidates[:, 1:] == candidates[:, :-1]] = np.inf
    rounded[candidates == rows[:, None]] = np.inf
    order = np.argsort(rounded, axis=1, kind="stable")
    return np.take_along_axis(candidates, order, 1), np.take_along_axis(rounded, order, 1)
