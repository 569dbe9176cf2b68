"""The cells of a paper's own methods that lie below the published figure, and why."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.papers.catalogue import PAPERS

# Differences up to this, as a share, need no explanation.
TOLERANCE = 0.02


class Cell(NamedTuple):
    """A cell with both figures."""

    row: str
    column: str
    metric: str
    theirs: float
    ours: float


def read_explained(file: Path, number: str) -> dict[tuple[str, str], str]:
    """Why cells of a table are below, by (row, column); a row * stands for all rows."""
    if not file.exists():
        return {}
    with file.open(newline="", encoding="utf-8") as opened:
        lines = [line for line in csv.DictReader(opened) if line["table"] == number]
    return {(line["row"], line["column"]): line["why"] for line in lines}


def below_lines(
    paper: str, number: str, cells: Iterable[Cell], folder: Path, unit: float = 1.0
) -> list[str]:
    """The section of a page, for cells of the paper's own methods; rounding is allowed for."""
    own = PAPERS[paper].own
    allowed = TOLERANCE * unit * (1 + 1e-9)
    short = [c for c in cells if c.column in own and c.theirs - c.ours > allowed]
    known = read_explained(folder / "explained.csv", number)
    digits = 3 if unit == 1.0 else 1
    # Cells that have one reason in common are listed together, so that it is told once.
    together: dict[str, list[str]] = {}
    for c in short:
        figures = f"{c.theirs:.{digits}f} published, {c.ours:.{digits}f} ours"
        name = f"**{c.row}, {c.column}, {c.metric}**"
        together.setdefault(_why(known, c), []).append(f"{name}: {figures}")
    lines = [f"* {'; '.join(cells_of)}. {why}" for why, cells_of in together.items()]
    if not lines:
        lines = [f"No cell of {' and '.join(own)} that was run is more than 2 points below."]
    return ["", "## Below the published figure", "", *lines]


def _why(known: dict[tuple[str, str], str], found: Cell) -> str:
    """The explanation of a cell, if there is one."""
    general = known.get(("*", found.column), "Not explained yet.")
    return known.get((found.row, found.column), general)


def with_both(cells: Iterable[Cell]) -> list[Cell]:
    """Cells of which both figures are known."""
    return [c for c in cells if not np.isnan(c.theirs + c.ours)]
