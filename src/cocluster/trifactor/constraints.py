"""How a factor moves: the set it lives in, starts in it, and a step that lowers its block."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

import numpy as np

from cocluster.labels import Factor, Partition, Ties, as_array, as_partition, assigned
from cocluster.matrices import EPS, Array, gram, safe_inverse
from cocluster.trifactor.association import pseudo_inverse
from cocluster.trifactor.block import BlockQuadratic

# Added to 0/1 memberships: multiplicative steps never leave an exact zero.
SOFTENING = 0.2


class Constraint(Protocol):
    """The set a factor lives in; ``ties`` are objects that share one row of it."""

    @property
    def ties(self) -> Ties | None:
        """Objects that share one row of the factor."""

    def start(self, n: int, k: int, rng: np.random.Generator) -> Factor:
        """A random point of the set."""

    def given(self, values: Array, k: int) -> Factor:
        """The point of the set that stands for labels (1-D) or memberships (2-D)."""

    def step(self, G: Factor, block: BlockQuadratic) -> Factor:
        """A point of the set that is no worse for the block than G."""


@dataclass(frozen=True, eq=False)
class Tied:
    """A set in which tied objects (must-links) share one row of the factor."""

    nonnegative: ClassVar[bool] = True
    ties: Ties | None = field(default=None, kw_only=True)

    def check(self, values: Array) -> None:
        """Given memberships must lie in the set."""
        if self.nonnegative and (values < 0).any():
            raise ValueError("init has negative memberships; they must be >= 0.")

    def pooled(self, force: Array) -> Array:
        """What moves a row: the sum over the objects that share it."""
        return force if self.ties is None else self.ties.pooled(force)


@dataclass(frozen=True, eq=False)
class Soft(Tied):
    """Starts shared by the factors with real entries."""

    def start(self, n: int, k: int, rng: np.random.Generator) -> Array:
        """Uniform entries, away from zero."""
        G = rng.uniform(0.1, 1.0, size=(n, k))
        return G if self.ties is None else self.ties.first(G)

    def given(self, values: Array, k: int) -> Array:
        """Memberships as they are (tied rows by their first), or 1 and 0, softened."""
        self.check(values)
        if values.ndim == 2:
            return values if self.ties is None else self.ties.first(values)
        agreed = values if self.ties is None else self.ties.agreed(values, k)
        return as_partition(agreed, k).dense() + SOFTENING


@dataclass(frozen=True, eq=False)
class NonNegative(Soft):
    r"""G >= 0, moved by the multiplicative rule for signed blocks.

    .. math:: G \leftarrow G \circ [(A^+ + G B^- + L^- G) / (A^- + G B^+ + L^+ G)]^p

    Eq. (8) of RMC with p = 1/2; p = 1 is the rule of Lee and Seung. A fixed point satisfies the
    KKT conditions. A relation of a type with itself needs p <= 1/2 (`SSNMF`: 1/4).
    """

    exponent: float = 0.5

    def step(self, G: Array, block: BlockQuadratic) -> Array:
        """One multiplicative step."""
        ratio = self.pooled(block.pull(G))
        ratio /= np.maximum(self.pooled(block.push(G)), EPS)
        if self.exponent != 1:
            np.power(ratio, self.exponent, out=ratio)
        ratio *= G
        return ratio


@dataclass(frozen=True, eq=False)
class Orthogonal(Soft):
    r"""G >= 0 with nearly orthogonal columns.

    .. math:: G \leftarrow G \circ [(A^+ + L^- G) / (G G^T A^+ + L^+ G)]^{1/2}

    The rule of ONMTF (Ding et al. 2006) for non-negative data, with pairwise terms L where there
    are any. B does not occur: orthogonality eliminates it. Not proved to lower the plain
    objective at every step (rises are rare and small).
    """

    def given(self, values: Array, k: int) -> Array:
        """Labels less soft and with unit columns: far from orthogonality the rule goes astray."""
        G = super().given(values, k)
        if values.ndim == 2:
            return G
        G = G - SOFTENING / 2
        return G * safe_inverse(np.sqrt(np.diag(gram(G))))

    def step(self, G: Array, block: BlockQuadratic) -> Array:
        """One multiplicative step."""
        if block.partial:
            raise ValueError(
                "Orthogonal factors need every sample in every view: their rule has no place for "
                "absent ones. Use NonNegative factors (NMTF)."
            )
        A = np.maximum(block.linear, 0)
        rest = replace(block, linear=A, gram=np.zeros_like(block.gram))
        pull, push = self.pooled(rest.pull(G)), self.pooled(rest.push(G) + G @ (G.T @ A))
        return G * np.sqrt(pull / np.maximum(push, EPS))


@dataclass(frozen=True, eq=False)
class Unconstrained(Soft):
    """Any real G: the least-squares solution A B⁺, exact for the block."""

    nonnegative: ClassVar[bool] = False

    def step(self, G: Array, block: BlockQuadratic) -> Array:
        """The minimiser of the block."""
        if block.laplacian is not None or block.partial or self.ties is not None:
            raise ValueError(
                "Unconstrained factors take neither graphs, nor links, nor samples that are absent "
                "from a view. Use NonNegative factors."
            )
        return block.linear @ pseudo_inverse(block.gram).astype(block.linear.dtype)


@dataclass(frozen=True, eq=False)
class Indicator(Tied):
    """One cluster per object: each row takes argmin_k B_kk - 2 A_ik, Eq. (8) of FNMTF.

    Exact for the block. Pairwise terms (cannot-links) do not separate by rows: the rows that have
    them follow one after the other, which lowers the block as well.
    """

    def start(self, n: int, k: int, rng: np.random.Generator) -> Partition:
        """Random labels, every cluster in use."""
        return self.given(rng.permutation(np.arange(n) % k), k)

    def given(self, values: Array, k: int) -> Partition:
        """The labels, or the strongest memberships, agreed within tied objects."""
        self.check(values)
        labels = values if values.ndim == 1 else values.argmax(axis=1)
        return as_partition(labels if self.ties is None else self.ties.agreed(labels, k), k)

    def step(self, G: Partition, block: BlockQuadratic) -> Partition:
        """Every row to its best cluster."""
        return assigned(block.costs(), G, self.ties, block.laplacian)


def memberships(G: Factor, block: BlockQuadratic) -> Array:
    """G with each column scaled by its prototype's length, rows summing to one.

    The length takes away the freedom to move scale between factor and association, so that
    entries of different columns can be compared.
    """
    weighted = np.abs(as_array(G) * block.norms(G.shape[0]))
    total = weighted.sum(axis=1, keepdims=True)
    uniform = np.full_like(weighted, 1 / weighted.shape[1])
    return np.divide(weighted, total, out=uniform, where=total > 0)
