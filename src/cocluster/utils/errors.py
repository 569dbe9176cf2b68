"""Errors that carry more than a sentence."""

from __future__ import annotations

from typing import Any


class Unreadable(ValueError):
    """A file, or a part of one, that cannot be read.

    Parameters
    ----------
    name : str
        What it is called.
    reason : str
        What is wrong, as the library that reads such files has put it.
    """

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            f"{name} cannot be read ({reason}); it may be cut off, damaged or of another kind: "
            "write or get it again."
        )
        self.why = reason


class Interrupted(RuntimeError):
    """Something outside the library ended a fit before its time, as a lost cluster does.

    ``run`` is the `Run` with all that had been found until then, or None if there was nothing yet.
    """

    run: Any = None
