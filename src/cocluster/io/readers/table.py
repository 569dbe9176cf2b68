"""A column of a table: what it holds, told by its cells and not by its type or name alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.io.readers.common import LABEL_NAMES, name_of
from cocluster.linalg.types import Array
from cocluster.utils.text import as_float, is_missing, quote

# Cells that say that there is no number, in any case.
MISSING = ("", "na", "n/a", "#n/a", "nan", "null", "none", "?")
TRUTHS = {"true": 1.0, "false": 0.0}
# 1,234.5 as English and 1.234,5 as most of Europe writes it.
_POINT = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?")
# 2024-03-31 or 2024/3/31 and then perhaps a time of day; 31.03.2024, 3/31/2024, 31/3/24.
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:[T ]\d{1,2}:\d{2}.*)?", re.DOTALL)
_DAY_FIRST = re.compile(
    r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?: \d{1,2}:\d{2}.*)?", re.DOTALL
)
# Texts that people wrote have more words than names and categories do ...
PROSE_WORDS = 5
# ... and hardly two are the same.
PROSE_DISTINCT = 0.5
# A column with so few different words is one of categories, however few rows there are.
FEW = 20
BINS = ("year", "month", "day")


@dataclass(frozen=True, eq=False)
class Column:
    """Cells of a column, and what they are.

    Parameters
    ----------
    name : str
    cells : array
        Numbers or dates of numpy, or objects: texts, numbers, dates, None.
    comma : bool
        Whether numbers in texts have a decimal comma.

    Attributes
    ----------
    kind : str
        ``"numbers"``; ``"dates"``; ``"words"``, which may be names, categories or prose;
        ``"mixed"``, numbers for the most part; ``"empty"``; ``"other"``, such as lists.

    Examples
    --------
    >>> Column("size", np.array(["1,5", "", "2"], dtype=object), comma=True).numbers
    array([1.5, nan, 2. ])
    >>> Column("born", np.array(["2001-03-01", "1999-12-24"], dtype=object)).kind
    'dates'
    """

    name: str
    cells: Array
    comma: bool = False

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def kind(self) -> str:
        """What the cells are."""
        if self._plain is not None:
            return "empty" if np.isnan(self._plain).all() else "numbers"
        if self.cells.dtype.kind != "O":
            return "dates" if self.cells.dtype.kind == "M" else "other"
        known = [cell for cell in self.cells if not _is_empty(cell)]
        if not known:
            return "empty"
        if any(isinstance(cell, list | tuple | dict | np.ndarray | bytes) for cell in known):
            return "other"
        n_numbers = sum(self._number(cell) is not None for cell in known)
        if n_numbers == len(known):
            return "numbers"
        if all(_date(cell) is not None for cell in known):
            return "dates"
        return "mixed" if 2 * n_numbers >= len(known) else "words"

    @cached_property
    def numbers(self) -> Array:
        """Numbers; NaN where a cell is missing or no number."""
        if self._plain is not None:
            return self._plain
        found = [self._number(cell) for cell in self.cells]
        return np.array([np.nan if number is None else number for number in found])

    def first_that_is_no_number(self) -> int:
        """Position of the first cell that is neither a number nor missing."""
        cells = enumerate(self.cells)
        return next(i for i, c in cells if not _is_empty(c) and self._number(c) is None)

    @cached_property
    def texts(self) -> list[str]:
        """Cells as texts without blanks around them, empty where missing."""
        return ["" if is_missing(cell) else name_of(cell).strip() for cell in self._objects]

    @property
    def plain(self) -> Array:
        """Cells to be kept beside the data: numbers, or else texts."""
        return self.numbers if self.kind == "numbers" else np.array(self.texts, dtype=object)

    @cached_property
    def n_known(self) -> int:
        """Cells that are not missing."""
        if self.kind == "numbers":
            return int(np.isfinite(self.numbers).sum())
        return sum(text != "" for text in self.texts)

    @cached_property
    def n_distinct(self) -> int:
        """Different cells, without missing ones."""
        if self.kind == "numbers":
            return len(np.unique(self.numbers[~np.isnan(self.numbers)]))
        return len(set(self.texts) - {""})

    @property
    def is_whole(self) -> bool:
        """Whether all cells are whole numbers, none missing."""
        return self.kind == "numbers" and are_whole(self.numbers)

    @property
    def is_unique(self) -> bool:
        """Whether no cell is missing and no two are the same."""
        return self.n_distinct == len(self)

    @cached_property
    def is_prose(self) -> bool:
        """Whether cells are texts that people wrote."""
        if self.kind != "words":
            return False
        n_words = sum(len(text.split()) for text in self.texts)
        different = self.n_distinct > PROSE_DISTINCT * self.n_known
        return different and n_words >= PROSE_WORDS * self.n_known

    @property
    def is_category(self) -> bool:
        """Whether cells are values that come again and again, and not always the same one."""
        again = 1 < self.n_distinct < self.n_known
        return again and (self.n_distinct <= FEW or 2 * self.n_distinct <= self.n_known)

    def binned(self, width: str) -> list[str]:
        """Year, month or day of dates as texts; ValueError if it cannot be told."""
        found = [_date(cell) for cell in self._objects]
        if width != "year" and any(one is not None and one[0] for one in found):
            found = _ordered(self.name, found)
        size = 2 + BINS.index(width)
        return ["" if one is None else "-".join(one[1:size]) for one in found]

    @property
    def _objects(self) -> list[Any]:
        """Cells as Python has them."""
        # Of dates in nanoseconds numpy would give whole numbers.
        exact = self.cells.astype("datetime64[s]") if self.cells.dtype.kind == "M" else self.cells
        return list(exact.tolist())

    @cached_property
    def _plain(self) -> Array | None:
        """All cells as numbers, if none has to be looked at; None otherwise."""
        if self.cells.dtype.kind in "Mm":
            return None  # numpy would count the nanoseconds since 1970
        if self.cells.dtype == object and self._must_be_read():
            return None
        try:
            return self.cells.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            return None

    def _must_be_read(self) -> bool:
        """Whether some cell is a number to Python only, or written as Python does not."""
        # "1_0" is no number (see `as_float`), and with decimal commas 1.234 is a thousand.
        signs = set("_,." if self.comma else "_")
        try:
            return not signs.isdisjoint("".join(self.cells))  # far quicker than cell by cell
        except TypeError:
            texts = (cell for cell in self.cells if isinstance(cell, str))
            return any(not signs.isdisjoint(text) for text in texts)

    def _number(self, cell: Any) -> float | None:
        """The number of a cell, None if it has none."""
        if isinstance(cell, str):
            cell = cell.strip()
            if cell.lower() in TRUTHS:
                return TRUTHS[cell.lower()]
            if self.comma and _COMMA.fullmatch(cell):
                cell = cell.replace(".", "").replace(",", ".")
            elif not self.comma and _POINT.fullmatch(cell):
                cell = cell.replace(",", "")
        try:
            return as_float(cell)
        except (TypeError, ValueError, OverflowError):
            return None


def are_whole(numbers: Array) -> bool:
    """Whether all of some numbers are whole; those that are infinite or missing are not."""
    return bool(np.isfinite(numbers).all() and (np.floor(numbers) == numbers).all())


def has_decimal_comma(cells: Iterable[Any]) -> bool:
    """Whether cells are numbers, some of them with a decimal comma."""
    texts = [cell.strip() for cell in cells if isinstance(cell, str) and not _is_empty(cell)]
    return any("," in text for text in texts) and all(map(_COMMA.fullmatch, texts))


def _date(cell: Any) -> tuple[str, ...] | None:
    """Mark, year, month and day of a date; the mark is empty if their order is known."""
    if isinstance(cell, date):  # which a date with a time is, too
        return "", f"{cell.year:04}", f"{cell.month:02}", f"{cell.day:02}"
    if not isinstance(cell, str):
        return None
    cell = cell.strip()
    if found := _ISO.fullmatch(cell):
        return _checked("", found[1], found[2], found[3] or "1")
    if found := _DAY_FIRST.fullmatch(cell):
        year = (
            found[3] if len(found[3]) == 4 else f"{'19' if int(found[3]) > 68 else '20'}{found[3]}"
        )
        # With points the day comes first everywhere; with strokes it depends on the country.
        mark = "" if "." in cell else "/"
        return _checked(mark, year, found[2], found[1])
    return None


def _checked(mark: str, year: str, month: str, day: str) -> tuple[str, ...] | None:
    """The parts of a date, if there can be such a date."""
    first, second = int(month), int(day)
    if mark:
        first, second = min(first, second), max(first, second)
    if not (1 <= first <= 12 and 1 <= second <= 31):
        return None
    return mark, year, f"{int(month):02}", f"{int(day):02}"


def _ordered(name: str, found: list[tuple[str, ...] | None]) -> list[tuple[str, ...] | None]:
    """Dates with strokes, put right by which of day and month is ever above 12."""
    known = [one for one in found if one is not None]
    american = any(int(month) > 12 for _, _, month, _ in known)
    european = any(int(day) > 12 for _, _, _, day in known)
    if american == european:
        raise ValueError(
            f"in column {quote(name)} nobody can tell days from months; write dates as "
            "2024-03-31, or use dates='year'."
        )
    if european:
        return found
    return [None if one is None else (one[0], one[1], one[3], one[2]) for one in found]


def _is_empty(cell: Any) -> bool:
    """Whether a cell says that there is no value."""
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING
    return not isinstance(cell, list | tuple | dict | np.ndarray) and is_missing(cell)


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
        raise ValueError(f"{place}: column {quote(twice)} is there twice; rename one.")
