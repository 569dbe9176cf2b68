"""Tables of any file as a data set: words, numbers and categories as views."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.io.dataset import Dataset, Reading, some
from cocluster.io.readers.archives import PLACE_BYTES, allowed, refuse_bytes
from cocluster.io.readers.common import encode_labels
from cocluster.io.readers.infer import Roles, long_columns, read_long, roles_of
from cocluster.io.readers.options import ReadOptions
from cocluster.io.readers.table import Column, Rows, refuse_twice
from cocluster.io.readers.texts import Counted, counted
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.optional import library
from cocluster.utils.text import quote


def read_parquet(file: Path, asked: ReadOptions) -> Rows:
    """Table of a parquet file; its rows are counted from 1."""
    pyarrow = library("pyarrow", "parquet files", "parquet")
    parquet = library("pyarrow.parquet", "parquet files", "parquet")
    with wrap_read_errors(file.name, pyarrow.ArrowException, OSError, ValueError):
        with parquet.ParquetFile(file) as opened:
            size = opened.metadata.num_rows * opened.metadata.num_columns
        # A column of equal values takes next to nothing in the file.
        refuse_bytes(file, "unpacks to", size * PLACE_BYTES, allowed(file, asked.max_bytes))
        table = parquet.read_table(file)
        refuse_twice(file.name, table.column_names)
        columns = {
            name: Column(name, column.to_numpy())
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
    return Rows(file.name, columns, range(1, table.num_rows + 1), counted="row")


def dataset_of(rows: Rows, asked: ReadOptions, vectorizer: Any) -> Dataset:
    """Data set of a table, wide or long."""
    if not rows.columns:
        raise ValueError(f"{rows.file} has no columns.")
    if len(rows) == 0:
        raise ValueError(f"{rows.file} has no rows.")
    entries = long_columns(rows, asked)
    if entries is not None:
        return read_long(rows, entries)
    return Wide(rows, roles_of(rows, asked), asked).dataset(vectorizer)


@dataclass(frozen=True, eq=False)
class Wide:
    """A table of one row for each sample, whose columns have roles."""

    rows: Rows
    roles: Roles
    asked: ReadOptions

    def dataset(self, vectorizer: Any) -> Dataset:
        """Data set with a view for each kind of column."""
        views: dict[str, InMemory] = {}
        names: dict[str, Array] = {}
        words = self._words(vectorizer)
        if words is not None:
            views["words"], names["words"] = words.X, words.words
        if self.roles.numbers:
            views["X"] = self._numbers()
            if self.rows.named:
                names["X"] = np.array(self.roles.numbers, dtype=object)
        if self.roles.categories or self.roles.dates:
            views["categories"], names["categories"] = self._categories()
        if not views:
            raise ValueError(
                f"{self.rows.file} has no columns of numbers, categories or texts to cluster by; "
                f"found: {self._reading('').summary()}."
            )
        return self._dataset(views, names, words)

    def _dataset(
        self, views: dict[str, InMemory], names: dict[str, Array], words: Counted | None
    ) -> Dataset:
        """Data set of views."""
        rows, roles = self.rows, self.roles
        labels, classes = encode_labels(rows.columns[roles.label].texts if roles.label else None)
        titles = rows.columns[roles.title].texts if roles.title else None
        texts = words.texts if words else None
        return Dataset(
            rows.file.split(".")[0],
            views,
            labels=labels,
            class_names=classes,
            sample_names=self._ids(),
            feature_names=names,
            notes=(*rows.notes, *(words.notes if words else ()), *self._notes()),
            reading=self._reading(words.told if words else ""),
            texts=_objects(texts),
            titles=_objects(titles if titles or not words else words.titles),
            metadata={name: rows.columns[name].plain for name in roles.left_out},
            counter=words.counter if words else None,
        )

    def _reading(self, counting: str) -> Reading:
        """What was taken for what."""
        roles = self.roles
        binned = [f"{name} (by {self.asked.dates})" for name in roles.dates]
        return Reading(
            id=roles.id,
            title=roles.title,
            text=tuple(roles.text),
            label=roles.label,
            numbers=tuple(roles.numbers),
            categories=(*roles.categories, *binned),
            left_out=roles.left_out,
            details=self.rows.details,
            counting=counting,
        )

    def _ids(self) -> Array | None:
        """Names of the samples; those of texts without names are their lines."""
        if self.roles.id:
            return _objects(self.rows.columns[self.roles.id].texts)
        return _objects([str(line) for line in self.rows.lines]) if self.roles.text else None

    def _words(self, vectorizer: Any) -> Counted | None:
        """Words of the columns of texts, counted together."""
        cells = [self.rows.columns[name].texts for name in self.roles.text]
        if not cells:
            return None
        joined = ["\n\n".join(filter(None, parts)) for parts in zip(*cells, strict=True)]
        return counted(self.rows.file, joined, self._ids(), vectorizer)

    def _numbers(self) -> Array:
        """Columns of numbers side by side."""
        columns = [self.rows.columns[name] for name in self.roles.numbers]
        for column in columns:
            if column.kind not in ("numbers", "empty"):
                place = column.first_that_is_no_number()
                raise ValueError(
                    f"{self.rows.line(place)}: {quote(column.cells[place])} in column "
                    f"{quote(column.name)} is not a number; mend it, or name the column by "
                    "label=, categories= or drop=."
                )
        return np.stack([column.numbers for column in columns], axis=1)

    def _categories(self) -> tuple[sp.csr_array, Array]:
        """A column for each value of each column, with 1 where a row has it; and their names."""
        columns = self.rows.columns
        cells = {name: columns[name].texts for name in self.roles.categories}
        cells |= {name: self._binned(columns[name]) for name in self.roles.dates}
        parts, names = [], []
        for name, texts in cells.items():
            values, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
            one_hot = sp.csr_array((np.ones(len(codes)), (np.arange(len(codes)), codes)))
            known = np.flatnonzero(values != "")  # a row without a value has none of them
            parts.append(one_hot[:, known])
            names += [f"{name}={values[j]}" for j in known]
        return sp.hstack(parts, format="csr"), np.array(names, dtype=object)

    def _binned(self, column: Column) -> list[str]:
        """Dates by year, month or day."""
        if self.asked.dates is None:
            raise ValueError(
                f"{self.rows.file}: column {quote(column.name)} holds dates; say how to group "
                "them by dates='year', 'month' or 'day'."
            )
        try:
            return column.binned(self.asked.dates)
        except ValueError as error:
            raise ValueError(f"{self.rows.file}: {error}") from None

    def _notes(self) -> list[str]:
        """What the user should know of the columns."""
        columns, notes = self.rows.columns, []
        missing = {name: int(np.isnan(columns[name].numbers).sum()) for name in self.roles.numbers}
        missing = {name: count for name, count in missing.items() if count}
        if missing:
            # Where most are missing first.
            named = sorted(missing, key=lambda name: -missing[name])
            shown = some(f"{name}: {missing[name]:,}" for name in named)
            notes.append(
                f"Numbers are missing ({shown}); fill them in, or leave columns out by drop=."
            )
        if self.roles.id and not columns[self.roles.id].is_unique:
            counts = Counter(columns[self.roles.id].texts)
            twice = some(repr(name) for name, count in counts.items() if count > 1)
            notes.append(f"Names in column {quote(self.roles.id)} come more than once: {twice}.")
        return notes


def _objects(values: list[str] | None) -> Array | None:
    """Texts as an array of objects: numpy's own texts all take the room of the longest."""
    return None if values is None else np.array(values, dtype=object)
