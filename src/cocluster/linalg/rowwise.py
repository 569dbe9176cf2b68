"""Functions of rows: the one place that knows whether these are in memory, on disk or elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cocluster.linalg.delegating import own_method


def rowwise(function: Callable[..., Any], X: Any, *shared: Any) -> Any:
    """``function(X, *shared)`` for a function that treats every row of X by itself.

    A matrix in memory is handed over whole. Row blocks, and factors that are spread over a
    cluster, apply the function to each of their parts, where the part is. The function must keep
    the shape.
    """
    by_parts = own_method(X, "rowwise")
    return function(X, *shared) if by_parts is None else by_parts(function, *shared)


def summed(function: Callable[..., Any], X: Any, *shared: Any) -> Any:
    """``function(X, *shared)`` for a function that is a sum over the rows of X.

    Of row blocks, and of what is spread over a cluster, only the sums of the parts travel.
    """
    by_parts = own_method(X, "total")
    return function(X, *shared) if by_parts is None else by_parts(function, *shared)
