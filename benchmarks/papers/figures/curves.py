"""Figures that are curves: a score or a time against links, a parameter or the size of data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.packs import read_rows
from benchmarks.papers.figures import style
from benchmarks.papers.figures.figure import Figure, Finding, Report
from benchmarks.papers.page import chosen, read_published
from benchmarks.papers.protocol import SHARES, Job, Table, load
from benchmarks.papers.runner import Loader, by_key, require_data, run
from benchmarks.papers.search import Key, Row, average, most_runs, stages

Line = dict[float, float]
Lines = dict[str, dict[str, Line]]
Claim = Callable[[Lines], Finding]


@dataclass(frozen=True)
class Mark:
    """Figures that a table of the paper prints: at one place of the axis, or for all of it."""

    table: str
    at: float | None = None
    column: str | None = None


@dataclass(frozen=True, kw_only=True)
class Curves(Figure):
    """Every method of a table against what changes from table to table.

    Attributes
    ----------
    points : tuple of (place on the axis, table)
        The curves are the columns of the tables.
    panels : dict of title to sets
        A panel shows means over its sets.
    axis : str
        What is on the horizontal axis.
    own : str
        The paper's own method.
    claims : tuple of callables
        What the paper sees in the figure, looked for in ours.
    label : str
        What is on the vertical axis, if not the metric.
    log : str
        Which axes are logarithmic: "", "x", "y" or "xy".
    mark : Mark or None
    loader : callable of (paper, set, seed)
    """

    points: tuple[tuple[float, Table], ...]
    panels: Mapping[str, tuple[str, ...]]
    axis: str
    own: str
    claims: tuple[Claim, ...]
    metric: str = "accuracy"
    label: str = ""
    log: str = ""
    columns: int = 2
    mark: Mark | None = None
    loader: Loader = load

    def require(self, quick: bool) -> None:
        for _, table in self.points:
            require_data(table, quick)

    def run(self, folder: Path, quick: bool, report: Report) -> None:
        sizes = [_size(table, quick) for _, table in self.points]
        # Kept from point to point, so that all of them are run on one copy of the data.
        loader = lru_cache(maxsize=None)(self.loader)
        for i, (x, table) in enumerate(self.points):
            before = sum(sizes[:i])

            def show(job: Job, done: int, _: int, x: float = x, before: int = before) -> None:
                report(f"{job.row}, {job.column.name}, {x:g}", before + done, sum(sizes))

            run(table, folder, name=self.runs, quick=quick, report=show, loader=loader)

    def rows(self, folder: Path) -> tuple[list[Row], bool]:
        """Runs that are there, and whether those of the whole protocol are not."""
        rows = read_rows(folder, self.runs)
        done = by_key(rows)
        return rows, not all(_is_whole(table, done) for _, table in self.points)

    def lines(self, folder: Path) -> Lines:
        """Means by panel, method and place; only where all sets of the panel are there."""
        rows, quick = self.rows(folder)
        lines: Lines = {}
        for x, table in self.points:
            best = chosen(table, rows, quick, self.metric)
            unit = table.unit if self.metric in SHARES else 1.0
            for panel, sets in self.panels.items():
                used = [name for name in table.rows(quick) if name in sets]
                for column in table.columns:
                    found = [best.get((name, column.name)) for name in used]
                    values = [average(one[1], self.metric) for one in found if one is not None]
                    if used and len(values) == len(used):
                        line = lines.setdefault(panel, {}).setdefault(column.name, {})
                        line[x] = unit * float(np.mean(values))
        return lines

    def published(self, folder: Path) -> dict[tuple[str, str], float]:
        """Printed figures by panel and method, means over the sets that are drawn."""
        if self.mark is None:
            return {}
        printed = read_published(folder / "published.csv", self.mark.table)
        table, quick = self.points[0][1], self.rows(folder)[1]
        marks = {}
        for panel, sets in self.panels.items():
            used = [name for name in table.rows(quick) if name in sets]
            for column in table.columns:
                keys = [(name, self.mark.column or column.name, self.metric) for name in used]
                if keys and all(one in printed for one in keys):
                    marks[panel, column.name] = float(np.mean([printed[one] for one in keys]))
        return marks

    def draw(self, folder: Path) -> Path:
        lines, published = self.lines(folder), self.published(folder)
        columns = min(self.columns, max(len(lines), 1))
        height = 3.4 if columns < 3 else 2.5
        figure, axes = style.canvas(max(len(lines), 1), columns, height=height)
        names = [column.name for _, table in self.points for column in table.columns]
        looks = style.looks(names, self.own)
        for axis, panel in zip(axes, lines, strict=False):
            for name, line in lines[panel].items():
                axis.plot(list(line), list(line.values()), label=name, markersize=4, **looks[name])
            for (where, name), value in published.items():
                if where == panel:
                    self._print_mark(axis, value, looks[name])
            self._finish(axis, panel)
        handles = {name: hand for axis in axes for hand, name in _legend(axis)}
        if len(handles) > 1:
            figure.legend(
                handles.values(), handles, loc="outside upper center", ncols=6, fontsize=8
            )
        return style.save(figure, self.picture(folder))

    def _print_mark(self, axis: Any, value: float, look: dict[str, Any]) -> None:
        """A printed figure: a hollow star, or a dashed line where it holds for all of the axis."""
        assert self.mark is not None
        if self.mark.at is None:
            axis.axhline(value, color="0.3", linestyle="--", linewidth=1)
        else:
            axis.plot(
                [self.mark.at], [value], "*", ms=11, mfc="none", mec=look["color"], clip_on=False
            )

    def _finish(self, axis: Any, panel: str) -> None:
        """Titles and scales of a panel."""
        axis.set_title(panel, fontsize=9)
        axis.set_xlabel(self.axis, fontsize=8)
        axis.set_ylabel(self.label or self.metric, fontsize=8)
        if "x" in self.log:
            axis.set_xscale("log")
        if "y" in self.log:
            axis.set_yscale("log")

    def findings(self, folder: Path) -> list[Finding]:
        lines = self.lines(folder)
        found = [claim(lines) for claim in self.claims]
        return [*found, self._levels(lines, folder)] if self.mark else found

    def _levels(self, lines: Lines, folder: Path) -> Finding:
        """How often ours reaches what is printed, at its place or anywhere on the axis."""
        reached = []
        two = 0.02 * self.points[0][1].unit
        for (panel, name), value in self.published(folder).items():
            line = lines.get(panel, {}).get(name, {})
            assert self.mark is not None
            ours = (
                max(line.values(), default=np.nan)
                if self.mark.at is None
                else line.get(self.mark.at, np.nan)
            )
            reached.append(ours >= value - two)
        return Finding("printed figures reached to 2 points", sum(reached), len(reached))

    def made(self, folder: Path) -> str:
        table, quick = self.points[0][1], self.rows(folder)[1]
        parts = [self._runs(table, quick)]
        if table.finalists and not quick:
            parts.append(
                "Of each method on each set the best setting at each place is shown, searched in "
                f"stages as in the tables, with {self._at_first(table)} each at first."
            )
        drawn = {name for _, one in self.points for name in one.rows(quick)}
        left = [name for sets in self.panels.values() for name in sets if name not in drawn]
        if left:
            parts.append(f"Not run: {', '.join(left)}.")
        if self.mark is not None:
            shape = "Dashed line" if self.mark.at is None else "Stars"
            parts.append(f"{shape}: printed in table {self.mark.table}.")
        return " ".join(parts)

    def _runs(self, table: Table, quick: bool) -> str:
        """How many runs were made, and how many the paper has."""
        names = dict.fromkeys(one for _, table in self.points for one in table.rows(quick))
        counts = {name: len(table.seeds(quick, name)) for name in names}
        ((usual, _),) = Counter(counts.values()).most_common(1)
        other = [f"{name} {count}" for name, count in counts.items() if count != usual]
        told = f", {', '.join(other)}" if other else ""
        mode = "A quick run: mean" if quick else "Mean"
        runs = f"{usual} run{'s' if usual > 1 else ''}"
        return f"{mode} of {runs}{told} (the paper has {table.runs})."

    def _at_first(self, table: Table) -> str:
        """Runs of a setting in the first stages of the search."""
        counts = [len(table.seeds(True, name)) for name in table.rows(quick=False)]
        ((usual, _),) = Counter(counts).most_common(1)
        return f"{usual} run{'s' if usual > 1 else ''}"


def _size(table: Table, quick: bool) -> int:
    """How many runs a table has at most."""
    cells = product(table.rows(quick), table.columns)
    return sum(most_runs(table, row, column, quick) for row, column in cells)


def _is_whole(table: Table, done: Mapping[Key, Row]) -> bool:
    """Whether all runs of the whole protocol are there."""
    for row, column in product(table.rows(quick=False), table.columns):
        # A stage may be asked for only when the one before it is there.
        for stage in stages(table, row, column, False, done):
            if any(job.key not in done for job in stage):
                return False
    return True


def _legend(axis: Any) -> list[tuple[Any, str]]:
    """Lines of a panel and their names."""
    return list(zip(*axis.get_legend_handles_labels(), strict=True))
