"""The few operations by which everything else touches data.

What a matrix and a factor may be is in `cocluster.linalg.types`. The operations take every kind
that makes sense, so that nobody above has to ask which kind it has: whether a matrix in memory is
sparse is asked here, and those marked ``@delegating`` leave the answer to what is not in memory.

Sums are taken in double precision, also of single-precision data: over millions of entries single
precision would lose half its digits, and the objective could seem to rise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import xlogy

from cocluster.linalg import passes
from cocluster.linalg.delegating import delegating
from cocluster.linalg.partitions import Partition
from cocluster.linalg.rowwise import rowwise
from cocluster.linalg.types import Array, Factor, InMemory, Matrix, is_operator

# Smallest number that is divided by: far below any entry that matters, far above underflow.
EPS = 1e-12
# Entries that are scaled at a time: few enough for the temporaries (8 MB each) to stay small beside
# any data they matter for, many enough for the loop over the chunks to cost nothing.
ENTRIES_AT_ONCE = 1_000_000
# Most parts that pairs of rows are worked on in, and the least size of one: with fewer pairs, the
# loop over the parts would cost more than the work on them.
PAIR_PARTS = 256
SMALLEST_PART = 64
# Entries, zeros included, up to which data may be made dense: 400 MB in double precision.
DENSE_UP_TO_ENTRIES = 50_000_000
# With a larger share of stored entries, products of dense arrays are quicker than those
# of sparse ones, and take at most three times the memory.
DENSE_FROM_SHARE = 0.25


def chunks(n: int, step: int) -> Iterator[slice]:
    """Cut ``range(n)`` into slices of at most ``step`` (and at least one) elements.

    >>> list(chunks(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    # Callers divide memory by the size of an element, which may leave less than one.
    step = max(1, step)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def row_key(key: Any) -> Any:
    """Return the row index of ``X[rows]`` or of ``X[rows, ...]``, as scikit-learn writes it.

    >>> row_key((slice(2), ...))
    slice(None, 2, None)
    """
    if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
        return key[0]
    return key


def arrays_of(R: InMemory) -> tuple[Array, ...]:
    """The arrays that hold a matrix in memory, that of the stored entries first."""
    return (R.data, R.indices, R.indptr) if sp.issparse(R) else (R,)


def n_bytes(R: InMemory) -> int:
    """Bytes of the arrays of a matrix in memory."""
    return sum(int(array.nbytes) for array in arrays_of(R))


def values_of(R: InMemory) -> Array:
    """The stored entries of a matrix in one dimension, without a copy where none is needed."""
    return arrays_of(R)[0].ravel(order="K")


def as_dense(R: InMemory) -> Array:
    """A matrix in memory as a numpy array: itself if it is one."""
    return np.asarray(R.toarray() if sp.issparse(R) else R)


def as_sparse(R: InMemory) -> InMemory:
    """A matrix in memory as a csr array that stores no zeros: itself if it is one."""
    S = sp.csr_array(R)
    if np.count_nonzero(S.data) < S.nnz:
        # A copy, because zeros are dropped in place and the arrays may be the user's.
        S = S.copy()
        S.eliminate_zeros()
    return S


def by_rows(R: InMemory) -> InMemory:
    """A matrix in memory whose rows can be read one by one: sparse ones as csr."""
    return R.tocsr() if sp.issparse(R) else R


def entrywise(function: Callable[[Array], Array], R: InMemory) -> InMemory:
    """A function of every entry that keeps zeros: of a sparse R only stored entries are computed.

    The result shares the index arrays of a sparse R, so its structure must not be changed in place.
    """
    if not sp.issparse(R):
        return function(R)
    return type(R)((function(R.data), R.indices, R.indptr), shape=R.shape)


@delegating
def squared_norm(R: InMemory) -> float:
    r""":math:`\|R\|_F^2`, summed in double precision."""
    values = values_of(R)
    # einsum casts in small pieces as it adds, where astype would copy all entries first.
    return float(np.einsum("i,i->", values, values, dtype=np.float64))


@delegating
def is_nonnegative(R: InMemory) -> bool:
    """Whether no entry is below zero, as far as entries are known: those of operators are not."""
    if is_operator(R):
        return True
    values = values_of(R)
    return values.size == 0 or bool(values.min() >= 0)


@delegating
def magnitude(R: Matrix) -> float:
    """Largest absolute value, as far as entries are known; of operators 0."""
    values = np.empty(0) if is_operator(R) else values_of(R)
    return max(float(values.max(initial=0)), -float(values.min(initial=0)))


@delegating
def times(R: Matrix, G: Factor) -> Any:
    """R @ G; sums by label where G is a partition."""
    return label_sums(R, G) if isinstance(G, Partition) else product(R, G)


def product(R: Matrix, G: Any) -> Any:
    """R @ G for a narrow array G."""
    return passes.product(R, G) if passes.is_compiled(R) else R @ G


def label_sums(R: Any, G: Partition) -> Array:
    """Columns of R summed by the label of the column: R @ G in one pass over the entries."""
    # Three ways, quickest first: compiled passes, products of dense arrays, scipy's own summing.
    if passes.is_compiled(R):
        return passes.label_sums(R, G)
    if not sp.issparse(R):
        return np.asarray(R @ G.dense(R.dtype))
    shape = (R.shape[0], G.n_clusters)
    # The column of each entry is replaced by its label; entries that now meet in one place are
    # added up as the array is made.
    if R.format == "csc":
        places = (R.indices, np.repeat(G.labels, np.diff(R.indptr)))
        return np.asarray(sp.coo_array((R.data, places), shape).toarray())
    R = R.tocsr()
    return np.asarray(sp.csr_array((R.data, G.labels[R.indices], R.indptr), shape).toarray())


@delegating
def inner(G: Array, M: Any) -> Array:
    """Gᵀ M in double precision; rows of M summed by label where G is a partition."""
    return _double_product(G, M)


@delegating
def gram(G: Array) -> Array:
    """Gᵀ G in double precision."""
    return _double_product(G, G)


def _double_product(A: Any, B: Any) -> Array:
    """Aᵀ B, multiplied in double precision.

    A product in single precision that is cast afterwards has lost its digits: where columns of a
    factor are nearly parallel, what follows from their Gram matrix is noise.
    """
    both_double = A.dtype == B.dtype == np.float64
    if both_double or sp.issparse(A) or sp.issparse(B):
        return np.asarray(A.T @ B, dtype=np.float64)
    # In parts: a copy of all rows in double precision would outweigh the factor.
    step = max(1, ENTRIES_AT_ONCE // max(A.shape[1], 1))
    total = np.zeros((A.shape[1], *B.shape[1:]))
    for rows in chunks(A.shape[0], step):
        total += A[rows].T.astype(np.float64) @ B[rows].astype(np.float64)
    return total


def row_sums(R: Matrix) -> Array:
    """Sum of each row, in double precision."""
    return _sums(R, 1)


def column_sums(R: Matrix) -> Array:
    """Sum of each column, in double precision."""
    return _sums(R, 0)


def _sums(R: Any, axis: int) -> Array:
    """Sums along an axis."""
    if passes.is_compiled(R):
        # scipy would first copy single-precision entries into double precision.
        return passes.product(R if axis else R.T, np.ones((R.shape[axis], 1))).ravel()
    return np.asarray(R.sum(axis=axis, dtype=np.float64)).ravel()


def row_information(R: InMemory) -> float:
    """Σ_ij x log x less the same of the sums of the rows, for entries of zero or more."""
    if passes.is_compiled(R) and R.format == "csr":
        return passes.row_information(R)
    values, margin = values_of(R), row_sums(R)
    # In parts: the logarithms of all entries at once would outweigh the data.
    parts = (values[part] for part in chunks(values.size, ENTRIES_AT_ONCE))
    inside = sum(xlogy(part, part).sum(dtype=np.float64) for part in parts)
    return float(inside - xlogy(margin, margin).sum())


def row_degrees(R: InMemory) -> Array:
    """Sum of absolute values of each row."""
    return row_sums(_absolute(R))


@delegating
def column_degrees(R: InMemory) -> Array:
    """Sum of absolute values of each column."""
    return column_sums(_absolute(R))


def _absolute(R: Any) -> Any:
    """Absolute values; most data have no others, and then nothing is copied."""
    return R if is_nonnegative(R) else abs(R)


@delegating
def column_counts(R: InMemory) -> Array:
    """Number of rows in which each column is not zero."""
    # Zeros may be stored, so stored entries are not simply counted.
    columns = R.indices[R.data != 0] if sp.issparse(R) else np.nonzero(R)[1]
    return np.bincount(columns, minlength=R.shape[1])


def scaled(
    R: InMemory, row_scale: Array | None = None, column_scale: Array | None = None
) -> InMemory:
    """diag(row_scale) R diag(column_scale); a sparse R keeps its index arrays."""
    if not sp.issparse(R):
        R = R if row_scale is None else R * row_scale[:, None].astype(R.dtype)
        return R if column_scale is None else R * column_scale.astype(R.dtype)
    data = R.data.copy()
    for rows, entries in _row_chunks(R):
        if column_scale is not None:
            data[entries] *= column_scale[R.indices[entries]]
        if row_scale is not None:
            lengths = np.diff(R.indptr[rows.start : rows.stop + 1])
            data[entries] *= np.repeat(row_scale[rows], lengths)
    return sp.csr_array((data, R.indices, R.indptr), shape=R.shape)


def single_precision(R: Matrix) -> Any:
    """R as float32; a sparse R keeps its index arrays."""
    return rowwise(_as_single, R)


def _as_single(R: InMemory) -> InMemory:
    """The same for a matrix in memory, or for one block of rows."""
    return entrywise(lambda values: values.astype(np.float32), R)


def _row_chunks(R: sp.csr_array) -> Iterator[tuple[slice, slice]]:
    """Rows and their entries, about `ENTRIES_AT_ONCE` entries at a time."""
    # Equal shares of entries, not of rows: one heavy row among light ones does not unbalance them.
    n_chunks = R.nnz // ENTRIES_AT_ONCE + 1
    cuts = np.searchsorted(R.indptr, np.linspace(0, R.nnz, n_chunks + 1)[1:-1])
    ends = [0, *cuts.tolist(), R.shape[0]]
    for first, last in pairwise(ends):
        yield slice(first, last), slice(R.indptr[first], R.indptr[last])


@delegating
def row_squares(R: InMemory) -> Array:
    """Squared length of each row, in double precision."""
    if isinstance(R, np.ndarray):
        return row_dots(R, R)
    return row_sums(entrywise(np.square, R))


def row_dots(A: InMemory, B: InMemory) -> Array:
    """Inner products of row i of A with row i of B, ``diag(A Bᵀ)``, in double precision."""
    # einsum needs no array of products, which would be as large as A.
    if isinstance(A, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", A, B, dtype=np.float64))
    return np.asarray(A.multiply(B).sum(axis=1, dtype=np.float64)).ravel()


@delegating
def pair_dots(X: InMemory, pairs: Array) -> Array:
    """Inner products of the rows ``pairs[i, 0]`` and ``pairs[i, 1]`` of X, in double precision."""
    # A row is copied once for every pair it is in, so pairs are worked on in parts.
    parts = chunks(len(pairs), max(SMALLEST_PART, -(-len(pairs) // PAIR_PARTS)))
    dots = [row_dots(X[pairs[part, 0]], X[pairs[part, 1]]) for part in parts]
    return np.concatenate(dots) if dots else np.empty(0)


def safe_inverse(values: Array) -> Array:
    """1 / values, and 0 where the value is 0: empty rows and columns stay empty."""
    # Below this the inverse can be infinite, so what is as small counts as zero.
    smallest = np.finfo(np.float64).tiny
    return np.asarray(np.divide(1.0, values, out=np.zeros(values.shape), where=values >= smallest))


def inverse_root(values: Array) -> Array:
    """1 / √values, and 0 where the value is 0."""
    return np.asarray(np.sqrt(safe_inverse(values)))


def degree_scales(X: Matrix) -> tuple[Array, Array]:
    r"""Diagonals of :math:`D_r^{-1/2}` and :math:`D_c^{-1/2}`; 0 for an empty row or column.

    The degrees are sums of absolute values, so signed data has them too.
    """
    rows, columns = row_degrees(X), column_degrees(X)
    return inverse_root(rows), inverse_root(columns)


def degree_scaled(X: Matrix, column_scale: Array | None = None) -> Any:
    r""":math:`D_r^{-1/2} X D_c^{-1/2}`, whose largest singular value is 1.

    ``column_scale`` is the diagonal of :math:`D_c^{-1/2}` where it was learned from other rows.
    """
    if column_scale is None:
        column_scale = inverse_root(column_degrees(X))
    return rowwise(_degree_scaled_rows, X, column_scale)


def _degree_scaled_rows(X: InMemory, column_scale: Array) -> InMemory:
    """Some rows of the scaled matrix: each needs no other row."""
    return scaled(X, inverse_root(row_degrees(X)), column_scale)
