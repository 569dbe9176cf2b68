"""The one place that knows whether rows are in memory, on disk or on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def rowwise(function: Callable[..., Any], X: Any, *shared: Any) -> Any:
    """``function(X, *shared)`` for a function that treats every row of X by itself.

    A matrix in memory is handed over whole. Row blocks, and factors that are spread over a
    cluster, apply the function to each of their parts, where the part is. The function must keep
    the shape.
    """
    return X.rowwise(function, *shared) if hasattr(X, "rowwise") else function(X, *shared)


def rows_in_memory(X: Any) -> int:
    """How many rows of X may be held in memory together: all of a matrix that is there already."""
    return int(X.rows_in_memory() if hasattr(X, "rows_in_memory") else X.shape[0])
