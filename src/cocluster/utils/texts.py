"""Texts in files, whatever they hold."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

# Letters of a value that a message quotes: enough to find it in a file.
QUOTED = 80
# Letters of a name that a file is called by: names of files end at 255 bytes on most disks.
LONGEST = 80


def as_json(value: Any, indent: int | None = None) -> str:
    r"""JSON with all letters as they are, or with all escaped where one is no proper Unicode.

    >>> as_json("é"), as_json("\ud800")
    ('"é"', '"\\ud800"')
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False, default=str)
    return text if is_unicode(text) else json.dumps(value, indent=indent, default=str)


def quoted(value: Any) -> str:
    """How a message quotes a value of a file: as Python writes it, cut off if it is long.

    >>> quoted("1,5"), quoted("9" * 5000)[-22:]
    ("'1,5'", '999... (5,000 letters)')
    """
    return shortened(repr(value), len(str(value)))


def in_one_line(text: str) -> str:
    r"""A text with line ends, and what else is not seen, as Python writes them.

    >>> in_one_line("a\nb") == r"a\nb"
    True
    """
    return text if text.isprintable() else repr(text)[1:-1]


def shortened(text: str, letters: int | None = None) -> str:
    """A text for a message, in one line, cut off if it is long.

    ``letters`` is how many it has to tell of.
    """
    text = in_one_line(text)
    if len(text) <= QUOTED:
        return text
    return f"{text[:QUOTED]}... ({letters or len(text):,} letters)"


def is_unicode(text: str) -> bool:
    """Whether a text can be written: halves of a pair of surrogates cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def write_table(file: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file; what is no proper Unicode is written as an escape."""
    # Names come from files of any kind: one bad letter must not lose a finished run.
    with file.open("w", newline="", encoding="utf-8", errors="backslashreplace") as opened:
        writer = csv.writer(opened)
        writer.writerow(head)
        writer.writerows(rows)


def read_table(file: Path) -> list[dict[str, str]]:
    """Rows of a CSV file with a header."""
    text = file.read_text(encoding="utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def file_names(names: Iterable[str]) -> dict[str, str]:
    """For each name one that a file may have, all different.

    >>> file_names(["words", "a/b", "a:b", ""])
    {'words': 'words', 'a/b': 'a_b', 'a:b': 'a_b_2', '': '_'}
    """
    found: dict[str, str] = {}
    for name in names:
        # Letters and digits of any script would do, but not on every disk and in every archive.
        plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:LONGEST].lstrip(".") or "_"
        number, taken = 1, {own.lower() for own in found.values()}
        while (plain if number == 1 else f"{plain}_{number}").lower() in taken:
            number += 1
        found[name] = plain if number == 1 else f"{plain}_{number}"
    return found
