"""Annotated data: ``.h5ad`` and ``.h5mu`` files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from cocluster.blocks.disk.sources.arrays import total_bytes
from cocluster.blocks.disk.sources.hdf5_probe import refuse_damaged
from cocluster.data.alignment import align
from cocluster.data.containers import as_table, feature_annotations, named_views, sample_annotations
from cocluster.io.dataset import Dataset, Reading, encode_labels
from cocluster.io.options import ReadOptions, check_bytes
from cocluster.linalg.checked import in_bounds
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.optional import library


def read_h5ad(file: Path, options: ReadOptions) -> Dataset:
    """Read the matrix ``.X`` of AnnData; ``options.label`` is a column of ``.obs``.

    The other columns of ``.obs`` are metadata, and those of ``.var`` are metadata of the features.
    """
    data = _load(file, options, "anndata", "read_h5ad")
    return _dataset(file, {"genes": data}, data, options.label)


def read_h5mu(file: Path, options: ReadOptions) -> Dataset:
    """Read the modalities of MuData, matched by the names of the observations."""
    data = _load(file, options, "mudata", "read_h5mu")
    if not data.mod:
        raise ValueError(f"{file.name} has no modalities.")
    return _dataset(file, named_views(data), data, options.label)


def _dataset(file: Path, views: dict[str, Any], data: Any, label: str | None) -> Dataset:
    """Return the data set of annotated matrices."""
    class_by_name = _observation_classes(file, data, label)
    with wrap_read_errors(file.name, ValueError, TypeError):
        for view in views.values():
            in_bounds(view.X)
        tables = {name: as_table(view, name) for name, view in views.items()}
        row_index, ids, _ = align(tables)
    # Views may lack observations or order them differently: classes are matched by name.
    classes = None if not class_by_name or ids is None else [class_by_name.get(i) for i in ids]
    labels, names = encode_labels(classes)
    metadata = sample_annotations(data, ids)
    metadata.pop(label or "", None)
    feature_metadata = {name: feature_annotations(view) for name, view in views.items()}
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
        feature_metadata={name: columns for name, columns in feature_metadata.items() if columns},
        reading=Reading(label=label or "", left_out=dict.fromkeys(metadata, "")),
    )


def _observation_classes(file: Path, data: Any, label: str | None) -> dict[str, Any]:
    """Return the class of each observation by name."""
    if not label:
        return {}
    if label not in data.obs:
        raise ValueError(
            f"{file.name} has no observation column {label!r}; it has "
            f"{', '.join(map(str, data.obs.columns)) or 'none'}."
        )
    return dict(zip(data.obs_names, data.obs[label].astype(object), strict=True))


def _load(file: Path, options: ReadOptions, module: str, function: str) -> Any:
    """Load a file with the library that writes such files."""
    reader = library(module, f"{file.suffix} files", "omics")
    # A damaged file raises errors of many kinds, among them some of these libraries' own.
    with wrap_read_errors(file.name, Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # announcements of coming versions of the library
        refuse_damaged(file)
        with library("h5py", f"{file.suffix} files", "omics").File(file, "r") as opened:
            n_bytes = total_bytes(opened, file.name)
        check_bytes(file, "unpacks to", n_bytes, options.byte_limit(file))
        return getattr(reader, function)(file)
