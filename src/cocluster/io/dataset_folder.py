"""A data set as a folder: matrices, names and samples in plain files, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.io.dataset import Dataset, Reading
from cocluster.io.models import read_value, write_value
from cocluster.linalg.types import Array
from cocluster.preprocessing import WordCounter
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.text import as_json, json_object

# One sample a line, with its name, title, text and all else that is known of it.
SAMPLES = "samples.jsonl"
MATRICES = "matrices"


def write_dataset(folder: Path, dataset: Dataset) -> None:
    """Write ``samples.jsonl`` and ``matrices.json`` with ``matrices.npz`` into a folder."""
    notes, counter = dataset.notes, dataset.counter
    if counter is not None and not _can_be_kept(counter):
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
    """The data set that `write_dataset` wrote."""
    bare = _data_in(folder)
    place = str(folder / SAMPLES)
    with (
        wrap_read_errors(place, KeyError, TypeError, ValueError, AttributeError),
        (folder / SAMPLES).open(encoding="utf-8", newline="\n") as opened,
    ):
        lines = [json_object(line, f"{place}, line {i}") for i, line in enumerate(opened, 1)]
        return replace(
            bare,
            sample_names=_column(lines, "id"),
            titles=_column(lines, "title"),
            texts=_column(lines, "text"),
            metadata={
                name: _objects([line["metadata"].get(name) for line in lines])
                for name in (lines[0]["metadata"] if lines else ())
            },
        )


def _data_in(folder: Path) -> Dataset:
    """The matrices of a folder; a value that someone has put in their place is refused."""
    bare = read_value(folder, MATRICES)
    views = bare.views.values() if isinstance(bare, Dataset) else ()
    if not views or any(X.ndim != 2 or X.dtype.kind not in "fiub" for X in views):
        raise ValueError(
            f"{folder / MATRICES}.json holds no matrices of numbers; get it and {MATRICES}.npz "
            "again, or fit again."
        )
    found: Dataset = bare
    if not isinstance(found.reading, Reading):
        raise ValueError(f"reading in {folder / MATRICES}.json is none; get it again.")
    for part in (
        "feature_names", "feature_metadata", "present", "masks", "extras", "info"
    ):  # fmt: skip
        if not isinstance(getattr(found, part, None), Mapping):
            raise ValueError(f"{part} in {folder / MATRICES}.json is no mapping; get it again.")
    return found


def dataset_of(data: RelationalData, name: str = "data") -> Dataset:
    """Data as a fit took them, as a data set."""
    aside = [r for r in data.relations if r.rows != data.center]
    if aside:
        raise ValueError(
            f"Relation {aside[0]} has no samples in its rows; only views of the samples can be "
            "saved beside a model. Leave the data out."
        )
    views = {relation.cols: relation.matrix for relation in data.relations}
    present = {r.cols: r.row_index for r in data.relations if r.row_index is not None}
    names = {view: data.names[view] for view in views if view in data.names}
    samples = data.names.get(data.center)
    return Dataset(name, views, sample_names=samples, feature_names=names, present=present)


def _can_be_kept(counter: Any) -> bool:
    """Whether a counter of words is all data: functions cannot be saved."""
    return isinstance(counter, WordCounter) and counter.lemmas is None


def _samples(dataset: Dataset) -> list[dict[str, Any]]:
    """What is known of each sample."""
    columns = {"id": dataset.sample_names, "title": dataset.titles, "text": dataset.texts}
    found = []
    for i in range(len(dataset)):
        known: dict[str, Any] = {
            key: _plain(values[i]) for key, values in columns.items() if values is not None
        }
        known["metadata"] = {name: _plain(cells[i]) for name, cells in dataset.metadata.items()}
        found.append(known)
    return found


def _plain(value: Any) -> Any:
    """A value that JSON knows; dates and the like as text."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value != value:
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _column(lines: list[dict[str, Any]], key: str) -> Array | None:
    """One entry of every sample; None if they lack it."""
    return _objects([line[key] for line in lines]) if lines and key in lines[0] else None


def _objects(values: list[Any]) -> Array:
    """An array of objects, also of such that numpy would take for more than one."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
