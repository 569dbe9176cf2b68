"""Answers for new rows that come in blocks."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import wraps
from typing import Any

from cocluster.data.containers import as_table
from cocluster.linalg.partitions import gathered
from cocluster.linalg.types import Array, Matrix, is_blocked, is_spread

Method = Callable[[Any, Any], Array]


def by_blocks(method: Method) -> Method:
    """A method of (estimator, X) that goes block by block where X is in blocks."""

    @wraps(method)
    def answered(self: Any, X: Any) -> Array:
        if not (is_blocked(X) or hasattr(X, "__dask_graph__")):
            return method(self, X)
        return gathered(as_table(X).matrix.rows(_answer, _without_rows(self), method.__name__))

    return answered


def _answer(X: Matrix, estimator: Any, method: str) -> Array:
    """What the estimator says of one block."""
    return getattr(estimator, method)(X)


def _without_rows(estimator: Any) -> Any:
    """A copy that does not carry along the rows of the fit, which new rows do not need."""
    slim = copy.copy(estimator)
    for name, value in vars(estimator).items():
        if is_spread(value):
            setattr(slim, name, None)
    slim._factors = {k: G for k, G in estimator._factors.items() if not is_spread(G)}
    return slim
