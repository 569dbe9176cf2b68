"""Figures that are pictures of data, panel by panel: points of a plane, or cells of a matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks.packs import read_rows, write_rows
from benchmarks.papers.figures import style
from benchmarks.papers.figures.figure import Figure, Finding, Report
from benchmarks.papers.runner import versions
from benchmarks.papers.search import Row
from cocluster.datasets.fetch import locate
from cocluster.datasets.registry import dataset_info
from cocluster.linalg.types import Array

FIELDS = ("panel", "kind", "group", "x", "y", "value")
Panels = dict[str, list[Row]]
# The last line of a panel: with it the panel is whole.
MADE = "made"


@dataclass(frozen=True, kw_only=True)
class Picture(Figure):
    """Panels that are made once.

    Attributes
    ----------
    panels : dict of title to callable
        Each gives the lines of its panel.
    paint : callable of (axis, lines)
    claims : tuple of callables of the panels
        What the paper sees in the figure, looked for in ours.
    needs : tuple of str
        Data sets.
    columns : int
        Panels beside each other.
    """

    panels: Mapping[str, Callable[[], list[Row]]]
    paint: Callable[[Any, list[Row]], None]
    claims: tuple[Callable[[Panels], Finding], ...]
    needs: tuple[str, ...] = ()
    columns: int = 3
    height: float = 2.7

    def require(self, quick: bool) -> None:
        for name in self.needs:
            locate(dataset_info(name))

    def run(self, folder: Path, quick: bool, report: Report) -> None:
        found = whole_panels(folder, self.runs)
        for done, (title, make) in enumerate(self.panels.items()):
            report(title, done, len(self.panels))
            if title not in found:
                found[title] = [*make(), line(MADE, group=versions())]
                _write(folder, self.runs, found)

    def draw(self, folder: Path) -> Path:
        found = whole_panels(folder, self.runs)
        figure, axes = style.canvas(len(self.panels), self.columns, self.height)
        for axis, title in zip(axes, self.panels, strict=True):
            axis.set_title(title, fontsize=9)
            self.paint(axis, found.get(title, []))
        return style.save(figure, self.picture(folder))

    def findings(self, folder: Path) -> list[Finding]:
        found = whole_panels(folder, self.runs)
        return [claim(found) for claim in self.claims]

    def made(self, folder: Path) -> str:
        return ""


def line(kind: str, **values: object) -> Row:
    """One line of a panel."""
    shown = {k: f"{v:.4g}" if isinstance(v, float) else str(v) for k, v in values.items()}
    return {"kind": kind, **shown}


def points(kind: str, groups: Array, places: Array, clusters: Array) -> list[Row]:
    """Points of a plane, or of a line, with the class and the cluster of each."""
    places = np.atleast_2d(places.T).T.astype(float)
    y = places[:, 1] if places.shape[1] > 1 else np.zeros(len(places))
    parts = zip(groups, places[:, 0], y, clusters, strict=True)
    return [
        line(kind, group=group, x=float(a), y=float(b), value=cluster)
        for group, a, b, cluster in parts
    ]


def whole_panels(folder: Path, name: str) -> Panels:
    """Panels that were finished."""
    grouped = groupby(read_rows(folder, name), key=lambda row: row["panel"])
    found = {title: list(rows) for title, rows in grouped}
    return {title: rows for title, rows in found.items() if rows[-1]["kind"] == MADE}


def _write(folder: Path, name: str, panels: Panels) -> None:
    """Put these panels in the place of the old ones."""
    rows = [{**row, "panel": title} for title, found in panels.items() for row in found]
    write_rows(folder, name, rows, FIELDS)


def of_kind(rows: Iterable[Row], *kinds: str) -> list[Row]:
    """Lines of some kinds."""
    return [row for row in rows if row["kind"] in kinds]


def column(rows: Iterable[Row], name: str) -> Array:
    """Numbers of a column."""
    return np.array([float(row[name]) for row in rows])


def scatter(axis: Any, rows: list[Row]) -> None:
    """Points; colours are classes, and a point in a cluster of mostly another class is hollow."""
    drawn = of_kind(rows, "point")
    classes = matched(drawn)
    for group, (colour, marker) in zip(_values(drawn, "group"), _LOOKS, strict=False):
        for filled in (True, False):
            own = [
                row
                for row in drawn
                if row["group"] == group and (classes[row["value"]] == group) == filled
            ]
            axis.plot(
                column(own, "x"),
                column(own, "y"),
                marker,
                color=colour,
                ms=5,
                mfc=colour if filled else "none",
            )
    if drawn and min(column(drawn, "x").min(), column(drawn, "y").min()) >= 0:
        # Where nothing is negative, the axes themselves are to be seen.
        axis.set_xlim(left=-0.05 * axis.get_xlim()[1])
        axis.set_ylim(bottom=-0.05 * axis.get_ylim()[1])
        axis.axhline(0, color="0.3", lw=0.8)
        axis.axvline(0, color="0.3", lw=0.8)


_LOOKS = (("tab:blue", "^"), ("tab:red", "o"))


def matched(rows: list[Row]) -> dict[str, str]:
    """The class of each cluster, such that the most points are right."""
    groups, clusters = _values(rows, "group"), _values(rows, "value")
    table = np.zeros((len(clusters), len(groups)))
    for row in rows:
        table[clusters.index(row["value"]), groups.index(row["group"])] += 1
    pairs = zip(*linear_sum_assignment(-table), strict=True)
    return dict.fromkeys(clusters, "") | {clusters[i]: groups[j] for i, j in pairs}


def right(panel: str, what: str, beside: str = "") -> Callable[[Panels], Finding]:
    """How many points of a panel are in the cluster of their class, and of another beside it."""

    def claim(panels: Panels) -> Finding:
        held, cases = _right_points(panels.get(panel, []))
        other = "{} of {}".format(*_right_points(panels.get(beside, [])))
        return Finding(what, held, cases, f"{beside}: {other}" if beside else "")

    return claim


def _right_points(rows: list[Row]) -> tuple[int, int]:
    """Points in the cluster of their class, and all points."""
    drawn = of_kind(rows, "point")
    classes = matched(drawn) if drawn else {}
    return sum(classes[row["value"]] == row["group"] for row in drawn), len(drawn)


def _values(rows: Iterable[Row], name: str) -> list[str]:
    """Distinct values of a column, sorted."""
    return sorted({row[name] for row in rows})
