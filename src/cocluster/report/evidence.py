r"""What the data say for and against each cluster, feature by feature.

Labels alone, of whatever method, make a model of the data: samples of a cluster share a profile.
From it follows what an object costs in each cluster, as a sum over its features:

* Values >= 0 are read as counts: the features of a group fall to a cluster c in proportion to
  what they have in all, times :math:`p_c(g) / p(g)`, the group's share in the cluster over its
  share in the data. A count costs :math:`-\log (p_c(g) / p(g))`.
* Values of any sign are read as a mean of the cluster and noise of the feature: a value x costs
  :math:`(x - \mu_{cj})^2 / 2 \sigma_j^2`, less what is the same for all clusters.

Being sums, these costs can be asked of some features only: of one view, or of half the features.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.matrices import (
    by_rows,
    column_sums,
    entrywise,
    inner,
    is_nonnegative,
    row_sums,
    safe_inverse,
    squared_norm,
    times,
)
from cocluster.linalg.partitions import Partition, as_partition
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array, InMemory
from cocluster.methods.default.probability import costs, has_costs
from cocluster.report.subject import Clusters, Subject

# Groups of features for each cluster, where features are not clustered: fine enough to tell
# clusters apart, coarse enough for each group to have many counts.
GROUPS_PER_CLUSTER = 5
# A feature varies within clusters by at least this share of its variance: one that seems to be
# constant in every cluster would else outweigh all others.
LEAST_VARIANCE = 1e-3


@dataclass(frozen=True, eq=False)
class Side:
    """A relation as seen from one of its types: that type's objects in rows.

    Attributes
    ----------
    other : str
        The type of the columns.
    matrix : csr_array or ndarray
    present : int array or None
        Objects that the rows describe; None: all, in order.
    columns : int array or None
        Objects that the columns describe; None: all, in order.
    """

    other: str
    matrix: InMemory
    present: Array | None = None
    columns: Array | None = None

    def members(self, clusters: Clusters) -> Partition:
        """The clusters of the objects in the rows."""
        own = clusters.partition
        return own if self.present is None else own[self.present]

    def groups(self, clusters: Mapping[str, Clusters]) -> Partition | None:
        """The clusters of the objects in the columns; None if they have none."""
        if self.other not in clusters:
            return None
        own = clusters[self.other].partition
        return own if self.columns is None else own[self.columns]

    def spread(self, values: Array, n: int) -> Array:
        """Values of the rows at their places among n objects; zero for absent ones."""
        if self.present is None:
            return values
        placed = np.zeros((n, *values.shape[1:]))
        placed[self.present] = values
        return placed

    def masses(self) -> Array:
        """Size of each row, in units of the median: its sum, for counts; else all are alike."""
        if not is_nonnegative(self.matrix):
            return np.ones(self.matrix.shape[0])
        sums = row_sums(self.matrix)
        return np.asarray(sums / (np.median(sums) or 1.0))


def sides(data: RelationalData, name: str) -> Iterator[Side]:
    """The relations of a type, each with the type in its rows."""
    for relation in data.relations:
        if relation.rows == name:
            yield Side(relation.cols, relation.matrix, relation.row_index)
        elif relation.cols == name:
            turned = by_rows(relation.matrix.T)
            yield Side(relation.rows, turned, columns=relation.row_index)


@dataclass(frozen=True, eq=False)
class Codes:
    """Costs as sums over features.

    Attributes
    ----------
    weights : array of shape (n_features, n_clusters)
        What one unit of a feature saves in a cluster.
    offsets : array of the same shape, or None
        What a feature costs in a cluster, whatever its value.
    """

    weights: Array
    offsets: Array | None = None

    def costs(self, R: InMemory, chosen: Array | None = None) -> Array:
        """Cost of each row in each cluster, by all features or by those of a mask."""
        part = np.ones(len(self.weights)) if chosen is None else chosen.astype(np.float64)
        found = -np.asarray(times(R, self.weights * part[:, None]), dtype=np.float64)
        return found if self.offsets is None else found + part @ self.offsets


def codes_of(R: InMemory, G: Partition, groups: Partition | None = None) -> Codes:
    """The codes that clusters of the rows of R make.

    Parameters
    ----------
    R : matrix of shape (n, m)
    G : partition of its rows
    groups : partition of its columns, optional
        Features whose counts are added up; by default those with like profiles.
    """
    return _count_codes(R, G, groups) if is_nonnegative(R) else _value_codes(R, G)


@dataclass(frozen=True, eq=False)
class Profiles:
    """How the counts of clusters fall on groups of features.

    Attributes
    ----------
    shares : array of shape (n_clusters, n_groups)
        Share of each group in the counts of a cluster; none is zero if the group has any counts.
    overall : array of shape (n_groups,)
        The same of all data.
    groups : partition of the features
    unit : float
        The size of one count.
    """

    shares: Array
    overall: Array
    groups: Partition
    unit: float


def profiles_of(R: InMemory, G: Partition, groups: Partition | None = None) -> Profiles:
    r"""Profiles of clusters of the rows of R >= 0.

    Every cluster is taken to have one more count, spread like all others.
    """
    by_feature = times(R.T, G)
    if groups is None:
        n_groups = min(GROUPS_PER_CLUSTER * G.n_clusters, R.shape[1])
        # A fixed seed: what the labels are decides, and not chance.
        found = kmeans_labels(unit_rows(by_feature), n_groups, seed=0, n_init=1)
        groups = as_partition(found, n_groups)
    sums = inner(groups, by_feature).T
    unit = _size_of_a_count(R, G, by_feature)
    overall = sums.sum(axis=0) / (sums.sum() or 1.0)
    shares = (sums + unit * overall) / (sums.sum(axis=1, keepdims=True) + unit)
    return Profiles(shares, overall, groups, unit)


def _size_of_a_count(R: InMemory, G: Partition, by_feature: Array) -> float:
    r"""What counts as one: :math:`\sum (x - e)^2 / \sum x`, with e expected from row and cluster.

    1 for independent counts, whose variance is their mean; more where they come in bursts, and in
    proportion to the unit where values are no counts.
    """
    total = float(by_feature.sum())
    if total <= 0:
        return 1.0
    profiles = by_feature * safe_inverse(by_feature.sum(axis=0))
    n, lengths = row_sums(R), (profiles**2).sum(axis=0)[G.labels]
    own = np.asarray(times(R, profiles), dtype=np.float64)[np.arange(len(n)), G.labels]
    squares = squared_norm(R)
    scatter = squares - 2 * float(n @ own) + float(n**2 @ lengths)
    # A profile is near to the samples it was made of, the more so the fewer they are.
    scatter *= len(n) / max(len(n) - G.n_clusters, 1)
    return max(scatter, LEAST_VARIANCE * squares) / total


def _count_codes(R: InMemory, G: Partition, groups: Partition | None) -> Codes:
    """Logarithms of how much more of each group a cluster has than all data."""
    found = profiles_of(R, G, groups)
    # A group without any counts says nothing.
    ratio = np.where(found.overall > 0, found.shares * safe_inverse(found.overall), 1.0)
    return Codes(np.log(ratio).T[found.groups.labels] / found.unit)


def _value_codes(R: InMemory, G: Partition) -> Codes:
    """Distances to the means of the clusters, feature by feature in units of its noise."""
    means, overall, variance = value_profiles(R, G)
    weights = (means - overall).T * safe_inverse(variance)[:, None]
    # (x - m)² - (x - o)², with o the mean of all: (m - o) (m + o - 2 x), over 2 σ².
    return Codes(weights, weights * (means + overall).T / 2)


def value_profiles(R: InMemory, G: Partition) -> tuple[Array, Array, Array]:
    """Mean of each feature in each cluster and in all, and its variance within clusters."""
    n, sizes = R.shape[0], G.sizes
    sums = np.asarray(times(R.T, G), dtype=np.float64).T
    overall = sums.sum(axis=0) / max(n, 1)
    # As if each cluster had one more sample, at the mean of all: a lone sample is not its own
    # prototype then.
    means = (sums + overall) / (sizes[:, None] + 1)
    squares = column_sums(entrywise(np.square, R))
    total = np.maximum(squares / max(n, 1) - overall**2, 0)
    plain = sums / np.maximum(sizes, 1)[:, None]
    within = (squares - sizes @ plain**2) / max(n - G.n_clusters, 1)
    return means, overall, np.maximum(within, LEAST_VARIANCE * total)


def costs_by_side(subject: Subject, name: str) -> list[tuple[Side, Array]]:
    """What the objects of a type cost by each of its relations, absent ones nothing."""
    own, n = subject.clusters[name], subject.data.size(name)
    found = []
    for side in sides(subject.data, name):
        codes = codes_of(side.matrix, side.members(own), side.groups(subject.clusters))
        found.append((side, side.spread(codes.costs(side.matrix), n)))
    return found


def costs_of(subject: Subject, name: str) -> Array:
    """Cost of every object in every cluster of its type.

    Samples are judged as the model does, where it says so; all else by the evidence of the data
    for the clusters as they are.
    """
    if name == subject.data.center and has_costs(subject.model):
        return costs(subject.model, subject.data)[:, subject.clusters[name].ids]
    parts = [found for _, found in costs_by_side(subject, name)]
    return sum(parts[1:], start=parts[0])


def margins(found: Array, codes: Array) -> tuple[Array, Array]:
    """By how much each object is cheaper in its own cluster than in the next best; and that one.

    Below zero where something else than the costs holds the object, such as a link.

    Parameters
    ----------
    found : array of shape (n, k)
        Cost of each object in each cluster.
    codes : int array of shape (n,)
        Its cluster.

    Examples
    --------
    >>> margin, second = margins(np.array([[1.0, 3.0, 9.0], [5.0, 2.0, 4.0]]), np.array([0, 2]))
    >>> margin.tolist(), second.tolist()
    ([2.0, -2.0], [1, 1])
    """
    rows = np.arange(len(codes))
    own = found[rows, codes]
    others = found.copy()
    others[rows, codes] = np.inf
    second = others.argmin(axis=1)
    gap = others[rows, second] - own
    # One cluster has no next best, and clusters that take no samples are at no distance.
    return np.where(np.isfinite(gap), gap, 0.0), second
