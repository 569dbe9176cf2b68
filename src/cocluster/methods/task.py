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
