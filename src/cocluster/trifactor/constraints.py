"""How a factor moves: the set it lives in, starts in it, and a step that lowers its block."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from cocluster.linalg.assignment import assigned
from cocluster.linalg.matrices import EPS, gram, inner, safe_inverse
from cocluster.linalg.partitions import Partition, Ties, as_array, as_partition
from cocluster.linalg.types import Array, Factor, is_spread
from cocluster.trifactor.association import pseudo_inverse
from cocluster.trifactor.block import BlockQuadratic, positive_part

# Added to 0/1 memberships: multiplicative steps never leave an exact zero.
SOFTENING = 0.2


class Constraint(Protocol):
    """The set a factor lives in; ``ties`` are objects that share one row of it."""

    @property
    def hard(self) -> bool:
        """Whether each object is in one cluster, wholly."""

    @property
    def ties(self) -> Ties | None:
        """Objects that share one row of the factor."""

    def start(self, n: int, k: int, rng: np.random.Generator) -> Any:
        """A random point of the set."""

    def settled(self, values: Array, k: int) -> Array:
        """Labels or memberships on which tied objects agree."""

    def given(self, values: Any, k: int) -> Any:
        """The point of the set that stands for labels (1-D) or memberships (2-D)."""

    def step(self, G: Any, block: BlockQuadratic) -> Any:
        """A point of the set that is no worse for the block than G."""


@dataclass(frozen=True, eq=False)
class Tied:
    """A set in which tied objects (must-links) share one row of the factor."""

    nonnegative: ClassVar[bool] = True
    hard: ClassVar[bool] = False
    ties: Ties | None = field(default=None, kw_only=True)

    def step(self, G: Any, block: BlockQuadratic) -> Any:
        """A point of the set that is no worse for the block than G.

        Given A and B the rows of a factor move independently of each other, so a factor that is
        spread over a cluster moves where its rows are. Rows that are linked with others are few;
        they are fetched and move together, here.
        """
        if not is_spread(G):
            return self.step_rows(G, block)
        block = self.informed(G, block)
        alone, linked = replace(self, ties=None), self._linked_rows(block)
        shared = (alone, block.gram, block.moment)
        moved = G.map(_step_part, *shared, along=(block.linear,), hard=G.hard).made()
        if not linked.size:
            return moved
        L = None if block.laplacian is None else block.laplacian[linked][:, linked]
        part = replace(block, linear=block.linear[linked], laplacian=L, halves=None)
        ties = None if self.ties is None else self.ties.among(linked)
        return moved.put(linked, replace(self, ties=ties).step_rows(G[linked], part))

    def step_rows(self, G: Any, block: BlockQuadratic) -> Any:
        """The step for a factor in memory."""
        raise NotImplementedError

    def informed(self, G: Any, block: BlockQuadratic) -> BlockQuadratic:
        """The block with all that a row must know of the other rows, for rows that move apart."""
        return block

    def _linked_rows(self, block: BlockQuadratic) -> Array:
        """Rows that share a factor row with others, or have pairwise terms."""
        none = np.empty(0, np.intp)
        tied = none if self.ties is None else self.ties.tied
        L = block.laplacian
        return np.union1d(tied, none if L is None else np.flatnonzero(np.diff(L.indptr)))

    def check(self, values: Array) -> None:
        """Given memberships must lie in the set."""
        if self.nonnegative and (values < 0).any():
            raise ValueError("init has negative memberships; they must be >= 0.")

    def settled(self, values: Array, k: int) -> Array:
        """Labels by majority, memberships by the first, within tied objects; checked."""
        self.check(values)
        if self.ties is None:
            return values
        return self.ties.first(values) if values.ndim == 2 else self.ties.agreed(values, k)

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

    def given(self, values: Any, k: int) -> Any:
        """Memberships as they are, or labels as 1 and 0, softened."""
        if is_spread(values):
            return values.map(_softened, k, width=k, dtype=np.float64)
        return _softened(self.settled(values, k), k)


@dataclass(frozen=True, eq=False)
class NonNegative(Soft):
    r"""G >= 0, moved by the multiplicative rule for signed blocks.

    .. math:: G \leftarrow G \circ [(A^+ + G B^- + L^- G) / (A^- + G B^+ + L^+ G)]^p

    Eq. (8) of RMC with p = 1/2; p = 1 is the rule of Lee and Seung. A fixed point satisfies the
    KKT conditions. A relation of a type with itself needs p <= 1/2 (`SSNMF`: 1/4).
    """

    exponent: float = 0.5

    def step_rows(self, G: Array, block: BlockQuadratic) -> Array:
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

    def given(self, values: Any, k: int) -> Any:
        """Labels less soft and with unit columns: far from orthogonality the rule goes astray."""
        G = super().given(values, k)
        if values.ndim == 2:
            return G
        G = G - SOFTENING / 2
        return G * safe_inverse(np.sqrt(np.diag(gram(G))))

    def informed(self, G: Any, block: BlockQuadratic) -> BlockQuadratic:
        """With Gᵀ A⁺, a sum over all rows that the rule divides by."""
        return replace(block, moment=inner(G, block.linear.map(positive_part)))

    def step_rows(self, G: Array, block: BlockQuadratic) -> Array:
        """One multiplicative step."""
        if block.partial:
            raise ValueError(
                "Orthogonal factors need every sample in every view: their rule has no place for "
                "absent ones. Use NonNegative factors (NMTF)."
            )
        A = np.maximum(block.linear, 0)
        rest = replace(block, linear=A, gram=np.zeros_like(block.gram))
        moment = G.T @ A if block.moment is None else block.moment.astype(A.dtype)
        pull, push = self.pooled(rest.pull(G)), self.pooled(rest.push(G) + G @ moment)
        return G * np.sqrt(pull / np.maximum(push, EPS))


@dataclass(frozen=True, eq=False)
class Unconstrained(Soft):
    """Any real G: the least-squares solution A B⁺, exact for the block."""

    nonnegative: ClassVar[bool] = False

    def step_rows(self, G: Array, block: BlockQuadratic) -> Array:
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

    hard: ClassVar[bool] = True

    def start(self, n: int, k: int, rng: np.random.Generator) -> Partition:
        """Random labels, every cluster in use."""
        return _hardened(self.settled(rng.permutation(np.arange(n) % k), k), k)

    def given(self, values: Any, k: int) -> Any:
        """The labels, or the strongest memberships, agreed within tied objects."""
        if is_spread(values):
            return values.map(_hardened, k, width=k, dtype=np.float32, hard=True)
        return _hardened(self.settled(values, k), k)

    def settled(self, values: Array, k: int) -> Array:
        """Labels, by majority within tied objects; of memberships the strongest count."""
        self.check(values)
        return super().settled(_hardened(values, k).labels, k)

    def step_rows(self, G: Partition, block: BlockQuadratic) -> Partition:
        """Every row to its best cluster."""
        return assigned(block.costs(), G, self.ties, block.laplacian)


def _step_part(G: Factor, A: Array, constraint: Tied, B: Array, moment: Array | None) -> Factor:
    """A step of the rows of one part of a factor that is spread over a cluster."""
    return constraint.step_rows(G, BlockQuadratic(A, B, moment=moment))


def _softened(values: Array, k: int) -> Array:
    """Memberships as they are, labels as 1 and 0, softened."""
    return values if values.ndim == 2 else as_partition(values, k).dense() + SOFTENING


def _hardened(values: Array, k: int) -> Partition:
    """Labels, or the strongest memberships, as a partition."""
    return as_partition(values if values.ndim == 1 else values.argmax(axis=1), k)


def memberships(G: Factor, block: BlockQuadratic) -> Any:
    """G with each column scaled by its prototype's length, rows summing to one.

    The length takes away the freedom to move scale between factor and association, so that
    entries of different columns can be compared.
    """
    if is_spread(G):
        return G.map(memberships, BlockQuadratic(np.empty(0), block.gram))
    weighted = np.abs(as_array(G) * block.norms(G.shape[0]))
    total = weighted.sum(axis=1, keepdims=True)
    uniform = np.full_like(weighted, 1 / weighted.shape[1])
    return np.divide(weighted, total, out=uniform, where=total > 0)
