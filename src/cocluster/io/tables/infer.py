"""Roles of the columns of a table, inferred from names and cells: ids, texts, classes, features."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np

from cocluster.blocks.disk.sources.parquet import LONG
from cocluster.io.options import ReadOptions, as_names
from cocluster.io.tables.parse import (
    ID_NAMES,
    LABEL_NAMES,
    TEXT_NAMES,
    TITLE_NAMES,
    Column,
    ParsedTable,
    are_integers,
)

# Usual names of key columns in a long table, in which each key has many entries.
KEYS = {
    "user", "item", "movie", "film", "song", "book", "product", "customer", "client", "person",
    "document", "doc", "word", "term", "token", "gene", "cell", "sample", "feature", "row",
    "column", "col", "i", "j", "source", "target", "author", "artist", "reader", "student",
    "question",
}  # fmt: skip
_ID = re.compile(r"(?i:(^|[\W_])(id|uuid))$|(?<=[a-z])I[Dd]$")
# Seconds since 1970, between 1985 and 2050: times that logs and ratings have beside each entry.
TIMESTAMPS = (4.7e8, 2.5e9)
# Most columns of a long table: two keys, a value, and perhaps two times.
MAX_LONG_COLUMNS = 5
# Least share of distinct pairs of keys among the rows of a long table.
DISTINCT_PAIRS = 0.9
# Names of the class column of texts; in other tables they may name a feature.
TOPIC_NAMES = ("topic", "category", "newsgroup", "section")
# Words in the names of columns that hold times as numbers.
TIME_NAMES = ("date", "time", "timestamp", "datetime", "created", "updated", "ts")
# Times as integers are above ten million: 20240331, and seconds since 1970.
LEAST_TIME = 1e7
# Least number of rows for which a first column 1, 2, 3, ... is taken for row numbers.
LEAST_NUMBERED_ROWS = 10


def is_id_name(name: str) -> bool:
    """Return whether the name of a column says that it holds ids.

    >>> [is_id_name(name) for name in ("id", "user_id", "movieId", "Doc ID", "paid", "idea")]
    [True, True, True, True, False, False]
    """
    return _ID.search(name.strip()) is not None


def entry_columns(table: ParsedTable, options: ReadOptions) -> list[str] | None:
    """Return the columns of sample, feature, value and view of a long table; None if it is wide."""
    if options.long is not None:
        return list(map(table.find_column, options.entry_columns))
    # A caller who names columns by role describes a wide table.
    names = ("id", "text", "title", "label", "features", "categories")
    if table.fixed_roles or any(getattr(options, name) for name in names):
        return None
    lower = {name.strip().lower(): name for name in table.columns}
    if all(name in lower for name in LONG):
        return [lower[name] for name in (*LONG, "modality") if name in lower]
    return _infer_entry_columns(table)


def _infer_entry_columns(table: ParsedTable) -> list[str] | None:
    """Return two key columns and a value column of a table that has no others; else None."""
    if len(table.columns) > MAX_LONG_COLUMNS or len(table) < 3:
        return None
    columns = [column for column in table.columns.values() if not _is_timestamp(column)]
    if len(columns) != 3:
        return None
    for first, second, value in permutations(columns):
        in_order = columns.index(first) < columns.index(second)
        if in_order and value.kind == "numbers" and _are_keys(first, second, value):
            return [first.name, second.name, value.name]
    return None


def _are_keys(first: Column, second: Column, value: Column) -> bool:
    """Return whether two columns are keys: values repeat, but hardly any pair of them does."""
    keys = (first, second)
    if not all(_may_be_key(key) and key.n_distinct < len(key) for key in keys):
        return False
    pairs = _n_pairs(first, second)
    if all(_is_key_name(key.name) or key.kind == "words" for key in keys):
        return pairs > DISTINCT_PAIRS * len(first)
    # Numbers without a telling name may be three measurements, of which any two differ from row
    # to row. Keys occur at least twice on average and no pair repeats, whereas values do repeat.
    keys_repeat = all(2 * key.n_distinct <= len(key) for key in keys)
    values_repeat = all(_n_pairs(key, value) < len(value) for key in keys)
    return keys_repeat and pairs == len(first) and (values_repeat or not value.is_integer)


def _may_be_key(column: Column) -> bool:
    """Return whether the cells can be ids: non-negative integers, or words that are no prose."""
    if column.kind == "words":
        return not column.is_prose and column.n_present == len(column)
    return column.is_integer and bool((column.numbers >= 0).all())


def _is_key_name(name: str) -> bool:
    """Return whether a column name is usual for a key."""
    lower = name.strip().lower()
    return is_id_name(name) or lower in KEYS or lower.removesuffix("s") in KEYS


def _is_timestamp(column: Column) -> bool:
    """Return whether a column holds dates, or seconds since 1970."""
    if column.kind == "dates":
        return True
    least, most = TIMESTAMPS
    is_number = column.is_integer and len(column) > 0
    return is_number and least < column.numbers.min() and column.numbers.max() < most


def _n_pairs(first: Column, second: Column) -> int:
    """Return the number of distinct pairs of cells."""
    codes = [np.unique(column.values, return_inverse=True)[1] for column in (first, second)]
    return len(np.unique(codes[0] * len(codes[0]) + codes[1]))


@dataclass
class Roles:
    """Names of columns by role; see `Reading`."""

    id: str = ""
    title: str = ""
    label: str = ""
    text: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    def columns(self) -> set[str]:
        """Return the columns that have a role."""
        single = {self.id, self.title, self.label} - {""}
        return single.union(self.text, self.numbers, self.categories, self.dates, self.left_out)


def infer_roles(table: ParsedTable, options: ReadOptions) -> Roles:
    """Return the roles of all columns: those of the options first, then those of the contents."""
    roles = _explicit_roles(table, options)
    columns = table.columns

    def free_columns() -> list[Column]:
        assigned = roles.columns()
        return [column for name, column in columns.items() if name not in assigned]

    if not table.fixed_roles:
        # A caller who lists the features wants no texts beside them.
        if options.text is None and options.features is None:
            roles.text = [c.name for c in free_columns() if _is_text(c)]
        if options.title is None:
            titles = [c for c in free_columns() if _lower_name(c) in TITLE_NAMES]
            roles.title = next((c.name for c in titles if c.kind == "words"), "")
            # The words of a title are counted together with those of the text.
            if roles.title and roles.text and options.text is None:
                roles.text = [name for name in columns if name in (roles.title, *roles.text)]
        if options.label is None:
            roles.label = _label_column(free_columns(), bool(roles.text))
        if options.id is None:
            roles.id = _id_column(free_columns(), next(iter(columns)), table.has_header)
            if not roles.id and roles.title and columns[roles.title].is_unique:
                roles.id = roles.title
    _assign_features(roles, free_columns(), options)
    return roles


def _explicit_roles(table: ParsedTable, options: ReadOptions) -> Roles:
    """Return the roles that the caller or the format determines."""
    find = table.find_column

    def option(role: str) -> Any:
        choice = getattr(options, role)
        return table.fixed_roles.get(role, "") if choice is None else choice

    def columns(role: str) -> list[str]:
        return list(map(find, as_names(option(role))))

    roles = Roles(text=columns("text"), categories=columns("categories"))
    for role in ("id", "title", "label"):
        setattr(roles, role, find(option(role)) if option(role) else "")
    roles.left_out = dict.fromkeys(columns("drop"), "dropped")
    codes = set(roles.categories)
    for name in columns("features"):
        if name not in roles.left_out and name not in codes:
            _assign_feature(roles, table.columns[name])
    return roles


def _assign_feature(roles: Roles, column: Column) -> None:
    """Use a column as a feature, according to its kind."""
    by_kind = {"dates": roles.dates, "words": roles.categories}
    by_kind.get(column.kind, roles.numbers).append(column.name)


def _is_text(column: Column) -> bool:
    """Return whether the words of a column are to be counted: prose, or a usual name of texts."""
    return column.is_prose or (column.kind == "words" and _lower_name(column) in TEXT_NAMES)


def _label_column(columns: list[Column], has_texts: bool) -> str:
    """Return the column of classes: one with a usual name whose cells may be classes."""
    by_name = {_lower_name(column): column for column in reversed(columns)}
    for name in (*LABEL_NAMES, *(TOPIC_NAMES if has_texts else ())):
        column = by_name.get(name)
        # A column y of measurements, or of coordinates beside x, holds no classes.
        if column is not None and (column.kind in ("words", "mixed") or _are_codes(column)):
            return column.name
    return ""


def _are_codes(column: Column) -> bool:
    """Return whether the cells are integers with few distinct values; some may be missing."""
    if column.kind != "numbers":
        return False
    is_short = len(column) <= LEAST_NUMBERED_ROWS
    repeats = column.is_categorical or column.n_distinct == 1 or is_short
    return repeats and are_integers(column.numbers[~np.isnan(column.numbers)])


def _id_column(columns: list[Column], first: str, has_header: bool) -> str:
    """Return the column that names the samples: by its name, or a first one of distinct names."""
    usual = [c for c in columns if c.name == first and has_header and _lower_name(c) in ID_NAMES]
    ids = [c for c in columns if is_id_name(c.name) and c.is_unique]
    names = [c for c in columns if c.name == first and (_are_names(c) or _are_row_numbers(c))]
    return next((c.name for c in (*usual, *ids, *names) if c.kind != "empty"), "")


def _are_names(column: Column) -> bool:
    """Return whether the cells are distinct names."""
    return column.kind == "words" and column.is_unique


def _are_row_numbers(column: Column) -> bool:
    """Return whether the cells are 0, 1, 2, ... or 1, 2, 3, ... in any order."""
    if len(column) < LEAST_NUMBERED_ROWS or not (column.is_integer and column.is_unique):
        return False
    least, most = column.numbers.min(), column.numbers.max()
    return least in (0, 1) and most == least + len(column) - 1


def _assign_features(roles: Roles, columns: Iterable[Column], options: ReadOptions) -> None:
    """Use the remaining columns as features, or leave them out with a reason."""
    # Beside texts, or if the features are listed, all others are metadata only.
    metadata_only = bool(roles.text) or options.features is not None
    for column in columns:
        reason = _reason_to_leave_out(column, metadata_only, options)
        if reason is None:
            _assign_feature(roles, column)
        else:
            roles.left_out[column.name] = reason


def _reason_to_leave_out(column: Column, metadata_only: bool, options: ReadOptions) -> str | None:
    """Return why a column is not a feature; None if it is one."""
    if column.kind == "empty":
        return "empty"
    if column.kind == "dates":
        return None if options.dates and options.features is None else "dates"
    if column.kind == "other":
        return "lists or objects"
    if column.kind == "numbers" and _is_time(column):
        return "times"
    if metadata_only:
        return ""
    if is_id_name(column.name):
        return "ids"
    if column.kind == "words" and not column.is_categorical:
        is_constant = column.n_distinct == 1
        return "always the same" if is_constant else f"{column.n_distinct:,} different values"
    return None


def _is_time(column: Column) -> bool:
    """Return whether numbers are times, by their column name and size."""
    words = _lower_name(column).replace("-", "_").replace(" ", "_").split("_")
    has_time_name = any(word in TIME_NAMES for word in words)
    return has_time_name and column.is_integer and bool((column.numbers > LEAST_TIME).all())


def _lower_name(column: Column) -> str:
    """Return the name of a column in lower case, without surrounding blanks."""
    return column.name.strip().lower()
