"""A table as readers find it, before anyone knows what its columns are for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.io.readers.columns import PROSE_WORDS, Column, has_decimal_comma
from cocluster.io.readers.common import LABEL_NAMES, name_of
from cocluster.linalg.types import Array
from cocluster.utils.texts import quoted

# Names of a first column that names the samples, in any case; what pandas writes is among them.
ID_NAMES = (
    "id", "ids", "sample", "samples", "name", "index", "unnamed: 0", "__index_level_0__", "column 1"
)  # fmt: skip
TITLE_NAMES = ("title", "subject", "headline", "heading")
TEXT_NAMES = (
    "text", "texts", "body", "content", "contents", "message", "comment", "comments", "review",
    "description", "abstract", "document", "article", "tweet", "post", "sentence", "answer",
)  # fmt: skip
# Names that the first row has only if it is a header.
HEADER_NAMES = {*ID_NAMES, *TITLE_NAMES, *TEXT_NAMES, *LABEL_NAMES, "value", "feature"}
# Cells that tell whether the first row is a header, and the least and most rows that these are:
# what holds for so many holds for the others, and a table may have a hundred thousand columns.
CELLS_LOOKED_AT = 20_000
ROWS_LOOKED_AT = (10, 200)
# Whole numbers that are rather years than measurements, if they follow each other.
YEARS = (1500, 2200)


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns of a table, and where its rows stand in the file.

    Attributes
    ----------
    file : str
        What messages call it.
    columns : dict of str to Column
    lines : sequence of int
        Where each row stands in the file.
    named : bool
        Whether the columns have names of their own, or are numbered.
    fixed : mapping of role to column
        Columns whose role is known without looking: a folder's files have names and texts.
    notes, details : tuple of str
        See `Dataset` and `Reading`.
    counted : str
        What is counted to find a row: ``"line"``, ``"row"`` or ``"item"``.
    """

    file: str
    columns: dict[str, Column]
    lines: Sequence[int]
    named: bool = True
    fixed: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    counted: str = "line"

    def __len__(self) -> int:
        return len(self.lines)

    def line(self, row: int) -> str:
        """File and line of a row, as messages begin."""
        return f"{self.file}, {self.counted} {self.lines[row]}"


def of_cells(
    file: Path,
    rows: list[list[Any]],
    lines: list[int],
    *,
    header: bool | None = None,
    comma: bool = False,
    notes: tuple[str, ...] = (),
    details: tuple[str, ...] = (),
    counted: str = "line",
) -> Rows:
    """Table of rows of cells, the first of which may be a header.

    Parameters
    ----------
    file : Path
    rows : list of lists of cells
    lines : list of int
        Line of each row in the file.
    header : bool, optional
        Whether the first row names the columns; by default its cells tell.
    comma : bool
        Whether numbers may have a decimal comma.
    notes, details, counted
        See `Rows`.
    """
    skipped = _title_rows(rows)
    rows, lines = rows[skipped:], lines[skipped:]
    if not rows:
        raise ValueError(f"{file.name} is empty; it has no rows.")
    _refuse_ragged(f"{file.name}, {counted}", rows, lines)
    header = has_header(rows) if header is None else header
    if len(rows) == header:
        raise ValueError(f"{file.name} has a header but no rows.")
    names = _names(rows[0]) if header else _names([""] * len(rows[0]))
    refuse_twice(f"{file.name}, {counted} {lines[0]}", names)
    body = rows[header:]
    cells = [as_cells([row[j] for row in body]) for j in range(len(names))]
    comma = comma and any(map(has_decimal_comma, cells))
    columns = {name: Column(name, own, comma) for name, own in zip(names, cells, strict=True)}
    said = [*details, *(["no header"] if not header else []), *(["decimal comma"] if comma else [])]
    if skipped:
        said.append(f"{skipped} lines above the table skipped")
    return Rows(file.name, columns, lines[header:], bool(header), {}, notes, tuple(said), counted)


def of_records(
    file: Path,
    records: list[dict[str, Any]],
    lines: list[int],
    notes: tuple[str, ...],
    counted: str = "line",
) -> Rows:
    """Table of records with keys; a key that a record lacks is a missing cell."""
    keys = dict.fromkeys(key for record in records for key in record)
    columns = {key: Column(key, as_cells([record.get(key) for record in records])) for key in keys}
    return Rows(file.name, columns, lines, notes=notes, counted=counted)


def as_cells(values: list[Any]) -> Array:
    """One cell for each value, whatever it is."""
    # Not np.array: it would take lists apart into a second dimension.
    return np.fromiter(values, dtype=object, count=len(values))


def has_header(rows: list[list[Any]]) -> bool:
    """Whether the first row names the columns, told by how it differs from those below it."""
    first, below = rows[0], rows[1 : 1 + _n_looked_at(rows)]
    if not below:
        return not any(_kind([cell]) == "numbers" for cell in first)
    pairs = list(zip(first, zip(*below, strict=True), strict=True))
    # A word above numbers is their name. As a rule the first one is found at once.
    if any(_is_name(cell) and _kind(column) in ("numbers", "dates") for cell, column in pairs):
        return True
    measured = [cell for cell, column in pairs if _kind(column) in ("numbers", "dates")]
    if measured:
        return _counts(first, measured)
    if any(cell in column for cell, column in pairs):
        return False  # a value that comes again
    if not HEADER_NAMES.isdisjoint(str(cell).strip().lower() for cell in first):
        return True
    # Names of columns of prose are no prose. Where nothing tells, there is one as a rule.
    lengths = [(_n_words(cell), sum(map(_n_words, col)) / len(col)) for cell, col in pairs]
    return all(2 * own < mean for own, mean in lengths if mean >= PROSE_WORDS)


def _counts(first: list[Any], above_numbers: list[Any]) -> bool:
    """Whether the numbers in a first row are names: years, or the columns 0, 1, ... of pandas."""
    given = [cell for cell in above_numbers if _kind([cell]) != "empty"]
    numbers = Column("", as_cells(given)).numbers
    if len(numbers) < 2 or not (np.diff(numbers) == 1).all():
        return False
    # Above names of the samples there may be no name. Other rows may begin with a name, too.
    corner = _kind(first[:1]) == "empty" or str(first[0]).strip().lower() in ID_NAMES
    years = numbers[0] > YEARS[0] and numbers[-1] < YEARS[1]
    return bool(corner or (years and _kind(first[:1]) == "words"))


def _is_name(cell: Any) -> bool:
    """Whether a cell is a word, and not a sign that stands for no value."""
    return _kind([cell]) == "words" and any(letter.isalpha() for letter in str(cell))


def _kind(cells: Sequence[Any]) -> str:
    """What some cells are."""
    return Column("", as_cells(list(cells)), comma=any("," in str(c) for c in cells)).kind


def _n_looked_at(rows: list[list[Any]]) -> int:
    """How many rows tell whether the first is a header."""
    return int(np.clip(CELLS_LOOKED_AT // max(len(rows[0]), 1), *ROWS_LOOKED_AT))


def _n_filled(row: list[Any]) -> int:
    """Cells that are not empty."""
    return sum(cell not in ("", None) for cell in row)


def _n_words(cell: Any) -> int:
    """Number of words of a cell."""
    return len(str(cell).split())


def _title_rows(rows: list[list[Any]]) -> int:
    """How many rows above a header hold one cell at most, such as the table's title."""
    first = next((i for i, row in enumerate(rows) if _n_filled(row) > 1), 0)
    if first == 0:
        return 0
    looked_at = rows[first : first + _n_looked_at(rows[first:])]
    body = [row for row in looked_at if len(row) == len(rows[first])]
    # Without a header below, a row of one cell may be one that lacks all others.
    alone = all(len(row) == 1 for row in rows[:first])
    return first if alone or (len(body) > 1 and has_header(body)) else 0


def _refuse_ragged(place: str, rows: list[list[Any]], lines: list[int]) -> None:
    """Refuse rows of different lengths."""
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(rows[0]):
            raise ValueError(
                f"{place} {line}: {len(row)} cells, but the first, {lines[0]}, has "
                f"{len(rows[0])}; each must have as many."
            )


def _names(row: list[Any]) -> list[str]:
    """Names of columns; one that has none is called by its place, counted from 1."""
    given = ["" if cell is None else name_of(cell).strip() for cell in row]
    return [name or f"column {j}" for j, name in enumerate(given, start=1)]


def refuse_twice(place: str, names: list[str]) -> None:
    """Refuse columns of the same name."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"{place}: column {quoted(twice)} is there twice; rename one.")
