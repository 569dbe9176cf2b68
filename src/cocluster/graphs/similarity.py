"""Similarities between samples, with links written into them and without forming n x n arrays.

A similarity is an array or sparse array of samples by samples, or a `Gram`, which knows its entries
only by computing them. The functions below marked ``@delegating`` take either.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.delegating import delegating
from cocluster.linalg.matrices import by_rows, chunks, gram, pair_dots, row_squares, squared_norm
from cocluster.linalg.partitions import placed, with_rows
from cocluster.linalg.types import Array, Factor, InMemory, Matrix, is_blocked
from cocluster.links import Links
from cocluster.links.closure import link_share, merge_pairs, symmetric

# XᵀX is made in parts of about this many cells, 32 MB in double precision: small beside the data,
# and large enough for the loop over the parts to cost nothing.
CELLS_AT_ONCE = 4_000_000
# Entries of a given similarity may differ from their mirror image by this share of the largest: as
# much as rounding does in single precision, so that only real asymmetry is refused.
ASYMMETRY = 1e-6


@dataclass(frozen=True, eq=False)
class Gram:
    r"""The similarity :math:`A = X X^T`, known by its products: :math:`A G = X (X^T G)`.

    A product costs two passes over the entries of X instead of n².

    Parameters
    ----------
    X : array, csr_array or row blocks of shape (n, m)
        The samples in rows, with similarities as inner products.
    """

    X: Any

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.X.shape[0], self.X.shape[0]

    @property
    def dtype(self) -> np.dtype:
        """Type of the entries."""
        dtype: np.dtype = np.dtype(self.X.dtype)
        return dtype

    @property
    def T(self) -> Gram:
        """Itself: it is symmetric."""
        return self

    def __matmul__(self, G: Any) -> Any:
        """Product with a factor."""
        return self.X @ (self.X.T @ G)

    def placed(self, values: Factor) -> Any:
        """Values of the samples, brought to where the rows of X are."""
        return placed(self.X, values)

    def entries(self, pairs: Array) -> Array:
        """Inner products of the pairs of rows."""
        return pair_dots(self.X, pairs)

    def largest(self) -> float:
        """Largest entry: by Cauchy-Schwarz a squared row length."""
        return float(row_squares(self.X).max(initial=0.0))

    def smallest(self) -> float:
        """0: rows without negative entries have no products below it."""
        return 0.0

    def squared_norm(self) -> float:
        r""":math:`\|X X^T\|^2 = \|X^T X\|^2`, the smaller of the two made part by part."""
        if is_blocked(self.X):
            return squared_norm(gram(self.X))
        n, m = self.X.shape
        # Both factors by rows: scipy multiplies sparse matrices of one format, and would convert
        # the whole Y again for every part.
        Y = self.X if m <= n else by_rows(self.X.T)
        narrow = chunks(Y.shape[1], CELLS_AT_ONCE // max(Y.shape[1], 1))
        return sum(squared_norm(by_rows(Y[:, part].T) @ Y) for part in narrow)

    def norm_work(self) -> float:
        """Operations that `squared_norm` of sparse data takes; those of dense data are cheap."""
        if is_blocked(self.X):
            # Of blocks XᵀX is made in one piece, so it must be small.
            few = self.X.shape[1] ** 2 <= CELLS_AT_ONCE
            return float(self.X.total(_norm_work)) if few else np.inf
        return _norm_work(self.X)


@dataclass(frozen=True, eq=False)
class LinkedSimilarity:
    r"""The similarity :math:`\tilde A = A + C`, with C sparse: two entries for each link.

    Parameters
    ----------
    similarity : array, sparse array or `Gram`
        A, symmetric.
    correction : csr_array
        C.
    """

    similarity: Matrix
    correction: sp.csr_array

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        n, m = self.similarity.shape
        return n, m

    @property
    def dtype(self) -> np.dtype:
        """Type of the entries."""
        return np.dtype(self.similarity.dtype)

    @property
    def T(self) -> LinkedSimilarity:
        """Itself: it is symmetric."""
        return self

    def __matmul__(self, G: Any) -> Any:
        """Product with a factor."""
        product = self.similarity @ G
        # Only rows with links differ, so that of data on a cluster only these travel.
        rows, among = self._linked
        return with_rows(product, rows, product[rows] + among @ G[rows])

    @cached_property
    def _linked(self) -> tuple[Array, sp.csr_array]:
        """Positions of the samples that have links, and the correction among them."""
        rows = np.flatnonzero(np.diff(self.correction.indptr))
        return rows, self.correction[rows][:, rows]

    def placed(self, values: Factor) -> Any:
        """Values of the samples, brought to where the data are."""
        return placed(self.similarity, values)

    def norm_work(self) -> float:
        """Operations that `squared_norm` takes, see `Gram`."""
        return norm_work(self.similarity)

    def squared_norm(self) -> float:
        """‖A‖² + ⟨C, 2A + C⟩: of A itself only the entries at links are needed one by one."""
        C = sp.coo_array(self.correction)
        before = entries(self.similarity, np.stack(C.coords, axis=1))
        change = C.data.astype(np.float64)
        return squared_norm(self.similarity) + float(change @ (2 * before + change))


def _norm_work(X: InMemory) -> float:
    """Operations that XᵀX takes; those of dense data are cheap."""
    return float(np.sum(np.diff(X.indptr) ** 2.0)) if sp.issparse(X) else 0.0


def linked_similarity(
    A: Matrix, links: Links | None, how: str, weight: float | None = None
) -> Matrix:
    r"""Write links into a similarity A.

    ``"replace"``: a must-link gets the largest entry of A, a cannot-link gets 0, or the smallest
    entry if that is negative. ``"add"``: a link of weight w adds or subtracts w times the largest
    entry; what falls below 0, or below the smallest entry, is set to it.

    Parameters
    ----------
    A : array, sparse array or `Gram` of shape (n, n)
    links : Links or None
        Between the n samples. None gives A itself.
    how : {"replace", "add"}
    weight : float, optional
        Share of the change that is made: 1 as above. By default 1 for links with weights of their
        own ("add"), else as much as many links of a sample can have without harm to samples that
        have none (`cocluster.links.closure.link_share`).

    Returns
    -------
    A, or a `LinkedSimilarity`
    """
    if links is None:
        return A
    must, reward = merge_pairs(links.must_link, links.must_weights)
    cannot, penalty = merge_pairs(links.cannot_link, links.cannot_weights)
    pairs, top, least = np.concatenate([must, cannot]), largest(A), smallest(A)
    before = entries(A, pairs)
    if how == "replace":
        after = np.repeat([top, least], [len(must), len(cannot)])
    else:
        raised = before + top * np.concatenate([reward, -penalty])
        after = np.maximum(raised, least)
    if weight is None:
        weight = link_share(pairs) if how == "replace" else 1.0
    correction = symmetric(pairs, weight * (after - before), len(links))
    return LinkedSimilarity(A, correction.astype(A.dtype))


def checked_similarity(A: InMemory) -> InMemory:
    """A given similarity, which must be square and symmetric."""
    n, m = A.shape
    if n != m:
        raise ValueError(f"A precomputed similarity must be square, got shape ({n}, {m}).")
    if abs(A - A.T).max() > ASYMMETRY * abs(A).max():
        raise ValueError("A precomputed similarity must be symmetric; pass (A + A.T) / 2.")
    return A


@delegating
def entries(A: InMemory, pairs: Array) -> Array:
    """Entries of a similarity at some pairs, in double precision."""
    return np.asarray(A[pairs[:, 0], pairs[:, 1]], dtype=np.float64)


@delegating
def largest(A: InMemory) -> float:
    """Largest entry of a similarity."""
    return float(A.max())


@delegating
def smallest(A: InMemory) -> float:
    """Smallest entry of a similarity if that is negative, else 0: no similarity at all."""
    return min(float(A.min()), 0.0)


@delegating
def norm_work(A: InMemory) -> float:
    """Operations that the squared norm takes beyond one look at each entry: none for a matrix."""
    return 0.0
