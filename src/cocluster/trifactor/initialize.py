"""Starts: factors from labels, from a random generator, or from an earlier result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cocluster.linalg.partitions import made
from cocluster.linalg.types import Array, Factor
from cocluster.trifactor.constraints import SOFTENING
from cocluster.trifactor.problem import TriFactorProblem
from cocluster.trifactor.products import State


def state_from(problem: TriFactorProblem, start: Mapping[str, Array]) -> State:
    """The state that a start means: labels (1-D) or memberships (2-D) of the objects of each type.

    A two-factor model has no association that could carry the scale of the data. If the central
    type starts from labels, the other types then start at the means of its clusters, which have
    that scale.
    """
    if not problem.association.carries_scale and start[problem.data.center].ndim == 1:
        return _state_from_means(problem, start[problem.data.center])
    factors = {name: _given(problem, name, start[name]) for name in problem.factors}
    return problem.state(_cast(problem, factors))


def random_start(problem: TriFactorProblem, rng: np.random.Generator) -> State:
    """Every factor at random."""
    data = problem.data
    factors = {
        name: data.placed(name, spec.constraint.start(data.size(name), spec.n_clusters, rng))
        for name, spec in problem.factors.items()
    }
    return problem.state(_cast(problem, factors))


def _state_from_means(problem: TriFactorProblem, labels: Array) -> State:
    """Centre from labels, every other type from the means over a type already known."""
    center = problem.data.center
    factors = {center: _given(problem, center, labels)}
    # Every round reaches types one relation further from the centre; all are linked to it.
    while len(factors) < len(problem.factors):
        for r, relation in enumerate(problem.data.relations):
            for side, other in ((relation.rows, relation.cols), (relation.cols, relation.rows)):
                if side in factors and other not in factors:
                    factors[other] = _means(problem, State(factors), r, side == relation.rows)
    return problem.state(_cast(problem, factors))


def _given(problem: TriFactorProblem, name: str, values: Array) -> Any:
    """The factor that labels or memberships mean, where the data of the type are."""
    # Ties are settled before the values are spread: tied objects may be in different parts.
    constraint, k = problem.factors[name].constraint, problem.factors[name].n_clusters
    return constraint.given(problem.data.placed(name, constraint.settled(values, k)), k)


def _means(problem: TriFactorProblem, state: State, r: int, known_rows: bool) -> Array:
    """Means over the clusters of the known side of a relation, kept away from zero."""
    side = "rows" if known_rows else "cols"
    means = problem.losses[r].means(state, side)
    # Multiplicative steps never leave an exact zero.
    return np.asarray(np.maximum(means, SOFTENING * np.abs(means).mean()))


def _cast(problem: TriFactorProblem, factors: Mapping[str, Any]) -> dict[str, Factor]:
    """Factors in the precision of the data: a wider one would slow down every product."""
    # Made, because every product, gram matrix and step of a sweep uses them.
    return {name: made(G.astype(problem.dtype)) for name, G in factors.items()}
