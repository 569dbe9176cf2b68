r"""How much the data speak for and against each cluster, feature by feature.

Labels alone, of whatever method, make a model of the data: samples of a cluster share a profile.
From it follows the cost of an object in each cluster, as a sum over its features:

* Values >= 0 are read as counts: the features of a group fall to a cluster c in proportion to
  their totals, times :math:`p_c(g) / p(g)`, the group's share in the cluster over its share in the
  data. A count costs :math:`-\log (p_c(g) / p(g))`.
* Values of any sign are read as a mean of the cluster and noise of the feature: a value x costs
  :math:`(x - \mu_{cj})^2 / 2 \sigma_j^2`, less a term that all clusters share.

Because costs are sums, they can also be computed from some of the features: those of one view, or
half of them.
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
from cocluster.methods.default.probability import costs, has_costs, probabilities
from cocluster.report.report_input import Clusters, ReportInput

# Groups of features per cluster, if features are not clustered: fine enough to tell clusters
# apart, coarse enough for each group to have many counts.
GROUPS_PER_CLUSTER = 5
# Least variance of a feature within clusters, as a share of its total variance. A feature that
# seems to be constant in every cluster would otherwise outweigh all others.
LEAST_VARIANCE = 1e-3


@dataclass(frozen=True, eq=False)
class OrientedRelation:
    """A relation with the objects of one of its types in rows.

    Attributes
    ----------
    column_type : str
        The type of the columns.
    matrix : csr_array or ndarray
    row_index : int array or None
        Objects that the rows describe; None: all, in order.
    column_index : int array or None
        Objects that the columns describe; None: all, in order.
    """

    column_type: str
    matrix: InMemory
    row_index: Array | None = None
    column_index: Array | None = None

    def row_partition(self, clusters: Clusters) -> Partition:
        """Return the clusters of the objects in the rows."""
        partition = clusters.partition
        return partition if self.row_index is None else partition[self.row_index]

    def column_partition(self, clusters: Mapping[str, Clusters]) -> Partition | None:
        """Return the clusters of the objects in the columns; None if they have none."""
        if self.column_type not in clusters:
            return None
        partition = clusters[self.column_type].partition
        return partition if self.column_index is None else partition[self.column_index]

    def scatter(self, values: Array, n: int) -> Array:
        """Return values of the rows at their positions among n objects; zero for absent ones."""
        if self.row_index is None:
            return values
        scattered = np.zeros((n, *values.shape[1:]))
        scattered[self.row_index] = values
        return scattered

    def row_masses(self) -> Array:
        """Return the sum of each row of counts over the median sum; ones for signed values."""
        if not is_nonnegative(self.matrix):
            return np.ones(self.matrix.shape[0])
        sums = row_sums(self.matrix)
        return np.asarray(sums / (np.median(sums) or 1.0))


def oriented_relations(data: RelationalData, type_name: str) -> Iterator[OrientedRelation]:
    """Yield the relations of a type, each with the objects of the type in rows."""
    for relation in data.relations:
        if relation.rows == type_name:
            yield OrientedRelation(relation.cols, relation.matrix, relation.row_index)
        elif relation.cols == type_name:
            transposed = by_rows(relation.matrix.T)
            yield OrientedRelation(relation.rows, transposed, column_index=relation.row_index)


@dataclass(frozen=True, eq=False)
class CostModel:
    """Costs of clusters as sums over features.

    Attributes
    ----------
    weights : array of shape (n_features, n_clusters)
        Cost that one unit of a feature saves in a cluster.
    offsets : array of the same shape, or None
        Cost of a feature in a cluster, whatever its value.
    """

    weights: Array
    offsets: Array | None = None

    def costs(self, R: InMemory, features: Array | None = None) -> Array:
        """Return the cost of each row in each cluster, by all features or by those of a mask."""
        mask = np.ones(len(self.weights)) if features is None else features.astype(np.float64)
        totals = -np.asarray(times(R, self.weights * mask[:, None]), dtype=np.float64)
        return totals if self.offsets is None else totals + mask @ self.offsets


def fit_cost_model(R: InMemory, G: Partition, groups: Partition | None = None) -> CostModel:
    """Return the cost model of clusters of the rows of R.

    Parameters
    ----------
    R : matrix of shape (n, m)
    G : partition of its rows
    groups : partition of its columns, optional
        Features whose counts are added up; by default those with similar profiles.
    """
    return _count_model(R, G, groups) if is_nonnegative(R) else _value_model(R, G)


@dataclass(frozen=True, eq=False)
class CountProfiles:
    """How the counts of clusters are distributed over groups of features.

    Attributes
    ----------
    shares : array of shape (n_clusters, n_groups)
        Share of each group in the counts of a cluster; positive if the group has any counts.
    overall : array of shape (n_groups,)
        Share of each group in all counts.
    groups : partition of the features
    unit : float
        The size of one count.
    """

    shares: Array
    overall: Array
    groups: Partition
    unit: float


def count_profiles(R: InMemory, G: Partition, groups: Partition | None = None) -> CountProfiles:
    r"""Return the profiles of clusters of the rows of R >= 0.

    Every cluster gets one more count, distributed like all data, so that no share is zero.
    """
    by_feature = times(R.T, G)
    if groups is None:
        n_groups = min(GROUPS_PER_CLUSTER * G.n_clusters, R.shape[1])
        # A fixed seed, so that the labels alone determine the profiles.
        labels = kmeans_labels(unit_rows(by_feature), n_groups, seed=0, n_init=1)
        groups = as_partition(labels, n_groups)
    sums = inner(groups, by_feature).T
    unit = _count_unit(R, G, by_feature)
    overall = sums.sum(axis=0) / (sums.sum() or 1.0)
    shares = (sums + unit * overall) / (sums.sum(axis=1, keepdims=True) + unit)
    return CountProfiles(shares, overall, groups, unit)


def _count_unit(R: InMemory, G: Partition, by_feature: Array) -> float:
    r"""Return the size of one count: :math:`\sum (x - e)^2 / \sum x`, e expected by the cluster.

    The unit is 1 for independent counts, whose variance is their mean. It is larger for counts
    that come in bursts, and scales with the values if these are not counts.
    """
    total = float(by_feature.sum())
    if total <= 0:
        return 1.0
    profiles = by_feature * safe_inverse(by_feature.sum(axis=0))
    n, lengths = row_sums(R), (profiles**2).sum(axis=0)[G.labels]
    products = np.asarray(times(R, profiles), dtype=np.float64)[np.arange(len(n)), G.labels]
    squares = squared_norm(R)
    scatter = squares - 2 * float(n @ products) + float(n**2 @ lengths)
    # A profile is closer to the samples it was made of, the more so the fewer they are.
    scatter *= len(n) / max(len(n) - G.n_clusters, 1)
    return max(scatter, LEAST_VARIANCE * squares) / total


def _count_model(R: InMemory, G: Partition, groups: Partition | None) -> CostModel:
    """Return the cost model of counts: logarithms of the share in a cluster over that in all."""
    profiles = count_profiles(R, G, groups)
    # A group without any counts carries no evidence.
    ratio = np.where(profiles.overall > 0, profiles.shares * safe_inverse(profiles.overall), 1.0)
    return CostModel(np.log(ratio).T[profiles.groups.labels] / profiles.unit)


def _value_model(R: InMemory, G: Partition) -> CostModel:
    """Return the cost model of signed values: distances to the means in units of the noise."""
    means, overall, variance = value_profiles(R, G)
    weights = (means - overall).T * safe_inverse(variance)[:, None]
    # (x - m)² - (x - o)², with o the mean of all: (m - o) (m + o - 2 x), over 2 σ².
    return CostModel(weights, weights * (means + overall).T / 2)


def value_profiles(R: InMemory, G: Partition) -> tuple[Array, Array, Array]:
    """Return the means of each feature by cluster and overall, and its variance in clusters."""
    n, sizes = R.shape[0], G.sizes
    sums = np.asarray(times(R.T, G), dtype=np.float64).T
    overall = sums.sum(axis=0) / max(n, 1)
    # Every cluster gets one more sample at the overall mean, so that a single sample is not its
    # own prototype.
    means = (sums + overall) / (sizes[:, None] + 1)
    squares = column_sums(entrywise(np.square, R))
    total = np.maximum(squares / max(n, 1) - overall**2, 0)
    plain_means = sums / np.maximum(sizes, 1)[:, None]
    within = (squares - sizes @ plain_means**2) / max(n - G.n_clusters, 1)
    return means, overall, np.maximum(within, LEAST_VARIANCE * total)


def costs_by_relation(source: ReportInput, type_name: str) -> list[tuple[OrientedRelation, Array]]:
    """Return every relation of a type with the costs of the objects by it; 0 for absent ones."""
    assert source.data is not None
    clusters, n = source.clusters[type_name], source.data.size(type_name)
    by_relation = []
    for relation in oriented_relations(source.data, type_name):
        model = fit_cost_model(
            relation.matrix,
            relation.row_partition(clusters),
            relation.column_partition(source.clusters),
        )
        by_relation.append((relation, relation.scatter(model.costs(relation.matrix), n)))
    return by_relation


def object_costs(source: ReportInput, type_name: str) -> Array:
    """Return the cost of every object in every cluster of its type.

    Samples have the costs of the model, if it defines some; all other objects have those of the
    cost models that the clusters make.
    """
    assert source.data is not None
    if type_name == source.center and has_costs(source.model):
        return costs(source.model, source.data)[:, source.clusters[type_name].ids]
    first, *others = [matrix for _, matrix in costs_by_relation(source, type_name)]
    return sum(others, start=first)


def sample_costs(source: ReportInput) -> Array | None:
    """Return the costs of the inspected samples in every cluster; None without data."""
    if source.inspected is None or source.original is None:
        return None
    if source.has_missing and has_costs(source.model):
        data = source.original[source.inspected_rows]
        return costs(source.model, data)[:, source.sample_clusters.ids]
    return object_costs(source.inspected, source.center)


def sample_certainty(source: ReportInput) -> Array | None:
    """Return the probability of the cluster that each inspected sample is in.

    None if the method defines no probabilities.
    """
    model, matrix = source.model, sample_costs(source)
    if matrix is None or not has_costs(model) or not hasattr(model, "predict_proba"):
        return None
    temperature = getattr(model, "temperature_", None)
    # Costs without a temperature are one minus a membership, see `CoCluster.predict_proba`.
    probability = 1 - matrix if temperature is None else probabilities(matrix, temperature)
    codes = source.sample_clusters.codes[source.inspected_rows]
    return np.asarray(probability[np.arange(len(codes)), codes])


def margins(matrix: Array, codes: Array) -> tuple[Array, Array]:
    """Return the margin of each object, and its second best cluster.

    The margin is the cost in the second best cluster less that in its own. It is negative if
    something else than the costs keeps the object in its cluster, such as a link.

    Parameters
    ----------
    matrix : array of shape (n, k)
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
    others = matrix.copy()
    others[rows, codes] = np.inf
    second = others.argmin(axis=1)
    gap = others[rows, second] - matrix[rows, codes]
    # A single cluster has no second best, and clusters that take no samples are at no distance.
    return np.where(np.isfinite(gap), gap, 0.0), second
