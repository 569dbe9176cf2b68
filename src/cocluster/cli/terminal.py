"""How results, notes and errors are written: plain text, cut to the terminal, coloured at most."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TextIO
from unicodedata import bidirectional, category, east_asian_width

# Narrower columns of text cannot be read.
LEAST_WIDTH = 16


def tell(line: str) -> None:
    """A line about what happens, on standard error: results alone are on standard output."""
    put(f"{line}\n")


def put(text: str) -> None:
    """A text on standard error, at once."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        # Nobody listens any longer: that must not end what they have begun.
        silence(sys.stderr)


def silence(stream: TextIO) -> None:
    """Let what is written to a stream, and what waits in it, go nowhere."""
    with suppress(OSError):  # also of a stream that is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def show(text: str = "") -> None:
    """A part of the result."""
    print(text)


def is_terminal(stream: TextIO) -> bool:
    """Whether someone looks at it."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def bold(text: str, stream: TextIO | None = None) -> str:
    """A text that stands out, where that can be shown and is wanted (see no-color.org)."""
    plain = os.environ.get("NO_COLOR") or not is_terminal(stream or sys.stdout)
    return text if plain else f"\033[1m{text}\033[0m"


def printable(text: Any) -> str:
    """A text of the data without characters that steer a terminal.

    >>> printable("a\\x1b[31mb\\nc")
    'a [31mb c'
    """
    return "".join(" " if _steers(letter) else letter for letter in str(text))


def _steers(letter: str) -> bool:
    """Whether a character moves, colours or turns around what is written."""
    # Marks that turn the direction of writing can make one name look like another.
    return category(letter) == "Cc" or bidirectional(letter) in ("LRE", "RLE", "LRO", "RLO", "PDF")


def width(stream: TextIO | None = None) -> int:
    """Columns to write to; where nobody looks, no line is cut."""
    looked_at = is_terminal(stream or sys.stdout)
    return shutil.get_terminal_size().columns if looked_at else 10_000


def cells(text: str) -> int:
    """Columns that a text takes: letters of East Asia take two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def cut(text: str, columns: int) -> str:
    """A text that takes so many columns at most."""
    if cells(text) <= columns:
        return text
    while text and cells(text) > columns - 1:
        text = text[:-1]
    return f"{text}…"


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]], columns: int | None = None) -> str:
    """Rows under their heads; numbers to the right, the last column wrapped to what is left.

    >>> print(table(["name", "size"], [["tea", 12], ["coffee", 7]]))
    name    size
    tea       12
    coffee     7
    """
    room = width() if columns is None else columns
    lines = [[printable(cell) for cell in row] for row in rows]
    wide = [max([cells(h), *(cells(line[j]) for line in lines)]) for j, h in enumerate(heads)]
    left = [
        not rows or not all(isinstance(row[j], int | float) for row in rows)
        for j in range(len(heads))
    ]
    rest = max(room - sum(wide[:-1]) - 2 * (len(wide) - 1), LEAST_WIDTH)
    wide[-1] = min(wide[-1], rest)

    def joined(line: Sequence[str]) -> list[str]:
        *first, last = line
        parts = textwrap.wrap(last, wide[-1]) or [""]
        begin = [_padded(cell, wide[j], left[j]) for j, cell in enumerate(first)]
        blank = [" " * w for w in wide[:-1]]
        return [
            "  ".join([*(begin if i == 0 else blank), _padded(part, wide[-1], left[-1])]).rstrip()
            for i, part in enumerate(parts)
        ]

    found = [bold(line) for line in joined(list(heads))]
    return "\n".join([*found, *(line for row in lines for line in joined(row))])


def _padded(text: str, columns: int, left: bool) -> str:
    """A text filled up with blanks."""
    blanks = " " * max(columns - cells(text), 0)
    return text + blanks if left else blanks + text
