"""Small tasks on the parts of a `Spread`, as its workers run them.

They are functions of a module, not lambdas, so that a worker loads them by name.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import reduce
from typing import Any

import numpy as np

from cocluster.blocks.rows import plus
from cocluster.linalg.partitions import with_rows
from cocluster.linalg.types import Array, InMemory


def same(value: Any) -> Any:
    """The value: a task that can be run again if its result is lost."""
    return value


def first(pair: tuple[Any, Any]) -> Any:
    """The first of two results: the one that stays on the worker."""
    return pair[0]


def second(pair: tuple[Any, Any]) -> Any:
    """The second of two results: the one that is added up."""
    return pair[1]


def added(values: list[Any], pick: Callable[[Any], Any]) -> Any:
    """The sum of what is picked from each value, in the order of the list.

    The order is fixed because rounding depends on it: the same data give the same sum.
    """
    return reduce(plus, map(pick, values))


def picked_columns(part: Array, chosen: slice) -> Array:
    """Columns of a part."""
    return part[:, chosen]


def taken(part: InMemory, positions: Array) -> Any:
    """Rows of a part."""
    return part[positions]


def put(part: Any, positions: Array, values: Any) -> Any:
    """A part with some rows replaced."""
    # A copy, because the part is a result that Dask keeps and may hand to other tasks.
    return with_rows(copy(part), positions, values)


def cast(part: Array, dtype: np.dtype) -> Array:
    """A part in another precision."""
    return part.astype(dtype)
