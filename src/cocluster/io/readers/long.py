"""Long tables: one entry a row, such as user, item and rating."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.blocks.disk.sources.parquet import LONG
from cocluster.io.dataset import CENTER, Dataset
from cocluster.io.readers.asked import Asked, finder
from cocluster.io.readers.columns import Column
from cocluster.io.readers.rows import Rows
from cocluster.io.reading import Reading
from cocluster.linalg.types import Array
from cocluster.utils.parsing import is_missing
from cocluster.utils.texts import quoted

# Names of columns whose cells stand for things that have many entries each.
KEYS = {
    "user", "item", "movie", "film", "song", "book", "product", "customer", "client", "person",
    "document", "doc", "word", "term", "token", "gene", "cell", "sample", "feature", "row",
    "column", "col", "i", "j", "source", "target", "author", "artist", "reader", "student",
    "question",
}  # fmt: skip
_ID = re.compile(r"(?i:(^|[\W_])(id|uuid))$|(?<=[a-z])I[Dd]$")
# Seconds since 1970 between 1985 and 2050, as logs and ratings have beside each entry.
SECONDS = (4.7e8, 2.5e9)
# Three columns, and perhaps two that say when.
MOST_COLUMNS = 5
# A pair of keys that has several entries is an exception in a table of entries.
MOSTLY = 0.9


def is_id_name(name: str) -> bool:
    """Whether a name says that a column holds ids.

    >>> [is_id_name(name) for name in ("id", "user_id", "movieId", "Doc ID", "paid", "idea")]
    [True, True, True, True, False, False]
    """
    return _ID.search(name.strip()) is not None


def long_columns(rows: Rows, asked: Asked) -> list[str] | None:
    """Columns of sample, feature, value and perhaps view of a long table; None if it is wide."""
    columns = rows.columns
    if asked.long is not None:
        return list(map(finder(rows.file, list(columns)), asked.entries))
    # Who names columns by role has a wide table in mind.
    roles = (asked.id, asked.text, asked.title, asked.label, asked.features, asked.categories)
    if rows.fixed or any(roles):
        return None
    lower = {name.strip().lower(): name for name in columns}
    if all(name in lower for name in LONG):
        return [lower[name] for name in (*LONG, "modality") if name in lower]
    return _by_content(rows)


def read_long(rows: Rows, names: Sequence[str]) -> Dataset:
    """Data set of one entry a row; repeated entries are added, absent ones are zero."""
    sample, feature, *others = (rows.columns[name] for name in names)
    values = _values(rows, others[0]) if others else np.ones(len(rows))
    for key in (sample, feature):
        _refuse_missing(rows, key)
    samples, ids = _codes(sample.cells)
    # Without the column all entries are of one view, which is called as what it has in columns.
    only = feature.name if feature.name != CENTER else "X"
    modality = np.array(others[1].texts if len(others) > 1 else [only] * len(rows), dtype=object)
    views, present, features = {}, {}, {}
    for view in dict.fromkeys(modality.tolist()):
        of_view = modality == view
        own, row = np.unique(samples[of_view], return_inverse=True)
        column, features[view] = _codes(feature.cells[of_view])
        shape = (len(own), len(features[view]))
        views[view] = sp.coo_array((values[of_view], (row, column)), shape).tocsr()
        if len(own) < len(ids):
            present[view] = own
    rest = {name: "" for name in rows.columns if name not in names}
    return Dataset(
        rows.file.split(".")[0],
        views,
        sample_names=ids,
        feature_names=features,
        present=present,
        notes=(*rows.notes, *_notes(values, len(values) - sum(X.nnz for X in views.values()))),
        reading=Reading(entries=tuple(names), left_out=rest, details=rows.details),
    )


def _by_content(rows: Rows) -> list[str] | None:
    """Columns of a table of three, two of which are keys; None if there are no such."""
    if len(rows.columns) > MOST_COLUMNS or len(rows) < 3:
        return None
    columns = [column for column in rows.columns.values() if not _is_time(column)]
    if len(columns) != 3:
        return None
    for first, second, value in permutations(columns):
        ordered = columns.index(first) < columns.index(second)
        if ordered and value.kind == "numbers" and _are_keys(first, second, value):
            return [first.name, second.name, value.name]
    return None


def _are_keys(first: Column, second: Column, value: Column) -> bool:
    """Whether two columns are keys: values that come again, but not together."""
    keys = (first, second)
    if not all(_may_be_key(key) and key.n_distinct < len(key) for key in keys):
        return False
    pairs = _n_pairs(first, second)
    if all(_is_key_name(key.name) or key.kind == "words" for key in keys):
        return pairs > MOSTLY * len(first)
    # Numbers without a telling name may be three measurements, of which any two differ from row
    # to row. Those of keys come twice at least and never together, while values do come again.
    twice = all(2 * key.n_distinct <= len(key) for key in keys)
    again = all(_n_pairs(key, value) < len(value) for key in keys)
    return twice and pairs == len(first) and (again or not value.is_whole)


def _may_be_key(column: Column) -> bool:
    """Whether cells could be ids: whole numbers, or words that are no prose."""
    if column.kind == "words":
        return not column.is_prose and column.n_known == len(column)
    return column.is_whole and bool((column.numbers >= 0).all())


def _is_key_name(name: str) -> bool:
    """Whether a name is that of a key."""
    low = name.strip().lower()
    return is_id_name(name) or low in KEYS or low.removesuffix("s") in KEYS


def _is_time(column: Column) -> bool:
    """Whether a column says when: dates, or seconds since 1970."""
    if column.kind == "dates":
        return True
    within = column.is_whole and len(column) > 0
    return within and SECONDS[0] < column.numbers.min() and column.numbers.max() < SECONDS[1]


def _n_pairs(first: Column, second: Column) -> int:
    """Different pairs of cells."""
    codes = [np.unique(column.plain, return_inverse=True)[1] for column in (first, second)]
    return len(np.unique(codes[0] * len(codes[0]) + codes[1]))


def _values(rows: Rows, column: Column) -> Array:
    """Numbers of the entries, of which none may be missing."""
    if column.kind not in ("numbers", "empty"):
        place = column.first_that_is_no_number()
        raise ValueError(
            f"{rows.line(place)}: {quoted(column.cells[place])} in column {quoted(column.name)} is "
            "not a number; name the columns of sample, feature and value by long=."
        )
    missing = np.flatnonzero(np.isnan(column.numbers))
    if len(missing):
        raise ValueError(
            f"{rows.line(missing[0])}: there is no {column.name}; drop the line, as an entry that "
            "is not there counts as zero."
        )
    return column.numbers


def _codes(values: Array) -> tuple[Array, Array]:
    """Positions and names of values, numbered as they first appear."""
    place: dict[str, int] = {}
    codes = [place.setdefault(name, len(place)) for name in values.astype(str).tolist()]
    return np.array(codes), np.array(list(place), dtype=object)


def _refuse_missing(rows: Rows, column: Column) -> None:
    """Refuse a column of names that lacks some: what such a line is about is not known."""
    cells: Iterable[tuple[int, Any]] = enumerate(column.cells)
    place = next((i for i, cell in cells if is_missing(cell) or cell == ""), None)
    if place is not None:
        raise ValueError(
            f"{rows.line(place)}: there is no {column.name}; drop the line or name it."
        )


def _notes(values: Array, repeated: int) -> list[str]:
    """What the user should know of the entries."""
    notes = []
    if repeated:
        notes.append(f"{repeated:,} entries come more than once; they were added.")
    if (values < 0).any() and (values > 0).any():
        notes.append("Values have both signs; an entry that is not in the file counts as 0.")
    return notes
