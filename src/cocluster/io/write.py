"""Data sets as files of other kinds, which `read` gives back."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from cocluster.io.dataset import Dataset
from cocluster.linalg.matrices import as_dense, as_sparse
from cocluster.linalg.npz import sparse_parts
from cocluster.linalg.types import Array
from cocluster.utils.files import new_file
from cocluster.utils.text import as_json

# Cells of a table that people still open: beyond, a sparse format is the better one.
MOST_CELLS = 50_000_000


def write(dataset: Dataset, target: Path) -> None:
    """Write a data set, all of it or nothing; the ending tells the kind."""
    with new_file(target) as unfinished:
        WRITERS[target.suffix.lower()](dataset, unfinished)


def _npz(dataset: Dataset, file: Path) -> None:
    """All views, classes and names of features."""
    arrays: dict[str, Any] = {}
    for view, X in dataset.views.items():
        arrays |= sparse_parts(view, X) if sp.issparse(X) else {view: X}
        names = dataset.feature_names.get(view)
        if names is not None:
            arrays[f"{view}_names"] = np.array([str(name) for name in names])
    if dataset.labels is not None:
        arrays["y"] = dataset.labels
        if dataset.class_names is not None:
            arrays["class_names"] = np.array([str(name) for name in dataset.class_names])
    with file.open("wb") as opened:
        np.savez_compressed(opened, **arrays)


def _mtx(dataset: Dataset, file: Path) -> None:
    """The only view."""
    scipy.io.mmwrite(file, as_sparse(dataset.X).tocoo(), comment=dataset.name)


def _csv(dataset: Dataset, file: Path) -> None:
    """A table of all views: id, features, class."""
    total = len(dataset) * sum(X.shape[1] for X in dataset.views.values())
    if total > MOST_CELLS or dataset.present:
        raise ValueError(
            f"A table of {dataset} would have {total:,} cells, or empty ones; write .npz instead."
        )
    columns = [name for view in dataset.views for name in _features(dataset, view)]
    ids = range(len(dataset)) if dataset.sample_names is None else dataset.sample_names
    rows = np.hstack([as_dense(X) for X in dataset.views.values()]).tolist()
    classes = _classes(dataset)
    with file.open("w", newline="", encoding="utf-8", errors="backslashreplace") as opened:
        writer = csv.writer(opened)
        writer.writerow(["id", *columns, *(["class"] if classes else [])])
        for i, (name, row) in enumerate(zip(ids, rows, strict=True)):
            writer.writerow([name, *row, *([classes[i]] if classes else [])])


def _jsonl(dataset: Dataset, file: Path) -> None:
    """Texts with their ids, titles and classes; without texts the features that are not zero."""
    with file.open("w", encoding="utf-8") as opened:
        opened.writelines(f"{as_json(record)}\n" for record in _records(dataset))


def _records(dataset: Dataset) -> Iterator[dict[str, Any]]:
    """One record for each sample."""
    if dataset.texts is None:
        raise ValueError(f"{dataset.name!r} has no texts to write as .jsonl; write .npz or .csv.")
    classes = _classes(dataset)
    for i, text in enumerate(dataset.texts):
        record = {} if dataset.sample_names is None else {"id": str(dataset.sample_names[i])}
        if dataset.titles is not None:
            record["title"] = str(dataset.titles[i])
        record["text"] = str(text)
        if classes:
            record["class"] = classes[i]
        yield record


def _features(dataset: Dataset, view: str) -> list[str]:
    """Names of columns; those of several views say which one they are of."""
    names: Any = dataset.feature_names.get(view, range(dataset.views[view].shape[1]))
    before = f"{view}:" if len(dataset.views) > 1 else ""
    plain = f"{view}_" if view not in dataset.feature_names and not before else before
    return [f"{plain}{name}" for name in names]


def _classes(dataset: Dataset) -> list[str]:
    """Classes in words; empty without any."""
    if dataset.labels is None:
        return []
    known: Array | None = dataset.class_names
    return [
        "" if code < 0 else str(code if known is None else known[code]) for code in dataset.labels
    ]


WRITERS: dict[str, Callable[[Dataset, Path], None]] = {
    ".npz": _npz,
    ".csv": _csv,
    ".jsonl": _jsonl,
    ".mtx": _mtx,
}
