"""What all readers share: text in any encoding, lines, class labels."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.linalg.types import Array
from cocluster.utils.files import unreadable
from cocluster.utils.parsing import as_float, is_missing

# Names of the column or variable that holds classes, if the caller names none.
LABEL_NAMES = ("label", "labels", "class", "target", "gnd", "y")
# Files that a note names: enough to find the others by.
FILES_SHOWN = 5


def read_bytes(file: Path) -> bytes:
    """Contents of a file, unpacked if its name ends in .gz."""
    if file.suffix.lower() != ".gz":
        return file.read_bytes()
    errors = (EOFError, gzip.BadGzipFile, zlib.error)
    with unreadable(file.name, *errors), gzip.open(file) as stream:
        return stream.read()


def read_text(file: Path) -> tuple[str, bool]:
    """Text of a file, and whether it had to be taken as Latin-1 because it is not UTF-8."""
    return decode(read_bytes(file))


def decode(raw: bytes) -> tuple[str, bool]:
    """Text of some bytes, and whether they are not UTF-8 and were taken as Latin-1."""
    try:
        # With "-sig" the mark that some editors put before the text is dropped.
        return raw.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        return raw.decode("latin-1"), True  # every byte is a letter of Latin-1: it never fails


def lines_of(text: str) -> list[str]:
    """Lines of a text, as all systems end them.

    `str.splitlines` would also cut at characters such as U+2028 and U+0085, which stand inside
    texts and names.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def encoding_notes(files: Sequence[str]) -> tuple[str, ...]:
    """A note on files that were taken as Latin-1."""
    if not files:
        return ()
    named = ", ".join(files[:FILES_SHOWN]) + (", ..." if len(files) > FILES_SHOWN else "")
    return (f"Not UTF-8, read as Latin-1: {named} ({len(files)} in all).",)


def encode_labels(values: Sequence[Any] | None) -> tuple[Array | None, Array | None]:
    """Codes and names of classes, numbers by size and words by alphabet; -1 if missing.

    Nothing at all (None) gives neither.
    """
    if values is None:
        return None, None
    texts = ["" if is_missing(value) else _text(value) for value in values]
    names = sorted({text for text in texts if text}, key=_by_size)
    code = {name: i for i, name in enumerate(names)}
    return np.array([code.get(text, -1) for text in texts]), np.array(names)


def _by_size(text: str) -> tuple[float, str]:
    """Key that sorts numbers by size, before words."""
    try:
        number = as_float(text)
    except ValueError:
        return np.inf, text
    # A class may be called "nan": as a number it is neither above nor below any other, and the
    # order of all would depend on the order in which they come.
    return (number if np.isfinite(number) else np.inf), text


def _text(value: Any) -> str:
    """Name of a class; whole numbers without a decimal point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)
