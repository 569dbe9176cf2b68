"""What can be reproduced, by name: a table, a figure, the page of a paper, or that of all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from benchmarks.papers.catalogue import PAPERS
from benchmarks.papers.figures.figure import Figure, Report
from benchmarks.papers.figures.registry import FIGURES
from benchmarks.papers.figures.results import write_results
from benchmarks.papers.page import write_page
from benchmarks.papers.paper import Paper
from benchmarks.papers.protocol import find as find_by_name
from benchmarks.papers.runner import require_data, run
from benchmarks.papers.summary import NAME as SUMMARY
from benchmarks.papers.summary import write_summary
from benchmarks.papers.tables import TABLES

# The folder of the papers' folders.
HOME = Path(__file__).parent


class Work(Protocol):
    """Something that can be reproduced; its folder has the runs and the page."""

    @property
    def folder(self) -> Path:
        """The folder of the paper."""

    def require(self, quick: bool) -> None:
        """Say which data file is missing before any run."""

    def run(self, quick: bool, report: Report) -> None:
        """Do what is not done yet, with ``report(what, done, total)`` before each run."""

    def write(self, quick: bool) -> Path:
        """Write page or picture from what is there."""


@dataclass(frozen=True)
class TableWork:
    """A table: runs and a page."""

    table: Any
    folder: Path

    def require(self, quick: bool) -> None:
        require_data(self.table, quick)

    def run(self, quick: bool, report: Report) -> None:
        def show(job: Any, done: int, total: int) -> None:
            report(f"{job.row}, {job.column.name}", done, total)

        run(self.table, self.folder, quick=quick, report=show)

    def write(self, quick: bool) -> Path:
        return write_page(self.table, self.folder, quick)


@dataclass(frozen=True)
class FigureWork:
    """A figure: runs and a picture."""

    figure: Figure
    folder: Path

    def require(self, quick: bool) -> None:
        self.figure.require(quick)

    def run(self, quick: bool, report: Report) -> None:
        self.figure.run(self.folder, quick, report)

    def write(self, quick: bool) -> Path:
        return self.figure.draw(self.folder)


@dataclass(frozen=True)
class PaperWork:
    """A paper: a page of the tables and figures that are there. Nothing is run."""

    paper: str
    folder: Path

    def require(self, quick: bool) -> None:
        """Nothing is needed."""

    def run(self, quick: bool, report: Report) -> None:
        """Nothing is run."""

    def write(self, quick: bool) -> Path:
        return write_results(self.paper, self.folder)


@dataclass(frozen=True)
class SummaryWork:
    """The own methods of all papers on one page. Nothing is run."""

    folder: Path

    def require(self, quick: bool) -> None:
        """Nothing is needed."""

    def run(self, quick: bool, report: Report) -> None:
        """Nothing is run."""

    def write(self, quick: bool) -> Path:
        return write_summary(self.folder)


def find(name: str, home: Path = HOME) -> Work:
    """What a name stands for; an unknown one is answered with the nearest."""
    wanted = find_by_name(name, {SUMMARY: SUMMARY, **PAPERS, **TABLES, **FIGURES})
    if wanted == SUMMARY:
        return SummaryWork(home)
    if isinstance(wanted, Paper):
        return PaperWork(wanted.name, home / wanted.name)
    if isinstance(wanted, Figure):
        return FigureWork(wanted, home / wanted.paper)
    return TableWork(wanted, home / wanted.paper)
