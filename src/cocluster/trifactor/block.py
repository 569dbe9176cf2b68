"""BlockQuadratic: all that pulls on one factor, as a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from cocluster.linalg.matrices import EPS, gram, inner
from cocluster.linalg.partitions import as_array
from cocluster.linalg.types import Array, Factor, Matrix

Part = Callable[[Array], Array]


def positive_part(M: Array) -> Array:
    """max(M, 0)."""
    return np.maximum(M, 0)


def negative_part(M: Array) -> Array:
    """max(-M, 0)."""
    return np.maximum(-M, 0)


@dataclass(frozen=True, eq=False)
class RowGram:
    """A quadratic tr(G_r B G_rᵀ) that acts on some rows r of the factor only."""

    rows: Array
    gram: Array


@dataclass(frozen=True, eq=False)
class BlockQuadratic:
    r"""The objective as a function of one factor G (n x k), all else fixed.

    .. math:: q(G) = tr(G B G^T) - 2 tr(G^T A) + tr(G^T L G) + c

    ``linear`` is A, ``gram`` is B, ``laplacian`` is L (any symmetric matrix, often absent).
    ``partial`` holds further B that act on some rows only: objects absent from a relation.
    ``moment`` is Gᵀ A⁺ over all rows, where these are only some of them.
    """

    linear: Array
    gram: Array
    laplacian: Matrix | None = None
    constant: float = 0.0
    partial: tuple[RowGram, ...] = ()
    moment: Array | None = None

    def __add__(self, other: BlockQuadratic) -> BlockQuadratic:
        laplacians = [L for L in (self.laplacian, other.laplacian) if L is not None]
        return BlockQuadratic(
            self.linear + other.linear,
            self.gram + other.gram,
            sum(laplacians[1:], start=laplacians[0]) if laplacians else None,
            self.constant + other.constant,
            self.partial + other.partial,
        )

    def value(self, G: Factor) -> float:
        """q(G)."""
        value = np.sum(gram(G) * self.gram) - 2 * np.trace(inner(G, self.linear)) + self.constant
        for part in self.partial:
            value += np.sum(gram(G[part.rows]) * part.gram)
        if self.laplacian is not None:
            dense = as_array(G)
            value += np.sum(dense * (self.laplacian @ dense))
        return float(value)

    def half_gradient(self, G: Array) -> Array:
        """Half the gradient, G B + L G - A."""
        return self.push(G) - self.pull(G)

    def push(self, G: Array) -> Array:
        """What lowers the entries of G >= 0: A⁻ + G B⁺ + L⁺ G."""
        return self._forces(G, negative_part(self.linear), positive_part)

    def pull(self, G: Array) -> Array:
        """What raises the entries of G >= 0: A⁺ + G B⁻ + L⁻ G."""
        return self._forces(G, positive_part(self.linear), negative_part)

    def _forces(self, G: Array, force: Array, part: Part) -> Array:
        """Add the chosen part of B and L to the force of the linear term, in place."""
        B = part(self.gram).astype(G.dtype)
        if B.any():
            force += G @ B
        for term in self.partial:
            force[term.rows] += G[term.rows] @ part(term.gram).astype(G.dtype)
        if self.laplacian is not None:
            force += part_product(self.laplacian, part, G)
        return force

    def costs(self) -> Array:
        """q of each row in each cluster, B_kk - 2 A_ik: what an indicator minimises."""
        costs = -2 * self.linear
        costs += np.diag(self.gram).astype(costs.dtype)
        for term in self.partial:
            costs[term.rows] += np.diag(term.gram).astype(costs.dtype)
        return costs

    def nonnegative_minimiser(self) -> Array:
        """The G >= 0 that minimises q, row by row; for blocks without pairwise terms."""
        present = np.zeros((len(self.linear), len(self.partial)), dtype=bool)
        for number, term in enumerate(self.partial):
            present[term.rows, number] = True
        patterns, which = np.unique(present, axis=0, return_inverse=True)
        G = np.empty_like(self.linear)
        for number, pattern in enumerate(patterns):
            grams = [term.gram for term, here in zip(self.partial, pattern, strict=True) if here]
            rows = which.ravel() == number
            G[rows] = _nonnegative_rows(sum(grams, start=self.gram), self.linear[rows])
        return G

    def kkt_residual(self, G: Array) -> float:
        """How far G >= 0 is from stationary: max |G ∘ (G B + L G - A)|."""
        return float(np.abs(G * self.half_gradient(G)).max())

    def norms(self, n: int) -> Array:
        """Length of each cluster's prototype, √B_kk, for each of n rows."""
        squares = np.tile(np.diag(self.gram), (n, 1))
        for term in self.partial:
            squares[term.rows] += np.diag(term.gram)
        return np.sqrt(positive_part(squares))


def _nonnegative_rows(B: Array, A: Array) -> Array:
    """argmin over g >= 0 of g B gᵀ - 2 g·a for each row a: least squares with B = Cᵀ C."""
    values, vectors = np.linalg.eigh(B)
    keep = values > EPS * max(values[-1], EPS)
    roots = np.sqrt(values[keep])
    C = roots[:, None] * vectors[:, keep].T
    targets = (A @ vectors[:, keep]) / roots
    return np.array([nnls(C, target)[0] for target in targets]).reshape(A.shape)


def part_product(L: Matrix, part: Part, G: Array) -> Array:
    """Positive or negative part of L, times G.

    A sparse L keeps its parts, since a graph is the same in every step and to cut it in two costs
    as much as a product with it; and the last product, wanted for the value of G and for its step.
    """
    if isinstance(L, np.ndarray):
        return part(L) @ G
    half, last, product = L.__dict__.setdefault("_parts", {}).get(part, (None, None, None))
    if half is None:
        half = L.copy()
        half.data = part(L.data)
        half.eliminate_zeros()
    if last is not G:
        product = half @ G
        L._parts[part] = half, G, product
    return product
