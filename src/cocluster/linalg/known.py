"""Matrices of which some entries are unknown: sums and products over the known ones.

Such a matrix is two: R has the values, and zeros where they are unknown; W is 1 where an entry is
known and 0 elsewhere. Both are dense, or both are sparse with one pattern of stored entries, which
are the known ones (a known zero is stored).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.matrices import chunks, entrywise, label_sums, values_of
from cocluster.linalg.partitions import Partition
from cocluster.linalg.types import Array, InMemory

# Numbers gathered at once to multiply rows by columns: 8 MB for each of the two sides.
NUMBERS_AT_ONCE = 1_000_000


def ones_like(R: InMemory) -> InMemory:
    """1 for each stored entry of R, sparse as R is."""
    return entrywise(np.ones_like, R)


def product_at(W: InMemory, A: Array, B: Array) -> InMemory:
    """W ∘ (A Bᵀ) for a W of zeros and ones: a sparse W has only its own entries computed.

    >>> W = sp.csr_array([[1.0, 0.0], [0.0, 1.0]])
    >>> product_at(W, np.array([[2.0], [3.0]]), np.array([[5.0], [7.0]])).toarray()
    array([[10.,  0.],
           [ 0., 21.]])
    """
    if not sp.issparse(W):
        return W * (A @ B.T).astype(W.dtype, copy=False)
    if W.format == "csc":
        return product_at(W.T, B, A).T
    values, rows = np.empty(W.nnz, W.dtype), _row_numbers(W)
    for part in chunks(W.nnz, max(NUMBERS_AT_ONCE // max(A.shape[1], 1), 1)):
        values[part] = np.einsum("ij,ij->i", A[rows[part]], B[W.indices[part]])
    return sp.csr_array((values, W.indices, W.indptr), shape=W.shape)


def _row_numbers(W: sp.csr_array) -> Array:
    """The row of each stored entry."""
    return np.repeat(np.arange(W.shape[0], dtype=np.int32), np.diff(W.indptr))


def difference(R: InMemory, M: InMemory) -> InMemory:
    """R - M, for two matrices of one pattern, which is kept: a known zero stays stored."""
    if not sp.issparse(R):
        return R - M
    return sp.csr_array((R.data - M.data, R.indices, R.indptr), shape=R.shape)


def known_in_row(W: InMemory, i: int) -> Array:
    """The columns that are known in row i of an array or csr_array."""
    if not sp.issparse(W):
        return np.flatnonzero(W[i])
    return np.asarray(W.indices[W.indptr[i] : W.indptr[i + 1]])


@dataclass(frozen=True, eq=False)
class KnownEntries:
    """R and W, to be summed by label together.

    Attributes
    ----------
    values, observed : matrices of one shape and one form
        R and W.
    paired : sparse matrix or None
        R + iW, for sparse ones.
    """

    values: InMemory
    observed: InMemory
    paired: InMemory | None = None

    @staticmethod
    def of(values: InMemory, observed: InMemory) -> KnownEntries:
        """R and W, paired if they are sparse."""
        if not sp.issparse(values):
            return KnownEntries(values, observed)
        # 1j in single precision leaves the precision of the values as it is.
        paired = entrywise(lambda entries: entries + np.complex64(1j), values)
        return KnownEntries(values, observed, paired)

    @property
    def T(self) -> KnownEntries:
        """The transpose."""
        paired = None if self.paired is None else self.paired.T
        return KnownEntries(self.values.T, self.observed.T, paired)

    def label_sums(self, G: Partition) -> tuple[Array, Array]:
        """R G and W G: the sums of the known values by the label of the column, and their number.

        Complex numbers add up both parts in one pass, which takes .6 of the time of two. (Products
        of dense arrays gain nothing from them.)
        """
        if self.paired is None:
            return label_sums(self.values, G), label_sums(self.observed, G)
        sums = label_sums(self.paired, G)
        return np.ascontiguousarray(sums.real), np.ascontiguousarray(sums.imag)

    def mean(self) -> float:
        """Mean of the known entries, 0 if there are none."""
        count = float(values_of(self.observed).sum(dtype=np.float64))
        return float(values_of(self.values).sum(dtype=np.float64)) / max(count, 1.0)
