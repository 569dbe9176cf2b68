"""What all readers share: text in any encoding, class labels, errors that name the file."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.linalg.types import Array
from cocluster.utils.files import unreadable

# Names of the column or variable that holds classes, if the caller names none.
LABEL_NAMES = ("label", "labels", "class", "target", "gnd", "y")


def read_bytes(file: Path) -> bytes:
    """Contents of a file, unpacked if its name ends in .gz."""
    if file.suffix != ".gz":
        return file.read_bytes()
    with unreadable(file.name, EOFError, gzip.BadGzipFile, zlib.error), gzip.open(file) as stream:
        return stream.read()


def read_text(file: Path) -> tuple[str, bool]:
    """Text of a file, and whether it had to be taken as Latin-1 because it is not UTF-8."""
    return decode(read_bytes(file))


def decode(raw: bytes) -> tuple[str, bool]:
    """Text of some bytes, and whether they are not UTF-8 and were taken as Latin-1."""
    try:
        return raw.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        return raw.decode("latin-1"), True


def encoding_notes(files: Sequence[str]) -> tuple[str, ...]:
    """A note on files that were taken as Latin-1."""
    if not files:
        return ()
    named = ", ".join(files[:5]) + (", ..." if len(files) > 5 else "")
    return (f"Not UTF-8, read as Latin-1: {named} ({len(files)} in all).",)


def encode_labels(values: Sequence[Any]) -> tuple[Array, Array]:
    """Codes and names of classes, numbers by size and words by alphabet; -1 if missing."""
    texts = ["" if _is_missing(value) else _text(value) for value in values]
    names = sorted({text for text in texts if text}, key=_by_size)
    code = {name: i for i, name in enumerate(names)}
    return np.array([code.get(text, -1) for text in texts]), np.array(names)


def _is_missing(value: Any) -> bool:
    """Whether a label is not given."""
    return value is None or value == "" or value != value


def _by_size(text: str) -> tuple[float, str]:
    """Key that sorts numbers by size, before words."""
    try:
        return float(text), text
    except ValueError:
        return np.inf, text


def _text(value: Any) -> str:
    """Name of a class; whole numbers without a decimal point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)
