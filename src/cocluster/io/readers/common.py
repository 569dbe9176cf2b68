"""What all readers share: text in any encoding, lines, class labels."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io

from cocluster.io.dataset import some
from cocluster.linalg.types import Array
from cocluster.utils.text import as_float, is_missing

# For functions of scipy.io: newer versions must be told which kind of sparse matrix to give, older
# ones know one kind only and no such word.
AS_ARRAY: dict[str, Any] = (
    {"spmatrix": False} if "spmatrix" in signature(scipy.io.mmread).parameters else {}
)
# Names of the column or variable that holds classes, if the caller names none.
LABEL_NAMES = ("label", "labels", "class", "classes", "target", "gnd", "y")
# What texts begin with that have two or four bytes a letter.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Bytes that tell whether text without a mark has two bytes a letter, and the share of them that
# must be zero: blanks, digits and unaccented letters are more than this of any Western text.
LOOKED_AT = 4096
MOSTLY = 0.7


def read_text(file: Path) -> tuple[str, bool]:
    """Text of a file, and whether it had to be taken as Latin-1 because it is not UTF-8."""
    text, latin = decode(file.read_bytes(), file.name)
    # What a server sends instead of a file that is not there has the file's name.
    if text[:200].lstrip().lower().startswith(("<!doctype html", "<html")):
        raise ValueError(f"{file.name} is a web page, not data; get the file itself again.")
    return text, latin


def decode(raw: bytes, name: str) -> tuple[str, bool]:
    """Text of some bytes, and whether they are not Unicode and were taken as Latin-1."""
    for encoding in _wide(raw):
        try:
            return raw.decode(encoding).removeprefix("\ufeff"), False
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{name} is text in {encoding.upper()} that is cut off or damaged at byte "
                f"{error.start:,}; write or get it again."
            ) from None
    try:
        # With "-sig" the mark that some editors put before the text is dropped.
        return raw.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        pass
    try:
        return raw.decode("cp1252"), True  # Latin-1 with the quotes and dashes of Windows
    except UnicodeDecodeError:
        return raw.decode("latin-1"), True  # every byte is a letter of Latin-1: it never fails


def _wide(raw: bytes) -> list[str]:
    """The encoding of text of two or four bytes a letter; empty for any other text."""
    # UTF-32 first: its mark begins with that of UTF-16.
    for mark, encoding in MARKS.items():
        if raw.startswith(mark):
            return [encoding]
    head = np.frombuffer(raw[:LOOKED_AT], dtype=np.uint8)
    zeros = [float(np.mean(part == 0)) if len(part) else 0.0 for part in (head[::2], head[1::2])]
    # Without a mark: most letters of Western languages have a zero as their first or second byte.
    if max(zeros) > MOSTLY and min(zeros) < 1 - MOSTLY:
        return ["utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"]
    return []


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
    return (f"Not UTF-8, read as Latin-1: {some(files)}.",)


def encode_labels(values: Sequence[Any] | None) -> tuple[Array | None, Array | None]:
    """Codes and names of classes, numbers by size and words by alphabet; -1 if missing.

    Nothing at all (None) gives neither. A class -1 says that a class is not known, as it does in
    scikit-learn, unless it is one of two or three grades (-1, 0, 1) or there are other negative
    ones.
    """
    if values is None:
        return None, None
    texts = ["" if is_missing(value) else name_of(value) for value in values]
    names = sorted({text for text in texts if text}, key=_by_size)
    negative = [name for name in names if _by_size(name)[0] < 0]
    if negative == ["-1"] and not set(names) <= {"-1", "0", "1"}:
        names.remove("-1")
    code = {name: i for i, name in enumerate(names)}
    return np.array([code.get(text, -1) for text in texts]), np.array(names, dtype=object)


def _by_size(text: str) -> tuple[float, str]:
    """Key that sorts numbers by size, before words."""
    try:
        number = as_float(text)
    except ValueError:
        return np.inf, text
    # A class may be called "nan": as a number it is neither above nor below any other, and the
    # order of all would depend on the order in which they come.
    return (number if np.isfinite(number) else np.inf), text


def name_of(value: Any) -> str:
    """Name of a class or of a sample; whole numbers without a decimal point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)
