"""BlockQuadratic: all that pulls on one factor, as a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import nnls

from cocluster.linalg.known import known_in_row, product_at
from cocluster.linalg.matrices import EPS, by_rows, gram, inner, product, squared_norm
from cocluster.linalg.partitions import as_array
from cocluster.linalg.types import Array, Factor, InMemory

Part = Callable[[Array], Array]


def positive_part(M: Array) -> Array:
    """max(M, 0)."""
    return np.asarray(np.maximum(M, 0))


def negative_part(M: Array) -> Array:
    """max(-M, 0)."""
    return np.asarray(np.maximum(-M, 0))


@dataclass(frozen=True, eq=False)
class RowGram:
    """A quadratic tr(G_r B G_rᵀ) that acts on some rows r of the factor only."""

    rows: Array
    gram: Array


@dataclass(frozen=True, eq=False)
class KnownGram:
    r"""A quadratic over known entries, :math:`c \sum_{ij} w_{ij} (g_i \cdot m_j)^2`.

    Every row of the factor has a B of its own, c Mᵀ diag(w_i) M, which is never made.

    Attributes
    ----------
    observed : matrix of shape (n, m)
        W, see `cocluster.linalg.known`.
    prototypes : array of shape (m, k), entries >= 0
        M.
    weight : float
        c.
    rows : int array or slice
        Rows of the factor that W has: other objects are absent from the relation.
    last : (factor, matrix) or None
        W ∘ (G Mᵀ) of one G, if it has been computed before.
    """

    observed: InMemory
    prototypes: Array
    weight: float = 1.0
    rows: Array | slice = field(default_factory=lambda: slice(None))
    last: tuple[Array, InMemory] | None = None

    def model(self, G: Array) -> InMemory:
        """W ∘ (G Mᵀ)."""
        # By identity: factors are never changed in place.
        if self.last is not None and self.last[0] is G:
            return self.last[1]
        return product_at(self.observed, G[self.rows], self.prototypes)

    def value(self, G: Array) -> float:
        """The quadratic itself."""
        return self.weight * squared_norm(self.model(G))

    def push(self, G: Array) -> Array:
        """Half its gradient in the rows that W has, c (W ∘ (G Mᵀ)) M."""
        return np.asarray(self.weight * product(self.model(G), self.prototypes))

    def diagonal(self) -> Array:
        """Diagonals of the B of all rows that W has."""
        return np.asarray(self.weight * product(self.observed, self.prototypes**2))

    def grams(self, n: int) -> Iterator[Array]:
        """B of one row of the factor after the other, of n rows; zeros for rows that W lacks."""
        place = np.full(n, -1)
        place[self.rows] = np.arange(self.observed.shape[0])
        observed, k = by_rows(self.observed), self.prototypes.shape[1]
        for i in place:
            M = self.prototypes[known_in_row(observed, i)] if i >= 0 else np.empty((0, k))
            yield self.weight * (M.T @ M)


@dataclass(frozen=True, eq=False)
class SplitMatrix:
    """A symmetric matrix between objects, L = L⁺ - L⁻: multiplicative steps need the two halves.

    To cut a sparse matrix costs as much as a product with it, and a graph is the same in every
    step, so a problem cuts it once. The last product with each half is kept as well: it is wanted
    for the value of a factor and again for the step that follows.
    """

    positive: InMemory
    negative: InMemory
    _last: dict[str, tuple[Array, Array]] = field(default_factory=dict)

    @staticmethod
    def of(L: InMemory) -> SplitMatrix:
        """The halves of L, which are copies: later changes of L do not reach them."""
        return SplitMatrix(_signed_part(L, positive_part), _signed_part(L, negative_part))

    def times(self, half: str, G: Array) -> Array:
        """Product of the "positive" or "negative" half with G."""
        last, product = self._last.get(half, (None, None))
        # By identity: factors are never changed in place, and to compare entries would cost as much
        # as the product.
        if last is not G or product is None:
            product = getattr(self, half) @ G
            self._last[half] = G, product
        return product


def _signed_part(L: InMemory, part: Part) -> InMemory:
    """The positive or negative part of a matrix."""
    if not sp.issparse(L):
        return part(L)
    # A copy with index arrays of its own: eliminate_zeros changes them in place. Without it both
    # halves would be as long as L in every product.
    half = L.copy()
    half.data = part(L.data)
    half.eliminate_zeros()
    return half


@dataclass(frozen=True, eq=False)
class BlockQuadratic:
    r"""The objective as a function of one factor G (n x k), all else fixed.

    .. math:: q(G) = tr(G B G^T) - 2 tr(G^T A) + tr(G^T L G) + c

    Blocks add up: ``relation + penalty`` is the block of both.

    Attributes
    ----------
    linear : array of shape (n, k), or spread over a cluster
        A.
    gram : array of shape (k, k)
        B, symmetric.
    laplacian : sparse array of shape (n, n), optional
        L, any symmetric matrix.
    constant : float
        c, so that values can be compared with those of other models of the same objective.
    partial : tuple of RowGram
        Further B that act on some rows only, because the other objects are absent from a relation.
    moment : array of shape (k, k), optional
        Gᵀ A⁺ over all rows of the factor, if this block has only some of them.
    halves : SplitMatrix, optional
        L⁺ and L⁻, if they have been computed before.
    known : tuple of KnownGram
        Further quadratics over the known entries of relations; for factors >= 0.
    """

    linear: Any
    gram: Array
    laplacian: Any = None
    constant: float = 0.0
    partial: tuple[RowGram, ...] = ()
    moment: Array | None = None
    halves: SplitMatrix | None = None
    known: tuple[KnownGram, ...] = ()

    def __add__(self, other: BlockQuadratic) -> BlockQuadratic:
        # A sum of two matrices has halves of its own, which are not the sums of the halves.
        both = self.laplacian is not None and other.laplacian is not None
        one = other if self.laplacian is None else self
        return BlockQuadratic(
            self.linear + other.linear,
            self.gram + other.gram,
            self.laplacian + other.laplacian if both else one.laplacian,
            self.constant + other.constant,
            self.partial + other.partial,
            halves=None if both else one.halves,
            known=self.known + other.known,
        )

    def value(self, G: Factor) -> float:
        """q(G)."""
        value = np.sum(gram(G) * self.gram) - 2 * np.trace(inner(G, self.linear)) + self.constant
        for part in self.partial:
            value += np.sum(gram(G[part.rows]) * part.gram)
        value += sum(part.value(as_array(G)) for part in self.known)
        if self.laplacian is not None:
            dense = as_array(G)
            value += np.einsum("ij,ij->", dense, self.laplacian @ dense, dtype=np.float64)
        return float(value)

    def half_gradient(self, G: Array) -> Array:
        """Half the gradient, G B + L G - A."""
        return np.asarray(self.push(G) - self.pull(G))

    def push(self, G: Array) -> Array:
        """What lowers the entries of G >= 0: A⁻ + G B⁺ + L⁺ G."""
        force = self._forces(G, negative_part(self.linear), positive_part, "positive")
        for term in self.known:
            force[term.rows] += term.push(G).astype(G.dtype)
        return force

    def pull(self, G: Array) -> Array:
        """What raises the entries of G >= 0: A⁺ + G B⁻ + L⁻ G."""
        return self._forces(G, positive_part(self.linear), negative_part, "negative")

    def _forces(self, G: Array, force: Array, part: Part, half: str) -> Array:
        """Add the chosen part of B and L to the force of the linear term, in place."""
        # In place, for these arrays are the largest of a step. Of non-negative data B⁻ is zero, and
        # the product with it is left out.
        B = part(self.gram).astype(G.dtype)
        if B.any():
            force += G @ B
        for term in self.partial:
            force[term.rows] += G[term.rows] @ part(term.gram).astype(G.dtype)
        if self.laplacian is not None:
            force += (self.halves or SplitMatrix.of(self.laplacian)).times(half, G)
        return force

    def costs(self) -> Array:
        """q of each row in each cluster, B_kk - 2 A_ik: what an indicator minimises."""
        costs = -2 * self.linear
        costs += np.diag(self.gram).astype(costs.dtype)
        for term in self.partial:
            costs[term.rows] += np.diag(term.gram).astype(costs.dtype)
        for known in self.known:
            costs[known.rows] += known.diagonal().astype(costs.dtype)
        return np.asarray(costs)

    def nonnegative_minimiser(self) -> Array:
        """The G >= 0 that minimises q, row by row; for blocks without pairwise terms."""
        if self.known:
            return self._minimiser_by_row()
        # Rows that are present in the same relations have the same quadratic, which is then
        # decomposed once for all of them.
        present = self._present()
        patterns, which = np.unique(present, axis=0, return_inverse=True)
        G = np.empty_like(self.linear)
        for number, pattern in enumerate(patterns):
            grams = [term.gram for term, here in zip(self.partial, pattern, strict=True) if here]
            rows = which.ravel() == number
            G[rows] = _nonnegative_rows(sum(grams, start=self.gram), self.linear[rows])
        return np.asarray(G)

    def _present(self) -> Array:
        """Which rows each of the partial terms acts on."""
        present = np.zeros((len(self.linear), len(self.partial)), dtype=bool)
        for number, term in enumerate(self.partial):
            present[term.rows, number] = True
        return present

    def _minimiser_by_row(self) -> Array:
        """The same where every row has a quadratic of its own."""
        n, present = len(self.linear), self._present()
        own = [term.grams(n) for term in self.known]
        G = np.empty_like(self.linear)
        for i, *grams in zip(range(n), *own, strict=True):
            grams += [
                part.gram for part, here in zip(self.partial, present[i], strict=True) if here
            ]
            G[i] = _nonnegative_rows(sum(grams, start=self.gram), self.linear[i : i + 1])
        return np.asarray(G)

    def kkt_residual(self, G: Array) -> float:
        """How far G >= 0 is from stationary: the largest entry of G ∘ (G B + L G - A)."""
        return float(np.abs(G * self.half_gradient(G)).max())

    def norms(self, n: int) -> Array:
        """Length of each cluster's prototype, √B_kk, for each of n rows."""
        # Row by row, because prototypes are shorter for objects that are absent from relations.
        squares = np.tile(np.diag(self.gram), (n, 1))
        for term in self.partial:
            squares[term.rows] += np.diag(term.gram)
        for known in self.known:
            # As long as if all entries were known: how much of a row is known says nothing of
            # where it belongs.
            squares[known.rows] += known.weight * np.sum(known.prototypes**2, axis=0)
        return np.asarray(np.sqrt(positive_part(squares)))


def _nonnegative_rows(B: Array, A: Array) -> Array:
    """argmin over g >= 0 of g B gᵀ - 2 g·a for each row a: least squares with B = Cᵀ C."""
    values, vectors = np.linalg.eigh(B)
    # Directions without curvature (empty clusters) would be divided by zero.
    keep = values > EPS * max(values[-1], EPS)
    roots = np.sqrt(values[keep])
    C = roots[:, None] * vectors[:, keep].T
    targets = (A @ vectors[:, keep]) / roots
    return np.array([nnls(C, target)[0] for target in targets]).reshape(A.shape)
