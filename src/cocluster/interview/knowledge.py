"""What an interview is made of: questions, answers, what is known, where the samples lie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from cocluster.linalg.types import Array
from cocluster.links import Links

# What each answer says of a pair, as `Links` has it.
SIGNS = {"same": 1, "different": -1, "unsure": 0}


@dataclass(frozen=True)
class Query:
    """A question: do samples i and j belong together? `Interview.next_queries` makes it.

    Attributes
    ----------
    i, j : int
        Positions of the samples. Where a sample is placed among groups, j is that sample and i the
        most typical one of a group.
    reason : str
        Why this pair.
    score : float
        How much the strategy wants to know, from 0 to 1; comparable where the reason is alike.
    ids, titles : tuple of two str
        What the samples are called, and what they are about; the id again where nobody said it.
    changes : str
        What the answer would change.
    options : tuple of int
        For a question "which of these groups, or none?": the most typical sample of each group,
        the most probable first. Empty for a pair.
    about_feature : bool
        Whether j is the position of a feature: does it belong to the group of sample i?
    """

    i: int
    j: int
    reason: str
    score: float
    ids: tuple[str, str] = ("", "")
    titles: tuple[str, str] = ("", "")
    changes: str = ""
    options: tuple[int, ...] = ()
    about_feature: bool = False


@dataclass(frozen=True)
class Answered:
    """An answer, as `Interview.answer` records it.

    Attributes
    ----------
    i, j : int
        Positions of the samples.
    answer : {"same", "different", "unsure"}
    n_implied : int
        How many pairs it settled, itself included; none if it was implied before, or is "unsure".
    n_decided : int
        How many samples have another most probable group since.
    confusion : float
        Share by which the groups of the two were confused, if they were in two groups; else 0.
    chance : float
        Chance of "same" that was foreseen, where people may err; else 1.
    """

    i: int
    j: int
    answer: str
    n_implied: int
    n_decided: int = 0
    confusion: float = 0.0
    chance: float = 1.0


@dataclass(frozen=True)
class Hint:
    """What was said of a feature.

    Attributes
    ----------
    feature : int
        Its position in the first view.
    sample : int
        Position of a sample of the group in question.
    answer : {"same", "different", "unsure"}
    """

    feature: int
    sample: int
    answer: str


@dataclass(frozen=True)
class Moved:
    """A sample that a refit has moved.

    Attributes
    ----------
    sample : int
        Its position.
    before, after : int
        Its cluster before the refit, and since.
    follows : int
        The nearest sample that something was said of, itself if it was one: why it moved.
    """

    sample: int
    before: int
    after: int
    follows: int


@dataclass(frozen=True, eq=False)
class Known:
    """What need not be asked: pairs whose answer is implied, and pairs nobody could judge.

    A pair that was "unsure" stands for all pairs of the two must-link components.
    """

    links: Links

    @property
    def component(self) -> Array:
        """Must-link component of each sample."""
        return self.links.closure().component

    @property
    def sizes(self) -> Array:
        """Samples in each component."""
        return self.links.closure().sizes

    @cached_property
    def closed(self) -> sp.csr_array:
        """Pairs of different components that are not asked about (again)."""
        # To take an "unsure" pair for a cannot-link closes it and all that follows from it alike.
        signs = self.links.signs
        return replace(self.links, signs=np.where(signs == 0, -1, signs)).closure().cannot_matrix()

    @cached_property
    def n_closed(self) -> Array:
        """Components that each component need not be compared with."""
        return np.diff(self.closed.indptr)

    def settled(self, i: int) -> Array:
        """Which samples sample i need not be compared with, itself included."""
        own = self.component[i]
        mask = np.zeros(len(self.sizes), dtype=bool)
        mask[_row(self.closed, own)] = True
        mask[own] = True
        return np.asarray(mask[self.component])

    def groups(self) -> list[Array]:
        """Samples of components that are all cannot-linked with each other, greedily from the
        largest: the classes found so far.
        """
        apart = self.links.closure().cannot_matrix()
        # A sample that nothing is known of may belong to any class, and founds none.
        begun = np.flatnonzero((self.sizes > 1) | (np.diff(apart.indptr) > 0))
        found: list[int] = []
        for a in begun[np.argsort(-self.sizes[begun], kind="stable")]:
            if np.isin(found, _row(apart, a)).all():
                found.append(a)
        return [np.flatnonzero(self.component == a) for a in found]

    def assuming_same(self, i: int, j: int) -> Known:
        """What would be known if i and j were the same."""
        return Known(self.links | Links.from_pairs([[i, j]], n_samples=len(self.links)))


def _row(matrix: sp.csr_array, i: int) -> Array:
    """Columns of the entries of one row."""
    return np.asarray(matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]])


@dataclass(frozen=True, eq=False)
class Geometry:
    """Where the samples lie: an embedding Z, and the current clusters in it."""

    Z: Array
    labels: Array

    @cached_property
    def sizes(self) -> Array:
        """Samples in each cluster."""
        return np.bincount(self.labels)

    @cached_property
    def centroids(self) -> Array:
        """Mean of each cluster; an empty one lies beyond everything, so that nobody is near it."""
        sums = np.stack([np.bincount(self.labels, column) for column in self.Z.T], axis=1)
        with np.errstate(invalid="ignore"):
            means = sums / self.sizes[:, None]
        return np.where(self.sizes[:, None] > 0, means, np.inf)

    @cached_property
    def distances(self) -> Array:
        """Squared distance of each sample to each centroid."""
        return np.asarray(cdist(self.Z, self.centroids, "sqeuclidean"))

    @cached_property
    def cores(self) -> Array:
        """The member of each cluster nearest to its centroid (any sample for an empty cluster)."""
        own = self.labels[:, None] == np.arange(len(self.sizes))
        return np.asarray(np.where(own, self.distances, np.inf).argmin(axis=0))

    @cached_property
    def nearest(self) -> Array:
        """The two nearest clusters of each sample, shape (n_samples, 2)."""
        second = min(1, len(self.sizes) - 1)  # with one cluster it is the second, too
        return np.argsort(self.distances, axis=1, kind="stable")[:, [0, second]]

    @cached_property
    def doubt(self) -> Array:
        """Distance to the nearest centroid over that to the second: 1 on a boundary."""
        first, second = np.take_along_axis(self.distances, self.nearest, axis=1).T
        ratio = np.divide(first, second, out=np.zeros(len(first)), where=second > 0)
        return ratio if len(self.sizes) > 1 else np.zeros(len(first))

    def means(self, groups: list[Array]) -> Array:
        """Mean of each group of samples."""
        return np.array([self.Z[group].mean(axis=0) for group in groups])

    def typical(self, group: Array) -> int:
        """The member of a group nearest to its mean."""
        mean = self.Z[group].mean(axis=0, keepdims=True)
        return int(group[cdist(self.Z[group], mean).ravel().argmin()])
