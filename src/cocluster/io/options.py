"""Options of `read`: the roles of columns, and the memory that a file may take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from cocluster.blocks.disk.memory import parse_memory, readable

ColumnNames = str | Sequence[str] | None
DATE_BINS = ("year", "month", "day")
# Texts and tables shrink to a third or a tenth when packed, tables of zeros to a hundredth. The
# compression of .gz and .zip reaches a thousandth only for files made to fill the memory.
MAX_COMPRESSION = 200
# Bytes that any file may take, however small it is: far less than the memory of a computer.
FREE_BYTES = 64_000_000
# Bytes that a row or a column takes in memory at least, and a cell in a list.
CELL_BYTES = 8


@dataclass(frozen=True)
class ReadOptions:
    """Options of `cocluster.io.read`.

    A role that is None is inferred from the contents; an empty text means that no column has it.
    """

    id: str | None = None
    text: ColumnNames = None
    title: str | None = None
    label: str | None = None
    features: ColumnNames = None
    categories: ColumnNames = None
    drop: ColumnNames = None
    long: ColumnNames = None
    dates: str | None = None
    header: bool | None = None
    sheet: str | None = None
    max_bytes: int | str | None = None

    def __post_init__(self) -> None:
        if self.dates is not None and self.dates not in DATE_BINS:
            names = ", ".join(map(repr, DATE_BINS))
            raise ValueError(f"dates is {self.dates!r}; pass {names} or None.")
        if self.long is not None and len(self.entry_columns) not in (2, 3):
            raise ValueError(
                f"long is {self.long!r}; name the columns of sample, feature and value: "
                "long='user,item,rating'."
            )

    @property
    def entry_columns(self) -> list[str]:
        """Return the columns of a long table, which one text names with commas between."""
        names = self.long.split(",") if isinstance(self.long, str) else self.long or ()
        return [name.strip() for name in names]

    def refuse_all_but(self, file: str, *allowed: str) -> None:
        """Raise ValueError if an option is set that makes no sense for a file."""
        for option in fields(self):
            if option.name not in allowed and getattr(self, option.name) is not None:
                raise ValueError(
                    f"{file} has no columns to choose from; {option.name}= is for tables and texts."
                )

    def byte_limit(self, file: Path) -> int:
        """Return how many bytes a file may take in memory or on disk when it is unpacked.

        By default it is 200 times the size of the file, or 64 MB if that is more.
        """
        if self.max_bytes is not None:
            return parse_memory(self.max_bytes)
        return max(MAX_COMPRESSION * file.stat().st_size, FREE_BYTES)

    def check_size(self, file: Path, n: int, axes: str) -> None:
        """Raise ValueError if a matrix has more rows or columns than its file may have."""
        if n * CELL_BYTES > self.byte_limit(file):
            raise ValueError(
                f"{file.name} announces {n:,} {axes}, which take {readable(n * CELL_BYTES)}: much "
                f"for a file of {readable(file.stat().st_size)}; if it is right, allow more by "
                "max_bytes='8 GB'."
            )


def check_bytes(file: Path, verb: str, needed: int, limit: int) -> None:
    """Raise ValueError if a file needs more bytes than its limit."""
    if needed > limit:
        raise ValueError(
            f"{file.name} {verb} more than {readable(limit)}, which is much for a file of "
            f"{readable(file.stat().st_size)}; if it is right, allow more by max_bytes='8 GB'."
        )


def as_names(names: ColumnNames) -> list[str]:
    """Return column names as a list, of one name or several."""
    if isinstance(names, str):
        return [names] if names else []
    return list(names or ())
