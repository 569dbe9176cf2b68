"""Data sets of tables: words, numbers and categories of a wide table, or entries of a long one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from cocluster.io.dataset import (
    CENTER,
    Dataset,
    Reading,
    encode_labels,
    list_names,
    object_array,
)
from cocluster.io.files import split_lines
from cocluster.io.options import ReadOptions
from cocluster.io.tables.infer import Roles, entry_columns, infer_roles
from cocluster.io.tables.parse import Column, ParsedTable
from cocluster.linalg.types import Array, InMemory
from cocluster.preprocessing.boilerplate import split_mail
from cocluster.preprocessing.texts import WordCounter
from cocluster.utils.text import is_missing, quote


def build_dataset(table: ParsedTable, options: ReadOptions, vectorizer: Any) -> Dataset:
    """Build the data set of a table, wide or long."""
    if not table.columns:
        raise ValueError(f"{table.file} has no columns.")
    if len(table) == 0:
        raise ValueError(f"{table.file} has no rows.")
    columns = entry_columns(table, options)
    if columns is not None:
        return _build_long(table, columns)
    return _WideTable(table, infer_roles(table, options), options, vectorizer).dataset()


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Word counts of texts, and the counter that made them."""

    texts: list[str]
    X: sp.csr_array
    counter: Any

    @property
    def summary(self) -> str:
        """Return how the words were counted."""
        if isinstance(self.counter, WordCounter):
            return self.counter.summary()
        return type(self.counter).__name__

    @property
    def titles(self) -> list[str] | None:
        """Return the subjects of the texts if most of them are letters; else None."""
        subjects = [split_mail(text)[0].get("subject", "") for text in self.texts]
        return subjects if 2 * sum(map(bool, subjects)) > len(subjects) else None


def count_words(source: str, texts: list[str], vectorizer: Any) -> WordCounts:
    """Count the words of texts with a copy of the vectorizer, by default a `WordCounter`."""
    # A copy, because the vectorizer of the caller must stay unfitted.
    counter = WordCounter() if vectorizer is None else clone(vectorizer)
    texts = ["\n".join(split_lines(text)) for text in texts]
    try:
        X = sp.csr_array(counter.fit_transform(texts)).astype(np.float64)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from error
    return WordCounts(texts, X, counter)


@dataclass(frozen=True, eq=False)
class _WideTable:
    """Table with one row for each sample, whose columns have roles."""

    table: ParsedTable
    roles: Roles
    options: ReadOptions
    vectorizer: Any

    def dataset(self) -> Dataset:
        """Build the data set, with a view for each kind of column."""
        table, roles, words = self.table, self.roles, self._words
        views, feature_names = self._views()
        if not views:
            raise ValueError(
                f"{table.file} has no columns of numbers, categories or texts to cluster by; "
                f"found: {self._reading().summary()}."
            )
        labels, class_names = encode_labels(
            table.columns[roles.label].texts if roles.label else None
        )
        titles = table.columns[roles.title].texts if roles.title else None
        if not titles and words:
            titles = words.titles
        return Dataset(
            table.file.split(".")[0],
            views,
            labels=labels,
            class_names=class_names,
            sample_names=self._ids,
            feature_names=feature_names,
            notes=(*table.notes, *self._notes()),
            reading=self._reading(),
            texts=object_array(words.texts) if words else None,
            titles=None if titles is None else object_array(titles),
            metadata={name: table.columns[name].values for name in roles.left_out},
            counter=words.counter if words else None,
        )

    def _views(self) -> tuple[dict[str, InMemory], dict[str, Array]]:
        """Return the matrices of the views, and the names of their features."""
        views: dict[str, InMemory] = {}
        names: dict[str, Array] = {}
        if self._words is not None:
            views["words"] = self._words.X
            names["words"] = self._words.counter.get_feature_names_out()
        if self.roles.numbers:
            views["X"] = self._numbers()
            if self.table.has_header:
                names["X"] = np.array(self.roles.numbers, dtype=object)
        if self.roles.categories or self.roles.dates:
            views["categories"], names["categories"] = self._one_hot()
        return views, names

    def _reading(self) -> Reading:
        """Return the summary of how the table was read."""
        roles = self.roles
        dates = [f"{name} (by {self.options.dates})" for name in roles.dates]
        return Reading(
            id=roles.id,
            title=roles.title,
            text=tuple(roles.text),
            label=roles.label,
            numbers=tuple(roles.numbers),
            categories=(*roles.categories, *dates),
            left_out=roles.left_out,
            details=self.table.details,
            counting=self._words.summary if self._words else "",
        )

    @cached_property
    def _ids(self) -> Array | None:
        """Return the names of the samples; texts without names are called by their lines."""
        if self.roles.id:
            return object_array(self.table.columns[self.roles.id].texts)
        lines = [str(line) for line in self.table.lines]
        return object_array(lines) if self.roles.text else None

    @cached_property
    def _words(self) -> WordCounts | None:
        """Return the words of all columns of texts, counted together."""
        columns = [self.table.columns[name].texts for name in self.roles.text]
        if not columns:
            return None
        texts = ["\n\n".join(filter(None, cells)) for cells in zip(*columns, strict=True)]
        return count_words(self.table.file, texts, self.vectorizer)

    def _numbers(self) -> Array:
        """Return the matrix of the columns of numbers."""
        columns = [self.table.columns[name] for name in self.roles.numbers]
        for column in columns:
            _check_numbers(
                self.table,
                column,
                "mend it, or name the column by label=, categories= or drop=.",
            )
        return np.stack([column.numbers for column in columns], axis=1)

    def _one_hot(self) -> tuple[sp.csr_array, Array]:
        """Return the one-hot matrix of the categories, and the names of its columns."""
        columns = self.table.columns
        cells = {name: columns[name].texts for name in self.roles.categories}
        cells |= {name: self._date_bins(columns[name]) for name in self.roles.dates}
        blocks, names = [], []
        for name, texts in cells.items():
            values, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
            one_hot = sp.csr_array((np.ones(len(codes)), (np.arange(len(codes)), codes)))
            present = np.flatnonzero(values != "")  # a missing value is no category
            blocks.append(one_hot[:, present])
            names += [f"{name}={values[j]}" for j in present]
        return sp.hstack(blocks, format="csr"), np.array(names, dtype=object)

    def _date_bins(self, column: Column) -> list[str]:
        """Return dates by year, month or day."""
        if self.options.dates is None:
            raise ValueError(
                f"{self.table.file}: column {quote(column.name)} holds dates; say how to group "
                "them by dates='year', 'month' or 'day'."
            )
        try:
            return column.bin_dates(self.options.dates)
        except ValueError as error:
            raise ValueError(f"{self.table.file}: {error}") from None

    def _notes(self) -> list[str]:
        """Return notes on texts without words, missing numbers and repeated names."""
        columns, notes = self.table.columns, []
        if self._words is not None and self._ids is not None:
            empty = np.flatnonzero(np.diff(self._words.X.indptr) == 0)
            if len(empty):
                notes.append(
                    "No word of these texts is counted, so nothing tells where they belong: "
                    f"{list_names(str(self._ids[i]) for i in empty)}."
                )
        missing = {name: int(np.isnan(columns[name].numbers).sum()) for name in self.roles.numbers}
        missing = {name: count for name, count in missing.items() if count}
        if missing:
            most_first = sorted(missing, key=lambda name: -missing[name])
            counts = list_names(f"{name}: {missing[name]:,}" for name in most_first)
            notes.append(
                f"Numbers are missing ({counts}); fill them in, or leave columns out by drop=."
            )
        if self.roles.id and not columns[self.roles.id].is_unique:
            counts_by_name = Counter(columns[self.roles.id].texts)
            twice = list_names(repr(name) for name, count in counts_by_name.items() if count > 1)
            notes.append(f"Names in column {quote(self.roles.id)} come more than once: {twice}.")
        return notes


def _check_numbers(table: ParsedTable, column: Column, remedy: str) -> None:
    """Raise ValueError if a cell of a column is neither a number nor missing."""
    if column.kind not in ("numbers", "empty"):
        row = column.first_non_number()
        raise ValueError(
            f"{table.location(row)}: {quote(column.cells[row])} in column {quote(column.name)} "
            f"is not a number; {remedy}"
        )


def _build_long(table: ParsedTable, names: Sequence[str]) -> Dataset:
    """Build the data set of one entry a row; repeated entries are added, absent ones are zero."""
    sample, feature, *further = (table.columns[name] for name in names)
    values = _entry_values(table, further[0]) if further else np.ones(len(table))
    for key in (sample, feature):
        _refuse_missing_keys(table, key)
    samples, ids = _number_by_appearance(sample.cells)
    # Without a column of views, all entries belong to one view with the name of the features.
    only_view = feature.name if feature.name != CENTER else "X"
    entry_views = object_array(further[1].texts if len(further) > 1 else [only_view] * len(table))
    views, present, feature_names = {}, {}, {}
    for view in dict.fromkeys(entry_views.tolist()):
        in_view = entry_views == view
        view_samples, row = np.unique(samples[in_view], return_inverse=True)
        column, feature_names[view] = _number_by_appearance(feature.cells[in_view])
        shape = (len(view_samples), len(feature_names[view]))
        views[view] = sp.coo_array((values[in_view], (row, column)), shape).tocsr()
        if len(view_samples) < len(ids):
            present[view] = view_samples
    left_out = {name: "" for name in table.columns if name not in names}
    repeated = len(values) - sum(X.nnz for X in views.values())
    return Dataset(
        table.file.split(".")[0],
        views,
        sample_names=ids,
        feature_names=feature_names,
        present=present,
        notes=(*table.notes, *_entry_notes(values, repeated)),
        reading=Reading(entries=tuple(names), left_out=left_out, details=table.details),
    )


def _entry_values(table: ParsedTable, column: Column) -> Array:
    """Return the values of the entries, of which none may be missing."""
    _check_numbers(table, column, "name the columns of sample, feature and value by long=.")
    missing = np.flatnonzero(np.isnan(column.numbers))
    if len(missing):
        raise ValueError(
            f"{table.location(missing[0])}: there is no {column.name}; drop the line, as an entry "
            "that is not there counts as zero."
        )
    return column.numbers


def _number_by_appearance(values: Array) -> tuple[Array, Array]:
    """Return codes of values in the order of their first appearance, and the distinct values."""
    position: dict[str, int] = {}
    codes = [position.setdefault(name, len(position)) for name in values.astype(str).tolist()]
    return np.array(codes), np.array(list(position), dtype=object)


def _refuse_missing_keys(table: ParsedTable, column: Column) -> None:
    """Raise ValueError if an entry lacks its sample or its feature."""
    cells: Iterable[tuple[int, Any]] = enumerate(column.cells)
    row = next((i for i, cell in cells if is_missing(cell) or cell == ""), None)
    if row is not None:
        raise ValueError(
            f"{table.location(row)}: there is no {column.name}; drop the line or name it."
        )


def _entry_notes(values: Array, repeated: int) -> list[str]:
    """Return notes on repeated entries and on values of both signs."""
    notes = []
    if repeated:
        notes.append(f"{repeated:,} entries come more than once; they were added.")
    if (values < 0).any() and (values > 0).any():
        notes.append("Values have both signs; an entry that is not in the file counts as 0.")
    return notes
