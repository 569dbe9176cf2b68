"""Stability: whether two halves of the data find the same clusters, and how much they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse as sp
from scipy.stats import entropy
from sklearn.metrics import adjusted_rand_score, mutual_info_score
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import column_degrees, entrywise, is_nonnegative, row_degrees
from cocluster.linalg.types import Array, InMemory
from cocluster.methods.n_clusters.likelihood import Labels, cut_labels, is_counts, tree

Halves = tuple[RelationalData, RelationalData]

# Halves of fewer features than this may both lack what tells two groups apart: counts that vary as
# independent ones do (see `cuts.dispersion`; 1 is all independent) are thin_counts instead.
FEW_FEATURES = 32
INDEPENDENT = 1.5
# Most objects that are looked at, drawn at random: among so many, groups of a hundred are seen.
OBJECTS = 5_000
# Most clusters that are looked for, unless asked: more are no overview, and every fit gets slower.
MOST = 32
# Fewer objects than this have no groups that could be told from chance.
FEWEST = 8
# Features of which either half has two; counts can be thin_counts, so that one is enough.
FEWEST_FEATURES = 4


class Fit(Protocol):
    """A way to cluster data: labels of every type for numbers of clusters, from a start or not."""

    def __call__(
        self,
        data: RelationalData,
        n_clusters: int,
        n_column_clusters: Mapping[str, int] | None,
        start: Labels | None,
        seed: int,
    ) -> Labels:
        """Labels by type."""


def fine_fit(fit: Fit, data: RelationalData, n_clusters: int, seed: int) -> Labels:
    """Cluster from scratch; return labels of every type, numbered without gaps."""
    return _without_gaps(fit(data, n_clusters, None, None, seed))


def refit(fit: Fit, data: RelationalData, start: Labels, seed: int) -> Labels:
    """Cluster from a start; return labels of every type, numbered without gaps."""
    counts = {name: int(labels.max()) + 1 for name, labels in start.items()}
    k = counts.pop(data.center)
    return _without_gaps(fit(data, k, counts, start, seed))


def _without_gaps(labels: Labels) -> Labels:
    """Renumber labels from 0 on, every number in use."""
    return {
        name: np.unique(type_labels, return_inverse=True)[1] for name, type_labels in labels.items()
    }


def labels_by_number(
    fit: Fit, data: RelationalData, numbers: Sequence[int], seed: int
) -> dict[int, Array]:
    """Labels of the samples for several numbers of clusters, for little more than one fit.

    The data are fitted once, with the largest number. Its clusters are merged to each of the
    others, from where a few sweeps bring every sample to its place. Weak groups are found better
    so than by a fit with the right number from the start: on planted data, twelve groups of 2,000
    samples, halves agree twice as much.
    """
    fine = fine_fit(fit, data, max(numbers), seed)
    steps, most = tree(data, fine), int(fine[data.center].max()) + 1
    starts = {k: cut_labels(data, fine, steps, k) for k in numbers if k <= most}
    return {k: refit(fit, data, start, seed)[data.center] for k, start in starts.items()}


def split(data: RelationalData, spread: float, rng: np.random.Generator) -> Halves:
    """Split the data in two halves, by features or, if those are few, by counts."""
    counts = all(is_counts(relation.matrix) for relation in data.relations)
    thin = counts and data.shape[1] < FEW_FEATURES and spread < INDEPENDENT
    return (thin_counts if thin else split_features)(data, rng)


def split_features(data: RelationalData, rng: np.random.Generator) -> Halves:
    """Split the features in two halves, each with the same samples.

    Groups of samples show in both. What varies by chance, entry by entry, does not, however it is
    distributed: the halves share no entry, so words that come in bursts make no agreement.
    """
    return _pair_halves(data, [_split_columns(relation, rng) for relation in data.relations])


def thin_counts(data: RelationalData, rng: np.random.Generator) -> Halves:
    """Split every count in two by coin flips.

    Halves of a Poisson count are independent Poisson counts of half the rate (Neufeld et al.,
    Data thinning for convolution-closed distributions, 2024), so this serves where there are too
    few features to be halved. Counts that come in bursts are bursts in both halves.
    """
    return _pair_halves(data, [_split_counts(relation, rng) for relation in data.relations])


def _split_columns(relation: Relation, rng: np.random.Generator) -> tuple[Relation, Relation]:
    """Split the columns of a relation in two halves at random."""
    order = rng.permutation(relation.matrix.shape[1])
    index_halves = np.array_split(order, 2)
    first, second = (relation.select(relation.cols, np.sort(indices)) for indices in index_halves)
    return first, second


def _split_counts(relation: Relation, rng: np.random.Generator) -> tuple[Relation, Relation]:
    """Split the counts of a relation in two by coin flips."""
    first = entrywise(
        lambda n: rng.binomial(n.astype(np.int64), 0.5).astype(n.dtype), relation.matrix
    )
    second = relation.matrix - first
    return relation.derive(matrix=first), relation.derive(matrix=second)


def _pair_halves(data: RelationalData, pairs: Sequence[tuple[Relation, Relation]]) -> Halves:
    """Build the two halves, without samples that are empty in one of them."""
    first, second = (
        # Names of features would have to be parted, too, and nobody reads them.
        data.derive((pair[i] for pair in pairs), names={})
        for i in (0, 1)
    )
    present = np.flatnonzero((degrees(first) > 0) & (degrees(second) > 0))
    return without_empty(first[present]), without_empty(second[present])


def degrees(data: RelationalData) -> Array:
    """Sum the absolute values of each sample over all views."""
    total = np.zeros(len(data))
    for relation in data.relations:
        rows = slice(None) if relation.row_index is None else relation.row_index
        total[rows] += row_degrees(relation.matrix)
    return total


def without_empty(data: RelationalData) -> RelationalData:
    """Drop features that no sample has, views without features, and names of samples."""
    relations, names = [], {}
    for relation in data.relations:
        filled = np.flatnonzero(column_degrees(relation.matrix))
        if len(filled):
            relations.append(relation.select(relation.cols, filled))
            if relation.cols in data.names:
                names[relation.cols] = data.names[relation.cols][filled]
    return data.derive(relations, names)


@dataclass(frozen=True)
class Agreement:
    """Agreement of two clusterings.

    Attributes
    ----------
    rand : float
        Adjusted Rand index: 1 for the same clusters, 0 for what chance gives.
    information : float
        Mutual information in nats, less what chance gives: what one clustering says of the other.
    possible : float
        The same of two clusterings that are equal. ``information / possible`` is adjusted mutual
        information.
    chance : float
        Standard deviation of ``information`` between independent clusterings.
    """

    rand: float
    information: float
    possible: float
    chance: float


def agreement(first: Array, second: Array) -> Agreement:
    """Agreement of two labellings of the same objects."""
    table = contingency_matrix(first, second, sparse=True)
    n = len(first)
    expected = float(expected_mutual_information(table, n))
    shared = float(mutual_info_score(None, None, contingency=table)) - expected
    sides = [np.asarray(table.sum(axis=axis)).ravel() for axis in (0, 1)]
    claimed = sum(float(entropy(side)) for side in sides) / 2
    # 2 n times the mutual information of independent labels is chi-square with so many degrees of
    # freedom, whose variance is twice that number.
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    return Agreement(
        float(adjusted_rand_score(first, second)),
        shared,
        max(claimed - expected, 0.0),
        float(np.sqrt(2 * freedom)) / (2 * n),
    )


def most_clusters(n: int) -> int:
    """Return the largest number of clusters to try for n objects; 1 for too few objects."""
    # Clusters of fewer than √(2n) objects are too many for as few objects to tell from chance.
    return min(MOST, int(np.sqrt(n / 2))) if n >= FEWEST else 1


def numbers_up_to(most: int) -> list[int]:
    """List the numbers of clusters to try: all small ones, then in growing steps.

    >>> numbers_up_to(21)
    [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 21]
    """
    numbers = [2]
    # Steps of about a tenth: 11 is not tried, and is within one of 10 and 12, which are.
    while numbers[-1] < most:
        numbers.append(min(numbers[-1] + 1 + (numbers[-1] - 1) // 9, most))
    return numbers


def prepare_data(data: RelationalData, rng: np.random.Generator) -> RelationalData:
    """Sample at most `OBJECTS` samples into memory, without negative entries or empty samples.

    Raises ValueError if there is nothing to choose from.
    """
    data = data.oriented()
    for relation in data.relations:
        if relation.rows != data.center or relation.cols == data.center:
            raise ValueError(
                "The number of clusters is chosen for one matrix or for views of the same samples, "
                f"not for relation {relation}; choose for it alone, as one matrix."
            )
    _require_samples(len(data), "samples")
    data = draw_objects(data, rng)
    if not all(is_nonnegative(relation.matrix) for relation in data.relations):
        data = data.map(_shift_to_nonnegative)
    filled = np.flatnonzero(degrees(data))
    if not len(filled):
        raise ValueError("All entries are zero, so there are no groups; pass other data.")
    _require_samples(len(filled), "samples that are not empty")
    data = without_empty(data[filled])
    counts = all(is_counts(relation.matrix) for relation in data.relations)
    if data.shape[1] < FEWEST_FEATURES and not counts:
        raise ValueError(
            f"{data.shape[1]} features that are not counts cannot be halved to see whether both "
            f"halves find the same groups; pass at least {FEWEST_FEATURES}, or choose the number "
            "of clusters yourself."
        )
    return data


def _require_samples(n: int, noun: str) -> None:
    """Raise ValueError for fewer than `FEWEST` samples."""
    if n < FEWEST:
        raise ValueError(
            f"{n} {noun} are too few to choose a number of clusters from; pass at least {FEWEST}, "
            "or choose it yourself."
        )


def _shift_to_nonnegative(R: InMemory) -> InMemory:
    """Shift negative features up to zero, as `CoCluster` does; refuse sparse ones."""
    if sp.issparse(R) and not is_nonnegative(R):
        raise ValueError(
            "Sparse data with negative values: block sums of both signs say nothing of groups, and "
            "shifting would fill the matrix. Clip them, or pass a dense array."
        )
    return R if sp.issparse(R) else R - np.minimum(R.min(axis=0), 0)


def draw_objects(data: RelationalData, rng: np.random.Generator) -> RelationalData:
    """Draw at most `OBJECTS` samples into memory."""
    n = len(data)
    return data[np.arange(n) if n <= OBJECTS else np.sort(rng.choice(n, OBJECTS, replace=False))]


def as_samples(data: RelationalData, name: str, rng: np.random.Generator) -> RelationalData:
    """Return the data with a type as the samples: unchanged, or one view transposed."""
    if name == data.center:
        return data
    relation = next(r for r in data.relations if r.cols == name)
    turned = Relation(relation.matrix.T, name, data.center, checked=True)
    return draw_objects(RelationalData((turned,), name), rng)
