"""Data sets as `read` and `fetch` return them: views, names, class labels and notes."""

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
from cocluster.preprocessing.texts import WordCounter
from cocluster.utils.html import markup, small_table, tag
from cocluster.utils.text import as_float, is_missing, shorten

# Number of names that a message lists before it says how many there are.
LISTED_NAMES = 5


def list_names(names: Iterable[str], limit: int = LISTED_NAMES) -> str:
    """List the first names for a message, and their number if there are more than ``limit``.

    >>> list_names(["a", "b"]), list_names("abcdefg", 3)
    ('a, b', 'a, b, c, ... (7 in all)')
    """
    names = list(names)
    more = f", ... ({len(names):,} in all)" if len(names) > limit else ""
    return ", ".join(map(shorten, names[:limit])) + more


def object_array(values: Sequence[Any]) -> Array:
    """Return a one-dimensional array of objects, one for each value."""
    # np.array would turn lists into a second dimension.
    return np.fromiter(values, dtype=object, count=len(values))


def encode_labels(values: Sequence[Any] | None) -> tuple[Array | None, Array | None]:
    """Return class codes and class names, numbers by size and words by alphabet; -1 if missing.

    Returns None twice if there are no values. A class -1 means an unknown class, as in
    scikit-learn, unless the classes are -1, 0 and 1 or two of them, or others are negative, too.
    """
    if values is None:
        return None, None
    texts = ["" if is_missing(value) else format_name(value) for value in values]
    names = sorted({text for text in texts if text}, key=_numeric_order)
    negative = [name for name in names if _numeric_order(name)[0] < 0]
    if negative == ["-1"] and not set(names) <= {"-1", "0", "1"}:
        names.remove("-1")
    code = {name: i for i, name in enumerate(names)}
    return np.array([code.get(text, -1) for text in texts]), np.array(names, dtype=object)


def _numeric_order(text: str) -> tuple[float, str]:
    """Return a sort key that orders numbers by size and puts them before words."""
    try:
        number = as_float(text)
    except ValueError:
        return np.inf, text
    # A class may be called "nan", which compares with no number: the order would be arbitrary.
    return (number if np.isfinite(number) else np.inf), text


def format_name(value: Any) -> str:
    """Return the name of a class or a sample; integers are written without a decimal point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


@dataclass(frozen=True)
class Reading:
    """Summary of how a file was read: the role of each column.

    Attributes
    ----------
    id, title, label : str
        Columns (or keys, variables, ...) of the names, titles and classes; empty if there is none.
        Classes are kept for comparison and never used.
    text : tuple of str
        Columns whose words are counted.
    numbers, categories : tuple of str
        Columns of numbers, and columns of categories, which are one-hot encoded.
    entries : tuple of str
        Columns of sample, feature, value and view, if the file has one entry in each row.
    left_out : mapping of str to str
        Columns that are not used, with the reason; `Dataset.metadata` holds their cells.
    details : tuple of str
        Other findings: a decimal comma, the name of the sheet, a missing header.
    counting : str
        How words were counted, see `cocluster.preprocessing.WordCounter.summary`.

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
        """Return the role of each column in one line; empty if no column has a role."""
        left_out = [f"{name} ({why})" if why else name for name, why in self.left_out.items()]
        entries = [shorten(name) for name in self.entries]
        columns_by_role = {
            "id": shorten(self.id),
            "title": shorten(self.title),
            "text": list_names(self.text),
            "entries": " x ".join(entries[:2]) + "".join(f", {e}" for e in entries[2:]),
            "numbers": list_names(self.numbers),
            "categories": list_names(self.categories),
            "classes": f"{shorten(self.label)} (not used)" if self.label else "",
            "left out": list_names(left_out),
        }
        roles = [f"{role}: {columns}" for role, columns in columns_by_role.items() if columns]
        return " · ".join([*roles, *self.details])

    def to_json(self) -> dict[str, Any]:
        """Return plain values, from which `from_json` restores the summary."""
        return asdict(self)

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Reading:
        """Restore a summary from the values of `to_json`, in which JSON made lists of tuples."""
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in saved.items()
        }
        return cls(**fields)


# Name of the row type in `Dataset.data`; no view can have this name.
CENTER = "samples"


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """One or more views of the same samples, with their names and classes.

    `read` and `fetch` return it. Give ``dataset.data`` to ``fit``, or ``dataset.X`` if there is
    one view; compare the labels found with ``dataset.labels``.

    Attributes
    ----------
    name : str
        Name of the file without its ending, or of the fetched data set.
    views : mapping of name to matrix of shape (n_present_samples, n_features)
        Values as stored; missing values are NaN.
    labels : int array of shape (n_samples,) or None
        Classes, counted from 0; -1 where unknown. For evaluation only.
    class_names : array or None
        Name of each class, in the order of their codes.
    sample_names : array of shape (n_samples,) or None
        Ids or file names of the samples.
    feature_names : mapping of view to array
        Names of the features, for views that have them.
    present : mapping of view to int array
        Positions of the samples that the rows of a view describe, for views that lack samples.
    masks : mapping of name to bool array
        Subsets of samples or of features, such as ``train38`` or ``keep1999``.
    extras : mapping of name to array
        Further arrays of the source, such as a second labelling.
    notes : tuple of str
        Warnings for the user: oddities of the data, or how a file had to be read.
    info : mapping of str to str
        Origin and licence of the data, if known.
    reading : Reading
        How a file was read; ``dataset.reading.summary()`` describes it in one line.
    texts, titles : object array of shape (n_samples,) or None
        Texts whose words are counted, as they were read, and titles or subjects.
    metadata : mapping of name to array of shape (n_samples,)
        Columns that are not clustered by, such as dates; reports show them beside the samples.
    feature_metadata : mapping of view to mapping of name to array of shape (n_features,)
        Annotations of the features of a view, such as the chromosome of a gene; reports show them
        beside the features.
    counter : WordCounter, other vectorizer, or None
        The fitted word counter; its ``transform`` counts the words of new texts in the same way.

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
        sample_arrays = {
            "labels": self.labels,
            "sample names": self.sample_names,
            "texts": self.texts,
            "titles": self.titles,
        } | {f"cells of {name!r}": column for name, column in self.metadata.items()}
        for kind, values in sample_arrays.items():
            if values is not None and len(values) != n:
                raise ValueError(
                    f"{self.name!r} has {n} samples but {len(values)} {kind}; give one for each."
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
        for view, matrix in self.views.items():
            if view not in self.present:
                return int(matrix.shape[0])
        # Every view lacks samples; the last sample that a view describes determines the number.
        return 1 + max(int(rows.max(initial=-1)) for rows in self.present.values())

    @property
    def X(self) -> InMemory:
        """Return the matrix of a data set that has only one view."""
        if len(self.views) > 1:
            raise AttributeError(
                f"{self.name!r} has the views {', '.join(self.views)}; use views[name], or data."
            )
        return next(iter(self.views.values()))

    @property
    def n_classes(self) -> int:
        """Return the number of classes; 0 without labels."""
        return 0 if self.labels is None else int(self.labels.max(initial=-1)) + 1

    @property
    def data(self) -> RelationalData:
        """Return the views as a star around the samples, ready to be co-clustered."""
        relations = [
            Relation(matrix, CENTER, view, row_index=self.present.get(view))
            for view, matrix in self.views.items()
        ]
        names = dict(self.feature_names)
        if self.sample_names is not None:
            names[CENTER] = self.sample_names
        return RelationalData(tuple(relations), CENTER, names)

    def select(self, samples: Any) -> Dataset:
        """Return the samples of a mask or of positions, in that order; classes keep their codes."""
        positions = np.arange(len(self))[samples]
        views = {name: self._view_rows(name, positions) for name in self.views}
        sample_arrays = {
            name: values[positions]
            for name in ("labels", "sample_names", "texts", "titles")
            if (values := getattr(self, name)) is not None
        }
        return replace(
            self,
            views={name: matrix for name, (matrix, _) in views.items()},
            present={name: rows for name, (_, rows) in views.items() if rows is not None},
            metadata={name: column[positions] for name, column in self.metadata.items()},
            masks=self._sample_entries(self.masks, positions),
            extras=self._sample_entries(self.extras, positions),
            **sample_arrays,
        )

    def of_classes(self, classes: Sequence[str]) -> Dataset:
        """Return the samples of the named classes, which are numbered in the given order."""
        if self.labels is None or self.class_names is None:
            raise ValueError(f"{self.name!r} has no named classes to choose from.")
        codes = {str(name): code for code, name in enumerate(self.class_names)}
        unknown = [name for name in classes if name not in codes]
        if unknown:
            raise ValueError(
                f"{self.name!r} has no class {unknown[0]!r}; its classes are {', '.join(codes)}."
            )
        new_codes = np.full(len(codes) + 1, -1)  # the last entry is for samples of unknown class
        new_codes[[codes[name] for name in classes]] = np.arange(len(classes))
        labels = new_codes[self.labels]
        subset = replace(self, labels=labels, class_names=np.array(classes))
        return subset.select(labels >= 0)

    def canonical_order(self) -> Array:
        """Return the positions that sort the samples by text and name.

        Samples without texts and names keep their order. A method with random starts finds the
        same clusters for the same samples only if the samples come in the same order.

        Examples
        --------
        >>> names = np.array(["b", "a"], dtype=object)
        >>> Dataset("toy", {"X": np.eye(2)}, sample_names=names).canonical_order()
        array([1, 0])
        """
        columns = [values for values in (self.texts, self.sample_names) if values is not None]
        keys = [tuple(str(values[i]) for values in columns) for i in range(len(self))]
        return np.array(sorted(range(len(self)), key=keys.__getitem__), dtype=np.intp)

    def with_view(self, name: str, given: Any) -> Dataset:
        """Return the data set with one more view, such as sentence embeddings beside words.

        Parameters
        ----------
        name : str
            Name of the view.
        given : matrix, frame, Dataset of one view, or callable
            A callable gets the list of texts, without mail headers and shared lines unless those
            are counted, and returns one row for each, as `cocluster.preprocessing.sentence_model`
            does. Rows of a frame with an index and of a data set with names are matched by name,
            and may lack samples; others are matched by position.

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
        present, matched_by = None, "position"
        if table.row_ids is not None and self.sample_names is not None:
            rows, present = self._match_rows(name, table.row_ids)
            matrix, matched_by = matrix[rows], "name"
        elif matrix.shape[0] != len(self):
            raise ValueError(
                f"View {name!r} has {matrix.shape[0]:,} rows but {self.name!r} {len(self):,} "
                "samples; give one row for each sample, in the same order, or rows with names."
            )
        features = {} if table.column_names is None else {name: table.column_names}
        detail = f"{name}: rows matched by {matched_by}"
        return replace(
            self,
            views={**self.views, name: matrix},
            present={**self.present, **({} if present is None else {name: present})},
            feature_names={**self.feature_names, **features},
            reading=replace(self.reading, details=(*self.reading.details, detail)),
        )

    def _table(self, name: str, source: Any) -> Table:
        """Return the matrix of a view with the names of its rows and columns."""
        if isinstance(source, Dataset):
            view = next(iter(source.views))
            return Table(source.X, source.sample_names, source.feature_names.get(view))
        if not callable(source):
            return as_table(source, name)
        if self.texts is None:
            raise ValueError(f"{self.name!r} has no texts to make {name!r} of; give a matrix.")
        # A mail header may name the very group that is looked for.
        counts_bodies = isinstance(self.counter, WordCounter)
        texts = self.counter.bodies(self.texts) if counts_bodies else list(self.texts)
        return as_table(source(texts), name)

    def _match_rows(self, name: str, ids: Array) -> tuple[Array, Array | None]:
        """Return the rows of a view in sample order, and the samples they describe (None: all)."""
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
        """Return the rows of a view for samples, and the samples it describes (None: all)."""
        if view not in self.present:
            return self.views[view][positions], None
        rows = positions_of(self.present[view], len(self))[positions]
        return self.views[view][rows[rows >= 0]], np.flatnonzero(rows >= 0)

    def _sample_entries(self, arrays: Mapping[str, Array], positions: Array) -> dict[str, Array]:
        """Select entries of the arrays that have one for each sample; keep other arrays whole."""
        n = len(self)
        return {k: v[positions] if v.shape[:1] == (n,) else v for k, v in arrays.items()}

    def _repr_html_(self) -> str:
        rows = [
            [name, f"{X.shape[0]:,}", f"{X.shape[1]:,}", name in self.feature_names]
            for name, X in self.views.items()
        ]
        table = small_table(self.name, ["view", "samples", "features", "named"], rows)
        classes = f"{self.n_classes} classes, not used" if self.n_classes else ""
        lines = [self.reading.summary(), self.reading.counting, classes, *self.notes]
        return str(markup(table, [tag("p", line) for line in lines if line]))

    def __repr__(self) -> str:
        views = ", ".join(f"{shorten(view)}: {X.shape[1]}" for view, X in self.views.items())
        return f"Dataset({self.name}; samples: {len(self)}, {views}; {self.n_classes} classes)"
