"""How many threads are used: ``limit(n)``, or the environment variable COCLUSTER_NUM_THREADS.

Compiled kernels take as many threads as there are processors, unless told otherwise. Dense products
inside a fit take one: they are narrow, and threads that wait for each other cost more than they
gain. So no two pools compete, and the result does not depend on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")
# For those who cannot change the code that calls us, as on a shared machine.
VARIABLE = "COCLUSTER_NUM_THREADS"
# A context variable and not a global one: a limit in one thread does not reach the others.
_limit: ContextVar[int | None] = ContextVar("limit", default=None)


def count() -> int:
    """Threads that a kernel may use: the limit, the environment's, or all processors allowed.

    Returns
    -------
    int

    Examples
    --------
    >>> count() >= 1
    True
    """
    limited = _limit.get()
    if limited is not None:
        return limited
    given = os.environ.get(VARIABLE)
    if given is None:
        return _processors()
    if not given.isdecimal() or int(given) == 0:
        raise ValueError(f"{VARIABLE} must be a whole number from 1 on, got {given!r}.")
    return int(given)


def _processors() -> int:
    """Processors that this process may use: in a container often fewer than the machine has."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # only Linux tells
        return os.cpu_count() or 1


@contextmanager
def limit(n: int) -> Iterator[None]:
    """Use at most n threads inside a ``with`` block.

    Parameters
    ----------
    n : int

    Returns
    -------
    context manager

    Examples
    --------
    >>> with limit(1):
    ...     count()
    1
    """
    if n < 1:
        raise ValueError(f"The number of threads must be 1 or more, got {n}.")
    token = _limit.set(n)
    try:
        yield
    finally:
        _limit.reset(token)


def each(function: Callable[[T], None], tasks: Sequence[T]) -> None:
    """Call a function for every task, several at a time, in as many threads as are allowed.

    The function must release the lock of the interpreter, as compiled kernels do; otherwise the
    threads would only wait for each other.
    """
    n_threads = min(count(), len(tasks))
    if n_threads <= 1:
        for task in tasks:
            function(task)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        # To go through the results raises what a task has raised.
        for _ in pool.map(function, tasks):
            pass


@contextmanager
def narrow_products() -> Iterator[None]:
    """One thread for dense products (and k-means) inside a ``with`` block.

    On two busy cores a start took eight times as long with two threads as with one.
    """
    with _pools().limit(limits=1):
        yield


@cache
def _pools() -> ThreadpoolController:
    """The thread pools of the libraries that are loaded."""
    # Kept, for to look for them takes milliseconds, which is more than many a product.
    return ThreadpoolController()
