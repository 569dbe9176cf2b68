"""Output of results, notes and errors as plain text that fits the terminal."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TextIO
from unicodedata import bidirectional, category, east_asian_width

# Narrowest last column of a table, in characters.
LEAST_WIDTH = 16


def tell(line: str) -> None:
    """Write a line to standard error; standard output holds results only."""
    put(f"{line}\n")


def put(text: str) -> None:
    """Write a text to standard error and flush it."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        # Standard error was closed; the command must still finish.
        silence(sys.stderr)


def silence(stream: TextIO) -> None:
    """Redirect a stream and its buffered output to the null device."""
    with suppress(OSError):  # a stream need not be a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def show(text: str = "") -> None:
    """Print a part of the result to standard output."""
    print(text)


def is_terminal(stream: TextIO) -> bool:
    """Return whether a stream is an interactive terminal."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def bold(text: str, stream: TextIO | None = None) -> str:
    """Return a text in bold, unless the stream is no terminal or NO_COLOR is set."""
    plain = os.environ.get("NO_COLOR") or not is_terminal(stream or sys.stdout)
    return text if plain else f"\033[1m{text}\033[0m"


def printable(text: Any) -> str:
    """Replace the control characters of a text from the data by blanks.

    >>> printable("a\\x1b[31mb\\nc")
    'a [31mb c'
    """
    return "".join(" " if _steers(letter) else letter for letter in str(text))


def _steers(letter: str) -> bool:
    """Return whether a character controls the terminal or the direction of writing."""
    # Direction marks can make one name look like another.
    return category(letter) == "Cc" or bidirectional(letter) in ("LRE", "RLE", "LRO", "RLO", "PDF")


def width(stream: TextIO | None = None) -> int:
    """Return the width of the terminal, or a very large one if the stream is no terminal."""
    looked_at = is_terminal(stream or sys.stdout)
    return shutil.get_terminal_size().columns if looked_at else 10_000


def cells(text: str) -> int:
    """Return the display width of a text; wide East Asian characters count twice."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def cut(text: str, columns: int) -> str:
    """Shorten a text to a display width, with an ellipsis."""
    if cells(text) <= columns:
        return text
    while text and cells(text) > columns - 1:
        text = text[:-1]
    return f"{text}…"


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]], columns: int | None = None) -> str:
    """Format a table: numbers are right-aligned, the last column is wrapped to the width.

    >>> print(table(["name", "size"], [["tea", 12], ["coffee", 7]]))
    name    size
    tea       12
    coffee     7
    """
    room = width() if columns is None else columns
    lines = [[printable(cell) for cell in row] for row in rows]
    widths = [max([cells(h), *(cells(line[j]) for line in lines)]) for j, h in enumerate(heads)]
    left_aligned = [
        not rows or not all(isinstance(row[j], int | float) for row in rows)
        for j in range(len(heads))
    ]
    last_width = max(room - sum(widths[:-1]) - 2 * (len(widths) - 1), LEAST_WIDTH)
    widths[-1] = min(widths[-1], last_width)

    def format_row(line: Sequence[str]) -> list[str]:
        *first, last = line
        pieces = textwrap.wrap(last, widths[-1]) or [""]
        begin = [_pad(cell, widths[j], left_aligned[j]) for j, cell in enumerate(first)]
        blank = [" " * w for w in widths[:-1]]
        return [
            "  ".join(
                [*(begin if i == 0 else blank), _pad(piece, widths[-1], left_aligned[-1])]
            ).rstrip()
            for i, piece in enumerate(pieces)
        ]

    header = [bold(line) for line in format_row(list(heads))]
    return "\n".join([*header, *(line for row in lines for line in format_row(row))])


def _pad(text: str, columns: int, left_aligned: bool) -> str:
    """Pad a text with blanks to a display width."""
    blanks = " " * max(columns - cells(text), 0)
    return text + blanks if left_aligned else blanks + text
