"""The matrix of a view, sorted by cluster, and tiles of it: any part, summed up to few cells.

The sorted matrix is kept in memory. Small parts are summed entry by entry; large parts from a grid
of sums over a few million cells, so that every tile takes a fraction of a second. The grid of a
large matrix is also stored with its run, so that the first picture of a project needs none of the
entries (`cocluster.projects`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cocluster.data.relation import Relation
from cocluster.linalg.matrices import as_sparse, values_of
from cocluster.linalg.types import Array
from cocluster.report.compute.pictures import PERCENTILE, STEPS
from cocluster.report.report_input import Clusters, ReportInput

# Cells that the unit of a colour is estimated from.
MAX_MEASURED = 50_000
# Entries that are summed one by one for a tile: about 20 ms.
DIRECT = 2_000_000
# Cells of the grid in memory, along rows and columns: with the cumulated sums, 64 MB.
GRID_SIZE = (4096, 2048)
# Cells of the grid in a file: more than a picture has, and about 1 MB of counts.
STORED_GRID_SIZE = (1024, 1024)
# Cells of a small picture of the whole matrix.
SMALL_SIZE = (300, 400)


@dataclass(frozen=True)
class Border:
    """The clusters along one side of a matrix.

    Attributes
    ----------
    type : str
    ids : list
        Clusters in their order; empty if the type has none.
    cuts : list of int
        Position where each cluster begins, and the number of objects.
    """

    type: str
    ids: list[Any]
    cuts: list[int]

    @property
    def size(self) -> int:
        """Number of objects along the side."""
        return self.cuts[-1]


@dataclass(frozen=True, eq=False)
class Tile:
    """A part of the matrix, summed up to few cells.

    Attributes
    ----------
    rows, columns : int arrays
        Position where each row and column of cells begins, and where the last one ends.
    cells : int8 array
        From -50 (far less than expected) over 0 to 50 (far more).
    unit : float
        Effect of one step of the colour scale.
    """

    rows: Array
    columns: Array
    cells: Array
    unit: float


@dataclass(frozen=True, eq=False)
class CellSums:
    """Sums over the cells between some edges, from which their colours follow.

    Attributes
    ----------
    rows, columns : int arrays
        Edges of the cells.
    cells : array
        Sum over each cell.
    over, across : arrays
        Sums over whole rows of the matrix, and over whole columns.
    squares : array or None
        Sums of squares over whole columns; None unless values are signed.
    n : int
        Number of rows of the matrix.
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
        """Return the cells as steps of the colour scale."""
        effect = self._lift() if self.squares is None else self._deviations(self.squares)
        # The percentile of a sample of the cells hardly differs from that of all.
        sample = np.abs(effect.ravel()[:: 1 + effect.size // MAX_MEASURED])
        unit = max(float(np.percentile(sample, PERCENTILE)), 1e-9) / STEPS  # avoids 0
        cells = np.clip(np.round(effect / unit), -STEPS, STEPS).astype(np.int8)
        return Tile(self.rows, self.columns, cells, unit)

    def _lift(self) -> Array:
        """Return the damped log2 of observed over expected sums, as in the report."""
        expected = np.outer(self.over, self.across) / (self.total or 1.0)
        # Damping keeps empty cells with small expectations near zero.
        extra = max(float(expected.mean()), float(np.finfo(float).tiny))
        return np.asarray(np.log2((self.cells + extra) / (expected + extra)))

    def _deviations(self, squares: Array) -> Array:
        """Return the deviations from the means of the columns, in standard deviations."""
        heights, widths = np.diff(self.rows), np.diff(self.columns)
        n_entries = widths * self.n
        mean = self.across / n_entries
        deviation = np.sqrt(np.maximum(squares / n_entries - mean**2, 0))
        # Constant columns have no deviation.
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
        Sums of squares between edges of columns; None unless values are signed.
    """

    over: Border
    across: Border
    rows: Array
    columns: Array
    sums: Array
    squares: Array | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix."""
        return self.over.size, self.across.size

    @property
    def signed(self) -> bool:
        """Whether the matrix has negative values."""
        return self.squares is not None

    def is_fine_enough(self, r0: int, r1: int, c0: int, c1: int, height: int, width: int) -> bool:
        """Return whether the grid has enough edges for a tile of this many cells."""
        return _has_edges(self.rows, r0, r1, height) and _has_edges(self.columns, c0, c1, width)

    def tile(self, r0: int, r1: int, c0: int, c1: int, height: int, width: int) -> Tile:
        """Return the tile of rows r0 to r1 and columns c0 to c1, at the nearest edges."""
        rows, i = _snap(edges(r0, r1, height), self.rows)
        columns, j = _snap(edges(c0, c1, width), self.columns)
        cumulated = self._cumulated
        corners = cumulated[np.ix_(i, j)]
        squares = None
        if self.squares is not None:
            squares = np.diff(np.concatenate([[0.0], np.cumsum(self.squares)])[j])
        return CellSums(
            rows,
            columns,
            np.diff(np.diff(corners, axis=0), axis=1),
            np.diff(cumulated[i, -1]),
            np.diff(cumulated[-1, j]),
            squares,
            self.shape[0],
            float(cumulated[-1, -1]),
        ).tile()

    @cached_property
    def _cumulated(self) -> Array:
        """Sum of all entries above and to the left of each corner."""
        cumulated = np.zeros((len(self.rows), len(self.columns)))
        np.cumsum(np.cumsum(self.sums, axis=0, dtype=float), axis=1, out=cumulated[1:, 1:])
        return cumulated

    def plain(self) -> dict[str, Any]:
        """Return the grid as plain values and arrays for a file; `of` is the inverse."""
        # Single precision is enough for a hundred colours.
        arrays = {"sums": self.sums.astype(np.float32), "squares": self.squares}
        borders = {"over": vars(self.over), "across": vars(self.across)}
        return {**borders, "rows": self.rows, "columns": self.columns, **arrays}

    @staticmethod
    def of(plain: Mapping[str, Any]) -> Grid:
        """Return the grid of the values that `plain` returned."""
        over, across = Border(**plain["over"]), Border(**plain["across"])
        return Grid(over, across, *(plain[key] for key in ("rows", "columns", "sums", "squares")))


def edges(start: int, end: int, n: int) -> Array:
    """Return the edges that cut a range into about n parts, none of them empty."""
    return np.unique(np.linspace(start, end, min(n, end - start) + 1).round().astype(np.int64))


def _has_edges(grid: Array, start: int, end: int, n: int) -> bool:
    """Return whether a range of a grid has enough edges for n parts."""
    first, last = np.searchsorted(grid, (start, end))
    return bool(last - first >= min(n, end - start))


def _snap(targets: Array, grid: Array) -> tuple[Array, Array]:
    """Return the nearest edges of a grid, each once, and their positions in it."""
    after = np.clip(np.searchsorted(grid, targets), 1, len(grid) - 1)
    nearer = targets - grid[after - 1] < grid[after] - targets
    positions = np.unique(np.where(nearer, after - 1, after))
    if len(positions) < 2:
        first = max(positions[0] - 1, 0)
        positions = np.array([first, first + 1])
    return grid[positions], positions


@dataclass(frozen=True, eq=False)
class SortedAxis:
    """The order of the objects along one side.

    Attributes
    ----------
    border : Border
        Its clusters.
    order : int array
        Object at each position.
    """

    border: Border
    order: Array

    @staticmethod
    def of(type_name: str, clusters: Clusters | None, weights: Array) -> SortedAxis:
        """Sort objects by cluster, and within clusters by decreasing weight."""
        codes = np.zeros(len(weights), dtype=int) if clusters is None else clusters.codes
        order = np.lexsort((-weights, codes))
        sizes = np.bincount(codes, minlength=1 if clusters is None else len(clusters))
        ids = [] if clusters is None else clusters.ids.tolist()
        return SortedAxis(Border(type_name, ids, [0, *np.cumsum(sizes).tolist()]), order)

    @cached_property
    def place(self) -> Array:
        """Position of each object."""
        positions = np.empty(len(self.order), dtype=np.int64)
        positions[self.order] = np.arange(len(self.order))
        return positions


class SortedMatrix:
    """A matrix whose rows and columns are sorted by cluster.

    Parameters
    ----------
    clusters : mapping of type to Clusters
    relation : Relation
        A relation of the data, in memory.
    """

    def __init__(self, clusters: Mapping[str, Clusters], relation: Relation) -> None:
        R = as_sparse(relation.matrix)
        self.signed = bool(R.data.min(initial=0) < 0)
        rows = clusters.get(relation.rows)
        rows = None if rows is None else rows.at(relation.row_index)
        # Every pass over the entries of large data takes a good part of a second.
        weights: Any = abs(R) if self.signed else R
        self.rows = SortedAxis.of(relation.rows, rows, _sums(weights, 1))
        columns = clusters.get(relation.cols)
        self.columns = SortedAxis.of(relation.cols, columns, _sums(weights, 0))
        self.index = relation.row_index
        # Columns are renumbered only; the entries of a row need not be sorted.
        sorted_rows = R[self.rows.order]
        self._indptr, self._data = sorted_rows.indptr, sorted_rows.data
        self._indices = self.columns.place.astype(np.int32)[sorted_rows.indices]
        self.shape: tuple[int, int] = R.shape
        self._row_sums = _cumulate(_sums(R, 1)[self.rows.order])
        self._column_sums = _cumulate(_sums(R, 0)[self.columns.order])
        # Only signed values are compared with the mean and deviation of their column.
        self._square_sums = _cumulate(_sums(R * R, 0)[self.columns.order]) if self.signed else None

    @property
    def over(self) -> Border:
        """Clusters along the rows."""
        return self.rows.border

    @property
    def across(self) -> Border:
        """Clusters along the columns."""
        return self.columns.border

    def tile(self, r0: int, r1: int, c0: int, c1: int, height: int, width: int) -> Tile:
        """Return the tile of rows r0 to r1 and columns c0 to c1, in about height x width cells."""
        if self._indptr[r1] - self._indptr[r0] > DIRECT:
            return self._fine_grid.tile(r0, r1, c0, c1, height, width)
        rows, columns = edges(r0, r1, height), edges(c0, c1, width)
        return CellSums(
            rows,
            columns,
            self._cell_sums(rows, columns),
            np.diff(self._row_sums[rows]),
            np.diff(self._column_sums[columns]),
            self._squares(columns),
            self.shape[0],
            float(self._row_sums[-1]),
        ).tile()

    def whole(self) -> Tile:
        """Return a small picture of the whole matrix; it builds the grid of large data."""
        return self.tile(0, self.shape[0], 0, self.shape[1], *SMALL_SIZE)

    def value(self, row: int, column: int) -> float:
        """Return one entry by its positions."""
        entries = slice(self._indptr[row], self._indptr[row + 1])
        return float(self._data[entries][self._indices[entries] == column].sum())

    def grid(self, height: int, width: int) -> Grid:
        """Return a grid of about height x width cells."""
        rows, columns = edges(0, self.shape[0], height), edges(0, self.shape[1], width)
        # In chunks of rows, because the summation needs memory for each entry.
        step = max(1, int(len(rows) * DIRECT / max(len(self._data), 1)))
        starts = range(0, len(rows) - 1, step)
        sums = np.concatenate([self._cell_sums(rows[i : i + step + 1], columns) for i in starts])
        squares = self._squares(columns)
        return Grid(self.over, self.across, rows, columns, sums, squares)

    @cached_property
    def _fine_grid(self) -> Grid:
        """The grid that large parts are drawn from."""
        return self.grid(*GRID_SIZE)

    def _squares(self, columns: Array) -> Array | None:
        """Return the sums of squares between edges of columns, if values are signed."""
        return None if self._square_sums is None else np.diff(self._square_sums[columns])

    def _cell_sums(self, rows: Array, columns: Array) -> Array:
        """Return the sums over cells, computed entry by entry."""
        h, w = len(rows) - 1, len(columns) - 1
        entries = slice(self._indptr[rows[0]], self._indptr[rows[-1]])
        counts = np.diff(self._indptr[rows])
        # Columns outside of the part fall into one more cell, which is dropped.
        cell = np.full(self.shape[1], w, dtype=np.int64)
        for j in range(w):
            cell[columns[j] : columns[j + 1]] = j
        cells = np.repeat(np.arange(h) * (w + 1), counts) + cell[self._indices[entries]]
        sums = np.bincount(cells, self._data[entries], minlength=h * (w + 1))
        return np.asarray(sums.reshape(h, w + 1)[:, :w])


def sort_view(model: Any, data: Any, view: str) -> SortedMatrix:
    """Return the matrix of a view, sorted by the clusters of a model.

    Parameters
    ----------
    model : fitted model
    data : Dataset, matrix, frame, AnnData, views or RelationalData
        The data that were fitted.
    view : str
    """
    source = ReportInput.of(model, data)
    return SortedMatrix(source.clusters, next(r for r in source.relations if r.cols == view))


def grids_to_store(model: Any, data: Any) -> dict[str, Grid]:
    """Return the grids of the views that take long to sort and to sum up, by name."""
    source = ReportInput.of(model, data)
    return {
        relation.cols: SortedMatrix(source.clusters, relation).grid(*STORED_GRID_SIZE)
        for relation in source.relations
        if values_of(relation.matrix).size > DIRECT
    }


def _sums(R: Any, axis: int) -> Array:
    """Return the sums over each column (axis 0) or row (axis 1) of a sparse matrix."""
    return np.asarray(R.sum(axis=axis), dtype=float).ravel()


def _cumulate(values: Array) -> Array:
    """Return the sums of all values before each position, and of all values."""
    return np.concatenate([[0.0], np.cumsum(values)])
