"""Tables that are not figures by set and method: matrices, weights, words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.papers.below import Cell

# By column and metric, as in ``published.csv``.
Values = Mapping[str, Mapping[str, Any]]
# Those of all runs, by row.
Rows = Mapping[str, list[Values]]
Shown = tuple[list[str], list[Cell]]


@dataclass(frozen=True)
class Exhibit:
    """A table of a paper with a page of its own form.

    Attributes
    ----------
    paper, number, title : str
    sets : tuple of str
        Rows, of which each is made alone.
    make : callable of (row, seed)
        Gives the values of a row by column and metric: numbers or texts.
    show : callable of (published, ours)
        Gives the lines of the page, and the cells that are accuracies, from the published values
        of each row and from those of all runs of each row.
    runs, quick_runs : int
        Seeds a row is made with.
    quick_sets : tuple of str
        Rows of a quick run; all, if there are none.
    note : str
        What the page says of the protocol.
    """

    paper: str
    number: str
    title: str
    sets: tuple[str, ...]
    make: Callable[[str, int], Values]
    show: Callable[[Mapping[str, Values], Rows], Shown]
    runs: int = 1
    quick_runs: int = 1
    quick_sets: tuple[str, ...] = ()
    note: str = ""

    @property
    def name(self) -> str:
        """As in ``python -m benchmarks reproduce NAME``."""
        return f"{self.paper}/table{self.number}"

    def rows(self, quick: bool) -> tuple[str, ...]:
        """All rows, or those of a quick run."""
        return self.quick_sets if quick and self.quick_sets else self.sets

    def seeds(self, quick: bool) -> range:
        """One seed for each run."""
        return range(self.quick_runs if quick else self.runs)


@dataclass(frozen=True)
class Piece:
    """One run of one row; ``column`` is the exhibit, where a `Job` has its method."""

    row: str
    column: Exhibit
    seed: int

    @property
    def key(self) -> tuple[str, str, str]:
        """What distinguishes the run within a paper."""
        return self.column.number, self.row, str(self.seed)


def pieces(exhibit: Exhibit, quick: bool) -> list[Piece]:
    """All runs."""
    return [
        Piece(row, exhibit, seed) for row in exhibit.rows(quick) for seed in exhibit.seeds(quick)
    ]


def ours(exhibit: Exhibit, lines: list[dict[str, str]], quick: bool) -> dict[str, list[Values]]:
    """Values of the runs that are there, by row."""
    wanted = {piece.key: piece.row for piece in pieces(exhibit, quick)}
    found: dict[str, list[Values]] = {}
    for line in lines:
        key = line["table"], line["set"], line["seed"]
        if key in wanted:
            found.setdefault(wanted[key], []).append(json.loads(line["values"]))
    return found
