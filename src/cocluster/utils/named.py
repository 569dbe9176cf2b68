"""Values by name, where a user may give one value for all names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def by_name(value: Any, names: Iterable[str]) -> Mapping[str, Any]:
    """A mapping as it is, which may leave names out; any other value for each of the names.

    >>> by_name(3, ["words", "authors"])
    {'words': 3, 'authors': 3}
    >>> by_name({"words": 3}, ["words", "authors"])
    {'words': 3}
    """
    return value if isinstance(value, Mapping) else dict.fromkeys(names, value)
