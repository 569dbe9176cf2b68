"""Runs the cells of a table; every finished run is kept (see `packs`), and is not run again."""

from __future__ import annotations

import json
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn

import cocluster
from benchmarks.packs import append_row, read_rows
from benchmarks.papers.exhibit import Exhibit, Piece, pieces
from benchmarks.papers.protocol import Job, Sample, Table, load, written
from benchmarks.papers.search import Key, Row, most_runs, stages
from benchmarks.papers.sets import list_paper_sets
from cocluster.datasets.fetch import locate
from cocluster.datasets.registry import dataset_info
from cocluster.metrics import scores

FIELDS = (
    "set",
    "method",
    "setting",
    "seed",
    "accuracy",
    "nmi",
    "purity",
    "iterations",
    "seconds",
    "versions",
    "refused",
)
DETAIL_FIELDS = ("table", "set", "seed", "values", "seconds", "versions")
# The runs of all tables of a paper, and those of its exhibits.
RUNS, DETAILS = "runs.csv", "details.csv"
Loader = Callable[[str, str, int], Sample]
Report = Callable[[Any, int, int], None]


def versions() -> str:
    """What the figures were made with."""
    used = {
        "cocluster": cocluster.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
    return " ".join(f"{name}={version}" for name, version in used.items())


def key(row: Row) -> Key:
    """As `Job.key`."""
    return row["set"], row["method"], row["setting"], row["seed"]


def by_key(rows: list[Row]) -> dict[Key, Row]:
    """Finished runs as a search asks for them."""
    return {key(row): row for row in rows}


def require_data(table: Table | Exhibit, quick: bool) -> None:
    """Say which file is missing, and where to put it, before any run."""
    entries = {entry.name: entry for entry in list_paper_sets(table.paper)}
    for row in table.rows(quick):
        for part in entries[row].parts if row in entries else ():
            locate(dataset_info(part["set"]))


def run(
    table: Table | Exhibit,
    folder: Path,
    *,
    name: str = RUNS,
    quick: bool = False,
    report: Report | None = None,
    loader: Loader = load,
) -> None:
    """Run what is not yet there.

    Parameters
    ----------
    table : Table or Exhibit
    folder : path
        Where runs are kept, each as soon as it is finished.
    name : str
        Of the file with the runs of a table; those of an exhibit are in ``details.csv``.
    quick : bool
        Fewer runs, coarser grids, small sets.
    report : callable of (job or piece, done, total), optional
        Called before each run.
    loader : callable of (paper, set, seed)
    """
    if isinstance(table, Exhibit):
        return _run_exhibit(table, folder, quick, report)
    finished = by_key(read_rows(folder, name))
    loaded = lru_cache(maxsize=table.runs)(loader)
    drawn = {entry.name for entry in list_paper_sets(table.paper) if entry.draw}
    for job, done, total in _ordered(table, quick, finished):
        if report is not None:
            report(job, done, total)
        if job.key not in finished:
            sample = loaded(table.paper, job.row, job.seed if job.row in drawn else 0)
            line = {**_identity(job), **measured(job, sample), "versions": versions()}
            append_row(folder, name, line, FIELDS)
            finished[job.key] = {field: str(line.get(field, "")) for field in FIELDS}


def _ordered(table: Table, quick: bool, finished: dict[Key, Row]) -> Iterator[tuple[Job, int, int]]:
    """All runs of a table, each with its place and the number of runs there may be.

    A cell of a search may need fewer runs than were counted for it.
    """
    cells = [(row, column) for row in table.rows(quick) for column in table.columns]
    sizes = [most_runs(table, *cell, quick) for cell in cells]
    for i, cell in enumerate(cells):
        runs = (job for stage in stages(table, *cell, quick, finished) for job in stage)
        for done, job in enumerate(runs, start=sum(sizes[:i])):
            yield job, done, sum(sizes)


def _run_exhibit(exhibit: Exhibit, folder: Path, quick: bool, report: Report | None) -> None:
    """Make the pieces that are not yet there."""
    todo = pieces(exhibit, quick)
    present = {(row["table"], row["set"], row["seed"]) for row in read_rows(folder, DETAILS)}
    for done, piece in enumerate(todo):
        if report is not None:
            report(piece, done, len(todo))
        if piece.key not in present:
            append_row(folder, DETAILS, {**_made(piece), "versions": versions()}, DETAIL_FIELDS)


def _made(piece: Piece) -> dict[str, Any]:
    """A piece as a line."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = piece.column.make(piece.row, piece.seed)
    seconds = f"{time.perf_counter() - start:.3f}"
    names = dict(zip(DETAIL_FIELDS, piece.key, strict=False))
    return {**names, "values": json.dumps(values), "seconds": seconds}


def measured(job: Job, sample: Sample) -> dict[str, Any]:
    """Scores of one run; a method that refuses the data, as for a sign, says why."""
    problem = sample.problem(job)
    parameters = {k: v for k, v in job.setting.items() if k not in ("scale", "links")}
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of convergence: the number of sweeps is recorded
            answer = job.column.solve(problem, parameters, job.seed)
    except ValueError as error:
        # One line for each run, so that a line that was cut off can be told.
        return {"refused": " ".join(str(error).split())}
    seconds = time.perf_counter() - start
    found = scores(sample.labels, answer.labels)
    figures = {name: f"{found[name]:.4f}" for name in ("accuracy", "nmi", "purity")}
    sweeps = "" if answer.sweeps is None else answer.sweeps
    return {**figures, "iterations": sweeps, "seconds": f"{seconds:.3f}"}


def _identity(job: Job) -> dict[str, Any]:
    """The fields that distinguish a run."""
    names = {"set": job.row, "method": job.column.name, "seed": job.seed}
    return {**names, "setting": written(job.setting)}
