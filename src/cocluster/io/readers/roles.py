"""What each column of a wide table is for: told by the caller, else by its name and its cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from cocluster.io.readers.asked import Asked, finder, names_of
from cocluster.io.readers.columns import Column, are_whole
from cocluster.io.readers.common import LABEL_NAMES
from cocluster.io.readers.long import is_id_name
from cocluster.io.readers.rows import ID_NAMES, TEXT_NAMES, TITLE_NAMES, Rows

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


def roles_of(rows: Rows, asked: Asked) -> Roles:
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


def _asked_for(rows: Rows, asked: Asked) -> Roles:
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


def _place_rest(roles: Roles, columns: Iterable[Column], asked: Asked) -> None:
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


def _reason(column: Column, listed: bool, asked: Asked) -> str | None:
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
