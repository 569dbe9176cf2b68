"""Functions of rows: the one place that knows whether these are in memory, on disk or elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cocluster.linalg.delegating import delegating, own_method


def rowwise(function: Callable[..., Any], X: Any, *shared: Any) -> Any:
    """``function(X, *shared)`` for a function that treats every row of X by itself.

    A matrix in memory is handed over whole. Row blocks, and factors that are spread over a
    cluster, apply the function to each of their parts, where the part is. The function must keep
    the shape.
    """
    by_parts = own_method(X, "rowwise")
    return function(X, *shared) if by_parts is None else by_parts(function, *shared)


def summed(function: Callable[..., Any], X: Any, *shared: Any, along: tuple[Any, ...] = ()) -> Any:
    """``function(X, *along, *shared)`` for a function that is a sum over the rows of X.

    Of row blocks, and of what is spread over a cluster, only the sums of the parts travel.
    ``along`` are factors of the rows: each part gets its share of them.
    """
    by_parts = own_method(X, "total")
    if by_parts is None:
        return function(X, *along, *shared)
    return by_parts(function, *shared, along=along) if along else by_parts(function, *shared)


@delegating
def rows_in_memory(X: Any) -> int:
    """How many rows of X may be held in memory together: all of a matrix that is there already."""
    return int(X.shape[0])
