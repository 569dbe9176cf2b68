"""Cells of a table parsed into columns of numbers, dates, words and prose, with their header."""

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

from cocluster.io.dataset import format_name, list_names, object_array
from cocluster.io.options import DATE_BINS
from cocluster.linalg.types import Array
from cocluster.utils.text import as_float, is_missing, quote

# Cells that stand for a missing value, in any case.
MISSING = ("", "na", "n/a", "#n/a", "nan", "null", "none", "?")
BOOLEANS = {"true": 1.0, "false": 0.0}
# Numbers with thousands separators: 1,234.5 in English and 1.234,5 in most of Europe.
_POINT = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?")
# 2024-03-31 or 2024/3/31, perhaps with a time of day; 31.03.2024, 3/31/2024, 31/3/24.
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:[T ]\d{1,2}:\d{2}.*)?", re.DOTALL)
_DAY_FIRST = re.compile(
    r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?: \d{1,2}:\d{2}.*)?", re.DOTALL
)
# Cells of prose have this many words on average, more than names and categories have, and more
# than this share of them are different.
PROSE_WORDS = 5
PROSE_DISTINCT = 0.5
# A column with at most this many distinct words is categorical, however few rows there are.
FEW_CATEGORIES = 20
# Usual column names for class labels, sample ids (also as pandas writes them), titles and texts.
LABEL_NAMES = ("label", "labels", "class", "classes", "target", "gnd", "y")
ID_NAMES = (
    "id", "ids", "sample", "samples", "name", "index", "unnamed: 0", "__index_level_0__", "column 1"
)  # fmt: skip
TITLE_NAMES = ("title", "subject", "headline", "heading")
TEXT_NAMES = (
    "text", "texts", "body", "content", "contents", "message", "comment", "comments", "review",
    "description", "abstract", "document", "article", "tweet", "post", "sentence", "answer",
)  # fmt: skip
# A first row with one of these names is a header.
HEADER_NAMES = {*ID_NAMES, *TITLE_NAMES, *TEXT_NAMES, *LABEL_NAMES, "value", "feature"}
# Number of cells to inspect for a header, and the fewest and most rows: more cells would not
# change the decision, and a table may have a hundred thousand columns.
HEADER_PROBE_CELLS = 20_000
HEADER_PROBE_ROWS = (10, 200)
# Consecutive integers in this range are years rather than measurements.
YEARS = (1500, 2200)


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table; its kind is inferred from all cells, not from a type or the name.

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
        ``"mixed"``, at least half of them numbers; ``"empty"``; ``"other"``, such as lists.

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
        """Return the kind of the cells."""
        if self._floats is not None:
            return "empty" if np.isnan(self._floats).all() else "numbers"
        if self.cells.dtype.kind != "O":
            return "dates" if self.cells.dtype.kind == "M" else "other"
        cells = [cell for cell in self.cells if not _is_empty(cell)]
        if not cells:
            return "empty"
        if any(isinstance(cell, list | tuple | dict | np.ndarray | bytes) for cell in cells):
            return "other"
        n_numbers = sum(self._parse_number(cell) is not None for cell in cells)
        if n_numbers == len(cells):
            return "numbers"
        if all(_parse_date(cell) is not None for cell in cells):
            return "dates"
        return "mixed" if 2 * n_numbers >= len(cells) else "words"

    @cached_property
    def numbers(self) -> Array:
        """Return the cells as numbers; NaN where a cell is missing or no number."""
        if self._floats is not None:
            return self._floats
        numbers = map(self._parse_number, self.cells)
        return np.array([np.nan if number is None else number for number in numbers])

    def first_non_number(self) -> int:
        """Return the position of the first cell that is neither a number nor missing."""
        cells = enumerate(self.cells)
        return next(i for i, c in cells if not _is_empty(c) and self._parse_number(c) is None)

    @cached_property
    def texts(self) -> list[str]:
        """Return the cells as texts without surrounding blanks, empty where missing."""
        return ["" if is_missing(cell) else format_name(cell).strip() for cell in self._objects]

    @property
    def values(self) -> Array:
        """Return the cells as numbers, or else as texts."""
        return self.numbers if self.kind == "numbers" else np.array(self.texts, dtype=object)

    @cached_property
    def n_present(self) -> int:
        """Return the number of cells that are not missing."""
        if self.kind == "numbers":
            return int(np.isfinite(self.numbers).sum())
        return sum(text != "" for text in self.texts)

    @cached_property
    def n_distinct(self) -> int:
        """Return the number of distinct cells, without missing ones."""
        if self.kind == "numbers":
            return len(np.unique(self.numbers[~np.isnan(self.numbers)]))
        return len(set(self.texts) - {""})

    @property
    def is_integer(self) -> bool:
        """Return whether all cells are integers and none is missing."""
        return self.kind == "numbers" and are_integers(self.numbers)

    @property
    def is_unique(self) -> bool:
        """Return whether no cell is missing and no two are equal."""
        return self.n_distinct == len(self)

    @cached_property
    def is_prose(self) -> bool:
        """Return whether the cells are texts that people wrote."""
        if self.kind != "words":
            return False
        n_words = sum(len(text.split()) for text in self.texts)
        mostly_distinct = self.n_distinct > PROSE_DISTINCT * self.n_present
        return mostly_distinct and n_words >= PROSE_WORDS * self.n_present

    @property
    def is_categorical(self) -> bool:
        """Return whether the cells repeat a few values, at least two of them."""
        repeats = 1 < self.n_distinct < self.n_present
        return repeats and (
            self.n_distinct <= FEW_CATEGORIES or 2 * self.n_distinct <= self.n_present
        )

    def bin_dates(self, unit: str) -> list[str]:
        """Return the year, month or day of dates as texts; ValueError if it is ambiguous."""
        dates = [_parse_date(cell) for cell in self._objects]
        if unit != "year" and any(date is not None and date[0] for date in dates):
            dates = _resolve_month_order(self.name, dates)
        stop = 2 + DATE_BINS.index(unit)
        return ["" if date is None else "-".join(date[1:stop]) for date in dates]

    @property
    def _objects(self) -> list[Any]:
        """Return the cells as Python objects."""
        # numpy returns integers for dates in nanoseconds.
        exact = self.cells.astype("datetime64[s]") if self.cells.dtype.kind == "M" else self.cells
        return list(exact.tolist())

    @cached_property
    def _floats(self) -> Array | None:
        """Return all cells as numbers if numpy can convert them at once; None otherwise."""
        if self.cells.dtype.kind in "Mm":
            return None  # numpy would count the nanoseconds since 1970
        if self.cells.dtype == object and self._needs_parsing():
            return None
        try:
            return self.cells.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            return None

    def _needs_parsing(self) -> bool:
        """Return whether Python would misread a cell as a number."""
        # "1_0" is no number (see `as_float`), and with decimal commas 1.234 is a thousand.
        signs = set("_,." if self.comma else "_")
        try:
            return not signs.isdisjoint("".join(self.cells))  # far quicker than cell by cell
        except TypeError:
            texts = (cell for cell in self.cells if isinstance(cell, str))
            return any(not signs.isdisjoint(text) for text in texts)

    def _parse_number(self, cell: Any) -> float | None:
        """Return the number in a cell; None if it has none."""
        if isinstance(cell, str):
            cell = cell.strip()
            if cell.lower() in BOOLEANS:
                return BOOLEANS[cell.lower()]
            if self.comma and _COMMA.fullmatch(cell):
                cell = cell.replace(".", "").replace(",", ".")
            elif not self.comma and _POINT.fullmatch(cell):
                cell = cell.replace(",", "")
        try:
            return as_float(cell)
        except (TypeError, ValueError, OverflowError):
            return None


def are_integers(numbers: Array) -> bool:
    """Return whether all numbers are integers; infinite and missing ones are not."""
    return bool(np.isfinite(numbers).all() and (np.floor(numbers) == numbers).all())


def has_decimal_comma(cells: Iterable[Any]) -> bool:
    """Return whether the cells are numbers, some of them with a decimal comma."""
    texts = [cell.strip() for cell in cells if isinstance(cell, str) and not _is_empty(cell)]
    return any("," in text for text in texts) and all(map(_COMMA.fullmatch, texts))


def _parse_date(cell: Any) -> tuple[str, ...] | None:
    """Return the mark, year, month and day of a date; the mark is empty if the order is clear."""
    if isinstance(cell, date):  # a datetime is a date, too
        return "", f"{cell.year:04}", f"{cell.month:02}", f"{cell.day:02}"
    if not isinstance(cell, str):
        return None
    cell = cell.strip()
    if match := _ISO.fullmatch(cell):
        mark, year, month, day = "", match[1], match[2], match[3] or "1"
    elif match := _DAY_FIRST.fullmatch(cell):
        day, month, year = match.groups()
        if len(year) == 2:
            year = f"{'19' if int(year) > 68 else '20'}{year}"
        # With points the day comes first everywhere; with strokes it depends on the country.
        mark = "" if "." in cell else "/"
    else:
        return None
    low, high = sorted((int(month), int(day))) if mark else (int(month), int(day))
    is_valid = 1 <= low <= 12 and 1 <= high <= 31
    return (mark, year, f"{int(month):02}", f"{int(day):02}") if is_valid else None


def _resolve_month_order(
    name: str, dates: list[tuple[str, ...] | None]
) -> list[tuple[str, ...] | None]:
    """Swap days and months of dates with strokes if a "month" is ever above 12."""
    month_first = any(int(date[2]) > 12 for date in dates if date is not None)
    day_first = any(int(date[3]) > 12 for date in dates if date is not None)
    if month_first == day_first:
        raise ValueError(
            f"in column {quote(name)} nobody can tell days from months; write dates as "
            "2024-03-31, or use dates='year'."
        )
    if day_first:
        return dates
    return [None if date is None else (date[0], date[1], date[3], date[2]) for date in dates]


def _is_empty(cell: Any) -> bool:
    """Return whether a cell stands for a missing value."""
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING
    return not isinstance(cell, list | tuple | dict | np.ndarray) and is_missing(cell)


@dataclass(frozen=True, eq=False)
class ParsedTable:
    """Columns of a table, and the line of each row in the file.

    Attributes
    ----------
    file : str
        Name of the file in messages.
    columns : dict of str to Column
    lines : sequence of int
        Line of each row in the file.
    has_header : bool
        Whether the columns have names of their own, or are numbered.
    fixed_roles : mapping of role to column
        Roles that the format determines: the files of a folder have names and texts.
    notes, details : tuple of str
        See `Dataset` and `Reading`.
    row_unit : str
        How messages count rows: ``"line"``, ``"row"`` or ``"item"``.
    """

    file: str
    columns: dict[str, Column]
    lines: Sequence[int]
    has_header: bool = True
    fixed_roles: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    row_unit: str = "line"

    def __len__(self) -> int:
        return len(self.lines)

    def location(self, row: int) -> str:
        """Return the file and line of a row, with which messages begin."""
        return f"{self.file}, {self.row_unit} {self.lines[row]}"

    def find_column(self, name: Any) -> str:
        """Return the name of a column that may be written in other capitals; ValueError if none."""
        column = name if name in self.columns else self._lower_names.get(str(name).strip().lower())
        if column is None:
            raise ValueError(
                f"{self.file} has no column {name!r}; it has {list_names(self.columns, 20)}."
            )
        return str(column)

    @cached_property
    def _lower_names(self) -> dict[str, str]:
        """Return the column names by their form in lower case; the first of equal ones counts."""
        return {name.strip().lower(): name for name in reversed(self.columns)}


def table_from_cells(
    file: Path,
    rows: list[list[Any]],
    lines: list[int],
    *,
    header: bool | None = None,
    comma: bool = False,
    notes: tuple[str, ...] = (),
    details: tuple[str, ...] = (),
    row_unit: str = "line",
) -> ParsedTable:
    """Parse rows of cells, the first of which may be a header.

    Parameters
    ----------
    file : Path
    rows : list of lists of cells
    lines : list of int
        Line of each row in the file.
    header : bool, optional
        Whether the first row names the columns; by default this is inferred.
    comma : bool
        Whether numbers may have a decimal comma.
    notes, details, row_unit
        See `ParsedTable`.
    """
    skipped = _count_title_rows(rows)
    rows, lines = rows[skipped:], lines[skipped:]
    if not rows:
        raise ValueError(f"{file.name} is empty; it has no rows.")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(rows[0]):
            raise ValueError(
                f"{file.name}, {row_unit} {line}: {len(row)} cells, but the first, {lines[0]}, has "
                f"{len(rows[0])}; each must have as many."
            )
    header = has_header(rows) if header is None else header
    if len(rows) == header:
        raise ValueError(f"{file.name} has a header but no rows.")
    names = _column_names(rows[0] if header else [""] * len(rows[0]))
    refuse_duplicates(f"{file.name}, {row_unit} {lines[0]}", names)
    cells = [object_array([row[j] for row in rows[header:]]) for j in range(len(names))]
    comma = comma and any(map(has_decimal_comma, cells))
    columns = {name: Column(name, array, comma) for name, array in zip(names, cells, strict=True)}
    details += () if header else ("no header",)
    details += ("decimal comma",) if comma else ()
    details += (f"{skipped} lines above the table skipped",) if skipped else ()
    return ParsedTable(
        file.name, columns, lines[header:], bool(header), {}, notes, details, row_unit
    )


def table_from_records(
    file: Path,
    records: list[dict[str, Any]],
    lines: list[int],
    notes: tuple[str, ...],
    row_unit: str = "line",
) -> ParsedTable:
    """Parse records with keys; a key that a record lacks is a missing cell."""
    keys = dict.fromkeys(key for record in records for key in record)
    columns = {
        key: Column(key, object_array([record.get(key) for record in records])) for key in keys
    }
    return ParsedTable(file.name, columns, lines, notes=notes, row_unit=row_unit)


def has_header(rows: list[list[Any]]) -> bool:
    """Return whether the first row names the columns, because it differs from those below it."""
    first, below = rows[0], rows[1 : 1 + _n_probe_rows(rows)]
    if not below:
        return not any(_kind([cell]) == "numbers" for cell in first)
    pairs = list(zip(first, zip(*below, strict=True), strict=True))
    # A word above numbers is their name. As a rule the first pair shows it.
    if any(_is_name(cell) and _kind(column) in ("numbers", "dates") for cell, column in pairs):
        return True
    above_numbers = [cell for cell, column in pairs if _kind(column) in ("numbers", "dates")]
    if above_numbers:
        return _is_numeric_header(first, above_numbers)
    if any(cell in column for cell, column in pairs):
        return False  # a repeated value is no name
    if not HEADER_NAMES.isdisjoint(str(cell).strip().lower() for cell in first):
        return True
    # Names of columns of prose are short. Most tables have a header, so it is the default.
    lengths = [(_n_words(cell), sum(map(_n_words, col)) / len(col)) for cell, col in pairs]
    return all(2 * length < mean for length, mean in lengths if mean >= PROSE_WORDS)


def _is_numeric_header(first: list[Any], above_numbers: list[Any]) -> bool:
    """Return whether the numbers of a first row are names: years, or 0, 1, ... of pandas."""
    filled = [cell for cell in above_numbers if _kind([cell]) != "empty"]
    numbers = Column("", object_array(filled)).numbers
    if len(numbers) < 2 or not (np.diff(numbers) == 1).all():
        return False
    # The column of sample names may have no name. Other rows may begin with a name, too.
    corner = _kind(first[:1]) == "empty" or str(first[0]).strip().lower() in ID_NAMES
    years = numbers[0] > YEARS[0] and numbers[-1] < YEARS[1]
    return bool(corner or (years and _kind(first[:1]) == "words"))


def _is_name(cell: Any) -> bool:
    """Return whether a cell is a word, and not a sign for a missing value."""
    return _kind([cell]) == "words" and any(letter.isalpha() for letter in str(cell))


def _kind(cells: Sequence[Any]) -> str:
    """Return the kind of cells whose decimal sign is unknown."""
    return Column("", object_array(cells), comma=any("," in str(c) for c in cells)).kind


def _n_probe_rows(rows: list[list[Any]]) -> int:
    """Return how many rows to inspect for a header."""
    return int(np.clip(HEADER_PROBE_CELLS // max(len(rows[0]), 1), *HEADER_PROBE_ROWS))


def _n_words(cell: Any) -> int:
    """Return the number of words in a cell."""
    return len(str(cell).split())


def _count_title_rows(rows: list[list[Any]]) -> int:
    """Count the rows above a header that hold one cell at most, such as the title of the table."""
    n_filled = (sum(cell not in ("", None) for cell in row) for row in rows)
    first = next((i for i, count in enumerate(n_filled) if count > 1), 0)
    if first == 0:
        return 0
    probe = rows[first : first + _n_probe_rows(rows[first:])]
    body = [row for row in probe if len(row) == len(rows[first])]
    # Without a header below, a row of one cell may be a sample that lacks all other values.
    single_cells = all(len(row) == 1 for row in rows[:first])
    return first if single_cells or (len(body) > 1 and has_header(body)) else 0


def _column_names(row: list[Any]) -> list[str]:
    """Return the names of columns; a column without one is numbered, counted from 1."""
    names = ["" if cell is None else format_name(cell).strip() for cell in row]
    return [name or f"column {j}" for j, name in enumerate(names, start=1)]


def refuse_duplicates(location: str, names: list[str]) -> None:
    """Raise ValueError if two columns have the same name."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"{location}: column {quote(twice)} is there twice; rename one.")
