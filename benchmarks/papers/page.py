"""The page of a table: published beside ours beside the difference, for every cell."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.papers.protocol import Setting, Table, written
from benchmarks.papers.runner import Row, complete, read_runs
from cocluster.datasets import list_paper_sets

Published = dict[tuple[str, str, str], float]
Best = dict[tuple[str, str], tuple[Setting, list[Row], int]]
SHARES = {"accuracy", "nmi", "purity"}


def read_published(file: Path, number: str) -> Published:
    """Figures of one table by (set, method, metric)."""
    with file.open(newline="", encoding="utf-8") as opened:
        return {
            (line["row"], line["column"], line["metric"]): float(line["value"])
            for line in csv.DictReader(opened)
            if line["table"] == number
        }


def average(rows: Sequence[Row], metric: str) -> float:
    """Mean of the runs of a setting; NaN if the method does not give it or refused the data."""
    values = [row[metric] for row in rows]
    return float(np.mean([float(v) for v in values])) if all(values) else float("nan")


def chosen(table: Table, rows: list[Row], quick: bool) -> Best:
    """Per cell the setting of best mean accuracy, as the papers choose, its runs, and of how many.

    Settings that are not run to the end do not count. Cells without any are left out.
    """
    best: Best = {}
    for cell, settings in complete(rows, table, quick).items():
        scored = [(average(found, "accuracy"), i) for i, (_, found) in enumerate(settings)]
        scored = [(score, -i) for score, i in scored if not np.isnan(score)]
        if scored:
            setting, found = settings[-max(scored)[1]]
            best[cell] = setting, found, len(settings)
    return best


def write_page(table: Table, folder: Path, quick: bool) -> Path:
    """Write ``FOLDER/tableN.md`` from the published figures and the runs beside it."""
    published = read_published(folder / "published.csv", table.number)
    rows = read_runs(folder / "runs.csv")
    best = chosen(table, rows, quick)
    lines = [
        f"# Paper {table.paper}, table {table.number}: {table.title}",
        "",
        *_head(table, quick),
    ]
    for metric in table.metrics:
        lines += ["", f"## {metric}", "", *_grid(table, metric, published, best)]
    lines += ["", *_marks(table), "", "## Settings chosen", "", *_settings(table, best, quick)]
    lines += _refusals(table, rows)
    used = sorted({row["versions"] for _, found, _ in best.values() for row in found})
    lines += ["", *(f"Made with {text}." for text in used)]
    page = folder / f"table{table.number}.md"
    page.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return page


def _head(table: Table, quick: bool) -> list[str]:
    """What is shown and how it was made."""
    name = f"cocluster reproduce {table.name}" + (" --quick" if quick else "")
    mode = "**A quick run**: fewer runs, coarser grids, small sets. " if quick else ""
    lines = [
        f"Written by `{name}`; protocol in [README](README.md).",
        "",
        f"{mode}Mean of {len(table.seeds(quick))} runs (the protocol has {table.runs}). Each cell: "
        "published / ours / difference. As the paper does, the setting of each method on each set "
        "is the best of its grid by mean accuracy, so **the classes choose the setting**; within a "
        "run no method sees them" + (", semi-supervised ones excepted." if _told(table) else "."),
    ]
    return [*lines, "", table.note] if table.note else lines


def _told(table: Table) -> bool:
    """Whether some methods are told of classes."""
    return any(column.supervision for column in table.columns)


def _grid(table: Table, metric: str, published: Published, best: Best) -> list[str]:
    """The table of one metric, and means over the cells that both have."""
    names = [column.name for column in table.columns]
    marked = _differing(table)
    digits = 3 if metric in SHARES and table.unit == 1.0 else 1
    lines = ["| set | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for row in table.sets:
        cells = []
        for name in names:
            theirs = published.get((row, name, metric), float("nan"))
            found = best.get((row, name))
            ours = average(found[1], metric) if found else float("nan")
            ours *= table.unit if metric in SHARES else 1.0
            cells.append(_cell(theirs, ours, digits))
            if not np.isnan(theirs + ours):
                pairs[name].append((theirs, ours))
        title = f"{row}\\*" if row in marked else row
        lines.append("| " + " | ".join([title, *cells]) + " |")
    means = [_cell(*_mean(both), digits) if both else "-" for both in pairs.values()]
    return [*lines, "| mean of cells with both | " + " | ".join(means) + " |"]


def _mean(pairs: list[tuple[float, float]]) -> tuple[float, float]:
    """Means of the first and of the second entries."""
    theirs, ours = np.mean(pairs, axis=0)
    return float(theirs), float(ours)


def _cell(theirs: float, ours: float, digits: int) -> str:
    """Published / ours / difference, a dash for what there is not."""
    shown = [f"{theirs:.{digits}f}", f"{ours:.{digits}f}", f"{ours - theirs:+.{digits}f}"]
    known = [not np.isnan(value) for value in (theirs, ours, ours - theirs)]
    return " / ".join(text if there else "-" for text, there in zip(shown, known, strict=True))


def _differing(table: Table) -> dict[str, str]:
    """Sets that are not as the paper has them, and how they differ."""
    entries = {entry.name: entry for entry in list_paper_sets(table.paper)}
    notes = {row: entries[row].missing or entries[row].note for row in table.sets if row in entries}
    return {row: note for row, note in notes.items() if note}


def _marks(table: Table) -> list[str]:
    """Remarks under the table."""
    notes = [f"\\* {row}: {note.rstrip('.')}." for row, note in _differing(table).items()]
    lines = ["A dash: not printed (or not legible), not run yet, or refused by the method.", ""]
    return lines + [f"{note}  " for note in notes]


def _settings(table: Table, best: Best, quick: bool) -> list[str]:
    """The setting chosen in each cell, and of how many settings all runs were done."""
    columns = {column.name: column for column in table.columns}
    lines = ["| set | method | setting | settings run | in the grid |", "|---|---|---|---|---|"]
    for (row, name), (setting, _, count) in best.items():
        total = len(list(table.settings(row, columns[name], quick)))
        lines.append(f"| {row} | {name} | `{written(setting)}` | {count} | {total} |")
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
