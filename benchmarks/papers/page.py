"""The page of a table: published beside ours beside the difference, for every cell."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from benchmarks.packs import read_rows
from benchmarks.papers.below import Cell, below_lines, with_both
from benchmarks.papers.draws import draw_lines
from benchmarks.papers.exhibit import Exhibit, ours
from benchmarks.papers.layout import MISSING, compared, table_lines
from benchmarks.papers.protocol import SHARES, Setting, Table, judge, written
from benchmarks.papers.runner import DETAILS, RUNS, by_key
from benchmarks.papers.search import Row, average, finished
from benchmarks.papers.sets import list_paper_sets
from cocluster.utils.files import new_file

Published = dict[tuple[str, str, str], float]
Best = dict[tuple[str, str], tuple[Setting, list[Row], int]]


def read_published(file: Path, number: str) -> Published:
    """Figures of one table by (set, method, metric)."""
    with file.open(newline="", encoding="utf-8") as opened:
        return {
            (line["row"], line["column"], line["metric"]): float(line["value"])
            for line in csv.DictReader(opened)
            if line["table"] == number
        }


def chosen(table: Table, rows: list[Row], quick: bool, metric: str) -> Best:
    """Per cell the setting of best mean, as the papers choose, its runs, and of how many.

    Settings that are not run to the end do not count. Cells without any are left out.
    """
    best: Best = {}
    done = by_key(rows)
    for row, column in ((row, column) for row in table.rows(quick) for column in table.columns):
        settings, tried = finished(table, row, column, quick, done)
        scored = [(average(found, judge(metric)), i) for i, (_, found) in enumerate(settings)]
        scored = [(score, -i) for score, i in scored if not np.isnan(score)]
        if scored:
            setting, found = settings[-max(scored)[1]]
            best[row, column.name] = setting, found, tried
    return best


def write_page(table: Table | Exhibit, folder: Path, quick: bool) -> Path:
    """Write ``FOLDER/tableN.md`` from the published figures and the runs beside it."""
    if isinstance(table, Exhibit):
        lines = _exhibit_lines(table, folder, quick)
    else:
        lines = _table_lines(table, folder, quick)
    page = folder / f"table{table.number}.md"
    with new_file(page) as unfinished:
        unfinished.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return page


def _table_lines(table: Table, folder: Path, quick: bool) -> list[str]:
    """The page of figures by set and method."""
    published = read_published(folder / "published.csv", table.number)
    rows = read_rows(folder, RUNS)
    best = {metric: chosen(table, rows, quick, metric) for metric in table.metrics}
    lines = [*_title(table, quick), "", *_head(table, quick)]
    short: list[Cell] = []
    for metric in table.metrics:
        shown = cells(table, metric, published, best[metric])
        short += with_both(shown) if metric in SHARES else []
        lines += ["", f"## {metric}", "", *_grid(table, metric, shown)]
        lines += ["", *draw_lines(table, rows, quick, metric)] if table.each_draw else []
    lines += ["", *_marks(table)]
    if set(SHARES).intersection(table.metrics):
        lines += below_lines(table.paper, table.number, short, folder, table.unit)
    lines += ["", "## Settings chosen", "", *_settings(table, best, quick)]
    lines += ["", "## Ranges searched", "", *_ranges(table)]
    lines += _refusals(table, rows)
    used = sorted(
        {r["versions"] for of in best.values() for _, found, _ in of.values() for r in found}
    )
    return [*lines, "", *(f"Made with {text}." for text in used)]


def _exhibit_lines(exhibit: Exhibit, folder: Path, quick: bool) -> list[str]:
    """The page of an exhibit."""
    runs = read_rows(folder, DETAILS)
    found = ours(exhibit, runs, quick)
    used = sorted({row["versions"] for row in runs if row["table"] == exhibit.number})
    shown, cells = exhibit.show(read_values(folder / "published.csv", exhibit.number), found)
    lines = [*_title(exhibit, quick), "", exhibit.note, "", *shown, "", *_marks(exhibit)]
    if cells:
        lines += below_lines(exhibit.paper, exhibit.number, with_both(cells), folder)
    return [*lines, "", *(f"Made with {text}." for text in used)]


def read_values(file: Path, number: str) -> dict[str, dict[str, dict[str, str]]]:
    """Published numbers and texts of an exhibit by row, column and metric."""
    values: dict[str, dict[str, dict[str, str]]] = {}
    with file.open(newline="", encoding="utf-8") as opened:
        for line in csv.DictReader(opened):
            if line["table"] == number:
                cell = values.setdefault(line["row"], {}).setdefault(line["column"], {})
                cell[line["metric"]] = line["value"]
    return values


def _title(table: Table | Exhibit, quick: bool) -> list[str]:
    """Heading and command."""
    name = f"python -m benchmarks reproduce {table.name}" + (" --quick" if quick else "")
    return [
        f"# {table.paper}, table {table.number}: {table.title}",
        "",
        f"Written by `{name}`; protocol in [README](README.md).",
    ]


def _head(table: Table, quick: bool) -> list[str]:
    """What is shown and how it was made."""
    mode = "**A quick run**: fewer runs, coarser grids, small sets. " if quick else ""
    lines = [
        f"{mode}Mean of {len(table.seeds(quick))} runs{_others(table, quick)} (the paper has "
        f"{table.runs}). Each cell: "
        "published / ours / difference. As the paper does, the setting of each method on each set "
        f"is the best of its grid by {_judged(table)}, so **the classes choose the setting**; "
        "within a run no method sees them"
        + (", semi-supervised ones excepted." if _told(table) else "."),
    ]
    if table.finalists and not quick:
        lines += ["", _stages(table)]
    return [*lines, "", table.note] if table.note else lines


def _stages(table: Table) -> str:
    """How the settings were searched."""
    seeds = f"{table.quick_runs} runs each{_others(table, True)}"
    return (
        "The grid is not run as a whole. **Settings were searched in stages, alike for every "
        f"method**: the coarse grid, at every scaling, with {seeds}; then, from the best so far, "
        "each parameter in turn over its whole range with the same runs; then the best "
        f"{table.finalists} with all runs, of which the best is shown. Best is by {_judged(table)}."
    )


def _judged(table: Table) -> str:
    """What chooses the settings."""
    if len(table.judges) == 1:
        return f"mean {table.judges[0]}"
    return f"the mean of the figure shown (searches by {' and '.join(table.judges)} share settings)"


def _others(table: Table, quick: bool) -> str:
    """Numbers of runs of the sets that were run less often."""
    counts = {row: len(table.seeds(quick, row)) for row in table.costly}
    usual = len(table.seeds(quick))
    return "".join(f", {row} {count}" for row, count in counts.items() if count != usual)


def _told(table: Table) -> bool:
    """Whether some methods are told of classes."""
    return any(column.supervision for column in table.columns)


def cells(table: Table, metric: str, published: Published, best: Best) -> list[Cell]:
    """Both figures of every cell, NaN where there is none."""
    scale = table.unit if metric in SHARES else 1.0
    return [
        Cell(row, c.name, metric, published.get((row, c.name, metric), MISSING), scale * found)
        for row in table.sets
        for c in table.columns
        for found in [average(best[row, c.name][1], metric) if (row, c.name) in best else MISSING]
    ]


def _grid(table: Table, metric: str, cells: list[Cell]) -> list[str]:
    """The table of one metric."""
    marked = _differing(table)
    return compared(
        tuple(table.sets),
        [column.name for column in table.columns],
        {(c.row, c.column): c.theirs for c in cells},
        {(c.row, c.column): c.ours for c in cells},
        3 if metric in SHARES and table.unit == 1.0 else 1,
        lambda row: f"{row}\\*" if row in marked else row,
    )


def _differing(table: Table | Exhibit) -> dict[str, str]:
    """Sets that are not as the paper has them, and how they differ."""
    entries = {entry.name: entry for entry in list_paper_sets(table.paper)}
    notes = {row: entries[row].missing or entries[row].note for row in table.sets if row in entries}
    return {row: note for row, note in notes.items() if note}


def _marks(table: Table | Exhibit) -> list[str]:
    """Remarks under the table."""
    notes = [f"\\* {row}: {note.rstrip('.')}." for row, note in _differing(table).items()]
    lines = ["A dash: not printed (or not legible), not run yet, or refused by the method.", ""]
    return lines + [f"{note}  " for note in notes]


def _settings(table: Table, best: Mapping[str, Best], quick: bool) -> list[str]:
    """The settings chosen in each cell, by which metric, and of how many."""
    columns = {column.name: column for column in table.columns}
    judged: dict[tuple[str, str, str, int], list[str]] = {}
    for metric, cells_of in best.items():
        for (row, name), (setting, _, count) in cells_of.items():
            judged.setdefault((row, name, written(setting), count), []).append(judge(metric))
    head = ("set", "method", "setting", "best by", "settings run", "in the grid")
    body = [
        [row, name, f"`{text}`", ", ".join(by), str(count), str(total)]
        for (row, name, text, count), by in judged.items()
        for total in [len(list(table.settings(row, columns[name], quick)))]
    ]
    return table_lines(head, body)


def _ranges(table: Table) -> list[str]:
    """The values of every method's parameters, those of the coarse grid in bold."""
    lines = ["Scalings are those of the sets; bold: values of the coarse grid.", ""]
    for column in table.columns:
        ranges = dict(column.grid)
        for row, grid in column.on.items():
            ranges |= {f"{name} (on {row})": values for name, values in grid.items()}
        texts = []
        for name, values in ranges.items():
            coarse = column.quick.get(name, values)
            marked = [f"**{value}**" if value in coarse else f"{value}" for value in values]
            texts.append(f"{name} {', '.join(marked)}")
        lines.append(f"* {column.name}: {'; '.join(texts) or 'nothing but the scaling'}.")
    return lines


def _refusals(table: Table, rows: list[Row]) -> list[str]:
    """Which methods refused which scalings of which data, and why."""
    names = {column.name for column in table.columns}
    here = [row for row in rows if row["set"] in table.sets and row["method"] in names]
    said: dict[str, dict[str, None]] = {}
    for row in here:
        if row["refused"]:
            scale = json.loads(row["setting"])["scale"] or "none"
            reason = row["refused"].split(";")[0]
            said.setdefault(f"{row['method']}, scale {scale}: {reason}", {})[row["set"]] = None
    lines = [f"* {', '.join(sets)}: {what}." for what, sets in said.items()]
    return ["", "## Settings that were refused", "", *lines] if lines else []
