"""Two halves of data that say the same of the samples, if there is anything to say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import column_degrees, entrywise, row_degrees, values_of
from cocluster.linalg.types import Array, InMemory

Halves = tuple[RelationalData, RelationalData]

# Halves of fewer features than this may both lack what tells two groups apart: counts that vary as
# independent ones do (see `cuts.dispersion`; 1 is all independent) are thinned instead.
FEW_FEATURES = 32
INDEPENDENT = 1.5


def split(data: RelationalData, spread: float, rng: np.random.Generator) -> Halves:
    """Split the data in two halves, by features or, if those are few, by counts."""
    counts = all(is_counts(relation.matrix) for relation in data.relations)
    thin = counts and data.shape[1] < FEW_FEATURES and spread < INDEPENDENT
    return (thinned if thin else halved)(data, rng)


def halved(data: RelationalData, rng: np.random.Generator) -> Halves:
    """Split the features in two halves, each with the same samples.

    Groups of samples show in both. What varies by chance, entry by entry, does not, however it is
    distributed: the halves share no entry, so words that come in bursts make no agreement.
    """
    return _pair_halves(data, [_split_columns(relation, rng) for relation in data.relations])


def thinned(data: RelationalData, rng: np.random.Generator) -> Halves:
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


def is_counts(X: InMemory) -> bool:
    """Whether all entries are whole numbers."""
    values = values_of(X)
    return bool(np.array_equal(values, np.rint(values)))


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
