"""Two samples side by side, with what differs between them marked."""

from __future__ import annotations

import re
import sys
import textwrap
from typing import Any

from cocluster.cli.terminal import bold, cells, cut, is_terminal, printable, width
from cocluster.report.sample import text_of, values_of

# Letters of a text: a screen of both.
LONGEST = 900
# Where nobody can say how wide the terminal is.
USUAL_WIDTH = 100


def side_by_side(dataset: Any, i: int, j: int) -> str:
    """Samples i and j in two columns; words of only one of them stand out."""
    # Questions are asked on standard error, results alone go to standard output.
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
        rows.append(f"{_marked(a, words[1])}{blanks} │ {_marked(b, words[0])}".rstrip())
    heads = [cut(title_of(dataset, sample), room) for sample in (i, j)]
    first = f"{_bold(heads[0])}{' ' * (room - cells(heads[0]))} │ {_bold(heads[1])}"
    return "\n".join([first, *rows])


def title_of(dataset: Any, i: int) -> str:
    """What a sample is called."""
    name = str(i) if dataset.sample_names is None else str(dataset.sample_names[i])
    title = "" if dataset.titles is None else f" {dataset.titles[i]}"
    return printable(name + title)


def described(dataset: Any, i: int) -> str:
    """The text of a sample, or the features that it has most of."""
    text = text_of(dataset, i)
    if text is not None:
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    lines = [
        f"{view}: " + ", ".join(f"{name} {value:.3g}" for name, value in top)
        for view, top in values_of(dataset, i).items()
    ]
    return "\n".join(lines)


def _bold(text: str) -> str:
    """A text that stands out."""
    return bold(text, sys.stderr)


def _words(text: str) -> list[str]:
    """Words of a text."""
    return [word.lower() for word in re.findall(r"\w+", text)]


def _lines(text: str, room: int) -> list[str]:
    """A text as lines of a column."""
    lines = [printable(line) for line in text.splitlines() if line.strip()]
    return [part for line in lines for part in textwrap.wrap(line, room)]


def _marked(line: str, other: set[str]) -> str:
    """A line in which words that the other text lacks stand out."""
    return re.sub(r"\w{3,}", lambda w: w[0] if w[0].lower() in other else _bold(w[0]), line)
