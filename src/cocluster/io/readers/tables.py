"""Tables: CSV and TSV (wide and long) and parquet."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.blocks.disk.sources.parquet import LONG
from cocluster.io.dataset import Dataset
from cocluster.io.readers.common import LABEL_NAMES, encode_labels, encoding_notes, read_text
from cocluster.linalg.types import Array
from cocluster.utils.files import unreadable
from cocluster.utils.optional import library
from cocluster.utils.parsing import as_float, is_missing

# Cells that say that there is no value, in any case.
MISSING = ("", "na", "nan", "null", "none")
# Names of a first column that names the samples, in any case; what pandas writes is among them.
ID_NAMES = ("", "id", "ids", "sample", "samples", "name", "index", "unnamed: 0", "sample_id")
Columns = Mapping[str, Array]


def read_csv(file: Path, label: str | None) -> Dataset:
    """Data set of a CSV or TSV file.

    Wide: a row for each sample; a first column that is named id, sample or the like or is no
    number names the samples. Long: columns sample, feature, value and perhaps modality.
    """
    text, latin = read_text(file)
    delimiter = _delimiter(file, text)
    reader = csv.reader(StringIO(text), delimiter=delimiter)
    rows, lines = [], []
    with unreadable(file.name, csv.Error):
        for row in reader:
            if row:
                rows.append(row)
                lines.append(reader.line_num)
    if not rows:
        raise ValueError(f"{file.name} is empty; it has no rows.")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(rows[0]):
            raise ValueError(
                f"{file.name}, line {line}: {len(row)} cells, but line {lines[0]} has "
                f"{len(rows[0])}; each row must have as many."
            )
    # A first row of numbers is data, one that has any name is a header.
    header = not all(_is_number(cell) for cell in rows[0])
    names = _unique(file, rows[0]) if header else [str(j) for j in range(len(rows[0]))]
    if len(rows) == header:
        raise ValueError(f"{file.name} has a header but no rows.")
    cells = np.array(rows[header:], dtype=object).reshape(-1, len(names))
    columns = {name: cells[:, j] for j, name in enumerate(names)}
    notes = encoding_notes([file.name] if latin else [])
    return from_columns(file, columns, lines[header:], label, named=header, notes=notes)


def read_parquet(file: Path, label: str | None) -> Dataset:
    """Data set of a parquet file, wide or long as a CSV file."""
    pyarrow = library("pyarrow", "parquet files", "parquet")
    parquet = library("pyarrow.parquet", "parquet files", "parquet")
    with unreadable(file.name, pyarrow.ArrowException, OSError):
        table = parquet.read_table(file)
    columns = {
        name: column.to_numpy()
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return from_columns(file, columns, range(1, table.num_rows + 1), label, named=True)


def from_columns(
    file: Path,
    columns: Columns,
    lines: Sequence[int],
    label: str | None,
    *,
    named: bool,
    notes: tuple[str, ...] = (),
) -> Dataset:
    """Data set of named columns, wide or long; `lines` are the rows' places in the file."""
    if not columns:
        raise ValueError(f"{file.name} has no columns.")
    lower = {name.strip().lower(): name for name in columns}
    if all(name in lower for name in LONG):
        return _long(file, {low: columns[name] for low, name in lower.items()}, lines, notes)
    key = _label_column(file, lower, label)
    first = next(iter(columns))
    is_id = named and first != key and _names_samples(first, columns[first])
    features = [name for name in columns if name not in (key, first if is_id else None)]
    if not features:
        raise ValueError(f"{file.name} has no columns of numbers.")
    X = np.stack([_numbers(file, name, columns[name], lines) for name in features], axis=1)
    labels, classes = encode_labels(None if key is None else columns[key].tolist())
    return Dataset(
        file.name.split(".")[0],
        {"X": X},
        labels=labels,
        class_names=classes,
        sample_names=_names(columns[first]) if is_id else None,
        feature_names={"X": np.array(features)} if named else {},
        notes=notes,
    )


def _long(file: Path, columns: Columns, lines: Sequence[int], notes: tuple[str, ...]) -> Dataset:
    """Data set of one entry a row; repeated entries are added, absent ones are zero."""
    values = _numbers(file, "value", columns["value"], lines)
    for name in ("sample", "feature"):
        _refuse_missing(file, name, columns[name], lines)
    samples, ids = _codes(columns["sample"])
    # Without the column all entries are of one view.
    modality = columns.get("modality", np.full(len(values), "X", dtype=object)).astype(str)
    views, present, names = {}, {}, {}
    for view in dict.fromkeys(modality.tolist()):
        of_view = modality == view
        rows, row = np.unique(samples[of_view], return_inverse=True)
        column, names[view] = _codes(columns["feature"][of_view])
        shape = (len(rows), len(names[view]))
        views[view] = sp.coo_array((values[of_view], (row, column)), shape).tocsr()
        if len(rows) < len(ids):
            present[view] = rows
    return Dataset(
        file.name.split(".")[0],
        views,
        sample_names=ids,
        feature_names=names,
        present=present,
        notes=notes,
    )


def _codes(values: Array) -> tuple[Array, Array]:
    """Positions and names of values, numbered as they first appear."""
    place: dict[str, int] = {}
    codes = [place.setdefault(name, len(place)) for name in values.astype(str).tolist()]
    return np.array(codes), np.array(list(place))


def _names(column: Array) -> Array:
    """Names of samples as texts; empty where there is none."""
    return np.array(["" if is_missing(name) else str(name) for name in column])


def _refuse_missing(file: Path, name: str, column: Array, lines: Sequence[int]) -> None:
    """Refuse a column of names that lacks some: what such a line is about is not known."""
    place = next((i for i, cell in enumerate(column) if is_missing(cell)), None)
    if place is not None:
        raise ValueError(
            f"{file.name}, line {lines[place]}: there is no {name}; drop the line or name it."
        )


def _label_column(file: Path, lower: Mapping[str, str], label: str | None) -> str | None:
    """Column that holds the classes."""
    wanted = LABEL_NAMES if label is None else (label.strip().lower(),)
    found = next((lower[name] for name in wanted if name in lower), None)
    if label is not None and found is None:
        raise ValueError(
            f"{file.name} has no column {label!r}; it has {', '.join(lower.values())}."
        )
    return found


def _names_samples(name: str, column: Array) -> bool:
    """Whether a first column names the samples."""
    if name.strip().lower() in ID_NAMES:
        return True
    # A hundred cells tell names from numbers.
    return column.dtype == object and not any(_is_number(cell) for cell in column[:100])


def _numbers(file: Path, name: str, column: Array, lines: Sequence[int]) -> Array:
    """Numbers of a column; missing ones are NaN."""
    try:
        # All at once, unless a cell has to be looked at: "1_0" is no number (see `as_float`).
        if column.dtype != object or "_" not in "".join(column):
            return column.astype(np.float64)
    except (TypeError, ValueError):
        pass  # some cell is missing or no number: see which
    values = np.empty(len(column))
    for i, cell in enumerate(column):
        try:
            values[i] = np.nan if _is_empty(cell) else as_float(cell)
        except (TypeError, ValueError):
            raise ValueError(
                f"{file.name}, line {lines[i]}: {cell!r} in column {name!r} is not a number; "
                "name the column of classes by label=, encode or drop other texts."
            ) from None
    return values


def _is_number(cell: Any) -> bool:
    """Whether a cell is a number or says that one is missing (an empty cell says nothing)."""
    try:
        as_float(cell)
    except (TypeError, ValueError):
        return _is_empty(cell) and cell != ""
    return True


def _is_empty(cell: Any) -> bool:
    """Whether a cell says that there is no value."""
    return cell is None or (isinstance(cell, str) and cell.strip().lower() in MISSING)


def _delimiter(file: Path, text: str) -> str:
    """Tab for TSV, else the most frequent of comma, semicolon and tab in the first line."""
    if ".tsv" in (ending.lower() for ending in file.suffixes):
        return "\t"
    first = text.split("\n", 1)[0]
    return max(",;\t", key=first.count)


def _unique(file: Path, names: list[str]) -> list[str]:
    """Names of columns, which must differ."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"{file.name}, line 1: column {twice!r} is there twice; rename one.")
    return names
