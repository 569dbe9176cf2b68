"""Parts of a page: figures, matrices and words of a paper beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from cocluster.linalg.types import Array
from cocluster.metrics import confusion_matrix

Cells = Mapping[tuple[str, str], float]
MISSING = float("nan")


def table_lines(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """A table of texts."""
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in body]


def number(value: float, digits: int, sign: str = "") -> str:
    """A number, or a dash for NaN."""
    return "-" if np.isnan(value) else f"{value:{sign}.{digits}f}"


def cell(theirs: float, ours: float, digits: int) -> str:
    """Published / ours / difference, a dash for what there is not."""
    difference = number(ours - theirs, digits, "+")
    return f"{number(theirs, digits)} / {number(ours, digits)} / {difference}"


def compared(
    rows: Sequence[str],
    names: Sequence[str],
    theirs: Cells,
    ours: Cells,
    digits: int,
    title: Callable[[str], str] = str,
) -> list[str]:
    """Published and our figures of each row and column, and means over the cells that both have."""
    both = {
        (row, name): (theirs.get((row, name), MISSING), ours.get((row, name), MISSING))
        for row in rows
        for name in names
    }
    body = [[title(row), *(cell(*both[row, name], digits) for name in names)] for row in rows]
    means = [mean_of([both[row, name] for row in rows]) for name in names]
    last = ["mean of cells with both", *(cell(*m, digits) if m else "-" for m in means)]
    return table_lines(["set", *names], [*body, last])


def mean_of(pairs: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Means of the first and of the second entries, over the pairs that have both."""
    known = [pair for pair in pairs if not np.isnan(sum(pair))]
    if not known:
        return None
    theirs, ours = np.mean(known, axis=0)
    return float(theirs), float(ours)


def matrix(values: Mapping[str, float], letter: str) -> Array:
    """The matrix whose entries are named as C11, C12, ...; NaN where there is none."""
    places = {
        (int(name[1]) - 1, int(name[2]) - 1): float(value)
        for name, value in values.items()
        if name[0] == letter and name[1:].isdigit()
    }
    shape = np.max(list(places), axis=0) + 1
    found = np.full(shape, MISSING)
    for place, value in places.items():
        found[place] = value
    return found


def entries(letter: str, M: Array) -> dict[str, float]:
    """The opposite of `matrix`."""
    return {f"{letter}{i + 1}{j + 1}": float(v) for (i, j), v in np.ndenumerate(M)}


def matrix_text(M: Array, digits: int = 0) -> str:
    """A matrix within a cell of a table."""
    return "<br>".join(" ".join(number(value, digits) for value in row) for row in M)


def matched_confusion(classes: Array, labels: Array, number: int) -> tuple[Array, Array]:
    """Samples of each class in each cluster, and the clusters in the order of the rows.

    A row is a cluster, in the place of the class that it is matched to; some may be empty.
    """
    counts, _, clusters = confusion_matrix(classes, labels)
    C = np.zeros((number, number))
    C[clusters] = counts.T
    order = linear_sum_assignment(-C.T)[1]
    return C[order], np.asarray(order)


def right_share(C: Array) -> float:
    """Share of the samples whose cluster is matched to their class; NaN if entries are missing."""
    if np.isnan(C).any():
        return MISSING
    return float(C[linear_sum_assignment(C, maximize=True)].sum() / C.sum())


def words_beside(theirs: Sequence[str], ours: Sequence[str]) -> list[str]:
    """Published words, ours, and which of the published are among ours."""
    shared = [word for word in theirs if word in set(ours)]
    count = f"{len(shared)} of {len(theirs)}"
    return [" ".join(theirs), " ".join(ours), f"{count}: {' '.join(shared)}" if shared else count]
