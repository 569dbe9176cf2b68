"""Small tasks on the parts of a `Spread`, as its workers run them."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from cocluster.blocks.rows import plus
from cocluster.linalg.partitions import Partition
from cocluster.linalg.types import Array, InMemory


def same(value: Any) -> Any:
    """The value: a task that can be run again if its result is lost."""
    return value


def first(pair: tuple[Any, Any]) -> Any:
    """What stays."""
    return pair[0]


def second(pair: tuple[Any, Any]) -> Any:
    """What travels."""
    return pair[1]


def added(values: list[Any], pick: Callable[[Any], Any]) -> Any:
    """The sum of what is picked from a list, in its order."""
    return reduce(plus, map(pick, values))


def picked_columns(part: Array, chosen: slice) -> Array:
    """Columns of a part."""
    return part[:, chosen]


def taken(part: InMemory, positions: Array) -> Any:
    """Rows of a part."""
    return part[positions]


def put(part: Any, positions: Array, values: Any) -> Any:
    """A part with some rows replaced."""
    if isinstance(part, Partition):
        return Partition(put(part.labels, positions, values.labels), part.n_clusters)
    changed = part.copy()
    changed[positions] = values
    return changed


def cast(part: Array, dtype: np.dtype) -> Array:
    """A part in another precision."""
    return part.astype(dtype)
