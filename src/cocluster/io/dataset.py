"""Data as read from a file or fetched by name: views, names, labels, and what to know of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from cocluster.data.containers import Table, as_table
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.linalg.positions import positions_of
from cocluster.linalg.types import Array, InMemory
from cocluster.preprocessing.counting import WordCounter
from cocluster.utils.html import markup, small_table, tag
from cocluster.utils.text import shorten

# Names that a line shows of each kind of column: whoever wants all has the value itself.
SHOWN = 5


def some(names: Iterable[str], shown: int = SHOWN) -> str:
    """The first few of some names, and how many there are if that is not all.

    >>> some(["a", "b"]), some("abcdefg", 3)
    ('a, b', 'a, b, c, ... (7 in all)')
    """
    every = list(names)
    more = f", ... ({len(every):,} in all)" if len(every) > shown else ""
    return ", ".join(map(shorten, every[:shown])) + more


@dataclass(frozen=True)
class Reading:
    """Which part of a file was taken for what.

    Attributes
    ----------
    id, title, label : str
        Columns (or keys, variables, ...) of the names, titles and classes; empty without one.
        Classes are kept for comparison and never used.
    text : tuple of str
        Columns whose words are counted.
    numbers, categories : tuple of str
        Columns of numbers, and of words that become one column for each value.
    entries : tuple of str
        Of a long file the columns of sample, feature, value and view.
    left_out : mapping of str to str
        Columns that take no part, and why; `Dataset.metadata` has them still.
    details : tuple of str
        What else was found: a decimal comma, a sheet, a file without a header.
    counting : str
        How words were counted, see `cocluster.preprocessing.WordCounter.told`.

    Examples
    --------
    >>> reading = Reading(id="doc_id", text=("body",), label="topic", left_out={"date": "dates"})
    >>> reading.summary()
    'id: doc_id · text: body · classes: topic (not used) · left out: date (dates)'
    >>> Reading.from_json(reading.to_json()) == reading
    True
    """

    id: str = ""
    title: str = ""
    text: tuple[str, ...] = ()
    label: str = ""
    numbers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    details: tuple[str, ...] = ()
    counting: str = ""

    def summary(self) -> str:
        """What was taken for what, in one line; empty if there is nothing to tell."""
        left_out = [f"{name} ({why})" if why else name for name, why in self.left_out.items()]
        entries = [shorten(name) for name in self.entries]
        parts = {
            "id": shorten(self.id),
            "title": shorten(self.title),
            "text": some(self.text),
            "entries": " x ".join(entries[:2]) + "".join(f", {e}" for e in entries[2:]),
            "numbers": some(self.numbers),
            "categories": some(self.categories),
            "classes": f"{shorten(self.label)} (not used)" if self.label else "",
            "left out": some(left_out),
        }
        named = [f"{what}: {names}" for what, names in parts.items() if names]
        return " · ".join([*named, *self.details])

    def to_json(self) -> dict[str, Any]:
        """Plain values, from which `from_json` makes the same."""
        return asdict(self)

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Reading:
        """What `to_json` saved, also after JSON has made lists of its tuples."""
        values: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in saved.items()
        }
        return cls(**values)


# The type of the rows in `Dataset.data`, after which no view can be called.
CENTER = "samples"


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """One or more views of the same samples, with whatever names and classes came with them.

    `read` and `fetch` return it. Give ``dataset.data`` to ``fit``, or ``dataset.X`` if there is
    one view; compare the labels found with ``dataset.labels``.

    Attributes
    ----------
    name : str
        Of the file or of the entry, without ending.
    views : mapping of name to matrix of shape (n_present_samples, n_features)
        As stored, so missing values are NaN still.
    labels : int array of shape (n_samples,) or None
        Classes, counted from 0; -1 where unknown. For evaluation only.
    class_names : array or None
        Name of each class, in the order of their codes.
    sample_names : array of shape (n_samples,) or None
        Ids or file names of the samples.
    feature_names : mapping of view to array
        Where known.
    present : mapping of view to int array
        Samples that a view's rows describe, for views that lack some.
    masks : mapping of name to bool array
        Subsets of samples or of features, such as ``train38`` or ``keep1999``.
    extras : mapping of name to array
        Whatever else came along, such as a second labelling.
    notes : tuple of str
        What the user should know: oddities of the data, or how a file had to be read.
    info : mapping of str to str
        Origin and licence, where known.
    reading : Reading
        How a file was read; ``dataset.reading.summary()`` says it in one line.
    texts, titles : object array of shape (n_samples,) or None
        Texts whose words are counted, as they were read, and titles or subjects.
    metadata : mapping of name to array of shape (n_samples,)
        Columns that take no part, such as dates: to be shown beside the samples.
    feature_metadata : mapping of view to mapping of name to array of shape (n_features,)
        What is known of the features of a view, such as the chromosome of a gene: to be shown
        beside them.
    counter : WordCounter, other vectorizer, or None
        What counted the words; its ``transform`` counts those of new texts in the same way.

    Examples
    --------
    >>> dataset = Dataset("toy", {"X": np.eye(3)}, labels=np.array([0, 1, 1]))
    >>> dataset
    Dataset(toy; samples: 3, X: 3; 2 classes)
    >>> dataset.select([2, 0]).labels.tolist()
    [1, 0]
    """

    name: str
    views: Mapping[str, InMemory]
    labels: Array | None = None
    class_names: Array | None = None
    sample_names: Array | None = None
    feature_names: Mapping[str, Array] = field(default_factory=dict)
    present: Mapping[str, Array] = field(default_factory=dict)
    masks: Mapping[str, Array] = field(default_factory=dict)
    extras: Mapping[str, Array] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    info: Mapping[str, str] = field(default_factory=dict)
    reading: Reading = field(default_factory=Reading)
    texts: Array | None = None
    titles: Array | None = None
    metadata: Mapping[str, Array] = field(default_factory=dict)
    feature_metadata: Mapping[str, Mapping[str, Array]] = field(default_factory=dict)
    counter: Any = None

    def __post_init__(self) -> None:
        if not self.views:
            raise ValueError(f"Data set {self.name!r} has no views; pass at least one matrix.")
        n = len(self)
        if CENTER in self.views:
            raise ValueError(
                f"A view of {self.name!r} is called {CENTER!r}, as its rows are; rename the view."
            )
        for view, matrix in self.views.items():
            if view not in self.present and matrix.shape[0] != n:
                raise ValueError(
                    f"View {view!r} of {self.name!r} has {matrix.shape[0]} rows but there are {n} "
                    "samples; every view must have a row for each sample."
                )
        of_samples = {
            "labels": self.labels,
            "sample names": self.sample_names,
            "texts": self.texts,
            "titles": self.titles,
        } | {f"cells of {name!r}": column for name, column in self.metadata.items()}
        for what, values in of_samples.items():
            if values is not None and len(values) != n:
                raise ValueError(
                    f"{self.name!r} has {n} samples but {len(values)} {what}; give one for each."
                )
        for view, columns in self.feature_metadata.items():
            m = self.views[view].shape[1] if view in self.views else 0
            for name, column in columns.items():
                if len(column) != m:
                    raise ValueError(
                        f"View {view!r} of {self.name!r} has {m} features but {len(column)} cells "
                        f"of {name!r}; give one for each."
                    )

    def __len__(self) -> int:
        # A view that lacks samples has fewer rows; without a complete one, the last sample that is
        # described tells how many there are.
        complete = [matrix for view, matrix in self.views.items() if view not in self.present]
        if complete:
            return int(complete[0].shape[0])
        return 1 + max(int(rows.max(initial=-1)) for rows in self.present.values())

    @property
    def X(self) -> InMemory:
        """The matrix of a data set that has only one view."""
        if len(self.views) > 1:
            raise AttributeError(
                f"{self.name!r} has the views {', '.join(self.views)}; use views[name], or data."
            )
        return next(iter(self.views.values()))

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 without labels."""
        return 0 if self.labels is None else int(self.labels.max(initial=-1)) + 1

    @property
    def data(self) -> RelationalData:
        """The views as a star around the samples, ready to be co-clustered."""
        relations = [
            Relation(matrix, CENTER, view, row_index=self.present.get(view))
            for view, matrix in self.views.items()
        ]
        names = dict(self.feature_names)
        if self.sample_names is not None:
            names[CENTER] = self.sample_names
        return RelationalData(tuple(relations), CENTER, names)

    def select(self, samples: Any) -> Dataset:
        """The samples of a mask or of positions, in the order given; classes keep their codes."""
        positions = np.arange(len(self))[samples]
        chosen = {name: self._view_rows(name, positions) for name in self.views}
        return replace(
            self,
            views={name: matrix for name, (matrix, _) in chosen.items()},
            present={name: rows for name, (_, rows) in chosen.items() if rows is not None},
            labels=_rows_of(self.labels, positions),
            sample_names=_rows_of(self.sample_names, positions),
            texts=_rows_of(self.texts, positions),
            titles=_rows_of(self.titles, positions),
            metadata={name: column[positions] for name, column in self.metadata.items()},
            masks=self._of_samples(self.masks, positions),
            extras=self._of_samples(self.extras, positions),
        )

    def of_classes(self, classes: Sequence[str]) -> Dataset:
        """The samples of some classes, which are numbered in the order given."""
        if self.labels is None or self.class_names is None:
            raise ValueError(f"{self.name!r} has no named classes to choose from.")
        known = {str(name): code for code, name in enumerate(self.class_names)}
        unknown = [name for name in classes if name not in known]
        if unknown:
            raise ValueError(
                f"{self.name!r} has no class {unknown[0]!r}; its classes are {', '.join(known)}."
            )
        code = np.full(len(known) + 1, -1)  # the last place is for samples of unknown class
        code[[known[name] for name in classes]] = np.arange(len(classes))
        labels = code[self.labels]
        subset = replace(self, labels=labels, class_names=np.array(classes))
        return subset.select(labels >= 0)

    def canonical_order(self) -> Array:
        """Positions that order samples by what they are, not by where they stand in a file.

        By text and name, where there are; otherwise as they are. Methods that draw at random give
        the same clusters for the same samples only if these come in the same order.

        Examples
        --------
        >>> names = np.array(["b", "a"], dtype=object)
        >>> Dataset("toy", {"X": np.eye(2)}, sample_names=names).canonical_order()
        array([1, 0])
        """
        known = [values for values in (self.texts, self.sample_names) if values is not None]
        keys = [tuple(str(values[i]) for values in known) for i in range(len(self))]
        return np.array(sorted(range(len(self)), key=keys.__getitem__), dtype=np.intp)

    def with_view(self, name: str, given: Any) -> Dataset:
        """The same samples with one more view, such as sentence embeddings beside words.

        Parameters
        ----------
        name : str
            Of the view.
        given : matrix, frame, Dataset of one view, or callable
            A callable gets the list of texts, without mail headers and shared lines unless those
            are counted, and returns one row for each, as `cocluster.preprocessing.sentence_model`
            does. Rows of a frame with an index and of a
            data set with names are matched by name, and may lack samples; others by position.

        Examples
        --------
        >>> texts = np.array(["one", "two words"], dtype=object)
        >>> dataset = Dataset("toy", {"words": np.eye(2)}, texts=texts)
        >>> dataset.with_view("length", lambda texts: [[len(text)] for text in texts])
        Dataset(toy; samples: 2, words: 2, length: 1; 0 classes)
        """
        if name in self.views:
            raise ValueError(f"{self.name!r} has a view {name!r} already; choose another name.")
        table = self._table(name, given)
        matrix: InMemory = table.matrix
        present, how = None, "position"
        if table.row_ids is not None and self.sample_names is not None:
            rows, present = self._matched(name, table.row_ids)
            matrix, how = matrix[rows], "name"
        elif matrix.shape[0] != len(self):
            raise ValueError(
                f"View {name!r} has {matrix.shape[0]:,} rows but {self.name!r} {len(self):,} "
                "samples; give one row for each sample, in the same order, or rows with names."
            )
        features = {} if table.column_names is None else {name: table.column_names}
        detail = f"{name}: rows matched by {how}"
        return replace(
            self,
            views={**self.views, name: matrix},
            present={**self.present, **({} if present is None else {name: present})},
            feature_names={**self.feature_names, **features},
            reading=replace(self.reading, details=(*self.reading.details, detail)),
        )

    def _table(self, name: str, given: Any) -> Table:
        """Matrix of a view and names of its rows and columns."""
        if callable(given):
            return as_table(given(self._texts_for(name)), name)
        if isinstance(given, Dataset):
            view = next(iter(given.views))
            return Table(given.X, given.sample_names, given.feature_names.get(view))
        return as_table(given, name)

    def _texts_for(self, name: str) -> list[str]:
        """Texts from which a view is made."""
        if self.texts is None:
            raise ValueError(f"{self.name!r} has no texts to make {name!r} of; give a matrix.")
        # A header may name the very group that is looked for.
        if isinstance(self.counter, WordCounter):
            return self.counter.bodies(self.texts)
        return list(self.texts)

    def _matched(self, name: str, ids: Array) -> tuple[Array, Array | None]:
        """Rows of a view in the order of the samples, and which samples these are (None: all)."""
        row = {str(key): i for i, key in enumerate(ids)}
        if len(row) < len(ids):
            raise ValueError(f"View {name!r} has several rows of one name; keep one for each.")
        names = [] if self.sample_names is None else list(map(str, self.sample_names))
        if len(set(names)) < len(names):
            raise ValueError(
                f"Samples of {self.name!r} share names, so the rows of {name!r} cannot be matched; "
                "give a matrix without names, in the same order."
            )
        present = np.array([i for i, key in enumerate(names) if key in row], dtype=np.intp)
        if len(present) == 0:
            raise ValueError(
                f"View {name!r} has no row for any sample of {self.name!r}: its first is called "
                f"{ids[0]!r}, the first sample {names[0]!r}."
            )
        rows = np.array([row[names[i]] for i in present], dtype=np.intp)
        return rows, None if len(present) == len(names) else present

    def _view_rows(self, view: str, positions: Array) -> tuple[InMemory, Array | None]:
        """Rows of a view for the chosen samples, and which of these it describes (None: all)."""
        if view not in self.present:
            return self.views[view][positions], None
        rows = positions_of(self.present[view], len(self))[positions]
        return self.views[view][rows[rows >= 0]], np.flatnonzero(rows >= 0)

    def _of_samples(self, arrays: Mapping[str, Array], positions: Array) -> dict[str, Array]:
        """Arrays with one entry for each sample cut to the chosen ones, others as they are."""
        n = len(self)
        return {k: v[positions] if v.shape[:1] == (n,) else v for k, v in arrays.items()}

    def _repr_html_(self) -> str:
        rows = [
            [name, f"{X.shape[0]:,}", f"{X.shape[1]:,}", name in self.feature_names]
            for name, X in self.views.items()
        ]
        table = small_table(self.name, ["view", "samples", "features", "named"], rows)
        classes = f"{self.n_classes} classes, not used" if self.n_classes else ""
        told = filter(None, [self.reading.summary(), self.reading.counting, classes, *self.notes])
        return str(markup(table, [tag("p", line) for line in told]))

    def __repr__(self) -> str:
        views = ", ".join(f"{shorten(view)}: {X.shape[1]}" for view, X in self.views.items())
        return f"Dataset({self.name}; samples: {len(self)}, {views}; {self.n_classes} classes)"


def _rows_of(values: Array | None, positions: Array) -> Array | None:
    """Entries at some positions, of an array that may be missing."""
    return None if values is None else values[positions]
