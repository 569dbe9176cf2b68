"""Arrays of ``.npz`` and ``.npy`` files, in which a sparse matrix is kept as several arrays."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import unreadable
from cocluster.utils.parsing import as_text

# The arrays of a matrix kept by rows, as most are.
PARTS = ("data", "indices", "indptr", "shape")
# What numpy raises on a file that is cut off or of another kind.
ERRORS = (BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError)
# For each layout that scipy.sparse.save_npz writes, the arrays that it has besides data and shape,
# and how the matrix is put together from the data and these.
_LAYOUTS: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "csr": (("indices", "indptr"), lambda *parts, shape: sp.csr_array(parts, shape=shape)),
    "csc": (("indices", "indptr"), lambda *parts, shape: sp.csc_array(parts, shape=shape)),
    "bsr": (("indices", "indptr"), lambda *parts, shape: sp.bsr_array(parts, shape=shape)),
    "dia": (("offsets",), lambda *parts, shape: sp.dia_array(parts, shape=shape)),
    "coo": (
        ("row", "col"),
        lambda data, row, col, shape: sp.coo_array((data, (row, col)), shape=shape),
    ),
}


def load_arrays(file: Path) -> dict[str, Array]:
    """Arrays of a file by name; that of a ``.npy`` file is called "X"."""
    # Opened here because numpy leaves a file open that it has opened and cannot read. Without
    # pickle no code of the file can run.
    with unreadable(file.name, *ERRORS), file.open("rb") as stream:
        loaded = np.load(stream, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {"X": loaded}
        members = {name: loaded[name] for name in loaded.files}
        # An archive may hold other files beside the arrays, which numpy returns as bytes.
        return {name: value for name, value in members.items() if isinstance(value, np.ndarray)}


def matrices_in(arrays: dict[str, Array]) -> tuple[dict[str, InMemory], dict[str, Array]]:
    """Matrices by name, and the other arrays.

    A sparse matrix NAME is kept as NAME_data, NAME_indices, NAME_indptr and NAME_shape; parts
    without a NAME (as scipy.sparse.save_npz writes them, in any layout) are called "X". Counts
    become float64. ValueError if the parts of a matrix do not fit together.
    """
    matrices: dict[str, InMemory] = {}
    rest = dict(arrays)
    for key in arrays:
        prefix = key.removesuffix("shape")
        if prefix != key and f"{prefix}data" in rest:
            matrix = _taken_out(rest, prefix)
            matrices |= {} if matrix is None else {prefix.removesuffix("_") or "X": matrix}
    for key, array in arrays.items():
        if key in rest and array.ndim == 2 and array.dtype.kind in "fiu":
            matrices[key] = _floating(rest.pop(key))
    return matrices, rest


def sparse_parts(name: str, X: sp.csr_array) -> dict[str, Array]:
    """The arrays as which `matrices_in` finds the matrix NAME."""
    held = (X.data, X.indices, X.indptr, np.array(X.shape))
    return {f"{name}_{part}": array for part, array in zip(PARTS, held, strict=True)}


def in_bounds(matrix: Any) -> Any:
    """A matrix from outside; ValueError if it is sparse and its indices point out of it.

    scipy's compiled code trusts indices: a wrong one reads or writes memory that is not the
    matrix's, and may end the interpreter. So they are looked at before any conversion.
    """
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)
    return matrix


def _taken_out(rest: dict[str, Array], prefix: str) -> InMemory | None:
    """The sparse matrix whose arrays have this prefix, taken out of the others."""
    declared = rest.get(f"{prefix}format")
    layout = "csr" if declared is None else as_text(declared.item())
    if layout not in _LAYOUTS:
        raise ValueError(f"a sparse matrix is kept as {layout!r}; known are {', '.join(_LAYOUTS)}")
    parts, build = _LAYOUTS[layout]
    wanted = [f"{prefix}{part}" for part in ("data", *parts, "shape")]
    missing = [name for name in wanted if name not in rest]
    if missing and declared is None:
        return None  # arrays that are merely called so
    if missing:
        raise ValueError(f"a sparse matrix lacks {', '.join(missing)}")
    data, *others, shape = (rest.pop(name) for name in wanted)
    rest.pop(f"{prefix}format", None)
    return in_bounds(build(_floating(data), *others, shape=tuple(shape.tolist()))).tocsr()


def _floating(values: Array) -> Array:
    """Floating numbers as they are, others as float64."""
    if values.dtype.kind not in "fiub":
        raise ValueError(f"a matrix holds {values.dtype} values instead of real numbers")
    return values if values.dtype.kind == "f" else values.astype(np.float64)
