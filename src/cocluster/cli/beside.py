"""Two samples side by side, with what differs between them marked."""

from __future__ import annotations

import re
import sys
import textwrap
from typing import Any

import numpy as np

from cocluster.cli.terminal import bold, cells, cut, is_terminal, printable, width
from cocluster.linalg.matrices import as_dense

# Letters of a text: a screen of both.
LONGEST = 900
# Where nobody can say how wide the terminal is.
USUAL_WIDTH = 100
# Features that stand for a sample without a text.
FEATURES = 15


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
    if dataset.texts is not None:
        text = str(dataset.texts[i])
        bodies = getattr(dataset.counter, "bodies", None)
        own = text if bodies is None else bodies([text])[0]
        return own if len(own) <= LONGEST else f"{own[:LONGEST]}…"
    lines = []
    for view, X in dataset.views.items():
        row = _row(dataset, view, X, i)
        if row is not None:
            lines.append(f"{view}: {_top(dataset, view, row)}")
    return "\n".join(lines)


def _bold(text: str) -> str:
    """A text that stands out."""
    return bold(text, sys.stderr)


def _row(dataset: Any, view: str, X: Any, i: int) -> Any:
    """The row of a sample in a view; None if it lacks the sample."""
    if view in dataset.present:
        place = np.flatnonzero(dataset.present[view] == i)
        return None if not len(place) else np.ravel(as_dense(X[place[:1]]))
    return np.ravel(as_dense(X[[i]]))


def _top(dataset: Any, view: str, row: Any) -> str:
    """The largest entries of a row, by name."""
    names = dataset.feature_names.get(view)
    order = [j for j in np.argsort(-np.abs(row), kind="stable")[:FEATURES] if row[j] != 0]
    return ", ".join(f"{j if names is None else names[j]} {row[j]:.3g}" for j in order)


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
