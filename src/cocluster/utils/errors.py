"""Errors that carry more than a sentence."""

from __future__ import annotations

from typing import Any


class Interrupted(RuntimeError):
    """Something outside the library ended a fit before its time, as a lost cluster does.

    ``run`` is the `Run` with all that had been found until then, or None if there was nothing yet.
    """

    run: Any = None
