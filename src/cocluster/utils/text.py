"""Text from and for files and messages: cells, JSON, CSV, quoted values and file names."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

# Characters of a value that a message quotes: enough to find the value in a file.
MAX_QUOTED = 80
# Characters of a file name: most disks allow 255 bytes.
MAX_FILE_NAME = 80


def quote(value: Any) -> str:
    """Quote a value for a message: as Python writes it, shortened if it is long.

    >>> quote("1,5"), quote("9" * 5000)[-22:]
    ("'1,5'", '999... (5,000 letters)')
    """
    return shorten(repr(value), len(str(value)))


def shorten(text: str, length: int | None = None) -> str:
    """Shorten a text for a message to one line; ``length`` is the length to state."""
    text = single_line(text)
    if len(text) <= MAX_QUOTED:
        return text
    return f"{text[:MAX_QUOTED]}... ({length or len(text):,} letters)"


def single_line(text: str) -> str:
    r"""Escape line ends and other unprintable characters of a text.

    >>> single_line("a\nb") == r"a\nb"
    True
    """
    return text if text.isprintable() else repr(text)[1:-1]


def is_unicode(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8; unpaired surrogates cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_float(cell: Any) -> float:
    """Parse the number in a cell; raise ValueError or TypeError if there is none.

    Python reads ``1_0`` as ten. In a file it is a misprint or a name, so it is refused.

    >>> as_float(" 1.5 ")
    1.5
    """
    _refuse_underscores(cell)
    try:
        return float(cell)
    except ValueError:
        # Python's message would quote the whole text, however long it is.
        raise ValueError(f"{quote(cell)} is not a number") from None


def as_int(cell: str) -> int:
    """Parse the integer in a cell; raise ValueError if there is none (see `as_float`)."""
    _refuse_underscores(cell)
    return int(cell)


def _refuse_underscores(cell: Any) -> None:
    """Raise ValueError for a number with underscores, which only Python source code allows."""
    if "_" in str(cell):
        raise ValueError(f"{quote(cell)} is not a number")


def as_text(value: str | bytes) -> str:
    """Decode text that a library may return as bytes, as numpy does for files of Python 2.

    >>> as_text(b"csr"), as_text("csr")
    ('csr', 'csr')
    """
    return value.decode() if isinstance(value, bytes) else value


def as_list(values: Iterable[Any]) -> list[Any]:
    """Convert values to a list of Python objects; numbers of an array lose their numpy type."""
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, or the NA or NaT of pandas."""
    try:
        # Only NaN and NaT differ from themselves.
        return value is None or bool(value != value)
    except TypeError:  # NA: the truth of a comparison with it is undefined
        return True


def as_json(value: Any, indent: int | None = None) -> str:
    r"""Encode a value as JSON; non-ASCII characters are escaped only if UTF-8 cannot hold them.

    >>> as_json("é"), as_json("\ud800")
    ('"é"', '"\\ud800"')
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False, default=str)
    return text if is_unicode(text) else json.dumps(value, indent=indent, default=str)


def json_value(text: str, source: str) -> Any:
    """Decode the JSON value in a text; errors name its source."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = f", line {error.lineno}, column {error.colno}" if error.lineno > 1 else ""
        raise ValueError(f"{source}{line}: not JSON ({error.msg}).") from None
    except (ValueError, RecursionError) as error:
        # Numbers with thousands of digits, and deeply nested brackets.
        raise ValueError(f"{source}: JSON that cannot be read ({error}).") from None


def json_object(text: str, source: str) -> dict[str, Any]:
    """Decode the JSON object in a text; errors name its source."""
    value = json_value(text, source)
    if not isinstance(value, dict):
        raise ValueError(f"{source}: not a JSON object.")
    return value


def write_table(file: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file; characters that UTF-8 cannot hold are escaped."""
    # Names come from files of any kind: one bad character must not lose a finished run.
    with file.open("w", newline="", encoding="utf-8", errors="backslashreplace") as stream:
        writer = csv.writer(stream)
        writer.writerow(head)
        writer.writerows(rows)


def read_table(file: Path) -> list[dict[str, str]]:
    """Read the rows of a CSV file with a header."""
    text = file.read_text(encoding="utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a portable file name for each name, all different.

    >>> file_names(["words", "a/b", "a:b", ""])
    {'words': 'words', 'a/b': 'a_b', 'a:b': 'a_b_2', '': '_'}
    """
    file_name: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        # Letters of any script would be readable, but not on every disk and in every archive.
        stem = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:MAX_FILE_NAME].lstrip(".") or "_"
        candidate, number = stem, 1
        while candidate.lower() in taken:
            number += 1
            candidate = f"{stem}_{number}"
        file_name[name] = candidate
        taken.add(candidate.lower())
    return file_name
