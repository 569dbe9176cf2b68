"""Results of a benchmark that is one table of rows: kept as CSV, shown as a page."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.papers.layout import table_lines

RESULTS = Path(__file__).parent / "results"
Row = dict[str, Any]


def run_and_write(name: str, rows: Iterable[Row], report: Callable[[list[Row]], str]) -> None:
    """Make all rows, say each as soon as it is there, and write results/NAME.{csv,md}."""
    found = []
    for row in rows:
        print(row, flush=True)
        found.append(row)
    with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, found[0])
        writer.writeheader()
        writer.writerows(found)
    (RESULTS / f"{name}.md").write_text(report(found), encoding="utf-8")


def told(doc: str | None) -> list[str]:
    """What the head of a benchmark says below its title and its command, for the page."""
    return (doc or "").strip().split("\n\n", 2)[2].splitlines()


def means_lines(
    groups: Mapping[tuple[str, str, str], list[Row]],
    columns: Mapping[str, str],
    taken: Callable[[str], str],
) -> list[str]:
    """Means of some columns over the rows of each group, by (data, half, method).

    Parameters
    ----------
    groups : mapping of (data, half, method) to rows
    columns : mapping of the name of a column to its title
    taken : callable of data
        The column that the default takes, which is in bold.
    """
    body = []
    for (data, half, method), own in groups.items():
        means = {name: np.mean([float(row[name]) for row in own]) for name in columns}
        cells = [f"**{m:.3f}**" if name == taken(data) else f"{m:.3f}" for name, m in means.items()]
        body.append([data, half, str(len(own)), method, *cells])
    return table_lines(["data", "half", "matrices", "method", *columns.values()], body)
