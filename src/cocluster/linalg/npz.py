"""Arrays of ``.npz`` and ``.npy`` files, in which a sparse matrix is kept as several arrays."""

from __future__ import annotations

import struct
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.checked import in_bounds
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.text import as_text

# The arrays of a matrix kept by rows, as most are.
PARTS = ("data", "indices", "indptr", "shape")
# What numpy raises on a file that is cut off or of another kind.
ERRORS = (
    BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError, NotImplementedError, TypeError,
    SyntaxError, RuntimeError, TokenError, struct.error,
)  # fmt: skip
# Shape, order by columns, and type of an array.
Header = tuple[Any, bool, np.dtype]
# How arrays in numpy's format begin.
MAGIC = np.lib.format.MAGIC_PREFIX
# numpy's function for the header of each version of its format that plain numbers and texts are
# written in.
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
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


def load_arrays(file: Path, most_bytes: int | None = None) -> dict[str, Array]:
    """Arrays of a file by name; that of a ``.npy`` file is called "X".

    ValueError, before anything is unpacked, if they take more than ``most_bytes``, or if a header
    announces more than there is.
    """
    # Opened here because numpy leaves a file open that it has opened and cannot read. Without
    # pickle no code of the file can run.
    with wrap_read_errors(file.name, *ERRORS), plain_headers(), file.open("rb") as stream:
        _refuse_announced(file, stream, most_bytes)
        loaded = np.load(stream, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {"X": _proper(loaded)}
        members = {name: loaded[name] for name in loaded.files}
        # An archive may hold other files beside the arrays, which numpy returns as bytes.
        arrays = {name: own for name, own in members.items() if isinstance(own, np.ndarray)}
        return {name: _proper(own) for name, own in arrays.items()}


def _proper(array: Array) -> Array:
    """An array; ValueError if it holds texts with numbers that are no letters of Unicode."""
    if array.dtype.kind == "U" and array.dtype.itemsize:
        code = np.dtype("u4").newbyteorder(array.dtype.byteorder)
        letters = np.ascontiguousarray(array).view(code)
        if letters.max(initial=0) > sys.maxunicode:
            raise ValueError("a text holds what is no letter")
    return array


def array_header(stream: IO[bytes]) -> Header:
    """Shape, order by columns, and type of an array in numpy's format."""
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError("it holds records instead of plain numbers or texts")
    with plain_headers():
        try:
            return _HEADERS[version](stream)
        except MemoryError:
            # What Python's parser says of brackets in brackets in brackets.
            raise ValueError("a header cannot be read") from None


@contextmanager
def plain_headers() -> Iterator[None]:
    """Let numpy read headers without a warning."""
    with warnings.catch_warnings():
        # A header is read as a value of Python, and a backslash in it is warned of there. None is
        # written by anyone; as an error it is one of a header that cannot be read.
        for category in (DeprecationWarning, SyntaxWarning):
            warnings.simplefilter("error", category)
        # Files of Python 2 take numpy a moment longer, which does not matter to whoever reads them.
        warnings.filterwarnings("ignore", "Reading `.npy`", UserWarning)
        yield


def _refuse_announced(file: Path, stream: IO[bytes], most_bytes: int | None) -> None:
    """Refuse files whose arrays would take more memory than allowed, or than the file can fill."""
    size = file.stat().st_size
    if stream.peek(2)[:2] != b"PK":  # type: ignore[attr-defined]
        _sound_header(stream, size)
        stream.seek(0)
        return
    with ZipFile(stream) as archive:
        total = sum(member.file_size for member in archive.infolist())
        if most_bytes is not None and total > most_bytes:
            raise ValueError(
                f"{file.name} unpacks to {total:,} bytes, which is much for a file of {size:,} "
                f"bytes; if it is right, allow more by max_bytes={total}."
            )
        for _ in member_headers(archive, size):
            pass
    stream.seek(0)


def member_headers(archive: ZipFile, size: int) -> Iterator[tuple[str, Header]]:
    """Names and headers of the arrays in an archive of so many bytes.

    Other members are left out. ValueError if one announces more than there is.
    """
    for member in archive.infolist():
        if member.compress_size > size:
            raise ValueError(f"a member is announced with {member.compress_size:,} bytes")
        with archive.open(member) as part:
            # numpy takes every such member for an array, whatever it is called.
            begins = part.peek(len(MAGIC))  # type: ignore[attr-defined]
            if begins.startswith(MAGIC):
                yield member.filename.removesuffix(".npy"), _sound_header(part, member.file_size)


def _sound_header(stream: IO[bytes], size: int) -> Header:
    """Header of an array; refused if it announces more bytes than follow: numpy would make room."""
    shape, by_columns, dtype = array_header(stream)
    if min(shape, default=0) < 0:
        raise ValueError(f"an array is announced as {shape}")
    if prod(shape) * dtype.itemsize > size:
        raise ValueError(f"an array is announced as {shape} but only {size:,} bytes follow")
    return shape, by_columns, dtype


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
    if any(places.dtype.kind not in "iu" for places in (*others, shape)):
        raise ValueError("a sparse matrix has places that are not whole numbers")
    if shape.shape != (2,):
        raise ValueError("a sparse matrix has a shape that is not two numbers")
    if 0 in data.shape[1:]:
        # scipy divides by the sizes of blocks.
        raise ValueError("a sparse matrix is kept in blocks of no size")
    return in_bounds(build(_floating(data), *others, shape=tuple(shape.tolist()))).tocsr()


def _floating(values: Array) -> Array:
    """Floating numbers as they are, others as float64."""
    if values.dtype.kind not in "fiub":
        raise ValueError(f"a matrix holds {values.dtype} values instead of real numbers")
    return values if values.dtype.kind == "f" else values.astype(np.float64)
