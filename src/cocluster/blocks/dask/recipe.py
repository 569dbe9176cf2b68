"""Work on parts that is put off, so that several steps become one task.

A task costs the scheduler up to a millisecond and its result takes memory on a worker. What is
mapped, mapped again and then summed is therefore written down (`Recipe`) and sent as one task
(`Step`) when the sum is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cocluster.linalg import passes
from cocluster.utils import threads


@dataclass(frozen=True, eq=False)
class Recipe:
    """How to make a collection: a function of the parts of others, and of values all share.

    Part number i of the result is ``function(*(part i of each input), *shared)``.
    """

    function: Callable[..., Any]
    inputs: tuple[Any, ...]
    shared: tuple[Any, ...]


@dataclass(frozen=True)
class Given:
    """An input that has been computed before: the argument of that number of the task."""

    number: int

    def result(self, shared: Sequence[Any], parts: Sequence[Any]) -> Any:
        """The part itself."""
        return parts[self.number]


@dataclass(frozen=True)
class Step:
    """A recipe as it is sent: a function, its inputs, and which of the shared values it takes.

    The shared values of all steps of a task travel as one list; this step's are those from
    ``first`` up to ``last``.
    """

    function: Callable[..., Any]
    inputs: tuple[Step | Given, ...]
    first: int
    last: int

    def result(self, shared: Sequence[Any], parts: Sequence[Any]) -> Any:
        """The function of the results of its inputs, which are computed first."""
        inputs = (other.result(shared, parts) for other in self.inputs)
        return self.function(*inputs, *shared[self.first : self.last])


def flattened(source: Any, columns: list[Any], shared: list[Any]) -> Step | Given:
    """What a task must do to make one part of a `Spread`.

    Appends to ``columns`` the parts of every collection that the task takes as arguments, and to
    ``shared`` the values that all tasks share.
    """
    if source.is_made:
        # One collection may be needed by several steps; each task gets its part once.
        known = [number for number, column in enumerate(columns) if column is source.parts]
        if not known:
            columns.append(source.parts)
        return Given(known[0] if known else len(columns) - 1)
    recipe = source.source
    inputs = tuple(flattened(other, columns, shared) for other in recipe.inputs)
    first = len(shared)
    shared.extend(recipe.shared)
    return Step(recipe.function, inputs, first, len(shared))


def run(step: Step | Given, shared: Sequence[Any], n_parts: int, *parts: Any) -> Any:
    """The task itself: the result of a step, for one part of a collection of ``n_parts``."""
    # A Dask worker runs one task per thread: kernels with threads of their own would be in excess.
    with passes.part_of(n_parts), threads.limit(1):
        return step.result(shared, parts)
