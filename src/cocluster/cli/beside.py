"""Two samples side by side, with their different words highlighted."""

from __future__ import annotations

import re
import sys
import textwrap
from typing import Any

from cocluster.cli.terminal import bold, cells, cut, is_terminal, printable, width
from cocluster.report.samples import largest_features, sample_text

# Longest text of a sample in characters, so that two samples fit on one screen.
LONGEST = 900
# Columns to use if the width of the terminal is unknown.
USUAL_WIDTH = 100


def side_by_side(dataset: Any, i: int, j: int) -> str:
    """Return samples i and j in two columns; words of only one of them are bold."""
    # Questions go to standard error; standard output holds results only.
    wide = min(width(sys.stderr), 2 * USUAL_WIDTH) if is_terminal(sys.stderr) else USUAL_WIDTH
    room = wide // 2 - 2
    texts = [described(dataset, sample) for sample in (i, j)]
    words = [set(_words(text)) for text in texts]
    columns = [_lines(text, room) for text in texts]
    height = max(map(len, columns))
    left, right = (column + [""] * (height - len(column)) for column in columns)
    rows = []
    for a, b in zip(left, right, strict=True):
        blanks = " " * (room - cells(a))
        rows.append(f"{_highlight(a, words[1])}{blanks} │ {_highlight(b, words[0])}".rstrip())
    heads = [cut(title_of(dataset, sample), room) for sample in (i, j)]
    first = f"{_bold(heads[0])}{' ' * (room - cells(heads[0]))} │ {_bold(heads[1])}"
    return "\n".join([first, *rows])


def title_of(dataset: Any, i: int) -> str:
    """Return the name and title of a sample."""
    name = str(i) if dataset.sample_names is None else str(dataset.sample_names[i])
    title = "" if dataset.titles is None else f" {dataset.titles[i]}"
    return printable(name + title)


def described(dataset: Any, i: int) -> str:
    """Return the text of a sample, or its features of largest value."""
    text = sample_text(dataset, i)
    if text is not None:
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    lines = [
        f"{view}: " + ", ".join(f"{name} {value:.3g}" for name, value in top)
        for view, top in largest_features(dataset, i).items()
    ]
    return "\n".join(lines)


def _bold(text: str) -> str:
    """Return a text in bold for standard error."""
    return bold(text, sys.stderr)


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.lower() for word in re.findall(r"\w+", text)]


def _lines(text: str, room: int) -> list[str]:
    """Wrap a text to the lines of a column."""
    lines = [printable(line) for line in text.splitlines() if line.strip()]
    return [piece for line in lines for piece in textwrap.wrap(line, room)]


def _highlight(line: str, other_words: set[str]) -> str:
    """Return a line with the words that the other text lacks in bold."""
    return re.sub(r"\w{3,}", lambda w: w[0] if w[0].lower() in other_words else _bold(w[0]), line)
