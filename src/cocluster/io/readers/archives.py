"""Packed files: ``.gz`` and ``.zip``, unpacked to where any reader can read them, within bounds."""

from __future__ import annotations

import errno
import gzip
import lzma
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from cocluster.blocks.disk.memory import parse_memory, readable
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.text import quote, single_line

# Texts and tables are packed to a third or a tenth, tables of zeros to a hundredth. The most that
# the method of .gz and .zip can do is a thousandth, and only files made to fill memory do so.
MOST_TIMES = 200
# What any file may ask for: far less than a computer has.
FREE_BYTES = 64_000_000
# What a row or a column takes in memory at least, and a cell in a list.
PLACE_BYTES = 8
PACKED = (".gz", ".zip")
# What systems say of names that no file can have: too long, or both of a file and of a folder.
NAMELESS = (
    errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EILSEQ, errno.EINVAL,
)  # fmt: skip
# Bytes that are copied at once.
_STEP = 1 << 20
# What broken archives raise, also those with methods that are not known and with passwords.
_ERRORS = (
    EOFError, IndexError, NotImplementedError, RuntimeError, ValueError, lzma.LZMAError,
    struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def allowed(file: Path, max_bytes: int | str | None) -> int:
    """How many bytes a file may become in memory or on disk.

    Parameters
    ----------
    file : Path
    max_bytes : int, str or None
        Bytes, or an amount such as ``"2 GB"``; by default 200 times the size of the file, or 64 MB
        if that is more.
    """
    if max_bytes is not None:
        return parse_memory(max_bytes)
    return max(MOST_TIMES * file.stat().st_size, FREE_BYTES)


def refuse_bytes(file: Path, what: str, needed: int, bound: int) -> None:
    """Refuse a file that asks for more than it may."""
    if needed > bound:
        raise ValueError(
            f"{file.name} {what} more than {readable(bound)}, which is much for a file of "
            f"{readable(file.stat().st_size)}; if it is right, allow more by max_bytes='8 GB'."
        )


def refuse_size(file: Path, n: int, what: str, max_bytes: int | str | None) -> None:
    """Refuse a matrix of more rows or columns than its file gives reason to expect."""
    bound = allowed(file, max_bytes)
    if n * PLACE_BYTES > bound:
        raise ValueError(
            f"{file.name} announces {n:,} {what}, which take {readable(n * PLACE_BYTES)}: much "
            f"for a file of {readable(file.stat().st_size)}; if it is right, allow more by "
            "max_bytes='8 GB'."
        )


@contextmanager
def unpacked(file: Path, max_bytes: int | str | None) -> Iterator[Path]:
    """A file or folder with what a packed file holds, until the ``with`` block ends.

    A ``.zip`` of one file gives that file, and one of several files a folder of them.
    """
    with tempfile.TemporaryDirectory(prefix="cocluster-") as folder:
        target = Path(folder) / file.stem
        with wrap_read_errors(file.name, *_ERRORS), _broken_streams():
            if file.suffix.lower() == ".gz":
                with gzip.open(file) as stream, target.open("wb") as out:
                    _copy(file, stream, out, allowed(file, max_bytes))
            else:
                _unzip(file, target, allowed(file, max_bytes))
        yield _inner(target)


@contextmanager
def _broken_streams() -> Iterator[None]:
    """Tell what is wrong with a packed file from what is wrong with the disk."""
    try:
        yield
    except OSError as error:
        # Unpackers raise OSErrors without a number, and seek to places that cannot be.
        if error.errno not in (None, errno.EINVAL):
            raise
        raise EOFError(str(error)) from error


def _copy(file: Path, stream: gzip.GzipFile, out: IO[bytes], bound: int) -> None:
    """Copy a stream of unknown length."""
    taken = 0
    while piece := stream.read(_STEP):
        taken += len(piece)
        refuse_bytes(file, "unpacks to", taken, bound)
        out.write(piece)


def _unzip(file: Path, target: Path, bound: int) -> None:
    """Write the members of an archive below a folder."""
    target.mkdir()
    with zipfile.ZipFile(file) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        # A member never gives more bytes than it announces.
        refuse_bytes(file, "unpacks to", sum(member.file_size for member in members), bound)
        for member in members:
            place = PurePosixPath(member.filename.replace("\\", "/"))
            if place.is_absolute() or ".." in place.parts:
                raise ValueError(
                    f"{file.name} holds {quote(member.filename)}, a place outside of it; unpack "
                    "it yourself and read the folder, if you trust it."
                )
            # Names are told in messages, and macOS has files called "Icon\r".
            _write_member(archive, member, target.joinpath(*map(single_line, place.parts)))


def _write_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path) -> None:
    """Unpack one member; ValueError if its name is one that no file here can have."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        out = place.open("wb")
    except OSError as error:
        if error.errno not in NAMELESS:
            raise
        name = quote(member.filename)
        raise ValueError(f"no file can be called {name}: {error.strerror}") from None
    with out, archive.open(member) as stream:
        shutil.copyfileobj(stream, out, _STEP)


def _inner(place: Path) -> Path:
    """The folder below which files differ: an archive of a folder is that folder."""
    while place.is_dir():
        # What macOS adds to archives is no data.
        inside = [p for p in place.iterdir() if p.name != "__MACOSX" and not p.name.startswith(".")]
        if len(inside) != 1:
            break
        place = inside[0]
    return place
