"""Tables and records as text: CSV and TSV with any delimiter, JSON and JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from itertools import dropwhile
from pathlib import Path
from typing import Any

from cocluster.io.files import read_text, split_lines
from cocluster.io.options import ReadOptions
from cocluster.io.tables.parse import ParsedTable, table_from_cells, table_from_records
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.text import json_value

DELIMITERS = ",;\t|"
# Number of characters that determine the delimiter: a hundred rows or so.
PROBE_CHARACTERS = 1 << 16
# The longest cell that the csv module accepts on every system.
MAX_CELL = (1 << 31) - 1
# Delimiter of a table with a single column: a character that no text has.
NO_DELIMITER = "\x1f"
# Column name for the texts of a plain JSON list.
TEXT = "text"


def read_delimited(file: Path, options: ReadOptions) -> ParsedTable:
    """Read a CSV or TSV file; the delimiter is inferred."""
    text, notes = read_text(file)
    return parse_delimited(file, text, options.header, notes)


def parse_delimited(
    file: Path, text: str, header: bool | None, notes: tuple[str, ...]
) -> ParsedTable:
    """Parse a text with delimiters."""
    delimiter, skipped = _announced_delimiter(text)
    delimiter = delimiter or find_delimiter(text, file.suffix.lower() == ".tsv")
    rows, lines = [], []
    with wrap_read_errors(file.name, csv.Error), _unlimited_cells():
        reader = _reader(text, delimiter)
        for row in reader:
            if row and reader.line_num > skipped:
                rows.append(row)
                lines.append(reader.line_num)
    return table_from_cells(file, rows, lines, header=header, comma=delimiter != ",", notes=notes)


def find_delimiter(text: str, prefer_tabs: bool = False) -> str:
    """Return the delimiter that gives all rows of a text the same number of cells.

    Parameters
    ----------
    text : str
        Text of the file, or its beginning.
    prefer_tabs : bool
        Whether the ending of the file announces tabs.

    Examples
    --------
    >>> find_delimiter("name;size\\nMüller, Ada;1,5\\nMaier, Bo;2,5\\n")
    ';'
    """
    text = text[:PROBE_CHARACTERS]
    first, _, below = text.partition("\n")
    if prefer_tabs and "\t" in first:
        return "\t"
    widths = {delimiter: _row_widths(text, delimiter) for delimiter in DELIMITERS}
    for below_title in (False, True):
        common = {d: _common_width(row_widths, below_title) for d, row_widths in widths.items()}
        if max(common.values()) > 0:
            return max(common, key=common.__getitem__)
    most_frequent = max(DELIMITERS, key=first.count)
    # A first line without a delimiter is the header of a single column, which may hold prose.
    is_single = below and most_frequent not in first and any(width > 1 for width in widths[","])
    return NO_DELIMITER if is_single else most_frequent


def _row_widths(text: str, delimiter: str) -> list[int]:
    """Return the number of cells in each row of the beginning of a text."""
    with _unlimited_cells():
        try:
            rows = [row for row in _reader(text, delimiter) if row]
        except csv.Error:
            return []
    # The last row may be cut off.
    is_cut = len(text) == PROBE_CHARACTERS and len(rows) > 1
    return [len(row) for row in (rows[:-1] if is_cut else rows)]


def _reader(text: str, delimiter: str) -> Any:
    """Return a CSV reader; a blank after a delimiter is no part of a cell, nor hides its quotes."""
    return csv.reader(StringIO(text, newline=None), delimiter=delimiter, skipinitialspace=True)


def _common_width(widths: list[int], below_title: bool) -> int:
    """Return the number of cells, at least two, that all rows have; 0 if they differ."""
    table = list(dropwhile(lambda width: width == 1, widths)) if below_title else widths
    # Two cells below one may be prose with a comma, below the name of a single column.
    return table[0] if len(set(table)) == 1 and table[0] > 1 + below_title else 0


def _announced_delimiter(text: str) -> tuple[str, int]:
    """Return the delimiter in Excel's first line ``sep=;``, and the number of lines it takes."""
    first = text[:6].rstrip("\r\n")
    return (first[4], 1) if len(first) == 5 and first.startswith("sep=") else ("", 0)


@contextmanager
def _unlimited_cells() -> Iterator[None]:
    """Let the csv module read cells of any length; by default it refuses 131,072 characters."""
    before = csv.field_size_limit(MAX_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def read_json_lines(file: Path, options: ReadOptions) -> ParsedTable:
    """Read a file with one JSON record or text on each line."""
    content, notes = read_text(file)
    return _parse_json_lines(file, content, notes)


def read_json(file: Path, options: ReadOptions) -> ParsedTable:
    """Read a JSON list of records, texts or rows, texts or records by id, or JSON lines."""
    content, notes = read_text(file)
    try:
        value = json_value(content, file.name)
    except ValueError:
        if _is_json_lines(content):
            return _parse_json_lines(file, content, notes)
        raise
    if isinstance(value, dict) and value and all(isinstance(v, str | dict) for v in value.values()):
        # Texts or records by id.
        value = [
            {"id": key} | (v if isinstance(v, dict) else {TEXT: v}) for key, v in value.items()
        ]
    if not isinstance(value, list):
        raise ValueError(
            f"{file.name} holds no list of records or texts; write [{{...}}, {{...}}] or a list of "
            "texts."
        )
    return _table_from_values(file, value, list(range(1, len(value) + 1)), "item", notes)


def _parse_json_lines(file: Path, content: str, notes: tuple[str, ...]) -> ParsedTable:
    """Parse lines, each of which is JSON."""
    values = {
        number: json_value(line, f"{file.name}, line {number}")
        for number, line in enumerate(split_lines(content), start=1)
        if line.strip()
    }
    return _table_from_values(file, list(values.values()), list(values), "line", notes)


def _is_json_lines(content: str) -> bool:
    """Return whether the first of several lines is a complete JSON value."""
    first, _, below = content.strip().partition("\n")
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return bool(below.strip())


def _table_from_values(
    file: Path, values: list[Any], lines: list[int], row_unit: str, notes: tuple[str, ...]
) -> ParsedTable:
    """Return the table of JSON values of one kind: records, texts, or rows of cells."""
    if not values:
        raise ValueError(f"{file.name} is empty; it has no records or texts.")
    if all(isinstance(value, list) for value in values):
        return table_from_cells(file, values, lines, notes=notes, row_unit=row_unit)
    records = [{TEXT: value} if isinstance(value, str) else value for value in values]
    for record, line in zip(records, lines, strict=True):
        if not isinstance(record, dict):
            raise ValueError(
                f"{file.name}, {row_unit} {line}: not a JSON object or text but "
                f"{str(record)[:40]!r}."
            )
    return table_from_records(file, records, lines, notes, row_unit)
