"""How a factor moves: the set it lives in, starts in it, and a step that lowers its block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from cocluster.labels import Factor, Partition, as_array, as_partition
from cocluster.matrices import EPS, Array
from cocluster.trifactor.block import BlockQuadratic

# Added to 0/1 memberships: multiplicative steps never leave an exact zero.
SOFTENING = 0.2


class Constraint(Protocol):
    """The set a factor lives in."""

    def start(self, n: int, k: int, rng: np.random.Generator) -> Factor:
        """A random point of the set."""

    def from_labels(self, labels: Array, k: int) -> Factor:
        """The point of the set that stands for a hard clustering."""

    def step(self, G: Factor, block: BlockQuadratic) -> Factor:
        """A point of the set that is no worse for the block than G."""


class _Soft:
    """Starts shared by the factors with real entries."""

    def start(self, n: int, k: int, rng: np.random.Generator) -> Array:
        """Uniform entries, away from zero."""
        return rng.uniform(0.1, 1.0, size=(n, k))

    def from_labels(self, labels: Array, k: int) -> Array:
        """Memberships 1 and 0, softened."""
        return as_partition(labels, k).dense() + SOFTENING


@dataclass(frozen=True)
class NonNegative(_Soft):
    r"""G >= 0, moved by the multiplicative rule for signed blocks.

    .. math:: G \leftarrow G \circ [(A^+ + G B^- + L^- G) / (A^- + G B^+ + L^+ G)]^p

    Eq. (8) of RMC with p = 1/2; p = 1 is the rule of Lee and Seung. A fixed point satisfies the
    KKT conditions. A relation of a type with itself needs p <= 1/2 (`SSNMF`: 1/4).
    """

    exponent: float = 0.5

    def step(self, G: Array, block: BlockQuadratic) -> Array:
        """One multiplicative step."""
        ratio = block.pull(G)
        ratio /= np.maximum(block.push(G), EPS)
        if self.exponent != 1:
            np.power(ratio, self.exponent, out=ratio)
        ratio *= G
        return ratio


@dataclass(frozen=True)
class Orthogonal(_Soft):
    r"""G >= 0 with nearly orthogonal columns: :math:`G \leftarrow G \circ \sqrt{A / (G G^T A)}`.

    The rule of ONMTF (Ding et al. 2006) for non-negative data. It uses A only, and is not proved
    to lower the plain objective at every step (rises are rare and small).
    """

    def step(self, G: Array, block: BlockQuadratic) -> Array:
        """One multiplicative step."""
        if block.laplacian is not None or block.partial:
            raise ValueError(
                "Orthogonal factors take neither graph penalties nor samples that are absent from "
                "a view: their rule has no place for them. Use NonNegative factors (NMTF)."
            )
        A = np.maximum(block.linear, 0)
        return np.asarray(G * np.sqrt(A / np.maximum(G @ (G.T @ A), EPS)))


@dataclass(frozen=True)
class Unconstrained(_Soft):
    """Any real G: the least-squares solution A B⁺, exact for the block."""

    def step(self, G: Array, block: BlockQuadratic) -> Array:
        """The minimiser of the block."""
        if block.laplacian is not None or block.partial:
            raise ValueError(
                "Unconstrained factors take neither graph penalties nor samples that are absent "
                "from a view. Use NonNegative factors."
            )
        return np.asarray(block.linear @ np.linalg.pinv(block.gram, hermitian=True))


@dataclass(frozen=True)
class Indicator:
    """One cluster per object: each row takes argmin_k B_kk - 2 A_ik, Eq. (8) of FNMTF.

    Exact for the block. Ties go to the lowest index, but a row stays where it is if that is as
    good: labels then settle after finitely many sweeps.
    """

    def start(self, n: int, k: int, rng: np.random.Generator) -> Partition:
        """Random labels, every cluster in use."""
        return as_partition(rng.permutation(np.arange(n) % k), k)

    def from_labels(self, labels: Array, k: int) -> Partition:
        """The labels themselves."""
        return as_partition(labels, k)

    def step(self, G: Partition, block: BlockQuadratic) -> Partition:
        """Every row to its best cluster."""
        if block.laplacian is not None:
            raise ValueError(
                "Indicator factors cannot take GraphSmoothness: rows no longer decouple. "
                "Use SpectralAnchor."
            )
        costs = block.costs()
        best = costs.argmin(axis=1)
        rows = np.arange(len(best))
        stay = costs[rows, G.labels] <= costs[rows, best]
        return as_partition(np.where(stay, G.labels, best), G.n_clusters)


def memberships(G: Factor, block: BlockQuadratic) -> Array:
    """G with each column scaled by its prototype's length, rows summing to one.

    The length takes away the freedom to move scale between factor and association, so that
    entries of different columns can be compared.
    """
    weighted = np.abs(as_array(G) * block.norms(G.shape[0]))
    total = weighted.sum(axis=1, keepdims=True)
    uniform = np.full_like(weighted, 1 / weighted.shape[1])
    return np.divide(weighted, total, out=uniform, where=total > 0)
