"""Arrays of ``.npz`` and ``.npy`` files, in which sparse matrices are kept in three parts."""

from __future__ import annotations

import zlib
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp

from cocluster.io.dataset import Dataset
from cocluster.io.readers.common import LABEL_NAMES, broken, encode_labels
from cocluster.linalg.matrices import Array, Matrix

PARTS = ("data", "indices", "indptr", "shape")


def read_npz(file: Path, label: str | None) -> Dataset:
    """Data set of a ``.npz`` or ``.npy`` file: its matrices of as many rows as the first."""
    matrices, rest = matrices_in(load_arrays(file))
    if not matrices:
        found = ", ".join(rest) or "nothing"
        raise ValueError(f"{file.name} holds no matrix of numbers; it holds {found}.")
    n = next(iter(matrices.values())).shape[0]
    key = next((k for k in (label, *LABEL_NAMES) if k in rest and rest[k].shape == (n,)), None)
    if label is not None and key != label:
        raise ValueError(f"{file.name} has no array {label!r} with one class for each row.")
    classes = None if key is None else rest.pop(key)
    labels, names = (None, None) if classes is None else _classes(classes, rest)
    return Dataset(
        file.stem,
        {name: X for name, X in matrices.items() if X.shape[0] == n},
        labels=labels,
        class_names=names,
        feature_names=_feature_names(matrices, rest),
        extras=rest,
    )


def _classes(values: Array, rest: dict[str, Array]) -> tuple[Array, Array]:
    """Codes and names of classes; values that number the names given are codes already."""
    given = rest.get("class_names")
    if given is not None and values.dtype.kind in "iu" and values.max(initial=-1) < len(given):
        return values.astype(np.int64), rest.pop("class_names")
    return encode_labels(values.tolist())


def load_arrays(file: Path) -> dict[str, Array]:
    """Arrays of a file by name; that of a ``.npy`` file is called "X"."""
    errors = (BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError)
    # Opened here because numpy leaves a file open that it has opened and cannot read.
    with broken(file, *errors), file.open("rb") as stream:
        loaded = np.load(stream, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {"X": loaded}
        return {name: loaded[name] for name in loaded.files}


def matrices_in(arrays: dict[str, Array]) -> tuple[dict[str, Matrix], dict[str, Array]]:
    """Matrices by name, and the other arrays.

    A sparse matrix NAME is kept as NAME_data, NAME_indices, NAME_indptr and NAME_shape; parts
    without a NAME (as scipy.sparse.save_npz writes them) are called "X". Counts become float64.
    """
    matrices: dict[str, Matrix] = {}
    rest = dict(arrays)
    for key in arrays:
        prefix = key.removesuffix("indptr")
        if prefix == key or not all(f"{prefix}{part}" in rest for part in PARTS):
            continue
        data, indices, indptr, shape = (rest.pop(f"{prefix}{part}") for part in PARTS)
        layout = rest.pop(f"{prefix}format", np.array("csr")).item()
        kind = sp.csc_array if layout in ("csc", b"csc") else sp.csr_array
        matrix = kind((_floating(data), indices, indptr), shape=tuple(shape))
        matrices[prefix.removesuffix("_") or "X"] = matrix.tocsr()
    for key, array in arrays.items():
        if key in rest and array.ndim == 2 and array.dtype.kind in "fiu":
            matrices[key] = _floating(rest.pop(key))
    return matrices, rest


def _feature_names(matrices: dict[str, Matrix], rest: dict[str, Array]) -> dict[str, Array]:
    """Names of features, taken out of the other arrays where they fit."""
    names = {}
    for view, X in matrices.items():
        for key in (f"{view}_names", "feature_names", "terms"):
            if key in rest and rest[key].shape == X.shape[1:]:
                names[view] = rest.pop(key)
                break
    return names


def _floating(values: Array) -> Array:
    """Floating numbers as they are, others as float64."""
    return values if values.dtype.kind == "f" else values.astype(np.float64)
