"""Contents of files: ``.gz`` and ``.zip`` unpacked within bounds, and text in any encoding."""

from __future__ import annotations

import codecs
import errno
import gzip
import lzma
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

import numpy as np

from cocluster.io.dataset import list_names
from cocluster.io.options import check_bytes
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.text import quote, single_line

PACKED = (".gz", ".zip")
# Error numbers of names that no file can have: too long, or of both a file and a folder.
BAD_NAME_ERRORS = (
    errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EILSEQ, errno.EINVAL,
)  # fmt: skip
# Errors of damaged archives, also of those with passwords or unknown compression.
ARCHIVE_ERRORS = (
    EOFError, IndexError, NotImplementedError, RuntimeError, ValueError, lzma.LZMAError,
    struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
# Bytes that are copied at once.
CHUNK_BYTES = 1 << 20
# Byte order marks of text with two or four bytes per letter. UTF-32 comes first, because its mark
# begins with that of UTF-16.
WIDE_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Bytes that show whether text without a mark has two bytes per letter, and the share of zeros
# among every second byte: blanks, digits and unaccented letters exceed it in any Western text.
PROBE_BYTES = 4096
ZERO_SHARE = 0.7


@contextmanager
def unpack(file: Path, limit: int) -> Iterator[Path]:
    """Unpack a file to at most ``limit`` bytes, and remove the copy when the block ends.

    A ``.zip`` of one file gives that file, and one of several files a folder of them.
    """
    with tempfile.TemporaryDirectory(prefix="cocluster-") as folder:
        target = Path(folder) / file.stem
        with wrap_read_errors(file.name, *ARCHIVE_ERRORS), _stream_errors():
            if file.suffix.lower() == ".gz":
                with gzip.open(file) as stream, target.open("wb") as out:
                    _copy(file, stream, out, limit)
            else:
                _unzip(file, target, limit)
        yield _innermost_folder(target)


@contextmanager
def _stream_errors() -> Iterator[None]:
    """Turn errors of a damaged packed file into EOFError, but not those of the disk."""
    try:
        yield
    except OSError as error:
        # Unpackers raise OSErrors without a number, and seek to impossible positions.
        if error.errno not in (None, errno.EINVAL):
            raise
        raise EOFError(str(error)) from error


def _copy(file: Path, stream: gzip.GzipFile, out: IO[bytes], limit: int) -> None:
    """Copy a stream of unknown length."""
    n_bytes = 0
    while chunk := stream.read(CHUNK_BYTES):
        n_bytes += len(chunk)
        check_bytes(file, "unpacks to", n_bytes, limit)
        out.write(chunk)


def _unzip(file: Path, target: Path, limit: int) -> None:
    """Write the members of an archive below a folder."""
    target.mkdir()
    with zipfile.ZipFile(file) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        # A member never gives more bytes than it announces.
        check_bytes(file, "unpacks to", sum(member.file_size for member in members), limit)
        for member in members:
            path = PurePosixPath(member.filename.replace("\\", "/"))
            if path.is_absolute() or ".." in path.parts:
                raise ValueError(
                    f"{file.name} holds {quote(member.filename)}, a place outside of it; unpack "
                    "it yourself and read the folder, if you trust it."
                )
            # Messages show file names, and macOS has files called "Icon\r".
            _write_member(archive, member, target.joinpath(*map(single_line, path.parts)))


def _write_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> None:
    """Unpack one member; raise ValueError if no file can have its name."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        out = target.open("wb")
    except OSError as error:
        if error.errno not in BAD_NAME_ERRORS:
            raise
        name = quote(member.filename)
        raise ValueError(f"no file can be called {name}: {error.strerror}") from None
    with out, archive.open(member) as stream:
        shutil.copyfileobj(stream, out, CHUNK_BYTES)


def _innermost_folder(path: Path) -> Path:
    """Descend through folders that hold a single entry: an archive of a folder is that folder."""
    while path.is_dir():
        # macOS adds files to archives that are no data.
        entries = [p for p in path.iterdir() if p.name != "__MACOSX" and not p.name.startswith(".")]
        if len(entries) != 1:
            break
        path = entries[0]
    return path


def read_text(file: Path) -> tuple[str, tuple[str, ...]]:
    """Return the text of a file, with a note if it is not UTF-8 and was read as Latin-1."""
    text, is_latin = decode(file.read_bytes(), file.name)
    # A server may send a web page under the name of a file that it lacks.
    if text[:200].lstrip().lower().startswith(("<!doctype html", "<html")):
        raise ValueError(f"{file.name} is a web page, not data; get the file itself again.")
    return text, encoding_notes([file.name] if is_latin else [])


def decode(content: bytes, name: str) -> tuple[str, bool]:
    """Return the text of a file, and whether it is no Unicode and was read as Latin-1."""
    if encoding := _wide_encoding(content):
        try:
            return content.decode(encoding).removeprefix("\ufeff"), False
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{name} is text in {encoding.upper()} that is cut off or damaged at byte "
                f"{error.start:,}; write or get it again."
            ) from None
    try:
        # The suffix "-sig" drops the mark that some editors put before the text.
        return content.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        pass
    try:
        return content.decode("cp1252"), True  # Latin-1 with the quotes and dashes of Windows
    except UnicodeDecodeError:
        return content.decode("latin-1"), True  # every byte is a letter of Latin-1: it never fails


def _wide_encoding(content: bytes) -> str | None:
    """Return the encoding of text with two or four bytes per letter; None for other text."""
    for mark, encoding in WIDE_MARKS.items():
        if content.startswith(mark):
            return encoding
    head = np.frombuffer(content[:PROBE_BYTES], dtype=np.uint8)
    even, odd = (float(np.mean(b == 0)) if len(b) else 0.0 for b in (head[::2], head[1::2]))
    # Without a mark, most letters of Western languages have a zero as first or second byte.
    if max(even, odd) > ZERO_SHARE and min(even, odd) < 1 - ZERO_SHARE:
        return "utf-16-be" if even > odd else "utf-16-le"
    return None


def split_lines(text: str) -> list[str]:
    """Split a text at the line ends of all systems.

    `str.splitlines` would also split at characters such as U+2028 and U+0085, which occur inside
    texts and names.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def encoding_notes(files: Sequence[str]) -> tuple[str, ...]:
    """Return a note on files that were read as Latin-1."""
    return (f"Not UTF-8, read as Latin-1: {list_names(files)}.",) if files else ()
