"""Data as read from a file or fetched by name: views, names, labels, and what to know of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.linalg.positions import positions_of
from cocluster.linalg.types import Array, InMemory


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

    def __post_init__(self) -> None:
        if not self.views:
            raise ValueError(f"Data set {self.name!r} has no views; pass at least one matrix.")
        n = len(self)
        for view, matrix in self.views.items():
            if view not in self.present and matrix.shape[0] != n:
                raise ValueError(
                    f"View {view!r} of {self.name!r} has {matrix.shape[0]} rows but there are {n} "
                    "samples; every view must have a row for each sample."
                )
        for what, values in (("labels", self.labels), ("sample names", self.sample_names)):
            if values is not None and len(values) != n:
                raise ValueError(
                    f"{self.name!r} has {n} samples but {len(values)} {what}; give one for each."
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
            Relation(matrix, "samples", view, row_index=self.present.get(view))
            for view, matrix in self.views.items()
        ]
        names = dict(self.feature_names)
        if self.sample_names is not None:
            names["samples"] = self.sample_names
        return RelationalData(tuple(relations), "samples", names)

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

    def __repr__(self) -> str:
        views = ", ".join(f"{view}: {matrix.shape[1]}" for view, matrix in self.views.items())
        return f"Dataset({self.name}; samples: {len(self)}, {views}; {self.n_classes} classes)"


def _rows_of(values: Array | None, positions: Array) -> Array | None:
    """Entries at some positions, of an array that may be missing."""
    return None if values is None else values[positions]
