"""Annotated data: ``.h5ad`` and ``.h5mu`` files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from cocluster.blocks.disk.sources.h5ad import total_bytes
from cocluster.blocks.disk.sources.trying import refuse_damaged
from cocluster.data.alignment import align
from cocluster.data.containers import annotations_of, as_table, feature_annotations_of, views_of
from cocluster.io.dataset import Dataset, Reading
from cocluster.io.readers.archives import allowed, refuse_bytes
from cocluster.io.readers.common import encode_labels
from cocluster.io.readers.options import ReadOptions
from cocluster.linalg.checked import in_bounds
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.optional import library


def read_h5ad(file: Path, asked: ReadOptions) -> Dataset:
    """Data set of the matrix ``.X`` of AnnData; ``asked.label`` is a column of ``.obs``.

    The other columns of ``.obs`` are metadata, and those of ``.var`` are metadata of the features.
    """
    data = _load(file, asked, "anndata", "read_h5ad")
    return _dataset(file, {"genes": data}, data, asked.label)


def read_h5mu(file: Path, asked: ReadOptions) -> Dataset:
    """Data set of the modalities of MuData, matched by the names of the observations."""
    data = _load(file, asked, "mudata", "read_h5mu")
    if not data.mod:
        raise ValueError(f"{file.name} has no modalities.")
    return _dataset(file, views_of(data), data, asked.label)


def _dataset(file: Path, views: dict[str, Any], data: Any, label: str | None) -> Dataset:
    """Data set of annotated matrices."""
    classes = _classes(file, data, label)
    with wrap_read_errors(file.name, ValueError, TypeError):
        for view in views.values():
            in_bounds(view.X)
        tables = {name: as_table(view, name) for name, view in views.items()}
        row_index, ids, _ = align(tables)
    # Views may lack observations or have them in another order: classes go by name.
    values = None if not classes or ids is None else [classes.get(name) for name in ids]
    labels, names = encode_labels(values)
    metadata = annotations_of(data, ids)
    metadata.pop(label or "", None)
    return Dataset(
        file.stem,
        {name: table.matrix for name, table in tables.items()},
        labels=labels,
        class_names=names,
        sample_names=ids,
        feature_names={
            name: table.column_names
            for name, table in tables.items()
            if table.column_names is not None
        },
        present={name: rows for name, rows in row_index.items() if rows is not None},
        metadata=metadata,
        feature_metadata={
            name: known for name, view in views.items() if (known := feature_annotations_of(view))
        },
        reading=Reading(label=label or "", left_out=dict.fromkeys(metadata, "")),
    )


def _classes(file: Path, data: Any, label: str | None) -> dict[str, Any]:
    """Class of each observation by name."""
    if not label:
        return {}
    if label not in data.obs:
        raise ValueError(
            f"{file.name} has no observation column {label!r}; it has "
            f"{', '.join(map(str, data.obs.columns)) or 'none'}."
        )
    return dict(zip(data.obs_names, data.obs[label].astype(object), strict=True))


def _load(file: Path, asked: ReadOptions, module: str, function: str) -> Any:
    """Contents of a file by the library that writes such files."""
    reader = library(module, f"{file.suffix} files", "omics")
    # What a damaged file raises is of many kinds, among them some of these libraries' own.
    with wrap_read_errors(file.name, Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # announcements of that library's coming versions
        refuse_damaged(file)
        with library("h5py", f"{file.suffix} files", "omics").File(file, "r") as opened:
            size = total_bytes(opened, file.name)
        refuse_bytes(file, "unpacks to", size, allowed(file, asked.max_bytes))
        return getattr(reader, function)(file)
