"""MATLAB files, in the two conventions of clustering data: fea/gnd and X/Y."""

from __future__ import annotations

import struct
import warnings
from io import BytesIO
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.io

from cocluster.io.dataset import Dataset, Reading, some
from cocluster.io.readers.archives import PLACE_BYTES, allowed, refuse_bytes
from cocluster.io.readers.common import AS_ARRAY, LABEL_NAMES, encode_labels
from cocluster.io.readers.mat5 import HEADER_BYTES, ORDERS, Variable, variables_in
from cocluster.io.readers.matrix_text import is_cluto, read_cluto
from cocluster.io.readers.options import ReadOptions
from cocluster.linalg.checked import in_bounds, in_form
from cocluster.linalg.matrices import by_rows
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import wrap_read_errors

# Names of the matrix and of the classes in the collections of clustering data that are shared as
# MATLAB files; the first that is there counts.
DATA_NAMES = ("fea", "X", "data", "A", "M")
# What scipy calls version 7.3, which is HDF5.
HDF5 = 2
UNPACKS = "unpacks to"
# The type of what was not read.
_NONE = np.dtype("V")
MATLAB_LABELS = ("gnd", "Y", "y", *LABEL_NAMES)


def read_mat(file: Path, asked: ReadOptions) -> Dataset:
    """Data set of a ``.mat`` file, which may also be one of CLUTO's text files.

    A cell array of matrices gives several views. Matrices with samples as columns are turned if
    the number of labels says so.
    """
    if is_cluto(file):
        return read_cluto(file, asked)
    variables = _variables(file, asked)
    data = next((name for name in DATA_NAMES if name in variables), None)
    if data is None:
        raise ValueError(
            f"{file.name} has none of the variables {', '.join(DATA_NAMES)}; it holds "
            f"{some(map(repr, variables)) or 'nothing'}, rename the matrix."
        )
    wanted = MATLAB_LABELS if asked.label is None else (asked.label,)
    key = next((name for name in wanted if variables.get(name) is not None and name != data), None)
    if asked.label and key is None:
        raise ValueError(
            f"{file.name} has no variable {asked.label!r}; it holds {some(map(repr, variables))}."
        )
    labels, names = encode_labels(None if key is None else np.ravel(variables[key]).tolist())
    views = {v: _upright(X, labels) for v, X in _views(file, data, variables[data]).items()}
    reading = Reading(label=key or "")
    return Dataset(file.stem, views, labels=labels, class_names=names, reading=reading)


# Of version 4: bytes before a variable, the first number that is no kind in this order of bytes,
# the last digit of sparse ones, and bytes of an entry by the tens of the kind.
FOUR_HEAD, HIGHEST_KIND, SPARSE_KIND, ENTRY_BYTES = 20, 5000, 2, (8, 4, 4, 2, 2, 1)


def _variables(file: Path, asked: ReadOptions) -> dict[str, Any]:
    """Those variables of the file that may be data or classes, by name."""
    # A file that is cut off makes scipy raise errors of many kinds (zlib, struct, index, ...).
    with wrap_read_errors(file.name, Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of two variables of one name the last counts
        with file.open("rb") as stream:
            head = stream.read(HEADER_BYTES)
        if 0 in head[:4]:
            return _oldest(file, asked)
        if head[-2:] not in ORDERS:
            raise ValueError("it does not begin as MATLAB files do")
        return _checked(file, asked)


def _checked(file: Path, asked: ReadOptions) -> dict[str, Any]:
    """Variables of a file of versions 5 to 7, after a look at its structure."""
    bound = allowed(file, asked.max_bytes)
    if scipy.io.matlab.matfile_version(file)[0] == HDF5:
        raise ValueError(
            f"{file.name} is a MATLAB file of version 7.3; save it with save(..., '-v7')."
        )
    found: dict[str, Variable] = {}
    total = 0
    with file.open("rb") as stream:
        for variable in variables_in(
            stream, lambda taken: refuse_bytes(file, UNPACKS, taken, bound)
        ):
            total += variable.places * PLACE_BYTES
            refuse_bytes(file, UNPACKS, total, bound)
            found[variable.name] = variable
    wanted = (*DATA_NAMES, *MATLAB_LABELS, *filter(None, [asked.label]))
    fit = [name for name, own in found.items() if own.plain and name in wanted]
    # Structures and functions are no data, and to read them takes code that can fail.
    with file.open("rb") as stream:
        return dict.fromkeys(found) | (_loaded(stream, fit) if fit else {})


def _loaded(stream: IO[bytes], names: list[str] | None = None) -> dict[str, Any]:
    """What scipy reads, by default all."""
    loaded = scipy.io.loadmat(stream, variable_names=names, **AS_ARRAY)
    # Names with two underscores are what scipy says of the file.
    return {name: value for name, value in loaded.items() if not name.startswith("__")}


def _oldest(file: Path, asked: ReadOptions) -> dict[str, Any]:
    """Variables of a file of version 4, which scipy reads without compiled code."""
    bound = allowed(file, asked.max_bytes)
    # From memory no more is read than there is; for a file, room is made for what is announced.
    content = file.read_bytes()
    _refuse_backwards(content)
    stream = BytesIO(content)
    for _, shape, kind in scipy.io.whosmat(stream):
        # Of a sparse matrix, rows and columns take room even where they are empty.
        places = sum(shape) if kind == "sparse" else prod(shape)
        refuse_bytes(file, "announces", places * PLACE_BYTES, bound)
    stream.seek(0)
    return _loaded(stream)


def _refuse_backwards(content: bytes) -> None:
    """Refuse sizes of version 4 that lead back in the file: scipy would follow them for ever.

    A variable begins with five numbers: its kind, rows, columns, whether it is complex, and the
    length of its name. The tens of the kind say how many bytes an entry has.
    """
    order = "<" if 0 <= struct.unpack_from("<i", content)[0] < HIGHEST_KIND else ">"
    place = 0
    while place + FOUR_HEAD <= len(content):
        kind, rows, columns, complex_, name = struct.unpack_from(f"{order}5i", content, place)
        if min(kind, rows, columns, name) < 0 or kind // 10 % 10 >= len(ENTRY_BYTES):
            raise ValueError("a size in it is no size")
        entries = rows * columns * (2 if complex_ == 1 and kind % 10 != SPARSE_KIND else 1)
        place += FOUR_HEAD + name + entries * ENTRY_BYTES[kind // 10 % 10]
    if place > len(content):
        raise ValueError("it is cut off")


def _views(file: Path, name: str, value: Any) -> dict[str, InMemory]:
    """Matrices of a variable: itself, or those of a cell array."""
    # MATLAB's cell array is an array of objects, each of which is a view.
    cells = list(value.ravel()) if getattr(value, "dtype", _NONE).kind == "O" else [value]
    for cell in cells:
        if getattr(cell, "ndim", 0) != 2 or cell.dtype.kind not in "fiub":
            raise ValueError(f"Variable {name} of {file.name} is not a matrix of numbers.")
    with wrap_read_errors(file.name, ValueError):
        matrices = [_floats(cell) for cell in cells]
    if len(matrices) == 1:
        return {"X": matrices[0]}
    return {f"view{i}": X for i, X in enumerate(matrices)}


def _floats(cell: Any) -> InMemory:
    """A matrix of MATLAB's as the two kinds that are worked on."""
    return by_rows(in_bounds(cell)).astype(np.float64)


def _upright(X: InMemory, labels: Array | None) -> InMemory:
    """X with samples as rows, as far as the number of labels tells."""
    if labels is None or X.shape[0] == len(labels) or X.shape[1] != len(labels):
        return X
    return in_form(X.T)
