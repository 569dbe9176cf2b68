"""The setting chosen for each draw of the data by itself, which some papers' words allow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.papers.layout import table_lines
from benchmarks.papers.protocol import Table
from benchmarks.papers.runner import by_key
from benchmarks.papers.search import Row, average, finished


class Draws(NamedTuple):
    """Mean over the draws of the best figure of each, and of how many settings it is the best."""

    mean: float
    settings: int


def each_draw(
    table: Table, rows: list[Row], quick: bool, metric: str
) -> dict[tuple[str, str], Draws]:
    """Per cell the mean of the best figures of the draws; only settings with all draws take part.

    More settings give higher figures: these are the ones a search ends with, so a method with a
    small grid has fewer of them.
    """
    done = by_key(rows)
    found = {}
    for row, column in ((row, column) for row in table.rows(quick) for column in table.columns):
        runs = [of for _, of in finished(table, row, column, quick, done)[0]]
        runs = [of for of in runs if not np.isnan(average(of, metric))]
        if runs:
            figures = np.array([[float(run[metric]) for run in of] for of in runs])
            found[row, column.name] = Draws(float(figures.max(axis=0).mean()), len(runs))
    return found


def draw_lines(table: Table, rows: list[Row], quick: bool, metric: str) -> list[str]:
    """The section of a page: our figures with a setting for each draw."""
    found = each_draw(table, rows, quick, metric)
    names = [column.name for column in table.columns]
    digits = 3 if table.unit == 1.0 else 1

    def shown(row: str, name: str) -> str:
        if (row, name) not in found:
            return "-"
        return f"{table.unit * found[row, name].mean:.{digits}f} ({found[row, name].settings})"

    def mean(name: str) -> str:
        means = [draws.mean for (_, method), draws in found.items() if method == name]
        return f"{table.unit * float(np.mean(means)):.{digits}f}" if means else "-"

    body = [[row, *(shown(row, name) for name in names)] for row in table.rows(quick)]
    body += [["mean", *(mean(name) for name in names)]]
    text = (
        "Ours, if every draw has its own best setting, of those run with all draws (their number "
        "in brackets; the more, the higher the figure). The paper does not say which of the two "
        "it does."
    )
    return [
        f"## {metric}, setting for each draw",
        "",
        text,
        "",
        *table_lines(["set", *names], body),
    ]
