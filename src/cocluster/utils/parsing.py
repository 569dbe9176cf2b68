"""What stands in files as text: numbers, JSON, and what stands for no value."""

from __future__ import annotations

import json
from typing import Any


def as_float(cell: Any) -> float:
    """The number in a cell; ValueError or TypeError if there is none.

    Python reads ``1_0`` as ten. In a file it is a misprint or a name, so it is refused.

    >>> as_float(" 1.5 ")
    1.5
    """
    _refuse_underscores(cell)
    return float(cell)


def as_int(cell: str) -> int:
    """The whole number in a cell; ValueError if there is none (see `as_float` on ``1_0``)."""
    _refuse_underscores(cell)
    return int(cell)


def _refuse_underscores(cell: Any) -> None:
    """Refuse what only Python's own source code calls a number."""
    if isinstance(cell, str) and "_" in cell:
        raise ValueError(f"{cell!r} is not a number.")


def is_missing(value: Any) -> bool:
    """Whether a value says that there is none: None, NaN, and the NA and NaT of pandas."""
    try:
        # Only NaN and NaT differ from themselves.
        return value is None or bool(value != value)
    except TypeError:  # the truth of a comparison with NA is itself not known
        return True


def json_value(text: str, place: str) -> Any:
    """The JSON value in a text; what is none is refused with the place it was found at."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f", line {error.lineno}, column {error.colno}" if error.lineno > 1 else ""
        raise ValueError(f"{place}{where}: not JSON ({error.msg}).") from None
    except (ValueError, RecursionError) as error:
        # Numbers of thousands of digits, and brackets in brackets in brackets.
        raise ValueError(f"{place}: JSON that cannot be read ({error}).") from None


def json_object(text: str, place: str) -> dict[str, Any]:
    """The JSON object in a text; anything else is refused with the place it was found at."""
    value = json_value(text, place)
    if not isinstance(value, dict):
        raise ValueError(f"{place}: not a JSON object.")
    return value
