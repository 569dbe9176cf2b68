"""Values as files and users write them: numbers, texts, JSON, and what stands for no value."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from cocluster.utils.texts import quoted


def as_float(cell: Any) -> float:
    """The number in a cell; ValueError or TypeError if there is none.

    Python reads ``1_0`` as ten. In a file it is a misprint or a name, so it is refused.

    >>> as_float(" 1.5 ")
    1.5
    """
    _refuse_underscores(cell)
    try:
        return float(cell)
    except ValueError:
        # In our words, because Python's would quote a whole text.
        raise ValueError(f"{quoted(cell)} is not a number") from None


def as_int(cell: str) -> int:
    """The whole number in a cell; ValueError if there is none (see `as_float` on ``1_0``)."""
    _refuse_underscores(cell)
    return int(cell)


def _refuse_underscores(cell: Any) -> None:
    """Refuse what only Python's own source code calls a number."""
    if "_" in str(cell):
        raise ValueError(f"{quoted(cell)} is not a number")


def as_text(value: str | bytes) -> str:
    """Text that a library may have kept as bytes, as numpy does for files of Python 2.

    >>> as_text(b"csr"), as_text("csr")
    ('csr', 'csr')
    """
    return value.decode() if isinstance(value, bytes) else value


def as_list(values: Iterable[Any]) -> list[Any]:
    """Values as objects of Python: the numbers and texts of an array lose numpy's types."""
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


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
