"""Long tables: one entry a row, such as user, item and rating."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.blocks.disk.sources.parquet import LONG
from cocluster.io.dataset import CENTER, Dataset, Reading
from cocluster.io.readers.common import LABEL_NAMES
from cocluster.io.readers.options import ReadOptions, finder, names_of
from cocluster.io.readers.table import ID_NAMES, TEXT_NAMES, TITLE_NAMES, Column, Rows, are_whole
from cocluster.linalg.types import Array
from cocluster.utils.text import is_missing, quote

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


def long_columns(rows: Rows, asked: ReadOptions) -> list[str] | None:
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
    columns = [column for column in rows.columns.values() if not _is_timestamp(column)]
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


def _is_timestamp(column: Column) -> bool:
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
            f"{rows.line(place)}: {quote(column.cells[place])} in column {quote(column.name)} is "
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


# Names of classes of texts; of other things they may be one property among others.
TOPIC_NAMES = ("topic", "category", "newsgroup", "section")
# Parts of the names of columns that say when, as numbers of seconds or days do.
TIME_NAMES = ("date", "time", "timestamp", "datetime", "created", "updated", "ts")
# From so many rows on, a first column of 1, 2, 3, ... is no chance.
COUNTED = 10


@dataclass
class Roles:
    """Names of columns by what they are for; see `Reading`."""

    id: str = ""
    title: str = ""
    label: str = ""
    text: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    def taken(self) -> set[str]:
        """Columns that have a role."""
        single = {self.id, self.title, self.label} - {""}
        lists = (self.text, self.numbers, self.categories, self.dates, self.left_out)
        return single.union(*lists)


def roles_of(rows: Rows, asked: ReadOptions) -> Roles:
    """Roles of all columns of a table."""
    roles = _asked_for(rows, asked)
    columns = rows.columns

    def free() -> list[Column]:
        """Columns that have no role yet."""
        taken = roles.taken()
        return [column for name, column in columns.items() if name not in taken]

    # Who lists the features wants these and no texts.
    if asked.text is None and asked.features is None and not rows.fixed:
        roles.text = _texts(free())
    if asked.title is None and not rows.fixed:
        titles = [c.name for c in free() if _low(c) in TITLE_NAMES and c.kind == "words"]
        roles.title = next(iter(titles), "")
        # A headline says as much about a text as the text.
        if roles.title and roles.text and asked.text is None:
            roles.text = [name for name in columns if name in (roles.title, *roles.text)]
    if asked.label is None and not rows.fixed:
        roles.label = _label(free(), bool(roles.text))
    if asked.id is None and not rows.fixed:
        first = next(iter(columns))
        roles.id = _id(free(), first, rows.named)
        if not roles.id and roles.title and columns[roles.title].is_unique:
            roles.id = roles.title
    _place_rest(roles, free(), asked)
    return roles


def _asked_for(rows: Rows, asked: ReadOptions) -> Roles:
    """Roles that the caller or the kind of file gives."""
    find = finder(rows.file, list(rows.columns))

    def one(role: str) -> str:
        name = getattr(asked, role)
        return rows.fixed.get(role, "") if name is None else (find(name) if name else "")

    texts = names_of(asked.text) if asked.text is not None else names_of(rows.fixed.get("text"))
    roles = Roles(one("id"), one("title"), one("label"), list(map(find, texts)))
    roles.categories = list(map(find, names_of(asked.categories)))
    codes = set(roles.categories)
    roles.left_out = {find(name): "dropped" for name in names_of(asked.drop)}
    for name in map(find, names_of(asked.features)):
        if name not in roles.left_out and name not in codes:
            column = rows.columns[name]
            kept = roles.categories if column.kind == "words" else roles.numbers
            (roles.dates if column.kind == "dates" else kept).append(name)
    return roles


def _texts(columns: list[Column]) -> list[str]:
    """Columns of texts: those of words with a usual name, and those of prose."""
    return [c.name for c in columns if c.is_prose or (c.kind == "words" and _low(c) in TEXT_NAMES)]


def _label(columns: list[Column], texts: bool) -> str:
    """The column of classes: one with a usual name whose cells may be classes."""
    by_name = {_low(column): column for column in reversed(columns)}
    for name in (*LABEL_NAMES, *(TOPIC_NAMES if texts else ())):
        column = by_name.get(name)
        # A column y of measurements, or of coordinates beside x, holds no classes.
        if column is not None and (column.kind in ("words", "mixed") or _whole_and_few(column)):
            return column.name
    return ""


def _whole_and_few(column: Column) -> bool:
    """Whether cells are whole numbers, few of them different; some may be missing."""
    if column.kind != "numbers":
        return False
    known = column.numbers[~np.isnan(column.numbers)]
    few = column.is_category or column.n_distinct == 1 or len(column) <= COUNTED
    return few and are_whole(known)


def _id(columns: list[Column], first: str, named: bool) -> str:
    """The column that names the samples: by its name, or a first one of different names."""
    usual = [c for c in columns if c.name == first and named and _low(c) in ID_NAMES]
    ids = [c for c in columns if is_id_name(c.name) and c.is_unique]
    names = [c for c in columns if c.name == first and (_names_rows(c) or _counts_rows(c))]
    return next((c.name for c in (*usual, *ids, *names) if c.kind != "empty"), "")


def _names_rows(column: Column) -> bool:
    """Whether cells are different names."""
    return column.kind == "words" and column.is_unique


def _counts_rows(column: Column) -> bool:
    """Whether cells are 0, 1, 2, ... or 1, 2, 3, ... in any order."""
    if len(column) < COUNTED or not (column.is_whole and column.is_unique):
        return False
    least, most = column.numbers.min(), column.numbers.max()
    return least in (0, 1) and most == least + len(column) - 1


def _place_rest(roles: Roles, columns: Iterable[Column], asked: ReadOptions) -> None:
    """Give every other column a role: a feature, or none with a reason."""
    # Beside texts, or where the features are listed, all others are only kept.
    listed = bool(roles.text) or asked.features is not None
    for column in columns:
        reason = _reason(column, listed, asked)
        if reason is not None:
            roles.left_out[column.name] = reason
        elif column.kind == "dates":
            roles.dates.append(column.name)
        elif column.kind == "words":
            roles.categories.append(column.name)
        else:
            roles.numbers.append(column.name)


def _reason(column: Column, listed: bool, asked: ReadOptions) -> str | None:
    """Why a column takes no part; None if it does."""
    if column.kind == "empty":
        return "empty"
    if column.kind == "dates":
        return None if asked.dates and asked.features is None else "dates"
    if column.kind == "other":
        return "lists or objects"
    if column.kind == "numbers" and _is_time(column):
        return "times"
    if listed:
        return ""
    if is_id_name(column.name):
        return "ids"
    if column.kind == "words" and not column.is_category:
        same = column.n_distinct == 1
        return "always the same" if same else f"{column.n_distinct:,} different values"
    return None


def _is_time(column: Column) -> bool:
    """Whether numbers are seconds, milliseconds or days of a calendar, by name and size."""
    words = column.name.strip().lower().replace("-", "_").replace(" ", "_").split("_")
    named = any(word in TIME_NAMES for word in words)
    # Above ten million: 20240331 as a number, seconds since 1970, and all that is finer.
    return named and column.is_whole and bool((column.numbers > 1e7).all())


def _low(column: Column) -> str:
    """Name in lower case."""
    return column.name.strip().lower()
