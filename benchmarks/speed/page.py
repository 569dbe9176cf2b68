"""README.md: tables of ratios from the rows of a run."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.speed.cases import OURS
from benchmarks.speed.run import Row, identity

FOLDER = Path(__file__).parent
RESULTS, BASELINE, PAGE = (FOLDER / n for n in ("results.csv", "baseline.csv", "README.md"))
# Sections that come as they are, from `scale` and `graphs`.
SCALE = {name: FOLDER / f"{name}.md" for name in ("out_of_core", "dask", "graphs")}
MARK = "<!-- results -->"
# A case that takes more than this times the baseline is marked.
SLOWER = 1.15
NUMBERS = (
    "value nonzeros seconds sweep pass products lloyd memory accuracy nmi column_nmi best_possible"
)


def read(file: Path) -> list[Row]:
    """Rows of a CSV file, numbers as numbers; none where there is no file."""
    if not file.exists():
        return []
    with file.open(newline="") as stream:
        rows: list[Row] = list(csv.DictReader(stream))
    for row in rows:
        row |= {name: float(row.get(name) or math.nan) for name in NUMBERS.split()}
    return rows


def in_passes(row: Row) -> float:
    """Time of a sweep (of a fit) over that of reading the matrix's arrays once, in one process."""
    return float((row["sweep"] if row["task"] == "sweep" else row["seconds"]) / row["pass"])


def marked(ratio: float) -> str:
    """A ratio to the baseline, marked where it is slower."""
    return f"**{ratio:.2f} slower**" if ratio > SLOWER else _2(ratio)


class Baseline:
    """Times of an earlier version, in passes over the arrays."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._known = {identity(row): in_passes(row) for row in rows if row["status"] == "done"}

    def ratio(self, row: Row) -> float:
        """Time now over time then; NaN where it was not measured."""
        return in_passes(row) / self._known.get(identity(row), math.nan)

    def cell(self, row: Row) -> str:
        """The ratio, marked where it is slower."""
        return marked(self.ratio(row))


def _2(value: float) -> str:
    """Two digits behind the point, nothing where there is nothing."""
    return "" if math.isnan(value) else f"{value:,.2f}"


def table(head: str, lines: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    names = head.split(" | ")
    rows = ["| " + " | ".join(cells) + " |" for cells in (names, ["---"] * len(names), *lines)]
    return "\n".join(rows)


def sweep_table(rows: list[Row], baseline: Baseline) -> str:
    """Sweeps against the pass, the products and an iteration of k-means."""
    head = "data | method | sweep / pass | sweep / two products | k-means iteration / sweep"
    return table(
        f"{head} | memory / matrix | against the baseline",
        (
            [r["data"], r["method"], r["status"], "", "", "", ""]
            if r["status"] != "done"
            else [
                r["data"],
                r["method"],
                _2(in_passes(r)),
                _2(r["sweep"] / r["products"]),
                _2(r["lloyd"] / r["sweep"]),
                _2(r["memory"]),
                baseline.cell(r),
            ]
            for r in rows
        ),
    )


def slope(x: list[float], y: list[float]) -> float:
    """Exponent of growth: the slope of a line through the logarithms."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0]) if len(x) > 1 else math.nan


def curves(rows: list[Row]) -> Iterator[tuple[str, str, list[Row]]]:
    """What is varied, the method, and its rows in order."""
    done = [r for r in rows if r["status"] == "done"]
    for grows, method in dict.fromkeys((r["grows"], r["method"]) for r in done):
        own = [r for r in done if (r["grows"], r["method"]) == (grows, method)]
        yield grows, method, sorted(own, key=lambda r: float(r["value"]))


def growth_table(rows: list[Row], baseline: Baseline) -> str:
    """How the time of a sweep grows with one size alone."""
    lines = []
    for grows, method, own in curves(rows):
        values = [r["value"] for r in own]
        times = [r["sweep"] for r in own]
        ratios = [baseline.ratio(r) for r in own]
        worst = max((r for r in ratios if not math.isnan(r)), default=math.nan)
        lines.append(
            [
                grows,
                method,
                f"{values[0]:,.0f} to {values[-1]:,.0f}",
                _2(times[-1] / times[0]),
                _2(slope(values, times)),
                f"{in_passes(own[0]):.1f} to {in_passes(own[-1]):.1f}",
                marked(worst),
            ]
        )
    head = "varied | method | from, to | time of a sweep, last / first | log-log slope"
    return table(f"{head} | sweep / pass, first to last | worst against the baseline", lines)


def fit_table(rows: list[Row], baseline: Baseline) -> str:
    """Time to solution, memory and accuracy; the time in those of `CoCluster` on the same data."""
    lines = []
    for data in dict.fromkeys(r["data"] for r in rows):
        group = [r for r in rows if r["data"] == data]
        first = next((r["seconds"] for r in group if r["method"] == OURS[0]), math.nan)
        for method in dict.fromkeys(r["method"] for r in group):
            own = [r for r in group if r["method"] == method]
            done = [r for r in own if r["status"] == "done"]
            if not done:
                lines.append([data, method, own[0]["status"], "", "", "", "", ""])
                continue
            lines.append([data, method, *_fit_cells(done, first), baseline.cell(done[0])])
    head = "data | method | time / CoCluster's | time / pass | memory / matrix | accuracy (seeds)"
    return table(f"{head} | best possible | against the baseline", lines)


def _fit_cells(done: list[Row], first: float) -> list[str]:
    """The figures of one method on one data set."""
    scores = [r["accuracy"] for r in done]
    shown = f"{min(scores):.3f}" + (f" to {max(scores):.3f}" if len(scores) > 1 else "")
    return [
        _2(done[0]["seconds"] / first),
        f"{in_passes(done[0]):,.0f}",
        _2(max(r["memory"] for r in done)),
        f"{shown} ({len(done)})",
        _2(done[0]["best_possible"]),
    ]


def clusters_table(rows: list[Row], baseline: Baseline) -> str:
    """How many rows and columns are found, and how far the rows stay below the best possible."""
    lines = []
    for data, method in dict.fromkeys((r["data"], r["method"]) for r in rows):
        own = [r for r in rows if (r["data"], r["method"]) == (data, method)]
        done = [r for r in own if r["status"] == "done"]
        if not done:
            lines.append([data, method, own[0]["status"], "", "", ""])
            continue
        scores = [r["accuracy"] for r in done]
        gap = max(r["best_possible"] - r["accuracy"] for r in done)
        lines.append(
            [
                data,
                method,
                f"{np.mean(scores):.3f} ({len(done)})",
                f"{np.mean([r['best_possible'] for r in done]):.3f}",
                f"{gap:.3f}",
                _2(float(np.mean([r["column_nmi"] for r in done]))),
            ]
        )
    head = "data | method | rows, accuracy (seeds) | best possible | largest gap"
    return table(f"{head} | columns, NMI", lines)


def linear_table(rows: list[Row], baseline: Baseline) -> str:
    """Ten times the rows: how many times the time."""
    first = rows[0]
    lines = [
        [
            f"{r['value']:,.0f}",
            f"{r['value'] / first['value']:.0f}",
            _2(r["sweep"] / first["sweep"]),
            _2(r["memory"]),
            baseline.cell(r),
        ]
        for r in rows
        if r["status"] == "done"
    ]
    head = "rows | rows, ratio | time of a sweep, ratio | memory / matrix"
    return table(f"{head} | against the baseline", lines)


Section = Callable[[list[Row], Baseline], str]
SECTIONS: dict[str, tuple[str, Section]] = {
    "sweep": ("One sweep, and the limit that memory sets", sweep_table),
    "growth": ("Growth of a sweep", growth_table),
    "linear": ("Linear-time SSNMF, 10,000 links", linear_table),
    "planted": ("Planted blocks: time to solution, memory, accuracy", fit_table),
    "clusters": ("Many clusters, unequal clusters, rows of noise", clusters_table),
    "text": ("Real texts", fit_table),
}


def largest_gap(rows: list[Row]) -> str:
    """How far the front door stays below the best possible accuracy."""
    gaps = [
        r["best_possible"] - r["accuracy"]
        for r in rows
        if (r["group"], r["method"], r["status"]) == ("planted", OURS[0], "done")
    ]
    return (
        f"Largest gap of CoCluster to the best possible accuracy: {max(gaps):.4f}." if gaps else ""
    )


def write() -> None:
    """Put the tables of the recorded results below the page's text."""
    rows, baseline = read(RESULTS), Baseline(read(BASELINE))
    made = rows[0]
    parts = [f"Made with {made['versions']}, {made['cores']} cores, threads: {made['threads']}."]
    for group, (title, section) in SECTIONS.items():
        if own := [r for r in rows if r["group"] == group]:
            parts += [f"## {title}", section(own, baseline)]
    parts += [
        largest_gap(rows),
        *(file.read_text().strip() for file in SCALE.values() if file.exists()),
    ]
    pictures = sorted(file.name for file in FOLDER.glob("*.png"))
    parts += [f"![{name.removesuffix('.png')}]({name})" for name in pictures]
    text = PAGE.read_text().split(MARK)[0]
    PAGE.write_text(text + MARK + "\n\n" + "\n\n".join(filter(None, parts)) + "\n")
