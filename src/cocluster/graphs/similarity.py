"""Similarities between samples, with links written into them and without forming n x n arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.graphs.distances import row_chunks, row_dots
from cocluster.linalg.matrices import row_squares, squared_norm
from cocluster.linalg.types import Array, Factor, InMemory, Matrix, is_blocked, is_spread
from cocluster.links import Links
from cocluster.links.closure import merge_pairs, symmetric
from cocluster.utils.chunks import chunks

# Columns of XᵀX are made in parts of about this many cells.
CELLS_AT_ONCE = 4_000_000
# Entries of a given similarity may differ from their mirror image by this share of the largest.
ASYMMETRY = 1e-6


@dataclass(frozen=True, eq=False)
class Gram:
    r"""The similarity :math:`A = X X^T`, known by its products: :math:`A G = X (X^T G)`.

    A product costs two passes over the entries of X instead of n².
    """

    X: Any

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.X.shape[0], self.X.shape[0]

    @property
    def dtype(self) -> np.dtype:
        """Type of the entries."""
        return np.dtype(self.X.dtype)

    @property
    def T(self) -> Gram:
        """Itself: it is symmetric."""
        return self

    def __matmul__(self, G: Any) -> Any:
        """Product with a factor."""
        return self.X @ (self.X.T @ G)

    def placed(self, values: Factor) -> Factor:
        """Values of the samples, where X wants them."""
        return self.X.placed(values) if is_blocked(self.X) else values

    def entries(self, pairs: Array) -> Array:
        """Inner products of the pairs of rows."""
        if is_blocked(self.X):
            rows, at = np.unique(pairs, return_inverse=True)
            return Gram(self.X[rows]).entries(at.reshape(-1, 2))
        parts = [
            row_dots(self.X[pairs[part, 0]], self.X[pairs[part, 1]])
            for part in row_chunks(len(pairs))
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def largest(self) -> float:
        """Largest entry: by Cauchy-Schwarz a squared row length."""
        return float(row_squares(self.X).max(initial=0.0))

    def squared_norm(self) -> float:
        r""":math:`\|X X^T\|^2 = \|X^T X\|^2`, the smaller of the two made part by part."""
        if is_blocked(self.X):
            return squared_norm(self.X.total(_column_gram))
        n, m = self.X.shape
        Y = self.X if m <= n else _row_major(self.X.T)
        narrow = chunks(Y.shape[1], CELLS_AT_ONCE // max(Y.shape[1], 1))
        return sum(squared_norm(_row_major(Y[:, part].T) @ Y) for part in narrow)

    def norm_work(self) -> float:
        """Operations that `squared_norm` of sparse data takes; those of dense data are cheap."""
        if is_blocked(self.X):
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
        rows, among = self._linked
        changed = product[rows] + among @ G[rows]
        if is_spread(product):
            return product.put(rows, changed)
        product[rows] = changed
        return product

    @cached_property
    def _linked(self) -> tuple[Array, sp.csr_array]:
        """Samples that have links, and the correction among them: few among many."""
        rows = np.flatnonzero(np.diff(self.correction.indptr))
        return rows, self.correction[rows][:, rows]

    def placed(self, values: Factor) -> Factor:
        """Values of the samples, where the data want them."""
        return self.similarity.placed(values) if isinstance(self.similarity, Gram) else values

    def norm_work(self) -> float:
        """Operations that `squared_norm` takes, see `Gram`."""
        return self.similarity.norm_work() if isinstance(self.similarity, Gram) else 0.0

    def squared_norm(self) -> float:
        """‖A‖² + ⟨C, 2A + C⟩."""
        C = sp.coo_array(self.correction)
        before = entries(self.similarity, np.stack(C.coords, axis=1))
        change = C.data.astype(np.float64)
        return squared_norm(self.similarity) + float(change @ (2 * before + change))


def _norm_work(X: InMemory) -> float:
    """Operations that XᵀX takes; those of dense data are cheap."""
    return float(np.sum(np.diff(X.indptr) ** 2.0)) if sp.issparse(X) else 0.0


def _column_gram(X: InMemory) -> Array:
    """XᵀX in double precision, of few columns."""
    product = X.T @ X
    return np.asarray(product.todense() if sp.issparse(product) else product, dtype=np.float64)


def linked_similarity(A: Matrix, links: Links | None, how: str) -> Matrix:
    r"""Write links into a similarity A >= 0.

    ``"replace"``: a must-link gets the largest entry of A, a cannot-link gets 0 (the smallest
    similarity there can be; so no scan of n x n entries is needed). ``"add"``: a link of weight w
    adds or subtracts w times the largest entry; what falls below 0 is set to 0.
    """
    if links is None:
        return A
    must, reward = merge_pairs(links.must_link, links.must_weights)
    cannot, penalty = merge_pairs(links.cannot_link, links.cannot_weights)
    pairs, top = np.concatenate([must, cannot]), largest(A)
    before = entries(A, pairs)
    if how == "replace":
        after = np.repeat([top, 0.0], [len(must), len(cannot)])
    else:
        after = np.maximum(before + top * np.concatenate([reward, -penalty]), 0.0)
    correction = symmetric(pairs, after - before, len(links))
    return LinkedSimilarity(A, correction.astype(A.dtype))


def checked_similarity(A: InMemory) -> InMemory:
    """A given similarity, which must be square and symmetric."""
    n, m = A.shape
    if n != m:
        raise ValueError(f"A precomputed similarity must be square, got shape ({n}, {m}).")
    if abs(A - A.T).max() > ASYMMETRY * abs(A).max():
        raise ValueError("A precomputed similarity must be symmetric; pass (A + A.T) / 2.")
    return A


def entries(A: Gram | InMemory, pairs: Array) -> Array:
    """Entries of a similarity at some pairs, in double precision."""
    if isinstance(A, Gram):
        return A.entries(pairs)
    return np.asarray(A[pairs[:, 0], pairs[:, 1]], dtype=np.float64)


def largest(A: Gram | InMemory) -> float:
    """Largest entry of a similarity."""
    return A.largest() if isinstance(A, Gram) else float(A.max())


def _row_major(M: InMemory) -> InMemory:
    """M with rows at hand, without which scipy would turn the other factor of a product."""
    return M.tocsr() if sp.issparse(M) else M
