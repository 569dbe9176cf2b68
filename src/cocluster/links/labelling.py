"""Partial labellings: the implicit form of many links, and drawing links from labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from cocluster.linalg.types import Array
from cocluster.utils.text import as_list, is_missing

Count = TypeVar("Count", int, Array)

# Most pairs that are ever written out (320 MB); beyond it callers are told what to use instead.
LISTING_LIMIT = 20_000_000
FRACTIONS = "labels must be a partial labelling (whole numbers or names), got fractions."


@dataclass(frozen=True, eq=False)
class Labelling:
    """A partial labelling as supervision: m labelled samples stand for m(m-1)/2 links.

    Two samples of one group are must-linked, two of different groups cannot-linked (unless
    ``distinct`` is False). The links are counted and followed, but not listed until asked for.

    Parameters
    ----------
    codes : array of shape (n_samples,)
        Group of each sample, -1 = none. Renumbered by first appearance, so that equal
        groupings have equal codes.
    distinct : bool
        True: samples of different groups are cannot-linked; False: nothing is said of them.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import Links
    >>> Links.from_labels([0, 0, 1, -1]).labellings[0].codes.tolist()
    [0, 0, 1, -1]
    """

    codes: Array
    distinct: bool = True

    def __post_init__(self) -> None:
        labelled = np.flatnonzero(self.codes >= 0)
        # np.unique numbers groups by size of their code; `rank` renumbers them by first appearance.
        _, first, code = np.unique(self.codes[labelled], return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        codes = np.full(len(self.codes), -1, dtype=np.int64)
        codes[labelled] = rank[code]
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)

    @property
    def members(self) -> Array:
        """Positions of the samples that are in a group."""
        return np.flatnonzero(self.codes >= 0)

    @property
    def sizes(self) -> Array:
        """Number of samples of each group."""
        return np.bincount(self.codes[self.members])

    @property
    def n_must(self) -> int:
        """Number of must-links the groups stand for."""
        return int(n_pairs(self.sizes).sum())

    @property
    def n_cannot(self) -> int:
        """Number of cannot-links the groups stand for."""
        return n_pairs(len(self.members)) - self.n_must if self.distinct else 0

    def first_members(self) -> Array:
        """One sample of each group."""
        return self.members[np.unique(self.codes[self.members], return_index=True)[1]]

    def indicator(self) -> sp.csr_array:
        """Group indicator, shape (n_samples, n_groups)."""
        rows = self.members
        shape = (len(self.codes), len(self.sizes))
        return sp.csr_array((np.ones(len(rows)), (rows, self.codes[rows])), shape=shape)

    def must_link(self) -> Array:
        """List the must-links, shape (n_must, 2)."""
        refuse_listing(self.n_must)
        indicator = self.indicator()
        # The product has an entry for each pair of one group; above the diagonal it is there once.
        ends: tuple[Array, Array] = sp.triu(indicator @ indicator.T, k=1).nonzero()
        return np.stack(ends, axis=1, dtype=np.int64)

    def cannot_link(self) -> Array:
        """List the cannot-links, shape (n_cannot, 2)."""
        # All pairs are listed before those within a group are dropped.
        refuse_listing(n_pairs(len(self.members)) if self.distinct else 0)
        members = self.members if self.distinct else self.members[:0]
        pairs: Array = members[np.stack(np.triu_indices(len(members), k=1), axis=1)]
        apart: Array = pairs[self.codes[pairs[:, 0]] != self.codes[pairs[:, 1]]]
        return apart


def n_pairs(n: Count) -> Count:
    """Number of unordered pairs among n objects."""
    pairs: Count = n * (n - 1) // 2
    return pairs


def refuse_listing(count: int) -> None:
    """Refuse to write out more pairs than memory is likely to hold."""
    if count > LISTING_LIMIT:
        raise ValueError(
            f"{count:,} pairs are too many to list (limit {LISTING_LIMIT:,}): use must_edges() or "
            "closure(), which need no list, or fewer labelled samples."
        )


def label_codes(y: Any, unlabeled: object) -> Array:
    """Turn a partial labelling of any kind into integer codes, -1 = unknown.

    Unknown are None, NaN and the mark ``unlabeled``.
    """
    values = np.asarray(y)
    if values.ndim != 1:
        raise ValueError(f"labels must be one-dimensional, got shape {values.shape}.")
    if values.dtype.kind not in "iubf":
        # A list is taken as it is: numpy would make texts of the numbers that stand among texts.
        return _object_codes(as_list(y), unlabeled)
    # A value unequal to itself is NaN.
    labelled = np.flatnonzero(~((values == unlabeled) | (values != values)))
    if (values[labelled] % 1 != 0).any():
        raise ValueError(FRACTIONS)
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[labelled] = np.unique(values[labelled], return_inverse=True)[1]
    return codes


def _object_codes(labels: Iterable[object], unlabeled: object) -> Array:
    """Codes of names, or of names and numbers, which no array can sort."""
    # In an array of texts the number -1 has become the text "-1".
    marks = (unlabeled, str(unlabeled)) if isinstance(unlabeled, Number) else (unlabeled,)
    numbers: dict[object, int] = {}
    codes = []
    for label in labels:
        if isinstance(label, float) and label % 1 > 0:
            raise ValueError(FRACTIONS)
        unknown = is_missing(label) or label in marks
        codes.append(-1 if unknown else numbers.setdefault(label, len(numbers)))
    return np.array(codes, dtype=np.int64)


def group_codes(groups: Sequence[Sequence[int]], n: int, distinct: bool) -> Array:
    """Codes of groups given as lists of positions; groups that share samples become one."""
    sizes = [len(group) for group in groups]
    samples = np.concatenate([np.empty(0), *groups])  # floats, so that fractions can be refused
    outside = (samples < 0) | (samples >= n) | (samples % 1 != 0)
    if outside.any():
        raise ValueError(f"{samples[outside][0]:g} in a group is not a position from 0 to {n - 1}.")
    samples = samples.astype(np.int64)
    group = np.repeat(np.arange(len(groups)), sizes)
    shape = (n, len(groups))
    member = sp.csr_array((np.ones(len(samples)), (samples, group)), shape=shape)
    member.sum_duplicates()
    shared = np.flatnonzero(np.diff(member.indptr) > 1)
    if distinct and len(shared):
        raise ValueError(f"sample {shared[0]} is in two groups that are said to be distinct.")
    # Groups that share a sample are joined in the graph of groups, and become one component.
    merged = connected_components(member.T @ member, directed=False)[1] if len(groups) else group
    codes = np.full(n, -1, dtype=np.int64)
    codes[samples] = merged[group]
    return codes


def draw_pairs(n: int, fraction: float, rng: np.random.Generator) -> Array:
    """Draw a fraction of all n(n-1)/2 pairs, uniformly and without listing them all."""
    total = n_pairs(n)
    n_drawn = round(fraction * total)
    refuse_listing(n_drawn)
    if n_drawn > total / 4:
        # Random numbers would hit pairs that are taken again and again; a shuffle is quicker.
        drawn = rng.choice(total, size=n_drawn, replace=False, shuffle=False)
    else:
        drawn = np.empty(0, dtype=np.int64)
        # Filling up a set with fresh draws treats all pairs alike, so the set is uniform.
        while len(drawn) < n_drawn:
            fresh = rng.integers(total, size=n_drawn - len(drawn))
            drawn = _sorted_unique(np.concatenate([drawn, fresh]))
    return pair_at(np.sort(drawn))


def _sorted_unique(values: Array) -> Array:
    """Unique values; `np.unique` hashes, far slower than a sort of millions of integers."""
    ordered = np.sort(values)
    return np.asarray(ordered[np.append(True, ordered[1:] != ordered[:-1])])


def pair_at(index: Array) -> Array:
    """Pair number t = j(j-1)/2 + i of the enumeration (0,1), (0,2), (1,2), (0,3), ..."""
    larger = ((1 + np.sqrt(1 + 8 * index.astype(np.float64))) / 2).astype(np.int64)
    larger -= n_pairs(larger) > index  # the square root may round up to the next whole number
    return np.stack([index - n_pairs(larger), larger], axis=1)


def draw_subset(codes: Array, fraction: float, rng: np.random.Generator) -> Array:
    """Keep the labels of a random fraction of the labelled samples."""
    members = np.flatnonzero(codes >= 0)
    drawn = rng.choice(members, size=round(fraction * len(members)), replace=False)
    subset = np.full_like(codes, -1)
    subset[drawn] = codes[drawn]
    return subset
