"""A column of a table: what it holds, told by its cells and not by its type or name alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np

from cocluster.io.readers.common import name_of
from cocluster.linalg.types import Array
from cocluster.utils.parsing import as_float, is_missing
from cocluster.utils.texts import quoted

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
            f"in column {quoted(name)} nobody can tell days from months; write dates as "
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
