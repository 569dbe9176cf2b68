"""Two halves of data that say the same of the samples, if there is anything to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
    """Two halves of the data: of its features or, if those are few, of its counts."""
    counts = all(is_counts(relation.matrix) for relation in data.relations)
    thin = counts and data.shape[1] < FEW_FEATURES and spread < INDEPENDENT
    return (thinned if thin else halved)(data, rng)


def halved(data: RelationalData, rng: np.random.Generator) -> Halves:
    """The same samples with one half of the features, and with the other half.

    Groups of samples show in both. What varies by chance, entry by entry, does not, however it is
    distributed: the halves share no entry, so words that come in bursts make no agreement.
    """
    return _in_both(data, [_parted(relation, rng) for relation in data.relations])


def thinned(data: RelationalData, rng: np.random.Generator) -> Halves:
    """Every count split in two by coin flips.

    Halves of a Poisson count are independent Poisson counts of half the rate (Neufeld et al.,
    Data thinning for convolution-closed distributions, 2024), so this serves where there are too
    few features to be halved. Counts that come in bursts are bursts in both halves.
    """
    return _in_both(data, [_flipped(relation, rng) for relation in data.relations])


def _parted(relation: Relation, rng: np.random.Generator) -> tuple[Relation, Relation]:
    """One relation, its columns in two parts."""
    order = rng.permutation(relation.matrix.shape[1])
    parts = np.array_split(order, 2)
    first, second = (relation.select(relation.cols, np.sort(part)) for part in parts)
    return first, second


def _flipped(relation: Relation, rng: np.random.Generator) -> tuple[Relation, Relation]:
    """One relation, its counts split."""
    first = entrywise(
        lambda n: rng.binomial(n.astype(np.int64), 0.5).astype(n.dtype), relation.matrix
    )
    second = relation.matrix - first
    return replace(relation, matrix=first), replace(relation, matrix=second)


def _in_both(data: RelationalData, pairs: Sequence[tuple[Relation, Relation]]) -> Halves:
    """The two halves, without samples that one of them knows nothing of."""
    first, second = (
        # Names of features would have to be parted, too, and nobody reads them.
        replace(data, relations=tuple(pair[i] for pair in pairs), names={})
        for i in (0, 1)
    )
    present = np.flatnonzero((degrees(first) > 0) & (degrees(second) > 0))
    return without_empty(first[present]), without_empty(second[present])


def is_counts(X: InMemory) -> bool:
    """Whether all entries are whole numbers."""
    values = values_of(X)
    return bool(np.array_equal(values, np.rint(values)))


def degrees(data: RelationalData) -> Array:
    """Sum of absolute values of each sample over all views."""
    total = np.zeros(len(data))
    for relation in data.relations:
        where = slice(None) if relation.row_index is None else relation.row_index
        total[where] += row_degrees(relation.matrix)
    return total


def without_empty(data: RelationalData) -> RelationalData:
    """Without features that no sample has, views that are left with none, and names of samples."""
    relations, names = [], {}
    for relation in data.relations:
        filled = np.flatnonzero(column_degrees(relation.matrix))
        if len(filled):
            relations.append(relation.select(relation.cols, filled))
            if relation.cols in data.names:
                names[relation.cols] = data.names[relation.cols][filled]
    return replace(data, relations=tuple(relations), names=names)
