"""What a caller said about the columns of a file, instead of leaving it to their contents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from cocluster.io.dataset import some
from cocluster.io.readers.table import BINS

Names = str | Sequence[str] | None


@dataclass(frozen=True)
class ReadOptions:
    """Columns by role, as `cocluster.io.readers.read` takes them.

    Everywhere None leaves the choice to the contents, and an empty text says that no column has
    the role.
    """

    id: str | None = None
    text: Names = None
    title: str | None = None
    label: str | None = None
    features: Names = None
    categories: Names = None
    drop: Names = None
    long: Names = None
    dates: str | None = None
    header: bool | None = None
    sheet: str | None = None
    max_bytes: int | str | None = None

    def __post_init__(self) -> None:
        if self.dates is not None and self.dates not in BINS:
            raise ValueError(f"dates is {self.dates!r}; pass {', '.join(map(repr, BINS))} or None.")
        if self.long is not None and len(self.entries) not in (2, 3):
            raise ValueError(
                f"long is {self.long!r}; name the columns of sample, feature and value: "
                "long='user,item,rating'."
            )

    @property
    def entries(self) -> list[str]:
        """Columns of a long table: one text names them with commas between."""
        given = self.long.split(",") if isinstance(self.long, str) else list(self.long or ())
        return [name.strip() for name in given]

    def refuse(self, file: str, *allowed: str) -> None:
        """Refuse options that make no sense for a file: all but those allowed."""
        for option in fields(self):
            if option.name not in allowed and getattr(self, option.name) is not None:
                raise ValueError(
                    f"{file} has no columns to choose from; {option.name}= is for tables and texts."
                )


def names_of(given: Names) -> list[str]:
    """Names of columns, of which there may be one or several."""
    if isinstance(given, str):
        return [given] if given else []
    return list(given or ())


def finder(file: str, columns: Sequence[str]) -> Callable[[str], str]:
    """Function that finds a column by its name, or by its name in other capitals."""
    exact = set(columns)
    lower = {name.strip().lower(): name for name in reversed(columns)}

    def find(name: Any) -> str:
        found = name if name in exact else lower.get(str(name).strip().lower())
        if found is None:
            raise ValueError(f"{file} has no column {name!r}; it has {some(columns, 20)}.")
        return str(found)

    return find
