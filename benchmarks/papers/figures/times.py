"""Figures of time: processor seconds of whole fits, so that other work on a machine counts less."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.packs import append_row, read_rows
from benchmarks.papers.figures.bars import Bars
from benchmarks.papers.figures.curves import Curves, Lines
from benchmarks.papers.figures.figure import Report
from benchmarks.papers.protocol import Answer, Job, Problem, Sample, Setting, jobs
from benchmarks.papers.runner import FIELDS, key, measured, versions

UNIT = "processor seconds"
ONE_SWEEP = ", one sweep"


@dataclass(frozen=True, kw_only=True)
class Times(Curves):
    """Curves of the processor time of fits, of all threads together, BLAS with one."""

    metric: str = "seconds"
    log: str = "xy"
    label: str = UNIT

    def run(self, folder: Path, quick: bool, report: Report) -> None:
        time_fits(self, folder, quick, report)


@dataclass(frozen=True, kw_only=True)
class TimeBars(Bars):
    """Bars of the processor time of fits; "NAME, one sweep" is what comes before the sweeps."""

    metric: str = "seconds"
    base: str = ONE_SWEEP

    def run(self, folder: Path, quick: bool, report: Report) -> None:
        time_fits(self, folder, quick, report)

    def lines(self, folder: Path) -> Lines:
        """Times of the sweeps after the first, and beside them those up to the first."""
        whole = super().lines(folder)
        for panel in whole.values():
            for name in [name for name in panel if name + ONE_SWEEP in panel]:
                before = panel[name + ONE_SWEEP]
                panel[name] = {x: max(y - before[x], 1e-4) for x, y in panel[name].items()}
        return whole


def time_fits(figure: Curves, folder: Path, quick: bool, report: Report) -> None:
    """Run what is not yet there; each method has run once before it is measured."""
    present = {key(row) for row in read_rows(folder, figure.runs)}
    todo = [(table, job) for _, table in figure.points for job in jobs(table, quick)]
    loaded, warm = lru_cache(maxsize=None)(figure.loader), set[str]()
    with threadpool_limits(1):
        for done, (table, job) in enumerate(todo):
            report(f"{job.row}, {job.column.name}", done, len(todo))
            if job.key in present:
                continue
            sample = loaded(table.paper, job.row, job.seed)
            if job.column.name not in warm:
                timed(job, sample)
                warm.add(job.column.name)
            line = _identity(job) | timed(job, sample) | {"versions": versions()}
            append_row(folder, figure.runs, line, FIELDS)


def _identity(job: Job) -> dict[str, Any]:
    """The fields that distinguish a run."""
    names = ("set", "method", "setting", "seed")
    return dict(zip(names, job.key, strict=True))


def timed(job: Job, sample: Sample) -> dict[str, Any]:
    """Scores of one run, with the processor time of its fit as seconds."""
    spent = []

    def solve(problem: Problem, setting: Setting, seed: int) -> Answer:
        start = time.process_time()
        answer = job.column.solve(problem, setting, seed)
        spent.append(time.process_time() - start)
        return answer

    found = measured(replace(job, column=replace(job.column, solve=solve)), sample)
    return found | {"seconds": f"{spent[0]:.6f}"} if spent else found
