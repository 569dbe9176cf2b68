"""Answers about new rows that lie in blocks: a fitted estimator goes to each of them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

from sklearn.utils.validation import check_is_fitted

from cocluster.data.relational import relational
from cocluster.linalg.partitions import gathered
from cocluster.linalg.types import Array, Matrix, is_blocked, is_spread


def by_blocks(method: Callable[[Any, Any], Array]) -> Callable[[Any, Any], Array]:
    """Let a method of (estimator, X) go block by block where X is in blocks."""

    @wraps(method)
    def answered(self: Any, X: Any) -> Array:
        if not (is_blocked(X) or hasattr(X, "__dask_graph__")):
            return method(self, X)
        check_is_fitted(self)
        blocks: Any = self._matched(relational(X)).relations[0].matrix
        return gathered(blocks.rows(_answer, _for_blocks(self), method.__name__))

    return answered


def _answer(X: Matrix, estimator: Any, method: str) -> Array:
    """What the estimator says of one block."""
    return getattr(estimator, method)(X)


def _for_blocks(estimator: Any) -> Any:
    """A copy for blocks, which come without names, and for workers, which lack rows of the fit."""
    slim = copy.copy(estimator)
    # The blocks have been matched by name as a whole.
    slim._form, slim._sample_names = replace(estimator._form, names={}), None
    for name in vars(estimator).keys() - in_memory(vars(estimator)).keys():
        setattr(slim, name, None)
    slim._factors = in_memory(estimator._factors)
    return slim


def in_memory(values: Mapping[str, Any]) -> dict[str, Any]:
    """The factors (and whatever else there is) whose rows are not spread over a cluster."""
    return {name: value for name, value in values.items() if not is_spread(value)}
