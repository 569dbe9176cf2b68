"""Which family a set belongs to, and whether a rule may be chosen on it (``halves.toml``)."""

from __future__ import annotations

import tomllib
from pathlib import Path

_HALVES = tomllib.loads((Path(__file__).parent / "halves.toml").read_text(encoding="utf-8"))
_PLACE: dict[str, tuple[str, str]] = {
    name: (half, family)
    for half, families in _HALVES.items()
    for family, names in families.items()
    for name in names
}

# All sets, those for choosing first.
SETS = tuple(_PLACE)


def half_of(name: str) -> str:
    """ "choose" or "show"; a view goes with its set. Sets of neither are for choosing."""
    return _PLACE.get(name.split(":")[0], ("choose", ""))[0]


def family_of(name: str) -> str:
    """ "text", "genes", "images" or "others"."""
    return _PLACE.get(name.split(":")[0], ("", "others"))[1]
