"""MATLAB files, in the two conventions of clustering data: fea/gnd and X/Y.

scipy's compiled reader trusts a file of versions 5 to 7: a type that does not exist crashes the
interpreter, and a size takes as much memory as it announces. So the elements of such a file are
checked here first, in the order in which scipy reads them, and only sizes and names are kept.

A file is a header and variables. A variable is a tag (kind, size) and an element, which may be
compressed. A matrix consists of elements: flags (its class), dimensions, name, then its values; a
cell array has matrices instead of values.
"""

from __future__ import annotations

import struct
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.io

from cocluster.io.dataset import Dataset, Reading, encode_labels, list_names
from cocluster.io.formats.matrices import AS_ARRAY, is_cluto, read_cluto
from cocluster.io.options import CELL_BYTES, ReadOptions, check_bytes
from cocluster.io.tables.parse import LABEL_NAMES
from cocluster.linalg.checked import in_bounds, in_form
from cocluster.linalg.matrices import by_rows
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import wrap_read_errors

# Names of the matrix and of the classes in shared collections of clustering data; the first that
# a file has counts.
DATA_NAMES = ("fea", "X", "data", "A", "M")
MATLAB_LABELS = ("gnd", "Y", "y", *LABEL_NAMES)
# Major version by which scipy calls version 7.3, which is HDF5.
HDF5 = 2
# Version 4: bytes before a variable, the first number that is no kind in this byte order, the last
# digit of the kind of sparse matrices, and the bytes of an entry by the tens of the kind.
V4_HEADER_BYTES, V4_KINDS, V4_SPARSE, V4_ENTRY_BYTES = 20, 5000, 2, (8, 4, 4, 2, 2, 1)
# Type of a variable that was not read.
_NO_TYPE = np.dtype("V")
# Bytes in the header of a file, the last two of which determine the byte order.
HEADER_BYTES = 128
BYTE_ORDERS = {b"IM": "<", b"MI": ">"}
# Numbers of the kinds of elements.
INT8, INT32, UINT32, MATRIX, COMPRESSED, UTF8 = 1, 5, 6, 14, 15, 16
# Bytes of a value of each kind that holds numbers or letters.
WIDTHS = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8, 16: 1, 17: 2, 18: 4}
# Classes of matrices: cells, letters, sparse matrices, and numbers of all types. Structures,
# objects and functions are no data.
CELL, CHAR, SPARSE = 1, 4, 5
NUMBERS = range(6, 16)
# Bit of the flags for imaginary parts.
IMAGINARY = 0x0800
# Most axes that numpy allows, and most levels of cells in cells; views need one level.
MAX_AXES, MAX_DEPTH = 32, 5
# Bytes that are unpacked or skipped at a time.
CHUNK_BYTES = 1 << 20


def read_mat(file: Path, options: ReadOptions) -> Dataset:
    """Read a ``.mat`` file, which may also be one of CLUTO's text files.

    A cell array of matrices gives several views. Matrices with samples as columns are transposed
    if the number of labels says so.
    """
    if is_cluto(file):
        return read_cluto(file, options)
    variables = _load_variables(file, options)
    data = next((name for name in DATA_NAMES if name in variables), None)
    names = list_names(map(repr, variables))
    if data is None:
        raise ValueError(
            f"{file.name} has none of the variables {', '.join(DATA_NAMES)}; it holds "
            f"{names or 'nothing'}, rename the matrix."
        )
    candidates = MATLAB_LABELS if options.label is None else (options.label,)
    key = next((k for k in candidates if variables.get(k) is not None and k != data), "")
    if options.label and not key:
        raise ValueError(f"{file.name} has no variable {options.label!r}; it holds {names}.")
    labels, class_names = encode_labels(np.ravel(variables[key]).tolist() if key else None)
    views = _views(file, data, variables[data])
    return Dataset(
        file.stem,
        {view: _samples_as_rows(X, labels) for view, X in views.items()},
        labels=labels,
        class_names=class_names,
        reading=Reading(label=key),
    )


def _load_variables(file: Path, options: ReadOptions) -> dict[str, Any]:
    """Return the variables of a file that may be data or classes, by name."""
    # A file that is cut off makes scipy raise errors of many kinds (zlib, struct, index, ...).
    with wrap_read_errors(file.name, Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of two variables with one name the last counts
        with file.open("rb") as stream:
            header = stream.read(HEADER_BYTES)
        if 0 in header[:4]:
            return _load_version_4(file, options)
        if header[-2:] not in BYTE_ORDERS:
            raise ValueError("it does not begin as MATLAB files do")
        return _load_version_5(file, options)


def _load_version_5(file: Path, options: ReadOptions) -> dict[str, Any]:
    """Check the structure of a file of versions 5 to 7, and load its numbers and letters."""
    limit = options.byte_limit(file)
    if scipy.io.matlab.matfile_version(file)[0] == HDF5:
        raise ValueError(
            f"{file.name} is a MATLAB file of version 7.3; save it with save(..., '-v7')."
        )

    def check(n_bytes: int) -> None:
        check_bytes(file, "unpacks to", n_bytes, limit)

    variables: dict[str, Variable] = {}
    total = 0
    with file.open("rb") as stream:
        for variable in list_variables(stream, check):
            total += variable.n_values * CELL_BYTES
            check(total)
            variables[variable.name] = variable
    candidates = (*DATA_NAMES, *MATLAB_LABELS, *filter(None, [options.label]))
    # Structures and functions are no data, and the code that reads them can fail.
    readable = [name for name, v in variables.items() if v.is_plain and name in candidates]
    with file.open("rb") as stream:
        return dict.fromkeys(variables) | (_load(stream, readable) if readable else {})


def _load(stream: IO[bytes], names: list[str] | None = None) -> dict[str, Any]:
    """Load variables with scipy, by default all."""
    variables = scipy.io.loadmat(stream, variable_names=names, **AS_ARRAY)
    # scipy adds its own entries, with two underscores.
    return {name: value for name, value in variables.items() if not name.startswith("__")}


def _load_version_4(file: Path, options: ReadOptions) -> dict[str, Any]:
    """Load a file of version 4, which scipy reads without compiled code."""
    limit = options.byte_limit(file)
    # From memory no more is read than there is; for a file, room is made for what is announced.
    content = file.read_bytes()
    _check_version_4_sizes(content)
    stream = BytesIO(content)
    for _, shape, kind in scipy.io.whosmat(stream):
        # The rows and columns of a sparse matrix take room even if they are empty.
        n_values = sum(shape) if kind == "sparse" else prod(shape)
        check_bytes(file, "announces", n_values * CELL_BYTES, limit)
    stream.seek(0)
    return _load(stream)


def _check_version_4_sizes(content: bytes) -> None:
    """Raise ValueError if a size leads back in the file, because scipy would never finish.

    A variable begins with five numbers: its kind, rows, columns, whether it is complex, and the
    length of its name. The tens of the kind determine how many bytes an entry has.
    """
    order = "<" if 0 <= struct.unpack_from("<i", content)[0] < V4_KINDS else ">"
    position = 0
    while position + V4_HEADER_BYTES <= len(content):
        kind, rows, columns, is_complex, name = struct.unpack_from(f"{order}5i", content, position)
        width = kind // 10 % 10
        if min(kind, rows, columns, name) < 0 or width >= len(V4_ENTRY_BYTES):
            raise ValueError("a size in it is no size")
        entries = rows * columns * (2 if is_complex == 1 and kind % 10 != V4_SPARSE else 1)
        position += V4_HEADER_BYTES + name + entries * V4_ENTRY_BYTES[width]
    if position > len(content):
        raise ValueError("it is cut off")


def _views(file: Path, name: str, value: Any) -> dict[str, InMemory]:
    """Return the matrices of a variable: itself, or those of a cell array."""
    # scipy returns a cell array as an array of objects, each of which is a view.
    cells = list(value.ravel()) if getattr(value, "dtype", _NO_TYPE).kind == "O" else [value]
    for cell in cells:
        if getattr(cell, "ndim", 0) != 2 or cell.dtype.kind not in "fiub":
            raise ValueError(f"Variable {name} of {file.name} is not a matrix of numbers.")
    with wrap_read_errors(file.name, ValueError):
        matrices = [by_rows(in_bounds(cell)).astype(np.float64) for cell in cells]
    if len(matrices) == 1:
        return {"X": matrices[0]}
    return {f"view{i}": X for i, X in enumerate(matrices)}


def _samples_as_rows(X: InMemory, labels: Array | None) -> InMemory:
    """Transpose X if its columns, but not its rows, are as many as the labels."""
    if labels is None or X.shape[0] == len(labels) or X.shape[1] != len(labels):
        return X
    return in_form(X.T)


@dataclass(frozen=True)
class Variable:
    """Size of a variable in a file of versions 5 to 7.

    ``n_values`` is the number of values, or of rows and columns of sparse matrices, that it takes
    in memory with all of its cells. ``is_plain`` is whether it holds only numbers and letters,
    perhaps in cells: only such variables can be read safely.
    """

    name: str
    n_values: int
    is_plain: bool


def list_variables(stream: IO[bytes], check: Callable[[int], None]) -> Iterator[Variable]:
    """Yield the variables of a file; raise ValueError or EOFError if it is damaged.

    ``check`` gets the number of bytes of a compressed variable before they are unpacked, and
    raises an error if they are too many.
    """
    order = BYTE_ORDERS[stream.read(HEADER_BYTES)[-2:]]
    while tag := stream.read(8):
        kind, size = struct.unpack(f"{order}II", _check_length(tag, 8))
        start = stream.tell()
        if kind == COMPRESSED:
            elements = _Elements(order, _decompressor(stream, size), check=check)
            kind, _ = elements.tag()
        else:
            elements = _Elements(order, stream.read, remaining=size)
        if kind != MATRIX:
            raise ValueError(f"an element of kind {kind} stands where a variable should")
        yield _parse_matrix(elements, 0)
        stream.seek(start + size)


def _parse_matrix(elements: _Elements, depth: int) -> Variable:
    """Parse one matrix, up to the end of its values."""
    if elements.tag() != (UINT32, 8):
        raise ValueError("a variable has no flags")
    flags, _ = elements.numbers("II")
    kind, size = elements.tag()
    if kind not in (INT32, UINT32) or not 0 < size <= 4 * MAX_AXES:
        raise ValueError("a variable has no dimensions")
    shape = elements.numbers("i" * (size // 4), size)
    if min(shape) < 0:
        raise ValueError(f"a variable has the dimensions {shape}")
    kind, size = elements.tag()
    if kind not in (INT8, UTF8):
        raise ValueError("a variable has no name")
    name = elements.values(size).decode("latin-1")
    matrix_class, n_parts = flags & 0xFF, 2 if flags & IMAGINARY else 1
    if matrix_class == CELL:
        return _parse_cells(elements, prod(shape), name, depth)
    if matrix_class in NUMBERS or matrix_class == CHAR:
        n_values = sum(elements.skip_values() for _ in range(n_parts))
        return Variable(name, max(n_values, prod(shape)), True)
    if matrix_class == SPARSE:
        n_values = sum(elements.skip_values() for _ in range(2 + n_parts))
        return Variable(name, max(n_values, sum(shape)), True)
    # The contents of other classes are not read.
    return Variable(name, 0, False)


def _parse_cells(elements: _Elements, count: int, name: str, depth: int) -> Variable:
    """Parse the matrices of a cell array."""
    if depth == MAX_DEPTH:
        raise ValueError(f"cells lie more than {MAX_DEPTH} deep in cells")
    n_values, is_plain = count, True
    for _ in range(count):
        kind, size = elements.tag()
        if kind != MATRIX:
            raise ValueError(f"an element of kind {kind} stands where a cell should")
        if size == 0:
            continue  # an empty cell
        cell = _parse_matrix(elements, depth + 1)
        n_values, is_plain = n_values + cell.n_values, is_plain and cell.is_plain
        if not is_plain:
            break  # its end is unknown
    return Variable(name, n_values, is_plain)


class _Elements:
    """Elements of a variable with ``remaining`` bytes, which is infinite if it is compressed."""

    def __init__(
        self,
        order: str,
        read: Callable[[int], bytes],
        remaining: float = float("inf"),
        check: Callable[[int], None] = lambda n_bytes: None,
    ) -> None:
        self._order, self._read, self._remaining, self._check = order, read, remaining, check
        self._n_bytes = 0
        # Values of a small element, which stand in its tag.
        self._tag_values = b""

    def tag(self) -> tuple[int, int]:
        """Return the kind and size of the next element; a small one has its values in the tag."""
        first, second = struct.unpack(f"{self._order}II", self._bytes(8))
        self._tag_values = b""
        if first >> 16:
            self._tag_values = struct.pack(f"{self._order}I", second)
            return first & 0xFFFF, first >> 16
        return first, second

    def values(self, size: int) -> bytes:
        """Return the values of the element whose tag was read, without the padding."""
        if self._tag_values:
            return _check_length(self._tag_values[:size], size)
        return self._bytes(size + -size % 8)[:size]

    def numbers(self, layout: str, size: int = 8) -> tuple[int, ...]:
        """Return the values of an element as numbers."""
        content = _check_length(self.values(size), struct.calcsize(layout))
        return struct.unpack(self._order + layout, content)

    def skip_values(self) -> int:
        """Skip an element of values; return how many there are."""
        kind, size = self.tag()
        if kind not in WIDTHS:
            raise ValueError(f"values are of the kind {kind}, which does not exist")
        if self._tag_values:
            _check_length(self._tag_values[:size], size)
        else:
            self._announce(size)
            missing = size + -size % 8
            while missing and (chunk := self._read(min(missing, CHUNK_BYTES))):
                missing -= len(chunk)
            # scipy asks for the padding to eight bytes, but files may end before it.
            if missing >= 8:
                raise EOFError(f"{missing:,} bytes of values are missing")
        return size // WIDTHS[kind]

    def _bytes(self, size: int) -> bytes:
        """Return the next bytes."""
        self._announce(size)
        return _check_length(self._read(size), size)

    def _announce(self, size: int) -> None:
        """Count bytes that are about to be read, and refuse too many."""
        self._remaining -= size
        self._n_bytes += size
        if self._remaining < 0:
            raise EOFError(f"{size:,} bytes are announced, and fewer follow")
        self._check(self._n_bytes)


def _decompressor(stream: IO[bytes], size: int) -> Callable[[int], bytes]:
    """Return a function that reads from ``size`` compressed bytes of a stream."""
    unpacker, buffer = zlib.decompressobj(), bytearray()
    remaining = size

    def read(n_bytes: int) -> bytes:
        nonlocal remaining
        while len(buffer) < n_bytes and not unpacker.eof:
            packed = unpacker.unconsumed_tail or stream.read(min(remaining, CHUNK_BYTES))
            remaining -= 0 if unpacker.unconsumed_tail else len(packed)
            if not packed:
                break
            buffer.extend(unpacker.decompress(packed, CHUNK_BYTES))
        content = bytes(buffer[:n_bytes])
        del buffer[:n_bytes]
        return content

    return read


def _check_length(content: bytes, size: int) -> bytes:
    """Return bytes unless some are missing; raise EOFError otherwise."""
    if len(content) != size:
        raise EOFError("it ends before a variable does")
    return content
