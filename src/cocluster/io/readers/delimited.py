"""Tables as text: CSV and TSV, with whatever delimiter, header and decimal sign they have."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from itertools import dropwhile
from pathlib import Path
from typing import Any

from cocluster.io.readers.common import encoding_notes, read_text
from cocluster.io.readers.options import ReadOptions
from cocluster.io.readers.table import Rows, of_cells
from cocluster.utils.files import wrap_read_errors

DELIMITERS = ",;\t|"
# Characters that tell the delimiter: a hundred rows or so.
LOOKED_AT = 1 << 16
# The longest cell that the csv module can be told to read on every system.
LONGEST = (1 << 31) - 1
# No text has this character, so that it separates nothing.
NOWHERE = "\x1f"


def read_delimited(file: Path, asked: ReadOptions) -> Rows:
    """Table of a text file; what separates its cells is found by looking."""
    text, latin = read_text(file)
    return of_text(file, text, asked.header, encoding_notes([file.name] if latin else []))


def of_text(file: Path, text: str, header: bool | None, notes: tuple[str, ...]) -> Rows:
    """Table of a text."""
    delimiter, skipped = _announced(text)
    delimiter = delimiter or delimiter_of(text, file.suffix.lower() == ".tsv")
    rows, lines = [], []
    with wrap_read_errors(file.name, csv.Error), _long_cells():
        reader = _reader(text, delimiter)
        for row in reader:
            if row and reader.line_num > skipped:
                rows.append(row)
                lines.append(reader.line_num)
    comma = delimiter != ","
    return of_cells(file, rows, lines, header=header, comma=comma, notes=notes)


def delimiter_of(text: str, tabs: bool = False) -> str:
    """What separates the cells of a table: the sign that gives all rows the same number of cells.

    Parameters
    ----------
    text : str
        Of the file, or its beginning.
    tabs : bool
        Whether the file says that tabs do.

    Examples
    --------
    >>> delimiter_of("name;size\\nMüller, Ada;1,5\\nMaier, Bo;2,5\\n")
    ';'
    """
    first, _, rest = text[:LOOKED_AT].partition("\n")
    if tabs and "\t" in first:
        return "\t"
    widths = {sign: _widths(text[:LOOKED_AT], sign) for sign in DELIMITERS}
    for below_title in (False, True):
        even = {sign: _common_width(found, below_title) for sign, found in widths.items()}
        if max(even.values()) > 0:
            return max(even, key=even.__getitem__)
    common = max(DELIMITERS, key=first.count)
    # A first line without any sign is the header of a single column, which may hold prose.
    alone = rest and common not in first and any(width > 1 for width in widths[","])
    return NOWHERE if alone else common


def _widths(text: str, delimiter: str) -> list[int]:
    """Number of cells in each row of the beginning of a text."""
    with _long_cells():
        try:
            rows = [row for row in _reader(text, delimiter) if row]
        except csv.Error:
            return []
    # The last row may be cut off.
    return [len(row) for row in (rows[:-1] if len(text) == LOOKED_AT and len(rows) > 1 else rows)]


def _reader(text: str, delimiter: str) -> Any:
    """Rows of a text; a blank after a delimiter is no part of a cell, nor hides its quotes."""
    lines = StringIO(text, newline=None)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _common_width(widths: list[int], below_title: bool) -> int:
    """Number of cells, two at least, that all rows have; 0 if they differ."""
    table = list(dropwhile(lambda width: width == 1, widths)) if below_title else widths
    # Two cells below one may be prose with a comma in it, below the name of a single column.
    return table[0] if len(set(table)) == 1 and table[0] > 1 + below_title else 0


def _announced(text: str) -> tuple[str, int]:
    """The delimiter that Excel's first line ``sep=;`` announces, and how many lines that takes."""
    first = text[:6].rstrip("\r\n")
    return (first[4], 1) if len(first) == 5 and first.startswith("sep=") else ("", 0)


@contextmanager
def _long_cells() -> Iterator[None]:
    """Cells of any length: Python refuses texts of more than 131,072 letters by default."""
    before = csv.field_size_limit(LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)
