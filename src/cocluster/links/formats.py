"""Rows of texts from and to each file format, with line numbers for messages."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from cocluster.links.pairs import COLUMNS
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.optional import library
from cocluster.utils.text import json_object, shorten

# What is read: texts by column, and the line they stand on, which messages name.
Row = dict[str, str]
Numbered = tuple[int, Row]
# What is written: numbers stay numbers in the formats that know them.
Cells = dict[str, Any]

REQUIRED = ("a", "b", "relation")
# The order of the columns of a CSV file without a header.
POSITIONAL = (*COLUMNS, "source", "time", "note")


class Format(NamedTuple):
    """How rows are read from and written to one kind of file."""

    read: Callable[[Path], Iterator[Numbered]]
    write: Callable[[Path, list[str], list[Cells]], None]


def format_of(path: Path) -> Format:
    """Format by the ending of a file's name."""
    try:
        return FORMATS[path.suffix.lower()]
    except KeyError:
        raise ValueError(
            f"{path.name}: unknown ending {path.suffix!r}, links are kept in files that end in "
            f"{', '.join(FORMATS)}."
        ) from None


def _read_csv(path: Path) -> Iterator[Numbered]:
    """Rows of a CSV file; without a header the columns come in the usual order."""
    # The encoding drops the mark that spreadsheets put before the first name.
    with (
        wrap_read_errors(path.name, csv.Error, UnicodeDecodeError),
        path.open(newline="", encoding="utf-8-sig") as stream,
    ):
        reader = csv.reader(stream)
        header = list(POSITIONAL)
        for number, cells in enumerate(row for row in reader if row):
            if number == 0 and {"relation", "kind"} & {_column(cell) for cell in cells}:
                header = [_column(cell) for cell in cells]
                _require(path, reader.line_num, header)
                continue
            if not len(REQUIRED) <= len(cells) <= len(header):
                raise ValueError(
                    f"{path.name}, line {reader.line_num}: expected {len(REQUIRED)} to "
                    f"{len(header)} columns ({shorten(', '.join(header))}), found {len(cells)}."
                )
            # The last columns are optional and may be left out of a line.
            padded = cells + [""] * (len(header) - len(cells))
            yield reader.line_num, dict(zip(header, padded, strict=True))


def _column(cell: str) -> str:
    """Name of a column; the usual ones in any case, "kind" being another word for relation."""
    name = cell.strip().lower()
    name = "relation" if name == "kind" else name
    return name if name in COLUMNS else cell


def _require(path: Path, line: int, found: list[str]) -> None:
    """Refuse rows without the two samples and their relation."""
    missing = [name for name in REQUIRED if name not in found]
    if missing:
        raise ValueError(f"{path.name}, line {line}: no {' and no '.join(missing)} given.")


def _write_csv(path: Path, columns: list[str], rows: list[Cells]) -> None:
    """A header and one line per row."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns)
        writer.writeheader()
        writer.writerows(rows)


def _read_json_lines(path: Path) -> Iterator[Numbered]:
    """One JSON object per line."""
    for line, text in _lines(path):
        values = json_object(text.rstrip(), f"{path.name}, line {line}")
        row = {_column(name): _text(value) for name, value in values.items()}
        _require(path, line, list(row))
        yield line, row


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of a text file that are not blank."""
    with (
        wrap_read_errors(path.name, UnicodeDecodeError),
        path.open(encoding="utf-8-sig") as stream,
    ):
        for line, text in enumerate(stream, start=1):
            if text.strip():
                yield line, text


def _text(value: object) -> str:
    """Text of a cell; nothing is the empty text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _write_json_lines(path: Path, columns: list[str], rows: list[Cells]) -> None:
    """One JSON object per line, empty cells left out."""
    with path.open("w", encoding="utf-8") as stream:
        for row in rows:
            filled = {name: row[name] for name in columns if name in REQUIRED or row[name] != ""}
            stream.write(json.dumps(filled) + "\n")


def _pyarrow(module: str = "") -> Any:
    """The library that reads and writes parquet, or a module of it."""
    return library(f"pyarrow{module}", "parquet files", "parquet")


def _read_parquet(path: Path) -> Iterator[Numbered]:
    """Rows of a parquet file, counted from 1."""
    parquet, pyarrow = _pyarrow(".parquet"), _pyarrow()
    # Texts are turned into those of Python last, and may then prove to be none.
    with wrap_read_errors(path.name, pyarrow.ArrowException, OSError, UnicodeDecodeError):
        table = parquet.read_table(path)
        names = [_column(name) for name in table.column_names]
        columns = [column.to_pylist() for column in table.columns]
    _require(path, 1, names)
    for line, cells in enumerate(zip(*columns, strict=True), start=1):
        yield line, dict(zip(names, map(_text, cells), strict=True))


def _write_parquet(path: Path, columns: list[str], rows: list[Cells]) -> None:
    """One column per name."""
    table = _pyarrow().table({name: [row[name] for row in rows] for name in columns})
    _pyarrow(".parquet").write_table(table, path)


def _read_tab(path: Path) -> Iterator[Numbered]:
    """Lines ``i j sign``, separated by tabs or else by blanks."""
    for line, text in _lines(path):
        cells = text.rstrip("\n").split("\t") if "\t" in text else text.split()
        if len(cells) != len(REQUIRED):
            raise ValueError(
                f"{path.name}, line {line}: expected 3 columns (i, j, 1 or -1), found {len(cells)}."
            )
        yield line, dict(zip(REQUIRED, cells, strict=True))


def _write_tab(path: Path, columns: list[str], rows: list[Cells]) -> None:
    """Lines ``i<tab>j<tab>sign``; what has no place there is refused, not lost."""
    sign = {"must-link": "1", "cannot-link": "-1"}
    if len(columns) > len(REQUIRED) or any(row["relation"] not in sign for row in rows):
        raise ValueError(
            "the three-column tab file holds must-link and cannot-link pairs only, "
            "these links have more (weights, details, labels or unsure pairs): write .csv."
        )
    lines = [f"{row['a']}\t{row['b']}\t{sign[row['relation']]}" for row in rows]
    if any(len(line.splitlines()) != 1 or line.count("\t") != 2 for line in lines):
        raise ValueError("ids with tabs or line breaks need another format (.csv).")
    with path.open("w", newline="\n", encoding="utf-8") as stream:
        stream.writelines(f"{line}\n" for line in lines)


FORMATS = {
    ".csv": Format(_read_csv, _write_csv),
    ".jsonl": Format(_read_json_lines, _write_json_lines),
    ".ndjson": Format(_read_json_lines, _write_json_lines),
    ".parquet": Format(_read_parquet, _write_parquet),
    ".tsv": Format(_read_tab, _write_tab),
    ".txt": Format(_read_tab, _write_tab),
}
