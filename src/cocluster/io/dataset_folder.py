"""A data set as a folder of plain files: matrices, names and samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.io.dataset import Dataset, Reading, object_array
from cocluster.io.models import read_value, write_value
from cocluster.linalg.types import Array
from cocluster.preprocessing.texts import WordCounter
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.text import as_json, json_object

# File with one sample on each line: its name, title, text and metadata.
SAMPLES = "samples.jsonl"
MATRICES = "matrices"


def write_dataset(folder: Path, dataset: Dataset) -> None:
    """Write ``samples.jsonl`` and ``matrices.json`` with ``matrices.npz`` into a folder."""
    notes, counter = dataset.notes, dataset.counter
    # A word counter with a function for lemmas cannot be saved.
    is_plain = isinstance(counter, WordCounter) and counter.lemmas is None
    if counter is not None and not is_plain:
        notes = (*notes, f"How words were counted ({type(counter).__name__}) cannot be saved.")
        counter = None
    bare = replace(
        dataset,
        sample_names=None,
        titles=None,
        texts=None,
        metadata={},
        notes=notes,
        counter=counter,
    )
    write_value(folder, MATRICES, bare)
    with (folder / SAMPLES).open("w", encoding="utf-8", newline="\n") as opened:
        opened.writelines(f"{as_json(sample)}\n" for sample in _samples(dataset))


def read_dataset(folder: Path) -> Dataset:
    """Read the data set that `write_dataset` wrote."""
    bare = _read_matrices(folder)
    path = str(folder / SAMPLES)
    with (
        wrap_read_errors(path, KeyError, TypeError, ValueError, AttributeError),
        (folder / SAMPLES).open(encoding="utf-8", newline="\n") as opened,
    ):
        lines = [json_object(line, f"{path}, line {i}") for i, line in enumerate(opened, 1)]
        return replace(
            bare,
            sample_names=_column(lines, "id"),
            titles=_column(lines, "title"),
            texts=_column(lines, "text"),
            metadata={
                name: object_array([line["metadata"].get(name) for line in lines])
                for name in (lines[0]["metadata"] if lines else ())
            },
        )


def _read_matrices(folder: Path) -> Dataset:
    """Read the data set without its samples; ValueError if the files hold something else."""
    dataset = read_value(folder, MATRICES)
    views = dataset.views.values() if isinstance(dataset, Dataset) else ()
    if not views or any(X.ndim != 2 or X.dtype.kind not in "fiub" for X in views):
        raise ValueError(
            f"{folder / MATRICES}.json holds no matrices of numbers; get it and {MATRICES}.npz "
            "again, or fit again."
        )
    checked: Dataset = dataset
    if not isinstance(checked.reading, Reading):
        raise ValueError(f"reading in {folder / MATRICES}.json is none; get it again.")
    for name in (
        "feature_names", "feature_metadata", "present", "masks", "extras", "info"
    ):  # fmt: skip
        if not isinstance(getattr(checked, name, None), Mapping):
            raise ValueError(f"{name} in {folder / MATRICES}.json is no mapping; get it again.")
    return checked


def dataset_from_relations(data: RelationalData, name: str = "data") -> Dataset:
    """Return the data of a fit as a data set; ValueError if a relation has no samples as rows."""
    unrelated = [r for r in data.relations if r.rows != data.center]
    if unrelated:
        raise ValueError(
            f"Relation {unrelated[0]} has no samples in its rows; only views of the samples can be "
            "saved beside a model. Leave the data out."
        )
    views = {relation.cols: relation.matrix for relation in data.relations}
    present = {r.cols: r.row_index for r in data.relations if r.row_index is not None}
    names = {view: data.names[view] for view in views if view in data.names}
    samples = data.names.get(data.center)
    return Dataset(name, views, sample_names=samples, feature_names=names, present=present)


def _samples(dataset: Dataset) -> Iterator[dict[str, Any]]:
    """Yield the name, title, text and metadata of each sample as JSON values."""
    arrays = {"id": dataset.sample_names, "title": dataset.titles, "text": dataset.texts}
    columns = {key: values for key, values in arrays.items() if values is not None}
    for i in range(len(dataset)):
        metadata = {name: _json_value(cells[i]) for name, cells in dataset.metadata.items()}
        yield {key: _json_value(values[i]) for key, values in columns.items()} | {
            "metadata": metadata
        }


def _json_value(value: Any) -> Any:
    """Return a value that JSON can store: None for NaN, a text for dates and other objects."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value != value:
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _column(lines: list[dict[str, Any]], key: str) -> Array | None:
    """Return one entry of every sample; None if they lack it."""
    return object_array([line[key] for line in lines]) if lines and key in lines[0] else None
