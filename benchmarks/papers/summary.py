"""All papers on one page: what is printed for their own methods, what came out here, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.packs import read_rows
from benchmarks.papers.below import TOLERANCE, Cell, read_explained, with_both
from benchmarks.papers.catalogue import PAPERS
from benchmarks.papers.draws import each_draw
from benchmarks.papers.exhibit import Exhibit, ours
from benchmarks.papers.layout import table_lines
from benchmarks.papers.page import Best, cells, chosen, read_published, read_values
from benchmarks.papers.protocol import SHARES, Table
from benchmarks.papers.runner import DETAILS, RUNS
from benchmarks.papers.search import Row
from benchmarks.papers.sets import list_paper_sets
from benchmarks.papers.tables import TABLES

NAME = "summary"
HEAD = (
    "paper",
    "table",
    "measure",
    "method",
    "published",
    "ours",
    "difference",
    "ours, setting for each draw",
    "cells",
    "runs a cell, ours of theirs",
    "data",
    "code of the runs",
    "below print",
)


@dataclass(frozen=True)
class Line:
    """One own method in one table by one metric.

    Attributes
    ----------
    table : Table or Exhibit
    metric, method : str
    cells : list of Cell
        Those with a printed figure and one of ours.
    runs : tuple of int
        Numbers of runs of these cells.
    versions : tuple of str
        Of the library that made them.
    each_draw : float or None
        Our mean if every draw has its own setting, where the paper may have done so.
    """

    table: Table | Exhibit
    metric: str
    method: str
    cells: list[Cell]
    runs: tuple[int, ...]
    versions: tuple[str, ...]
    each_draw: float | None = None

    @property
    def unit(self) -> float:
        """What the paper prints for 1."""
        return self.table.unit if isinstance(self.table, Table) else 1.0

    @property
    def means(self) -> tuple[float, float]:
        """Published mean and ours."""
        theirs, found = np.mean([(cell.theirs, cell.ours) for cell in self.cells], axis=0)
        return float(theirs), float(found)

    @property
    def digits(self) -> int:
        """Digits shown, as many as the papers print."""
        return 3 if self.unit == 1.0 else 1

    @property
    def is_below(self) -> bool:
        """Whether our mean, as it is shown, is below the published one."""
        theirs, found = (round(mean, self.digits) for mean in self.means)
        return found < theirs

    @property
    def short(self) -> list[str]:
        """Cells more than two points below."""
        allowed = TOLERANCE * self.unit * (1 + 1e-9)
        return [cell.row for cell in self.cells if cell.theirs - cell.ours > allowed]

    def reasons(self, home: Path) -> dict[str, str]:
        """What is known of the cells below: by their names, or by * for all of them."""
        file = home / self.table.paper / "explained.csv"
        known = read_explained(file, self.table.number)
        return {row: why for (row, column), why in known.items() if column == self.method}


def write_summary(home: Path) -> Path:
    """Write ``HOME/SUMMARY.md`` from published figures and runs."""
    found = list(lines_of(home))
    text = [
        "# Five papers: printed figures of their own methods, and ours",
        "",
        f"Written by `python -m benchmarks reproduce {NAME}` from the printed figures and the runs "
        "of each paper. Means over the cells of a table that have both. As the papers do, settings "
        "are chosen by the measure shown, for all methods alike (the page of each table says how), "
        "so **the classes choose the setting**. Below print: our mean is lower than the printed "
        "one, and how many cells are more than 2 points lower; the reasons are below the table. "
        "Setting for each draw: where the words of the paper allow it, the best of the settings "
        "that were run with all draws (the page has their numbers), chosen for each draw by "
        "itself.",
        "",
        *table_lines(HEAD, [_row(line) for line in found]),
        "",
        *_below(found, home),
        "",
        *_data(found),
    ]
    page = home / "SUMMARY.md"
    page.write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")
    return page


def lines_of(home: Path) -> Iterator[Line]:
    """The own methods of all papers in all tables whose page is there."""
    for table in sorted(TABLES.values(), key=lambda t: (t.paper, int(t.number))):
        folder = home / table.paper
        if not (folder / f"table{table.number}.md").exists():
            continue
        made = _of_exhibit if isinstance(table, Exhibit) else _of_table
        yield from made(table, folder)


def _of_table(table: Table, folder: Path) -> Iterator[Line]:
    """The own methods by each share that the table prints."""
    published = read_published(folder / "published.csv", table.number)
    rows = read_rows(folder, RUNS)
    for metric in (m for m in table.metrics if m in SHARES):
        best = chosen(table, rows, False, metric)
        both = with_both(cells(table, metric, published, best))
        for method in PAPERS[table.paper].own:
            own = [cell for cell in both if cell.column == method]
            if own:
                by_draw = _by_draw(table, rows, metric, own)
                yield Line(table, metric, method, own, *_made(best, own), by_draw)


def _by_draw(table: Table, rows: list[Row], metric: str, own: list[Cell]) -> float | None:
    """The mean of some cells with a setting for each draw."""
    if not table.each_draw:
        return None
    found = each_draw(table, rows, False, metric)
    return table.unit * float(np.mean([found[cell.row, cell.column].mean for cell in own]))


def _made(best: Best, own: list[Cell]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Numbers of runs and versions of the runs of some cells."""
    runs = [best[cell.row, cell.column][1] for cell in own]
    versions = sorted({_version(row["versions"]) for of in runs for row in of})
    return tuple(sorted({len(of) for of in runs})), tuple(versions)


def _of_exhibit(exhibit: Exhibit, folder: Path) -> Iterator[Line]:
    """The own methods of a table of matrices or words, if it has accuracies."""
    rows = read_rows(folder, DETAILS)
    found = ours(exhibit, rows, False)
    shown = exhibit.show(read_values(folder / "published.csv", exhibit.number), found)[1]
    versions = {_version(row["versions"]) for row in rows if row["table"] == exhibit.number}
    for method in PAPERS[exhibit.paper].own:
        own = [cell for cell in with_both(shown) if cell.column == method]
        if own:
            counts = tuple(sorted({len(of) for of in found.values()}))
            yield Line(exhibit, "accuracy", method, own, counts, tuple(sorted(versions)))


def _version(text: str) -> str:
    """The version of the library in what a run was made with."""
    return text.split()[0].removeprefix("cocluster=")


def _row(line: Line) -> list[str]:
    """A line as cells of the page."""
    table, digits = line.table, line.digits
    theirs, found = line.means
    where = f"[{table.number}]({table.paper}/table{table.number}.md)"
    figures = [f"{theirs:.{digits}f}", f"{found:.{digits}f}", f"{found - theirs:+.{digits}f}"]
    figures += ["" if line.each_draw is None else f"{line.each_draw:.{digits}f}"]
    low, high = line.runs[0], line.runs[-1]
    runs = f"{high}" if low == high else f"{low} to {high}"
    # Exhibits show single runs of the papers.
    of = table.runs if isinstance(table, Table) else 1
    return [
        f"[{table.paper}]({table.paper}/RESULTS.md)",
        where,
        line.metric,
        line.method,
        *figures,
        f"{len(line.cells)} of {len(table.sets)}"
        if isinstance(table, Table)
        else f"{len(line.cells)}",
        f"{runs} of {of}",
        _data_of(table),
        ", ".join(line.versions),
        _verdict(line),
    ]


def _verdict(line: Line) -> str:
    """Whether the mean is below print, and how many cells are."""
    short = len(line.short)
    cells_below = f"{short} cell{'s' if short != 1 else ''}" if short else ""
    if line.is_below:
        link = f"[mean](#{_anchor(line)})"
        return f"{link}, {cells_below}" if short else link
    return f"[{cells_below}](#{_anchor(line)})" if short else "no"


def _anchor(line: Line) -> str:
    """The place of the reasons of a line, as headings are linked to."""
    return _heading(line).lower().replace(",", "").replace(" ", "-")


def _heading(line: Line) -> str:
    """The heading of the reasons of a line: those of one method in one table stand together."""
    return f"{line.table.paper} table {line.table.number}, {line.method}"


def _below(found: list[Line], home: Path) -> list[str]:
    """The reasons of all lines that are below, or have cells below."""
    together: dict[str, list[Line]] = {}
    for line in found:
        if line.is_below or line.short:
            together.setdefault(_heading(line), []).append(line)
    lines = ["## Below print", ""]
    for heading, low in together.items():
        lines += [f"### {heading}", "", *_told(low, home), ""]
    return lines[:-1]


def _told(low: list[Line], home: Path) -> list[str]:
    """Which cells of one method in one table are below by each measure, and why."""
    # Some tables have several cells of a set.
    cells_of = [f"{x.metric} of {', '.join(dict.fromkeys(x.short))}" for x in low if x.short]
    lines = [f"Cells more than 2 points below: {'; '.join(cells_of) or 'none'}.", ""]
    known = low[0].reasons(home)
    wanted = {"*", *(row for line in low for row in line.short)}
    # A mean below print without a cell that is far below has the reasons of all its cells.
    told = {row: why for row, why in known.items() if row in wanted} or known
    for row, why in told.items():
        name = "All cells" if row == "*" else row
        # Explanations are written for the folder of their paper.
        lines.append(f"* {name}: {why.replace('(../NOTES.md)', '(NOTES.md)')}")
    return lines if told else [*lines, "* Not explained yet."]


def _data_of(table: Table | Exhibit) -> str:
    """How many sets of a table are not those of the paper."""
    entries = {entry.name: entry for entry in list_paper_sets(table.paper)}
    here = [entries[row] for row in table.sets if row in entries]
    missing = sum(entry.missing is not None for entry in here)
    differ = sum(bool(entry.note) and not entry.missing for entry in here)
    parts = [f"{differ} of {len(here)} sets differ"] if differ else []
    parts += [f"{missing} missing"] if missing else []
    if not here:
        return "see its page"
    return f"[{', '.join(parts)}](#data-that-differ)" if parts else "no difference known"


def _data(found: list[Line]) -> list[str]:
    """The differences of the sets in the tables, those of several sets once."""
    lines = ["## Data that differ", ""]
    for paper in sorted(PAPERS):
        said: dict[str, list[str]] = {}
        used = {row for line in found if line.table.paper == paper for row in line.table.sets}
        for entry in (entry for entry in list_paper_sets(paper) if entry.name in used):
            why = f"missing: {entry.missing}" if entry.missing else entry.note
            if why:
                said.setdefault(why.rstrip("."), []).append(entry.name)
        lines += [f"* {paper}, {', '.join(sets)}: {why}." for why, sets in said.items()]
    return lines
