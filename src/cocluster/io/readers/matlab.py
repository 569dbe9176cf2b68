"""MATLAB files, in the two conventions of clustering data: fea/gnd and X/Y."""

from __future__ import annotations

import os
import struct
import zlib
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io

from cocluster.io.dataset import Dataset
from cocluster.io.readers.asked import Asked
from cocluster.io.readers.cluto import is_cluto, read_cluto
from cocluster.io.readers.common import LABEL_NAMES, encode_labels
from cocluster.io.readers.packed import PLACE_BYTES, allowed, refuse_bytes
from cocluster.io.reading import Reading
from cocluster.linalg.checked import in_bounds, in_form
from cocluster.linalg.matrices import by_rows
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import unreadable

# Names of the matrix and of the classes in the collections of clustering data that are shared as
# MATLAB files; the first that is there counts.
DATA_NAMES = ("fea", "X", "data", "A", "M")
# Of the format of versions 5 to 7: the length of the header, and the number that marks a variable
# as compressed; and bytes that are unpacked at a time to count them.
HEADER_BYTES, COMPRESSED, STEP = 128, 15, 1 << 20
MATLAB_LABELS = ("gnd", "Y", "y", *LABEL_NAMES)


def read_mat(file: Path, asked: Asked) -> Dataset:
    """Data set of a ``.mat`` file, which may also be one of CLUTO's text files.

    A cell array of matrices gives several views. Matrices with samples as columns are turned if
    the number of labels says so.
    """
    if is_cluto(file):
        return read_cluto(file, asked)
    variables = _variables(file, asked.max_bytes)
    data = next((name for name in DATA_NAMES if name in variables), None)
    if data is None:
        raise ValueError(
            f"{file.name} has none of the variables {', '.join(DATA_NAMES)}; it holds "
            f"{', '.join(variables) or 'nothing'}, rename the matrix."
        )
    wanted = MATLAB_LABELS if asked.label is None else (asked.label,)
    key = next((name for name in wanted if name in variables and name != data), None)
    if asked.label and key is None:
        raise ValueError(
            f"{file.name} has no variable {asked.label!r}; it holds {', '.join(variables)}."
        )
    labels, names = encode_labels(None if key is None else np.ravel(variables[key]).tolist())
    views = {v: _upright(X, labels) for v, X in _views(file, data, variables[data]).items()}
    reading = Reading(label=key or "")
    return Dataset(file.stem, views, labels=labels, class_names=names, reading=reading)


def _variables(file: Path, max_bytes: int | str | None) -> dict[str, Any]:
    """Variables of the file by name."""
    # A file that is cut off makes scipy raise errors of many kinds (zlib, struct, index, ...).
    with unreadable(file.name, Exception):
        _refuse_large(file, max_bytes)
        try:
            loaded = scipy.io.loadmat(file, spmatrix=False)
        except NotImplementedError:
            raise ValueError(
                f"{file.name} is a MATLAB file of version 7.3; save it with save(..., '-v7')."
            ) from None
    # Names with two underscores are what scipy says of the file.
    return {name: value for name, value in loaded.items() if not name.startswith("__")}


def _refuse_large(file: Path, max_bytes: int | str | None) -> None:
    """Refuse a file whose variables unpack to more than it may become, before scipy makes room."""
    bound = allowed(file, max_bytes)
    refuse_bytes(file, "unpacks to", _unpacked_bytes(file, bound), bound)
    try:
        variables = scipy.io.whosmat(file)
    except NotImplementedError:
        return  # a version that is refused in other words
    for _, shape, kind in variables:
        # Of a sparse matrix, rows and columns take room even where they are empty.
        places = sum(shape) if kind == "sparse" else prod(shape)
        refuse_bytes(file, "announces", places * PLACE_BYTES, bound)


def _unpacked_bytes(file: Path, bound: int) -> int:
    """Bytes of the compressed variables of a file, counted until they exceed the bound."""
    taken = 0
    with file.open("rb") as stream:
        # A header of 128 bytes ends with the order of bytes; files of the oldest version, in which
        # nothing is compressed, have no such mark.
        order = {b"IM": "<", b"MI": ">"}.get(stream.read(HEADER_BYTES)[-2:])
        while order and len(tag := stream.read(8)) == 8 and taken <= bound:
            kind, size = struct.unpack(f"{order}II", tag)
            if kind != COMPRESSED:
                stream.seek(size, os.SEEK_CUR)
                continue
            unpacker, packed = zlib.decompressobj(), stream.read(size)
            while packed and taken <= bound and not unpacker.eof:
                taken += len(unpacker.decompress(packed, STEP))
                packed = unpacker.unconsumed_tail
    return taken


def _views(file: Path, name: str, value: Any) -> dict[str, InMemory]:
    """Matrices of a variable: itself, or those of a cell array."""
    # MATLAB's cell array is an array of objects, each of which is a view.
    cells = list(value.ravel()) if value.dtype == object else [value]
    for cell in cells:
        if getattr(cell, "ndim", 0) != 2 or cell.dtype.kind not in "fiub":
            raise ValueError(f"Variable {name} of {file.name} is not a matrix of numbers.")
    with unreadable(file.name, ValueError):
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
