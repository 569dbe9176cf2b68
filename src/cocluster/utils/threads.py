"""The number of threads, set by ``limit(n)`` or the environment variable COCLUSTER_NUM_THREADS.

Compiled kernels use one thread per processor by default. Dense products inside a fit use a single
thread: they are narrow, and threads that wait for each other cost more than they gain. So no two
thread pools compete, and the result does not depend on the number of threads.
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
# For users who cannot change the calling code, as on a shared machine.
VARIABLE = "COCLUSTER_NUM_THREADS"
# A context variable instead of a global one: a limit in one thread does not affect the others.
_limit: ContextVar[int | None] = ContextVar("limit", default=None)


def count() -> int:
    """Return the number of threads of a kernel: the limit, the variable, or all processors.

    Returns
    -------
    int

    Examples
    --------
    >>> count() >= 1
    True
    """
    maximum = _limit.get()
    if maximum is not None:
        return maximum
    setting = os.environ.get(VARIABLE)
    if setting is None:
        # In a container the process may often use fewer processors than the machine has.
        has_affinity = hasattr(os, "sched_getaffinity")  # Linux only
        return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    if not setting.isdecimal() or int(setting) == 0:
        raise ValueError(f"{VARIABLE} must be a whole number from 1 on, got {setting!r}.")
    return int(setting)


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


def run_tasks(function: Callable[[T], None], tasks: Sequence[T]) -> None:
    """Call a function for every task in `count` threads.

    The function must release the interpreter lock, as compiled kernels do; otherwise the threads
    would only wait for each other.
    """
    n_threads = min(count(), len(tasks))
    if n_threads <= 1:
        for task in tasks:
            function(task)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        # Iterating over the results raises the error of a task.
        for _ in pool.map(function, tasks):
            pass


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """Use one thread for dense products and k-means inside a ``with`` block.

    On two busy cores a start took eight times as long with two threads as with one.
    """
    with _pools().limit(limits=1):
        yield


@cache
def _pools() -> ThreadpoolController:
    """Return the thread pools of the loaded libraries."""
    # Cached: the search takes milliseconds, which is longer than many a product.
    return ThreadpoolController()
