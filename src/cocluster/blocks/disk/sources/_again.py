"""Blocks read again: what was checked once is taken as it lies in the file."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.npz import array_header
from cocluster.linalg.types import InMemory

# Of the entry before a member of a zip archive: the length of its fixed part, and where in it stand
# the lengths of the name and of the extra field that follow.
_FIXED, _LENGTHS = 30, slice(26, 30)
Stamp = tuple[int, int] | None


@dataclass(frozen=True)
class Stretch:
    """An array in a file: where it begins, what it is made of, and how many."""

    offset: int
    dtype: np.dtype
    count: int


@dataclass(frozen=True)
class Stretches:
    """The arrays of a CSR block in a file that had this stamp."""

    file: Path
    stamp: Stamp
    shape: tuple[int, int]
    parts: tuple[Stretch, Stretch, Stretch]

    def read(self) -> sp.csr_array:
        """The block."""
        arrays = (np.fromfile(self.file, p.dtype, p.count, offset=p.offset) for p in self.parts)
        block = sp.csr_array(tuple(arrays), shape=self.shape)
        block.has_canonical_format = True  # it was when it was checked
        return block


def stamp(file: Path) -> Stamp:
    """What changes when a file is written anew; None if it is not there."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def as_stored(file: Path, stamped: Stamp, block: InMemory) -> Stretches | None:
    """Where a checked CSR block lies in its file; None if it lies there in another form."""
    with ZipFile(file) as archive, file.open("rb") as stream:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        chosen = [members[name] for name in ("data", "indices", "indptr")]
        # What is compressed cannot be taken as it lies in the file.
        if any(info.compress_type != ZIP_STORED for info in chosen):
            return None
        data, indices, indptr = (_stretch(stream, info) for info in chosen)
    held = (block.data, block.indices, block.indptr)
    # A type that was changed by the checks would have to be changed at each reading.
    if any(p.dtype != a.dtype for p, a in zip((data, indices, indptr), held, strict=True)):
        return None
    return Stretches(file, stamped, block.shape, (data, indices, indptr))


def _stretch(stream: IO[bytes], info: ZipInfo) -> Stretch:
    """An array that is a member of an archive, not compressed."""
    stream.seek(info.header_offset)
    lengths = np.frombuffer(stream.read(_FIXED)[_LENGTHS], dtype="<u2")
    stream.seek(info.header_offset + _FIXED + int(lengths.sum()))
    shape, _, dtype = array_header(stream)
    return Stretch(stream.tell(), dtype, prod(shape))
