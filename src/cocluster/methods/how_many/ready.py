"""Data made ready for the search: checked, sampled, in memory, and seen from any of its types."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import is_nonnegative
from cocluster.linalg.types import InMemory
from cocluster.methods.how_many.halves import degrees, is_counts, without_empty

# Most objects that are looked at, drawn at random: among so many, groups of a hundred are seen.
OBJECTS = 5_000
# Most clusters that are looked for, unless asked: more are no overview, and every fit gets slower.
MOST = 32
# Fewer objects than this have no groups that could be told from chance.
FEWEST = 8
# Features of which either half has two; counts can be thinned, so that one is enough.
FEWEST_FEATURES = 4


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


def ready(data: RelationalData, rng: np.random.Generator) -> RelationalData:
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
    data = sampled(data, rng)
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


def sampled(data: RelationalData, rng: np.random.Generator) -> RelationalData:
    """Draw at most `OBJECTS` samples into memory."""
    n = len(data)
    return data[np.arange(n) if n <= OBJECTS else np.sort(rng.choice(n, OBJECTS, replace=False))]


def seen_from(data: RelationalData, name: str, rng: np.random.Generator) -> RelationalData:
    """Return the data with a type as the samples: unchanged, or one view transposed."""
    if name == data.center:
        return data
    relation = next(r for r in data.relations if r.cols == name)
    turned = Relation(relation.matrix.T, name, data.center, checked=True)
    return sampled(RelationalData((turned,), name), rng)
