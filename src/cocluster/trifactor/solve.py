"""alternate(): the only loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from cocluster.blocks.rows import Interrupted
from cocluster.linalg.partitions import unchanged
from cocluster.linalg.types import Array
from cocluster.trifactor.products import State
from cocluster.utils.threads import single_blas_thread

# Share of the objective at the start below which it counts as zero: the fit is then as good as
# perfect, and what further sweeps gain nobody sees.
NEARLY_NOTHING = 1e-6


@dataclass(frozen=True, eq=False)
class Progress:
    """What a callback sees after each sweep."""

    sweep: int
    objective: float


Callback = Callable[[Progress], bool | None]


class Problem(Protocol):
    """What can be solved by alternating over factors."""

    def moved(self, name: str, state: State) -> State:
        """The state after one step of one factor."""

    def objective(self, state: State) -> float:
        """What is minimised."""

    @property
    def constant(self) -> float:
        """A part of the objective that no step changes: gains are measured against the rest."""


@dataclass(frozen=True, eq=False)
class Run:
    """What `alternate` found: the last state, the objective after each sweep, and how it ended."""

    state: State
    history: Array
    converged: bool

    @property
    def objective(self) -> float:
        """The objective at the end."""
        return float(self.history[-1])


def alternate(
    problem: Problem,
    start: State,
    *,
    max_iter: int = 200,
    tol: float = 1e-5,
    callback: Callback | None = None,
) -> Run:
    """Move one factor after the other, each with the latest others, until nothing is gained.

    Stops when no label changes (all factors hard), when a sweep lowers the objective by no more
    than ``tol`` times its value (less what the problem says is constant), after
    ``max_iter`` sweeps, or when ``callback`` returns True. A sweep costs two products with each
    relation, the objective included.
    """
    # A sweep is many products of narrow arrays, for which one thread is fastest.
    with single_blas_thread():
        run = Run(start, np.array([problem.objective(start)]), converged=False)
        try:
            for sweep in range(1, max_iter + 1):
                run = _swept(problem, run, tol)
                stop = callback is not None and callback(Progress(sweep, run.objective))
                if stop or run.converged:
                    break
        except Interrupted as interruption:
            # Hours of work on a lost cluster: what was found until then goes with the error.
            interruption.run = replace(run, history=run.history[1:])
            raise
    return replace(run, history=run.history[1:])


def _swept(problem: Problem, run: Run, tol: float) -> Run:
    """The run with one more sweep; its history begins with the objective at the start."""
    before, state = run.state.factors, run.state
    for name in before:
        state = problem.moved(name, state)
    history = np.append(run.history, problem.objective(state))
    settled = all(unchanged(before[name], state.factors[name]) for name in before)
    # Relative to the value now: a strong penalty makes that of a start so large that a run would
    # end long before it has found anything. But an objective that goes to zero would never settle.
    now, first = abs(history[-1] - problem.constant), abs(history[0] - problem.constant)
    small = abs(history[-2] - history[-1]) <= tol * max(now, NEARLY_NOTHING * first)
    return Run(state, history, bool(settled or small))
