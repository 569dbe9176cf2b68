"""How Python functions become compiled ones. Imported only where there is much to compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

# nogil: threads share the work. error_model: a division by zero gives inf as in numpy, and the
# compiler can leave out the check in every loop.
_OPTIONS = {"nogil": True, "error_model": "numpy"}


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function for the types it is first called with, once for all processes.

    Where neither the folder of the package nor that of the user can be written, there is no place
    for the result, and every process compiles for itself.
    """
    try:
        return numba.njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:
        return numba.njit(**_OPTIONS)(function)
