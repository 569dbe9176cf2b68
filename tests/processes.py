"""Processes of their own for tests of what must come first, or may crash."""

from __future__ import annotations

import io
import multiprocessing
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout

# A new interpreter spends nearly all of its first second on loading these. Here one server loads
# them once and forks a process for every call: each is as apart from the others as before, and is
# the first to import cocluster, which must not stand in this list (nor be imported by this file).
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["scipy.io", "scipy.sparse.csgraph", "sklearn.cluster"])


def printed_by(program: str) -> str:
    """What a program prints, run in a process of its own.

    Its exceptions are raised here; a crash of the process raises `BrokenProcessPool`.
    """
    with ProcessPoolExecutor(1, mp_context=CONTEXT) as pool:
        return pool.submit(_printed, program).result()


def _printed(program: str) -> str:
    warnings.simplefilter("ignore")
    with redirect_stdout(io.StringIO()) as printed:
        exec(program, {})
    return printed.getvalue()
