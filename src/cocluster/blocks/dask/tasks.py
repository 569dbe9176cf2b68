"""Tasks on the parts of a `DaskRows`, as the workers of a Dask cluster run them.

A task costs the scheduler up to a millisecond, and its result takes memory on a worker. Steps that
are mapped and then summed are therefore recorded (`Recipe`) and sent as one task (`Step`) when the
sum is needed. The tasks are functions of a module, not lambdas: a worker loads them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from cocluster.blocks.rows import plus
from cocluster.linalg import passes
from cocluster.linalg.partitions import with_rows
from cocluster.linalg.types import Array, InMemory
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
class PartInput:
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
    inputs: tuple[Step | PartInput, ...]
    first: int
    last: int

    def result(self, shared: Sequence[Any], parts: Sequence[Any]) -> Any:
        """The function of the results of its inputs, which are computed first."""
        inputs = (other.result(shared, parts) for other in self.inputs)
        return self.function(*inputs, *shared[self.first : self.last])


def build_step(source: Any, columns: list[Any], shared: list[Any]) -> Step | PartInput:
    """What a task must do to make one part of a `DaskRows`.

    Appends to ``columns`` the parts of every collection that the task takes as arguments, and to
    ``shared`` the values that all tasks share.
    """
    if source.is_made:
        # One collection may be needed by several steps; each task gets its part once.
        numbers = [number for number, column in enumerate(columns) if column is source.parts]
        if not numbers:
            columns.append(source.parts)
        return PartInput(numbers[0] if numbers else len(columns) - 1)
    recipe = source.source
    inputs = tuple(build_step(rows, columns, shared) for rows in recipe.inputs)
    first = len(shared)
    shared.extend(recipe.shared)
    return Step(recipe.function, inputs, first, len(shared))


def run(step: Step | PartInput, shared: Sequence[Any], n_parts: int, *parts: Any) -> Any:
    """The task itself: the result of a step, for one part of a collection of ``n_parts``."""
    # A Dask worker runs one task per thread: kernels with threads of their own would be in excess.
    with passes.part_of(n_parts), threads.limit(1):
        return step.result(shared, parts)


def identity(value: Any) -> Any:
    """The value: a task that can be run again if its result is lost."""
    return value


def first(pair: tuple[Any, Any]) -> Any:
    """The first of two results: the one that stays on the worker."""
    return pair[0]


def second(pair: tuple[Any, Any]) -> Any:
    """The second of two results: the one that is added up."""
    return pair[1]


def add_up(values: list[Any], pick: Callable[[Any], Any]) -> Any:
    """The sum of what is picked from each value, in the order of the list.

    The order is fixed because rounding depends on it: the same data give the same sum.
    """
    return reduce(plus, map(pick, values))


def take_columns(part: Array, columns: slice) -> Array:
    """Columns of a part."""
    return part[:, columns]


def take_rows(part: InMemory, positions: Array) -> Any:
    """Rows of a part."""
    return part[positions]


def replace_rows(part: Any, positions: Array, values: Any) -> Any:
    """A part with some rows replaced."""
    # A copy, because the part is a result that Dask keeps and may hand to other tasks.
    return with_rows(copy(part), positions, values)


def cast(part: Array, dtype: np.dtype) -> Array:
    """A part in another precision."""
    return part.astype(dtype)
