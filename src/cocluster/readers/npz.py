"""Arrays of ``.npz`` and ``.npy`` files, in which sparse matrices are kept in three parts."""

from __future__ import annotations

from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp

from cocluster.matrices import Array, Matrix

PARTS = ("data", "indices", "indptr", "shape")


def load_arrays(file: Path) -> dict[str, Array]:
    """Arrays of a file by name; those of a ``.npy`` file are called "X"."""
    try:
        with file.open("rb") as stream:
            loaded = np.load(stream, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return {"X": loaded}
            return {name: loaded[name] for name in loaded.files}
    except (BadZipFile, EOFError, OSError, ValueError, KeyError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        reason = "holds Python objects, which are not read" if "pickle" in str(error) else error
        raise ValueError(
            f"{file.name} is not a readable numpy file ({reason}); it may be cut off, get it again."
        ) from error


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


def _floating(values: Array) -> Array:
    """Floating numbers as they are, others as float64."""
    return values if values.dtype.kind == "f" else values.astype(np.float64)
