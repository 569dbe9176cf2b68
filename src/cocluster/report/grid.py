"""A matrix as a grid of sums, from which any large part of it is drawn in a moment.

The grid of a large matrix is written beside its run, so that the first picture of a project needs
none of the entries (`cocluster.projects`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cocluster.linalg.types import Array

# Colours on either side of none, as in the report.
STEPS = 50
# Cells more extreme than this share have the strongest colour, as in the report.
PERCENTILE = 99
# Cells that this is measured on.
MEASURED = 50_000


@dataclass(frozen=True)
class Border:
    """How the objects along one side are parted in clusters.

    Attributes
    ----------
    type : str
    ids : list
        Clusters in their order; empty where the type has none.
    cuts : list of int
        Place where each cluster begins, and the number of objects.
    """

    type: str
    ids: list[Any]
    cuts: list[int]

    @property
    def size(self) -> int:
        """Objects along the side."""
        return self.cuts[-1]


@dataclass(frozen=True, eq=False)
class Tile:
    """A part of the matrix in few cells.

    Attributes
    ----------
    rows, columns : int arrays
        Where each row and column of cells begins, and where the last ends.
    cells : int8 array
        From -50 (far less than expected) over 0 to 50 (far more).
    unit : float
        What one step of a colour stands for.
    """

    rows: Array
    columns: Array
    cells: Array
    unit: float


@dataclass(frozen=True, eq=False)
class Sums:
    """What cells between some edges are coloured by.

    Attributes
    ----------
    rows, columns : int arrays
        Edges of the cells.
    cells : array
        Sum over each cell.
    over, across : arrays
        Sums over whole rows of the matrix, and over whole columns.
    squares : array or None
        Sums of squares over whole columns: None unless values are signed.
    n : int
        Rows of the matrix.
    total : float
        Sum of the matrix.
    """

    rows: Array
    columns: Array
    cells: Array
    over: Array
    across: Array
    squares: Array | None
    n: int
    total: float

    def tile(self) -> Tile:
        """The cells as colours."""
        effect = self._lift() if self.squares is None else self._deviations(self.squares)
        # Some of the cells tell as much as all.
        some = np.abs(effect.ravel()[:: 1 + effect.size // MEASURED])
        unit = max(float(np.percentile(some, PERCENTILE)), 1e-9) / STEPS  # 0 is no unit
        cells = np.clip(np.round(effect / unit), -STEPS, STEPS).astype(np.int8)
        return Tile(self.rows, self.columns, cells, unit)

    def _lift(self) -> Array:
        """log2 of how often entries are where they are, against what is expected; damped."""
        expected = np.outer(self.over, self.across) / (self.total or 1.0)
        # As in the report: empty cells of which little is expected stay near zero.
        more = max(float(expected.mean()), float(np.finfo(float).tiny))
        return np.asarray(np.log2((self.cells + more) / (expected + more)))

    def _deviations(self, squares: Array) -> Array:
        """Standard deviations from the mean of the column."""
        heights, widths = np.diff(self.rows), np.diff(self.columns)
        all_of = widths * self.n
        mean = self.across / all_of
        deviation = np.sqrt(np.maximum(squares / all_of - mean**2, 0))
        # Constant columns deviate from nothing.
        deviation = np.where(deviation > 0, deviation, 1.0)
        return np.asarray((self.cells / np.outer(heights, widths) - mean) / deviation)


@dataclass(frozen=True, eq=False)
class Grid:
    """Sums of a sorted matrix between fixed edges.

    Attributes
    ----------
    over, across : Border
        Clusters of the rows and of the columns.
    rows, columns : int arrays
        The edges, from 0 to the size of the matrix.
    sums : array of shape (n_rows, n_columns)
        Sum of all entries between two edges each way.
    squares : array of shape (n_columns,) or None
        Sums of squares between edges of columns: None unless values are signed.
    """

    over: Border
    across: Border
    rows: Array
    columns: Array
    sums: Array
    squares: Array | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """That of the matrix."""
        return self.over.size, self.across.size

    @property
    def signed(self) -> bool:
        """Whether there are values below zero."""
        return self.squares is not None

    def is_fine_enough(self, r0: int, r1: int, c0: int, c1: int, height: int, width: int) -> bool:
        """Whether a part has as many edges here as a picture of it has cells."""
        return _has_edges(self.rows, r0, r1, height) and _has_edges(self.columns, c0, c1, width)

    def tile(self, r0: int, r1: int, c0: int, c1: int, height: int, width: int) -> Tile:
        """Rows from r0 up to r1 and columns from c0 up to c1; edges move to the nearest ones."""
        rows, at = _snapped(edges(r0, r1, height), self.rows)
        columns, above = _snapped(edges(c0, c1, width), self.columns)
        before = self._before
        corners = before[np.ix_(at, above)]
        squares = None
        if self.squares is not None:
            squares = np.diff(np.concatenate([[0.0], np.cumsum(self.squares)])[above])
        found = Sums(
            rows,
            columns,
            np.diff(np.diff(corners, axis=0), axis=1),
            np.diff(before[at, -1]),
            np.diff(before[-1, above]),
            squares,
            self.shape[0],
            float(before[-1, -1]),
        )
        return found.tile()

    @cached_property
    def _before(self) -> Array:
        """The sum of all that lies before each corner."""
        before = np.zeros((len(self.rows), len(self.columns)))
        np.cumsum(np.cumsum(self.sums, axis=0, dtype=float), axis=1, out=before[1:, 1:])
        return before

    def plain(self) -> dict[str, Any]:
        """Numbers, texts and arrays, for a file; `of` makes a grid of them again."""
        # Half the room; a picture has a hundred colours.
        kept = {"sums": self.sums.astype(np.float32), "squares": self.squares}
        borders = {"over": vars(self.over), "across": vars(self.across)}
        return {**borders, "rows": self.rows, "columns": self.columns, **kept}

    @staticmethod
    def of(plain: Mapping[str, Any]) -> Grid:
        """The grid that was made plain."""
        over, across = Border(**plain["over"]), Border(**plain["across"])
        return Grid(over, across, *(plain[key] for key in ("rows", "columns", "sums", "squares")))


def edges(start: int, end: int, n: int) -> Array:
    """Places that cut a range in about n parts, none of them empty."""
    return np.unique(np.linspace(start, end, min(n, end - start) + 1).round().astype(np.int64))


def _has_edges(grid: Array, start: int, end: int, n: int) -> bool:
    """Whether a range has as many edges as n parts of it need."""
    first, last = np.searchsorted(grid, (start, end))
    return bool(last - first >= min(n, end - start))


def _snapped(wanted: Array, grid: Array) -> tuple[Array, Array]:
    """The nearest edges of a grid, each once, and their positions in it."""
    after = np.clip(np.searchsorted(grid, wanted), 1, len(grid) - 1)
    nearer = wanted - grid[after - 1] < grid[after] - wanted
    at = np.unique(np.where(nearer, after - 1, after))
    if len(at) < 2:
        at = np.array([max(at[0] - 1, 0), max(at[0] - 1, 0) + 1])
    return grid[at], at
