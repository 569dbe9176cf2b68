"""Results as plain values: for JSON, and as frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from cocluster.utils.checks import check_choice
from cocluster.utils.optional import library

Row = dict[str, Any]


def plain(value: Any) -> Any:
    """Arrays and tuples as lists, numbers of numpy as those of Python; all else as it is.

    What is no number (NaN, infinity) becomes None: JSON has no word for it.

    >>> plain({"a": np.arange(2), "b": (np.float64(0.5), "x", np.inf)})
    {'a': [0, 1], 'b': [0.5, 'x', None]}
    """
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def check_table(name: str, tables: Iterable[str]) -> str:
    """The name of a table that there is."""
    found: str = check_choice(name, "table", tuple(tables))
    return found


def as_frame(rows: list[Row]) -> Any:
    """Rows as a pandas frame."""
    return library("pandas", "frames", "frames").DataFrame(rows)
