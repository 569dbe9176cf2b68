"""Questions that some objects answer themselves, and arrays cannot."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def own_method(X: Any, name: str) -> Callable[..., Any] | None:
    """The method by which an object answers a question itself; None for arrays, which have none."""
    method: Callable[..., Any] | None = getattr(X, name, None)
    return method


def delegating(function: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
    """Let the first argument answer by its method of the same name, if it has one.

    numpy and scipy know nothing of this library, so what arrays and sparse arrays do stands in the
    body of the function. Row blocks, operators, partitions and spread factors bring a method. So
    callers need not ask what they hold, and this floor need not import the floors above it.

    >>> import numpy as np
    >>> class Wide:
    ...     def width(self):
    ...         return 1000
    >>> @delegating
    ... def width(X):
    ...     return X.shape[1]
    >>> width(np.eye(3)), width(Wide())
    (3, 1000)
    """

    # With its name and module kept, the function can still be pickled and sent to a worker.
    @wraps(function)
    def ask(X: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        method = own_method(X, function.__name__)
        return function(X, *args, **kwargs) if method is None else method(*args, **kwargs)

    return ask
