"""The page of a paper: its own method in every table, all tables, all figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from benchmarks.packs import read_rows, read_text
from benchmarks.papers.below import TOLERANCE, Cell, with_both
from benchmarks.papers.catalogue import PAPERS
from benchmarks.papers.figures import style
from benchmarks.papers.figures.registry import FIGURES
from benchmarks.papers.page import cells, chosen, read_published
from benchmarks.papers.protocol import SHARES, Table
from benchmarks.papers.runner import RUNS
from benchmarks.papers.tables import TABLES
from cocluster.utils.files import new_file


def write_results(paper: str, folder: Path) -> Path:
    """Write ``FOLDER/RESULTS.md``, and the pictures it shows, from what is there."""
    about = PAPERS[paper]
    methods = f"Own method{'s' if len(about.own) > 1 else ''}: {' and '.join(about.own)}."
    lines = [
        f"# {paper}: {about.title}",
        "",
        f"{about.reference} {methods}",
        "",
        f"Written by `python -m benchmarks reproduce {paper}` from the runs beside it; protocol in "
        "[README](README.md), what was not reached in [NOTES](../NOTES.md).",
        "",
        *_summary(paper, folder),
        *_tables(paper, folder),
        *_figures(paper, folder),
    ]
    page = folder / "RESULTS.md"
    with new_file(page) as unfinished:
        unfinished.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return page


def known_cells(table: Table, folder: Path) -> dict[str, list[Cell]]:
    """By metric the cells that have both figures, chosen as on the page of the table."""
    published = read_published(folder / "published.csv", table.number)
    rows, quick = read_rows(folder, RUNS), is_quick(table, folder)
    return {
        metric: with_both(cells(table, metric, published, chosen(table, rows, quick, metric)))
        for metric in table.metrics
    }


def is_quick(table: Table, folder: Path) -> bool:
    """Whether the page of the table was written by a quick run."""
    page = folder / f"table{table.number}.md"
    return page.exists() and "--quick`" in page.read_text(encoding="utf-8")


def _numeric(paper: str, folder: Path) -> Iterator[Table]:
    """Tables of figures by set and method whose page is there."""
    for table in TABLES.values():
        page = folder / f"table{table.number}.md"
        if table.paper == paper and isinstance(table, Table) and page.exists():
            yield table


def _summary(paper: str, folder: Path) -> list[str]:
    """The own methods: means and cells below, for each table and metric."""
    head = ("table", "metric", "method", "published", "ours", "difference", "cells", "below")
    lines = [
        "## Own method",
        "",
        "Means over the cells of a table that both have; below: cells more than 2 points below "
        "the published figure.",
        "",
        "| " + " | ".join(head) + " |",
        "|---" * len(head) + "|",
    ]
    for table in _numeric(paper, folder):
        where = f"[{table.number}](table{table.number}.md)"
        where += " (quick)" if is_quick(table, folder) else ""
        for metric, found in known_cells(table, folder).items():
            for name in PAPERS[paper].own:
                own = [cell for cell in found if cell.column == name]
                lines.append(_summary_line([where, metric, name], own, table.unit))
    return lines


def _summary_line(names: list[str], own: list[Cell], unit: float) -> str:
    """One line of the summary."""
    if not own:
        return "| " + " | ".join([*names, "-", "-", "-", "0", "-"]) + " |"
    theirs, ours = np.mean([(cell.theirs, cell.ours) for cell in own], axis=0)
    share = own[0].metric in SHARES
    digits = 3 if share and unit == 1.0 else 1
    allowed = TOLERANCE * unit * (1 + 1e-9)
    short = ", ".join(cell.row for cell in own if cell.theirs - cell.ours > allowed) or "none"
    figures = [f"{theirs:.{digits}f}", f"{ours:.{digits}f}", f"{ours - theirs:+.{digits}f}"]
    return "| " + " | ".join([*names, *figures, str(len(own)), short if share else "-"]) + " |"


def _tables(paper: str, folder: Path) -> list[str]:
    """Links to the tables, with the means by method of those with accuracies."""
    lines = ["", "## Tables", ""]
    own = [table for table in TABLES.values() if table.paper == paper]
    for table in sorted(own, key=lambda table: int(table.number)):
        page = f"table{table.number}.md"
        there = (folder / page).exists()
        name = f"[Table {table.number}]({page})" if there else f"Table {table.number}"
        lines += [f"* {name}: {table.title}" + ("" if there else " (not run yet)")]
    for table in _numeric(paper, folder):
        found = known_cells(table, folder)
        if found.get("accuracy"):
            means = means_by_method(table, found["accuracy"])
            picture = draw_means(table, means, folder)
            title = f"Table {table.number}, {table.title}: mean accuracy"
            best = [max(means, key=lambda name: means[name][side]) for side in (0, 1)]
            text = f"{title} over the cells with both. First: {best[0]} published, {best[1]} ours."
            lines += ["", f"![{title}]({picture.name})", "", text]
    return lines


def means_by_method(table: Table, found: list[Cell]) -> dict[str, tuple[float, float]]:
    """Published mean and ours of each method that has as many cells as most have.

    A mean over fewer rows, which may be the easy ones, cannot stand beside the others; one row less
    may, since single figures are not legible in print.
    """
    cells = {c.name: [cell for cell in found if cell.column == c.name] for c in table.columns}
    most = max(map(len, cells.values()), default=0)
    means = {}
    for name, own in cells.items():
        if own and len(own) >= most - 1:
            theirs, ours = np.mean([(cell.theirs, cell.ours) for cell in own], axis=0)
            means[name] = float(theirs), float(ours)
    return means


def draw_means(table: Table, means: Mapping[str, tuple[float, float]], folder: Path) -> Path:
    """Bars of the mean accuracy of each method."""
    figure, (axis,) = style.canvas(1, 1, height=2.9)
    published, ours = np.array(list(means.values())).T
    style.bars(axis, list(means), {"published": published, "ours": ours}, "mean accuracy")
    axis.set_title(f"Table {table.number}: {table.title}", fontsize=9)
    axis.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return style.save(figure, folder / f"table{table.number}_means.png")


def _figures(paper: str, folder: Path) -> list[str]:
    """All figures with their captions, and why there are no others."""
    texts: dict[str, list[str]] = {
        number: [f"Figure {number}: {why}"] for number, why in PAPERS[paper].without.items()
    }
    for figure in (one for one in FIGURES.values() if one.paper == paper):
        title = f"Figure {figure.number}: {figure.title}"
        if read_text(folder, figure.runs):
            picture = figure.draw(folder)
            shown = [f"![{title}]({picture.name})", "", figure.caption(folder)]
        else:
            shown = [f"Not run yet: `python -m benchmarks reproduce {figure.name}`."]
        texts[figure.number] = [f"### {title}", "", *shown]
    ordered = sorted(texts, key=int)
    return ["", "## Figures", *(line for number in ordered for line in ("", *texts[number]))]
