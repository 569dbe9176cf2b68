"""How a factor moves: the set it lives in, starts in it, and a step that lowers its block."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from cocluster.linalg.assignment import assigned
from cocluster.linalg.matrices import EPS, gram, inner, safe_inverse
from cocluster.linalg.partitions import Partition, Ties, as_array, as_partition
from cocluster.linalg.rowwise import rowwise
from cocluster.linalg.types import Array, Factor, is_distributed
from cocluster.trifactor.association import pseudo_inverse
from cocluster.trifactor.block import BlockQuadratic, positive_part

# Added to 0/1 memberships: multiplicative steps never leave an exact zero, so that without it an
# object could not change the cluster it starts in.
SOFTENING = 0.2


class Constraint(Protocol):
    """The set a factor must stay in, where it starts in that set, and how it moves there."""

    @property
    def hard(self) -> bool:
        """Whether each object is in exactly one cluster."""

    @property
    def descends(self) -> bool:
        """Whether a step never raises the block."""

    @property
    def ties(self) -> Ties | None:
        """Objects that share one row of the factor."""

    def start(self, n: int, k: int, rng: np.random.Generator) -> Any:
        """A random point of the set."""

    def settled(self, values: Array, k: int) -> Array:
        """Labels or memberships with which tied objects agree; ValueError outside the set."""

    def given(self, values: Any, k: int) -> Any:
        """The factor that labels (1-D) or memberships (2-D) mean, as a start."""

    def step(self, G: Any, block: BlockQuadratic) -> Any:
        """A factor in the set with a value of the block no higher than that of G."""


def _softened(values: Array, k: int) -> Array:
    """Memberships as they are, labels as 1 and 0, softened."""
    return values if values.ndim == 2 else as_partition(values, k).dense() + SOFTENING


def _hardened(values: Array, k: int) -> Partition:
    """Labels, or the strongest memberships, as a partition."""
    return as_partition(values if values.ndim == 1 else values.argmax(axis=1), k)


@dataclass(frozen=True, eq=False)
class Tied:
    """A set in which tied objects (must-links) share one row of the factor."""

    nonnegative: ClassVar[bool] = True
    hard: ClassVar[bool] = False
    descends: ClassVar[bool] = True
    # Precision of what `from_values` makes.
    start_dtype: ClassVar[type] = np.float64
    ties: Ties | None = field(default=None, kw_only=True)

    def step(self, G: Any, block: BlockQuadratic) -> Any:
        """A factor in the set with a value of the block no higher than that of G.

        Given A and B the rows of a factor move independently of each other, so a factor that is
        spread over a cluster moves where its rows are. Rows that are linked with others are few;
        they are fetched and move together, here.
        """
        if not is_distributed(G):
            return self.step_rows(G, block)
        # Linked rows move with the others first, as if they had no links, and are then overwritten:
        # to leave them out would need a mask for every part.
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
        """The block with the sums over all rows that a step needs, for when rows are apart."""
        return block

    def _linked_rows(self, block: BlockQuadratic) -> Array:
        """Rows that share a factor row with others, or have pairwise terms."""
        none = np.empty(0, np.intp)
        tied = none if self.ties is None else self.ties.tied
        L = block.laplacian
        return np.union1d(tied, none if L is None else np.flatnonzero(np.diff(L.indptr)))

    @staticmethod
    def from_values(values: Array, k: int) -> Any:
        """Labels or memberships as a factor of this kind, each row by itself."""
        raise NotImplementedError

    def given(self, values: Any, k: int) -> Any:
        """The factor that labels (1-D) or memberships (2-D) mean, as a start."""
        make = self.from_values
        if is_distributed(values):
            # Settled before they were spread, when all of them were here.
            return values.map(make, k, width=k, dtype=self.start_dtype, hard=self.hard)
        return make(self.settled(values, k), k)

    def check(self, values: Array) -> None:
        """Raise ValueError if given memberships are not in the set."""
        if self.nonnegative and (values < 0).any():
            raise ValueError("init has negative memberships; they must be >= 0.")

    def settled(self, values: Array, k: int) -> Array:
        """Labels by majority, memberships by the first, within tied objects.

        Raises ValueError if the values are not in the set.
        """
        self.check(values)
        if self.ties is None:
            return values
        return self.ties.first(values) if values.ndim == 2 else self.ties.agreed(values, k)

    def pooled(self, force: Array) -> Array:
        """Forces on the rows of the factor: for a row that objects share, the sum over them."""
        return force if self.ties is None else self.ties.pooled(force)


@dataclass(frozen=True, eq=False)
class Soft(Tied):
    """Factors with real entries, and their starts."""

    from_values = staticmethod(_softened)

    def start(self, n: int, k: int, rng: np.random.Generator) -> Array:
        """Uniform entries, away from zero, which multiplicative steps would never leave."""
        G = rng.uniform(0.1, 1.0, size=(n, k))
        return G if self.ties is None else self.ties.first(G)


@dataclass(frozen=True, eq=False)
class NonNegative(Soft):
    r"""G >= 0, moved by the multiplicative rule for signed blocks.

    .. math:: G \leftarrow G \circ [(A^+ + G B^- + L^- G) / (A^- + G B^+ + L^+ G)]^p

    Eq. (8) of RMC with p = 1/2; p = 1 is the rule of Lee and Seung. A fixed point satisfies the
    KKT conditions. A relation of a type with itself needs p <= 1/2 (`SSNMF`: 1/4).

    Parameters
    ----------
    exponent : float
        The p of the rule.
    ties : Ties, optional
        Objects that share a row; the fit fills it in from the must-links.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import TriFactorization
    >>> X = np.kron([[5.0, 1.0], [1.0, 5.0]], np.ones((3, 3)))
    >>> labels = TriFactorization(2, constraint=NonNegative(0.5), random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1]), bool(labels[0] == labels[3])
    (True, False)
    """

    exponent: float = 0.5

    def step_rows(self, G: Array, block: BlockQuadratic) -> Array:
        """One multiplicative step."""
        # In place: arrays as large as the factor are what a step spends its time on.
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

    Parameters
    ----------
    ties : Ties, optional
        Objects that share a row; the fit fills it in from the must-links.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import TriFactorization
    >>> X = np.kron([[5.0, 1.0], [1.0, 5.0]], np.ones((3, 3)))
    >>> labels = TriFactorization(2, constraint=Orthogonal(), random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1]), bool(labels[0] == labels[3])
    (True, False)
    """

    descends: ClassVar[bool] = False

    def given(self, values: Any, k: int) -> Any:
        """Labels less soft and with unit columns: far from orthogonality the rule goes astray."""
        G = super().given(values, k)
        if values.ndim == 2:
            return G
        G = G - SOFTENING / 2
        return G * safe_inverse(np.sqrt(np.diag(gram(G))))

    def informed(self, G: Any, block: BlockQuadratic) -> BlockQuadratic:
        """The block with Gᵀ A⁺, a sum over all rows that the rule divides by."""
        return replace(block, moment=inner(G, block.linear.map(positive_part)))

    def step_rows(self, G: Array, block: BlockQuadratic) -> Array:
        """One multiplicative step."""
        if block.partial or block.known:
            raise ValueError(
                "Orthogonal factors need every sample in every view, and every entry: their rule "
                "has no place for absent ones. Use NonNegative factors (NMTF)."
            )
        A = np.maximum(block.linear, 0)
        # A block without B gives A⁺ + L⁻ G and L⁺ G, the parts of the rule besides G Gᵀ A⁺.
        rest = replace(block, linear=A, gram=np.zeros_like(block.gram))
        moment = G.T @ A if block.moment is None else block.moment.astype(A.dtype)
        pull, push = self.pooled(rest.pull(G)), self.pooled(rest.push(G) + G @ moment)
        return np.asarray(G * np.sqrt(pull / np.maximum(push, EPS)))


@dataclass(frozen=True, eq=False)
class Unconstrained(Soft):
    """Any real G: the least-squares solution A B⁺, exact for the block.

    Parameters
    ----------
    ties : Ties, optional
        Objects that share a row; the fit fills it in from the must-links.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import TriFactorization
    >>> from cocluster.trifactor import NonNegative
    >>> X = np.kron([[5.0, 1.0], [1.0, 5.0]], np.ones((3, 3)))
    >>> parts = {"samples": NonNegative(0.5), "features": Unconstrained()}
    >>> labels = TriFactorization(2, constraint=parts, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1]), bool(labels[0] == labels[3])
    (True, False)
    """

    nonnegative: ClassVar[bool] = False

    def step_rows(self, G: Array, block: BlockQuadratic) -> Array:
        """The minimiser of the block."""
        coupled = block.laplacian is not None or self.ties is not None
        if coupled or block.partial or block.known:
            raise ValueError(
                "Unconstrained factors take neither graphs, nor links, nor samples that are absent "
                "from a view, nor unknown entries. Use NonNegative factors."
            )
        return np.asarray(block.linear @ pseudo_inverse(block.gram).astype(block.linear.dtype))


@dataclass(frozen=True, eq=False)
class Indicator(Tied):
    """One cluster per object: each row takes argmin_k B_kk - 2 A_ik, Eq. (8) of FNMTF.

    Exact for the block. Pairwise terms (cannot-links) do not separate by rows: the rows that have
    them follow one after the other, which lowers the block as well.

    Parameters
    ----------
    ties : Ties, optional
        Objects that share a row; the fit fills it in from the must-links.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import TriFactorization
    >>> X = np.kron([[5.0, 1.0], [1.0, 5.0]], np.ones((3, 3)))
    >>> labels = TriFactorization(2, constraint=Indicator(), random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1]), bool(labels[0] == labels[3])
    (True, False)
    """

    hard: ClassVar[bool] = True
    from_values = staticmethod(_hardened)
    start_dtype = Partition.dtype.type

    def start(self, n: int, k: int, rng: np.random.Generator) -> Partition:
        """Random labels, every cluster in use."""
        # A shuffled 0, 1, ..., k-1, 0, 1, ...: labels drawn one by one may leave clusters empty.
        return _hardened(self.settled(rng.permutation(np.arange(n) % k), k), k)

    def settled(self, values: Array, k: int) -> Array:
        """Labels, by majority within tied objects; of memberships the strongest count."""
        self.check(values)
        return super().settled(_hardened(values, k).labels, k)

    def step_rows(self, G: Partition, block: BlockQuadratic) -> Partition:
        """Every row to its best cluster."""
        return assigned(block.costs(), G, self.ties, block.laplacian)


def _step_part(G: Factor, A: Array, constraint: Tied, B: Array, moment: Array | None) -> Any:
    """A step of the rows of one part of a factor that is spread over a cluster."""
    return constraint.step_rows(G, BlockQuadratic(A, B, moment=moment))


def memberships(G: Factor, block: BlockQuadratic) -> Any:
    """G with each column scaled by its prototype's length, rows summing to one.

    The length takes away the freedom to move scale between factor and association, so that
    entries of different columns can be compared.
    """
    # Objects that are absent from relations have lengths of their own; else one row is for all,
    # and it can travel to where the rows of G are.
    varied = block.partial or block.known
    return rowwise(_shares, G, block.norms(G.shape[0] if varied else 1))


def _shares(G: Factor, lengths: Array) -> Array:
    """Entries of G times the lengths of the prototypes, rows summing to one."""
    weighted = np.abs(as_array(G) * lengths)
    total = weighted.sum(axis=1, keepdims=True)
    # An object that belongs to no cluster belongs to all alike.
    uniform = np.full_like(weighted, 1 / weighted.shape[1])
    return np.asarray(np.divide(weighted, total, out=uniform, where=total > 0))
