"""A folder of row blocks: ``.npz`` (CSR as `scipy.sparse.save_npz` writes, or dense), ``.npy``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain, pairwise
from math import prod
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
import scipy.sparse as sp

from cocluster.blocks.disk.sources.base import (
    ERRORS,
    budget,
    cell_bytes,
    check_block,
    even_rows,
    floating,
    index_bytes,
    refuse,
)
from cocluster.linalg.npz import ERRORS as BROKEN
from cocluster.linalg.npz import (
    PARTS,
    array_header,
    load_arrays,
    matrices_in,
    member_headers,
    plain_headers,
)
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.text import as_text, json_object, shorten

# Kinds of files that are blocks.
ENDINGS = (".npz", ".npy")
# File in which `write_blocks` lists the rows of every block it wrote.
LISTED = "blocks.json"


@dataclass(frozen=True)
class Piece:
    """A block as its header describes it; `offset` is where the rows start in a ``.npy`` file."""

    file: Path
    name: str
    shape: tuple[int, int]
    stored: np.dtype
    stamp: Stamp
    offset: int | None = None

    def load(self) -> InMemory:
        """The matrix as it is stored."""
        if self.offset is None:
            with wrap_read_errors(self.name, ValueError):
                matrices, _ = matrices_in(load_arrays(self.file))
                if not matrices:
                    raise ValueError("it holds no matrix of numbers")
                return next(iter(matrices.values()))
        with wrap_read_errors(self.name, ValueError), self.file.open("rb") as stream:
            stream.seek(self.offset)
            n, m = self.shape
            return np.fromfile(stream, self.stored, n * m).reshape(n, m)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Source whose blocks are files of their own, or rows of ``.npy`` files."""

    pieces: tuple[Piece, ...]
    column_names: Array | None = None
    row_names: Array | None = None
    _trusted: dict[int, TrustedBlock] = field(default_factory=dict)

    @cached_property
    def row_counts(self) -> tuple[int, ...]:
        """Rows of each block."""
        return tuple(piece.shape[0] for piece in self.pieces)

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the whole."""
        return sum(self.row_counts), self.pieces[0].shape[1]

    @cached_property
    def dtype(self) -> np.dtype:
        """Type of all blocks that are read."""
        return np.result_type(*(floating(piece.stored, piece.name) for piece in self.pieces))

    def read(self, number: int) -> InMemory:
        """Block in memory; checked when it is first read."""
        piece = self.pieces[number]
        trusted, stamped = self._trusted.get(number), stamp(piece.file)
        if trusted is not None and trusted.stamp == stamped:
            with wrap_read_errors(piece.name, *ERRORS):
                return trusted.read()
        # What was found right is from then on taken as it lies in the file.
        loaded = piece.load()
        usual = sp.issparse(loaded) and loaded.has_canonical_format
        block = check_block(loaded, piece.name, piece.shape, self.dtype)
        if stamped != piece.stamp:
            raise ValueError(
                f"{piece.name} was written again since it was opened, so that sweeps would see "
                "different data; open the blocks anew, and do not change files while in use."
            )
        if usual and (location := locate_arrays(piece.file, stamped, block)):
            self._trusted[number] = location
        return block

    def describe(self, number: int) -> str:
        """Folder and file, with the rows if it is cut."""
        return self.pieces[number].name


def open_files(files: Iterable[Path], memory: int, folder: Path | None = None) -> Blocks:
    """Source of block files in natural order (part-2 before part-10); only headers are read.

    If they are all that a ``folder`` holds, they must be all that was written to it.
    """
    wholes = [
        _npy(file) if file.suffix == ".npy" else _npz(file) for file in sorted(files, key=_natural)
    ]
    first = wholes[0][0]
    for whole, _ in wholes:
        if 0 in whole.shape:
            raise ValueError(f"{whole.name} has no rows or no columns; remove it.")
        if whole.shape[1] != first.shape[1]:
            raise ValueError(
                f"{whole.name} has {whole.shape[1]} columns, but {first.name} has "
                f"{first.shape[1]}; all blocks must have the same columns."
            )
    if folder is not None and (folder / LISTED).exists():
        _refuse_lost(folder, {whole.file.name: whole.shape[0] for whole, _ in wholes})
    # Of a .npz file no part can be read: it must fit in memory whole.
    unsliced = [(n_bytes, whole.name) for whole, n_bytes in wholes if whole.offset is None]
    largest, name = max(unsliced, default=(0, ""))
    if largest > budget(memory):
        refuse(name, largest, memory, ", or write smaller blocks with write_blocks")
    return Blocks(tuple(chain.from_iterable(_cut(*whole, memory) for whole in wholes)))


def _refuse_lost(folder: Path, row_counts: dict[str, int]) -> None:
    """Refuse a folder that lacks rows of what was written to it."""
    list_name = f"{folder.name}/{LISTED}"
    with wrap_read_errors(list_name, UnicodeDecodeError):
        written = json_object((folder / LISTED).read_text(encoding="utf-8"), list_name).get("rows")
    if not isinstance(written, dict) or written == row_counts:
        return
    both = written.keys() & row_counts.keys()
    differing = sorted(
        name
        for name in written.keys() | row_counts
        if name not in both or written[name] != row_counts[name]
    )
    raise ValueError(
        f"{folder.name} does not hold the blocks that were written ({shorten(differing[0])} "
        f"differs or is lost); get them again, or remove {LISTED} to take the folder as it is."
    )


def _cut(whole: Piece, n_bytes: int, memory: int) -> list[Piece]:
    """Pieces of a ``.npy`` file, which can be read from any row on; others stay whole."""
    if whole.offset is None or n_bytes <= budget(memory):
        return [whole]
    n, m = whole.shape
    counts = even_rows(n, n_bytes // n, 1, whole.name, memory)
    row = m * whole.stored.itemsize
    return [
        Piece(
            whole.file,
            f"rows {start}:{stop} of {whole.name}",
            (stop - start, m),
            whole.stored,
            whole.stamp,
            whole.offset + start * row,
        )
        for start, stop in pairwise(accumulate(counts, initial=0))
    ]


def _npy(file: Path) -> tuple[Piece, int]:
    """Block of a ``.npy`` file, and the bytes it takes in memory."""
    with wrap_read_errors(_name(file), *ERRORS, *BROKEN), file.open("rb") as stream:
        shape, by_columns, stored = array_header(stream)
        offset = stream.tell()
    name = _name(file)
    read_as = floating(stored, name)
    _refuse_other_than_two_axes(name, shape)
    # Of an array by columns, no rows lie together in the file.
    if by_columns:
        raise ValueError(f"{name} is stored by columns; save numpy.ascontiguousarray(X) instead.")
    size = shape[0] * shape[1]
    if file.stat().st_size < offset + size * stored.itemsize:
        raise ValueError(f"{name} is cut off: its last rows are missing; write it again.")
    return Piece(file, name, shape, stored, stamp(file), offset), size * cell_bytes(stored, read_as)


def _npz(file: Path) -> tuple[Piece, int]:
    """Block of a ``.npz`` file, and the bytes it takes in memory."""
    name = _name(file)
    # Only headers are read here: a folder of a thousand blocks opens in a moment.
    with wrap_read_errors(name, *ERRORS, *BROKEN), ZipFile(file) as archive:
        headers = dict(member_headers(archive, file.stat().st_size))
        sparse = all(part in headers for part in PARTS)
        shape = _shape(archive) if sparse else (0, 0)
        layout = as_text(_small(archive, "format").item()) if "format" in headers else "csr"
    if not sparse:
        return _one_array(file, name, headers)
    if layout != "csr":
        raise ValueError(
            f"{name} is stored as {shorten(str(layout))}; "
            "save it as scipy.sparse.csr_array instead."
        )
    lengths, _, stored = headers["data"]
    _, _, stored_index = headers["indices"]
    if len(lengths) != 1:
        raise ValueError(f"{name} has values with {len(lengths)} axes; write it again.")
    index = index_bytes(shape[1])
    entry = cell_bytes(stored, floating(stored, name)) + cell_bytes(
        stored_index, np.dtype(f"i{index}")
    )
    return Piece(file, name, shape, stored, stamp(file)), lengths[0] * entry + (
        shape[0] + 1
    ) * index


def _one_array(file: Path, name: str, headers: dict[str, Any]) -> tuple[Piece, int]:
    """Dense block that is the only array of its file, and the bytes it takes in memory."""
    if len(headers) != 1:
        members = ", ".join(map(shorten, headers)) or "nothing"
        raise ValueError(
            f"{name} holds {members}; a block is one array, or what scipy.sparse.save_npz writes."
        )
    ((shape, _, stored),) = headers.values()
    read_as = floating(stored, name)
    _refuse_other_than_two_axes(name, shape)
    piece = Piece(file, name, shape, stored, stamp(file))
    return piece, shape[0] * shape[1] * cell_bytes(stored, read_as)


def _refuse_other_than_two_axes(name: str, shape: tuple[int, ...]) -> None:
    """Refuse arrays that are no matrices."""
    if len(shape) != 2:
        raise ValueError(f"{name} has {len(shape)} axes, not 2; keep only matrices in the folder.")


def _shape(archive: ZipFile) -> tuple[int, int]:
    """Rows and columns of a sparse block."""
    sizes = _small(archive, "shape")
    if sizes.dtype.kind not in "iu" or sizes.shape != (2,) or sizes.min() < 0:
        raise ValueError("its shape is not two whole numbers")
    rows, columns = sizes.tolist()
    return rows, columns


def _small(archive: ZipFile, member: str) -> Array:
    """A small array of a ``.npz`` file."""
    with archive.open(f"{member}.npy") as stream, plain_headers():
        return np.lib.format.read_array(stream, allow_pickle=False)


def _name(file: Path) -> str:
    """Folder and file."""
    return f"{file.parent.name}/{file.name}"


def _natural(file: Path) -> list[int | str]:
    """Key by which numbers in names count as numbers."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", file.name)]


# Of the entry before a member of a zip archive: the length of its fixed part, and where in it stand
# the lengths of the name and of the extra field that follow.
_FIXED, _LENGTHS = 30, slice(26, 30)
Stamp = tuple[int, int] | None


@dataclass(frozen=True)
class ArrayLocation:
    """An array in a file: where it begins, what it is made of, and how many."""

    offset: int
    dtype: np.dtype
    count: int


@dataclass(frozen=True)
class TrustedBlock:
    """The arrays of a CSR block in a file that had this stamp."""

    file: Path
    stamp: Stamp
    shape: tuple[int, int]
    parts: tuple[ArrayLocation, ArrayLocation, ArrayLocation]

    def read(self) -> sp.csr_array:
        """The block."""
        arrays = (np.fromfile(self.file, p.dtype, p.count, offset=p.offset) for p in self.parts)
        block = sp.csr_array(tuple(arrays), shape=self.shape)
        block.has_canonical_format = True  # it was when it was checked
        return block


def stamp(file: Path) -> Stamp:
    """What changes when a file is written anew; None if it is not there."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def locate_arrays(file: Path, stamped: Stamp, block: InMemory) -> TrustedBlock | None:
    """Where a checked CSR block lies in its file; None if it lies there in another form."""
    with ZipFile(file) as archive, file.open("rb") as stream:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        infos = [members[name] for name in ("data", "indices", "indptr")]
        # What is compressed cannot be taken as it lies in the file.
        if any(info.compress_type != ZIP_STORED for info in infos):
            return None
        data, indices, indptr = (_array_location(stream, info) for info in infos)
    arrays = (block.data, block.indices, block.indptr)
    # A type that was changed by the checks would have to be changed at each reading.
    if any(p.dtype != a.dtype for p, a in zip((data, indices, indptr), arrays, strict=True)):
        return None
    return TrustedBlock(file, stamped, block.shape, (data, indices, indptr))


def _array_location(stream: IO[bytes], info: ZipInfo) -> ArrayLocation:
    """An array that is a member of an archive, not compressed."""
    stream.seek(info.header_offset)
    lengths = np.frombuffer(stream.read(_FIXED)[_LENGTHS], dtype="<u2")
    stream.seek(info.header_offset + _FIXED + int(lengths.sum()))
    shape, _, dtype = array_header(stream)
    return ArrayLocation(stream.tell(), dtype, prod(shape))
