"""Arrays of ``.npz`` and ``.npy`` files, in which sparse matrices are kept in three parts."""

from __future__ import annotations

import zlib
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import broken

PARTS = ("data", "indices", "indptr", "shape")


def load_arrays(file: Path) -> dict[str, Array]:
    """Arrays of a file by name; that of a ``.npy`` file is called "X"."""
    errors = (BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError)
    # Opened here because numpy leaves a file open that it has opened and cannot read.
    with broken(file, *errors), file.open("rb") as stream:
        loaded = np.load(stream, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {"X": loaded}
        return {name: loaded[name] for name in loaded.files}


def matrices_in(arrays: dict[str, Array]) -> tuple[dict[str, InMemory], dict[str, Array]]:
    """Matrices by name, and the other arrays.

    A sparse matrix NAME is kept as NAME_data, NAME_indices, NAME_indptr and NAME_shape; parts
    without a NAME (as scipy.sparse.save_npz writes them) are called "X". Counts become float64.
    """
    matrices: dict[str, InMemory] = {}
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


def _floating(values: Array) -> Array:
    """Floating numbers as they are, others as float64."""
    return values if values.dtype.kind == "f" else values.astype(np.float64)
