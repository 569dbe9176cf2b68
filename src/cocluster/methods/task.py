"""What a fit has to solve, what it fixes for samples to come, and which run counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, TypeVar

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.types import Array, Matrix
from cocluster.links import Links
from cocluster.trifactor import Callback, Run
from cocluster.utils.checks import broadcast, check_integer

# Share of an objective that is rounding: sums of 100 million numbers are good to ten digits.
ROUNDING = 1e-10
# Labels or memberships by type; None: at random.
Start = Mapping[str, Array] | None
Extended = TypeVar("Extended", bound="Task")


@dataclass(frozen=True, eq=False)
class Task:
    """What a fit has to solve: the data as scaled, and all that was asked.

    Methods that need more than this subclass it; `Coclusterer._prepared` returns theirs.
    """

    data: RelationalData
    clusters: dict[str, int]
    links: dict[str, Links]
    rng: np.random.Generator
    callback: Callback | None
    # What the user gave as graphs; only the graph methods take any.
    graphs: Any = None
    # Probabilities of the clusters by type; only the methods in which answers spread take any.
    priors: Mapping[str, Array] = field(default_factory=dict)

    def extended(self, kind: type[Extended], **extras: Any) -> Extended:
        """The same task as an object of a subclass, with the fields that it adds or replaces."""
        own = {part.name: getattr(self, part.name) for part in fields(self)}
        return kind(**own | extras)


class Scale(Protocol):
    """What a fit learns of the scale of a relation, to treat new rows alike."""

    def apply(self, X: Matrix) -> Matrix:
        """The matrix in that scale."""


@dataclass(frozen=True, eq=False)
class Form:
    """What a fit fixes for all samples to come: the types, their sizes, features and scales."""

    sizes: Mapping[str, int]
    # Names of the objects of all types but the central one, where they have any.
    names: Mapping[str, Array]
    ends: list[tuple[str, str]]
    scalings: list[Scale]
    # What each relation counted for: a sample is judged alike alone and among others.
    weights: list[float]
    # n_features_in_ and feature_names_in_, as scikit-learn writes them.
    features: Mapping[str, Any]


def best_of(runs: Iterable[Run]) -> Run:
    """The run with the lowest objective; of those equal up to rounding, the first.

    Two runs that end in the same partition differ in the last digits, and which of them is lower
    depends on whether the data are dense or sparse.
    """
    best: Run | None = None
    for run in runs:
        if best is None or run.objective < best.objective - ROUNDING * abs(best.objective):
            best = run
    if best is None:
        raise ValueError("There is no run to choose from.")
    return best


def clusters_by_type(
    data: RelationalData, n_clusters: Any, n_column_clusters: Any
) -> dict[str, int]:
    """Return the number of clusters of every type.

    A type without a number has as many clusters as the samples have, at most one per object.
    """
    k = check_integer(n_clusters, "n_clusters")
    if k > len(data):
        raise ValueError(
            f"n_clusters={k} is more than n_samples={len(data)}; ask for at most {len(data)}."
        )
    names = [name for name in data.types if name != data.center]
    counts = {data.center: k}
    column_counts = broadcast(n_column_clusters, names)
    unknown_types = set(column_counts) - set(names)
    if unknown_types:
        raise ValueError(
            f"n_column_clusters names unknown types {sorted(unknown_types)}; there are {names}."
        )
    for name in names:
        counts[name] = _column_count(name, column_counts.get(name), data.size(name), k)
    return counts


def _column_count(name: str, count: Any, size: int, default: int) -> int:
    """Return the number of clusters of one type that is not the centre, checked."""
    if count is None:
        return min(default, size)
    count = check_integer(count, f"n_column_clusters of {name}")
    if count > size:
        raise ValueError(
            f"n_column_clusters={count} is more than the {size} objects of type {name!r}; "
            f"ask for at most {size}."
        )
    return count
