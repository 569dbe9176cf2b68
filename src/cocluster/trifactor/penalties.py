"""What pulls on a factor besides the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.delegating import delegating
from cocluster.linalg.matrices import gram, inner
from cocluster.linalg.partitions import as_array, is_hard
from cocluster.linalg.types import Array, Factor, Matrix, is_distributed
from cocluster.trifactor.block import BlockQuadratic, SplitMatrix


class Penalty(Protocol):
    """A term Ω(G) of the objective."""

    def value(self, G: Factor) -> float:
        """Ω(G)."""

    def majorizer(self, G: Factor) -> BlockQuadratic:
        """A block quadratic equal to Ω at G and nowhere below it."""


@delegating
def prepared(penalty: Penalty) -> Penalty:
    """The penalty for one run, with what every step needs computed once.

    A penalty that keeps such things has a method ``prepared`` that begins anew: a run must not see
    what an earlier one kept, because the caller may have changed the matrices since. Others are
    used as they are.
    """
    return penalty


def no_pull(G: Factor) -> tuple[Array, Array]:
    """A = 0 and B = 0 for a factor, in a precision that does not raise that of the data."""
    k = G.shape[1]
    # One row is enough to be added to the A of the data, of which each part has its own; but in
    # memory a penalty's block can be used by itself and needs all rows.
    n_rows, dtype = (1, np.float32) if is_distributed(G) else (G.shape[0], G.dtype)
    return np.zeros((n_rows, k), dtype), np.zeros((k, k))


@dataclass(frozen=True, eq=False)
class PairTerms:
    r""":math:`tr(G^T L G) = \sum_{ij} L_{ij} g_i \cdot g_j` for a symmetric L.

    With a Laplacian it pulls neighbours together, with positive entries it pushes pairs apart.

    Parameters
    ----------
    matrix : sparse array of shape (n, n)
        L, any symmetric matrix; multiply it by a number to make it stronger.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster.graphs import knn_graph, laplacian
    >>> L = laplacian(knn_graph(np.array([[0.0], [0.1], [5.0], [5.1]]), 1))
    >>> apart, along = np.array([[1.0], [0], [1], [0]]), np.array([[1.0], [1], [0], [0]])
    >>> PairTerms(L).value(along) < PairTerms(L).value(apart)
    True
    """

    matrix: Any
    _halves: SplitMatrix | None = field(default=None, kw_only=True)

    def prepared(self) -> PairTerms:
        """The same with its matrix cut by sign, once for all steps."""
        return PairTerms(self.matrix, _halves=SplitMatrix.of(self.matrix))

    def value(self, G: Factor) -> float:
        """tr(Gᵀ L G)."""
        if is_distributed(G):
            # Only links reach factors on a cluster: few rows have entries, and those are fetched.
            rows = np.flatnonzero(np.diff(self.matrix.indptr))
            return PairTerms(self.matrix[rows][:, rows]).value(G[rows])
        dense = as_array(G)
        if self._halves is None or is_hard(G):
            return float(np.einsum("ij,ij->", dense, self.matrix @ dense, dtype=np.float64))
        # The products with the halves are kept for the step that follows; only soft factors step by
        # them.
        parts = (self._halves.times(half, dense) for half in ("positive", "negative"))
        up, down = (np.einsum("ij,ij->", dense, M, dtype=np.float64) for M in parts)
        return float(up - down)

    def majorizer(self, G: Factor) -> BlockQuadratic:
        """The term itself: it is quadratic."""
        return BlockQuadratic(*no_pull(G), self.matrix, halves=self._halves)


@dataclass(frozen=True, eq=False)
class Prior:
    r""":math:`\sum_{ik} C_{ik} G_{ik}`: what it costs each object to be in each cluster.

    With :math:`C_{ik} = -w_i \log P_{ik}` and hard factors it is, up to a factor, minus the
    logarithm of a prior probability of the labels. Linear in G, so it works with every constraint,
    and the blocks stay exact.

    Parameters
    ----------
    costs : array of shape (n, k)
        C.

    Examples
    --------
    >>> import numpy as np
    >>> Prior(np.array([[0.0, 2.0], [3.0, 0.0]])).value(np.eye(2))
    0.0
    """

    costs: Array

    def value(self, G: Factor) -> float:
        """What the memberships cost."""
        return float(inner(G, self.costs).trace())

    def majorizer(self, G: Factor) -> BlockQuadratic:
        """The term itself: tr(Gᵀ C) is the linear part of a block with A = -C / 2."""
        return BlockQuadratic(-0.5 * self.costs, no_pull(G)[1])


@dataclass(frozen=True, eq=False)
class GraphEnsemble:
    r"""Smoothness on a convex combination of candidate graphs, whose weights are learned.

    .. math:: \Omega(G) = \alpha \min_{\mu \in \Delta} [\mu^T s + \gamma \|\mu\|^2],
              \qquad s_i = tr(G^T L_i G)

    Eq. (4) of RMC [1]_ with :math:`\beta = \alpha \gamma`; Eq. (9) drops α from the linear term.
    A larger ``spread`` γ gives more equal weights; γ = 0 puts all weight on the smoothest graph.

    References
    ----------
    .. [1] Li, Bu, Chen, He. Relational Co-Clustering via Manifold Ensemble Learning. CIKM 2012.
    """

    laplacians: Mapping[str, Matrix]
    strength: float
    spread: float

    @cached_property
    def _entries(self) -> tuple[Array, Array, Array]:
        """Rows and columns where any candidate has an entry, and the entries of each candidate.

        Candidates have (nearly) the same neighbours, so that one pass serves them all.
        """
        # One number for each place, row · n + column, so that places can be sorted and compared.
        matrices = [sp.coo_array(L) for L in self.laplacians.values()]
        n = matrices[0].shape[0]
        keys = [L.row.astype(np.int64) * n + L.col for L in matrices]
        union = np.unique(np.concatenate(keys))
        values = np.zeros((len(keys), len(union)), dtype=matrices[0].dtype)
        for own, key, L in zip(values, keys, matrices, strict=True):
            own[np.searchsorted(union, key)] = L.data
        return union // n, union % n, values

    def prepared(self) -> GraphEnsemble:
        """A copy that has looked at none of the graphs yet."""
        return replace(self)

    @cached_property
    def _seen(self) -> list[tuple[Factor, Array]]:
        """The last two factors and their s: a step is compared with what was before, several times.

        Half of the time of RMC was spent on the same ones again.
        """
        return []

    def smoothness(self, G: Factor) -> Array:
        """s: tr(Gᵀ L_i G) for each candidate."""
        for seen, known in tuple(self._seen):
            if seen is G:
                return known
        s = self._smoothness(G)
        self._seen[:] = [(G, s), *self._seen[:1]]
        return s

    def _smoothness(self, G: Factor) -> Array:
        """The same, computed."""
        # Column by column of G: all at once would need places times clusters numbers.
        rows, cols, values = self._entries
        dots = np.zeros(len(rows))
        # In double precision: s is a small difference of large sums.
        for g in as_array(G).T.astype(np.float64):
            dots += g[rows] * g[cols]
        return values @ dots

    def weights(self, G: Factor) -> Array:
        """The best μ for G."""
        return simplex_weights(self.smoothness(G), self.spread)

    def value(self, G: Factor) -> float:
        """Ω(G)."""
        return self.combined_value(G, self.weights(G))

    def majorizer(self, G: Factor) -> BlockQuadratic:
        """Ω with μ fixed at its best for G."""
        return self.combined(G, self.weights(G))

    def combined_value(self, G: Factor, weights: Array) -> float:
        """The term with given weights."""
        return self.strength * float(weights @ (self.smoothness(G) + self.spread * weights))

    def combined(self, G: Factor, weights: Array) -> BlockQuadratic:
        """The term with given weights, as a quadratic."""
        rows, cols, values = self._entries
        entries = (self.strength * weights).astype(values.dtype) @ values
        L = sp.csr_array((entries, (rows, cols)), shape=(G.shape[0], G.shape[0]))
        constant = self.strength * self.spread * float(weights @ weights)
        return BlockQuadratic(*no_pull(G), L, constant)


def simplex_weights(s: Array, spread: float) -> Array:
    r"""The minimiser of :math:`\mu^T s + \gamma \|\mu\|^2` over the unit simplex.

    The Euclidean projection of :math:`-s / 2\gamma`: weights fall linearly with s and end at zero,
    at a level that makes their sum one.
    """
    if spread == 0:
        return np.asarray(np.eye(len(s))[np.argmin(s)])
    falling = np.sort(-s / (2 * spread))[::-1]
    levels = (np.cumsum(falling) - 1) / np.arange(1, len(s) + 1)
    level = levels[np.flatnonzero(falling > levels)[-1]]
    return np.asarray(np.maximum(-s / (2 * spread) - level, 0))


@dataclass(frozen=True, eq=False)
class SpectralAnchor:
    r"""Distance to the span of a graph's leading eigenvectors, up to rotation.

    .. math:: \Omega(G) = \alpha \min_{Q^T Q = I} \|G - B Q\|^2

    Eq. (14) to (16) of LP-FNMTF [1]_. Q = U Vᵀ from the singular value decomposition of Bᵀ G
    (Theorem 1). Unlike tr(Gᵀ L G) it separates by rows, so indicator factors can take it.

    Parameters
    ----------
    basis : array of shape (n, k)
        B, see Eq. (15).
    strength : float

    References
    ----------
    .. [1] Wang, Nie, Huang, Makedon. Fast Nonnegative Matrix Tri-Factorization for Large-Scale
       Data Co-Clustering. IJCAI 2011.

    Examples
    --------
    >>> import numpy as np
    >>> basis = np.array([[1.0, 0], [1, 0], [0, 1]])
    >>> SpectralAnchor(basis, 1.0).value(basis[:, ::-1]) < 1e-9
    True
    """

    basis: Any
    strength: float

    def value(self, G: Factor) -> float:
        """Ω(G)."""
        return self.majorizer(G).value(G)

    def majorizer(self, G: Factor) -> BlockQuadratic:
        """Ω with Q fixed at its best for G."""
        U, _, Vt = np.linalg.svd(inner(G, self.basis).T, full_matrices=False)
        rotated = self.basis @ (U @ Vt).astype(self.basis.dtype)
        return BlockQuadratic(
            self.strength * rotated,
            self.strength * np.eye(G.shape[1]),
            constant=self.strength * float(np.trace(gram(self.basis))),
        )
