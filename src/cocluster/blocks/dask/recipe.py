"""Work on parts that is put off, so that several steps become one task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cocluster.linalg import passes
from cocluster.utils import threads


@dataclass(frozen=True, eq=False)
class Recipe:
    """A function of the parts of other collections, and of values that all parts share."""

    function: Callable[..., Any]
    inputs: tuple[Any, ...]
    shared: tuple[Any, ...]


@dataclass(frozen=True)
class Step:
    """A recipe for one part, as it is sent: inputs are steps or numbers of parts at hand."""

    function: Callable[..., Any]
    inputs: tuple[Step | int, ...]
    first: int
    last: int


def flattened(source: Any, columns: list[Any], shared: list[Any]) -> Step | int:
    """What one task must do; collects the made collections and the shared values it needs."""
    if source.is_made:
        known = [number for number, column in enumerate(columns) if column is source.parts]
        if not known:
            columns.append(source.parts)
        return known[0] if known else len(columns) - 1
    recipe = source.source
    inputs = tuple(flattened(other, columns, shared) for other in recipe.inputs)
    first = len(shared)
    shared.extend(recipe.shared)
    return Step(recipe.function, inputs, first, len(shared))


def run(step: Step | int, shared: Sequence[Any], n_parts: int, *parts: Any) -> Any:
    """The result of a step for one of so many parts, in the one thread that Dask gives a task."""
    with passes.part_of(n_parts), threads.limit(1):
        return done(step, shared, *parts)


def done(step: Step | int, shared: Sequence[Any], *parts: Any) -> Any:
    """The result of a step and of all it needs."""
    if isinstance(step, int):
        return parts[step]
    inputs = (done(other, shared, *parts) for other in step.inputs)
    return step.function(*inputs, *shared[step.first : step.last])
