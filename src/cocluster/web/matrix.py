"""The matrix of a view, sorted by cluster, and any part of it summed up to the size of a screen.

The sorted matrix is kept in memory. Small parts are summed entry by entry; large ones from a grid
of sums over a few million cells, so that either way a picture takes a fraction of a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cocluster.data.relation import Relation
from cocluster.linalg.matrices import as_sparse
from cocluster.linalg.types import Array
from cocluster.report.subject import Clusters, Subject

# Entries that are summed one by one for a picture: about 20 ms.
DIRECT = 2_000_000
# Cells of the grid along the rows and the columns: with the sums before each, 64 MB.
GRID = (4096, 2048)
# Cells of a small picture.
SMALL = (300, 400)
# Colours on either side of none, as in the report.
STEPS = 50
# Cells more extreme than this share have the strongest colour, as in the report.
PERCENTILE = 99
# Cells that this is measured on.
MEASURED = 50_000


@dataclass(frozen=True, eq=False)
class Side:
    """The order of the objects along one side.

    Attributes
    ----------
    type : str
    order : int array
        Object at each place.
    ids : list
        Clusters in their order; empty where the type has none.
    cuts : int array
        Place where each cluster begins, and the number of objects.
    """

    type: str
    order: Array
    ids: list[Any]
    cuts: Array

    @staticmethod
    def of(kind: str, clusters: Clusters | None, weights: Array) -> Side:
        """Clusters by their id, and what weighs most first in each."""
        codes = np.zeros(len(weights), dtype=int) if clusters is None else clusters.codes
        order = np.lexsort((-weights, codes))
        sizes = np.bincount(codes, minlength=1 if clusters is None else len(clusters))
        ids = [] if clusters is None else clusters.ids.tolist()
        return Side(kind, order, ids, np.concatenate([[0], np.cumsum(sizes)]))

    @cached_property
    def place(self) -> Array:
        """Place of each object."""
        found = np.empty(len(self.order), dtype=np.int64)
        found[self.order] = np.arange(len(self.order))
        return found


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


class Sorted:
    """A sorted matrix; see the module.

    Parameters
    ----------
    subject : Subject
        Data with their clusters.
    relation : Relation
        One of those data.
    """

    def __init__(self, subject: Subject, relation: Relation) -> None:
        R = as_sparse(relation.matrix)
        self.signed = bool(R.data.min(initial=0) < 0)
        own = subject.clusters.get(relation.rows)
        if own is not None and relation.row_index is not None:
            own = Clusters(own.ids, own.codes[relation.row_index])
        across = subject.clusters.get(relation.cols)
        # Few passes over the entries: of large data each takes a good part of a second.
        weights: Any = abs(R) if self.signed else R
        self.rows = Side.of(relation.rows, own, _sums(weights, 1))
        self.columns = Side.of(relation.cols, across, _sums(weights, 0))
        self.index = relation.row_index
        # Columns only get other numbers: to sort the entries within rows would serve nobody.
        sorted_rows = R[self.rows.order]
        self._indptr, self._data = sorted_rows.indptr, sorted_rows.data
        self._indices = self.columns.place.astype(np.int32)[sorted_rows.indices]
        self.shape: tuple[int, int] = R.shape
        self._before_rows = _before(_sums(R, 1)[self.rows.order])
        self._before_columns = _before(_sums(R, 0)[self.columns.order])
        # Only signed values are told from the mean of their column.
        squares = _sums(R * R, 0) if self.signed else np.zeros(self.shape[1])
        self._before_squares = _before(squares[self.columns.order])

    def tile(self, r0: int, r1: int, c0: int, c1: int, height: int, width: int) -> Tile:
        """Rows from r0 up to r1 and columns from c0 up to c1, in about so many cells."""
        rows, columns = _edges(r0, r1, height), _edges(c0, c1, width)
        if self._indptr[rows[-1]] - self._indptr[rows[0]] <= DIRECT:
            sums = self._summed(rows, columns)
        else:
            grid_rows, grid_columns, before = self._grid
            rows, at = _snapped(rows, grid_rows)
            columns, over = _snapped(columns, grid_columns)
            corners = before[np.ix_(at, over)]
            sums = np.diff(np.diff(corners, axis=0), axis=1)
        effect = self._effect(sums, rows, columns)
        # Some of the cells tell as much as all.
        some = np.abs(effect.ravel()[:: 1 + effect.size // MEASURED])
        unit = max(float(np.percentile(some, PERCENTILE)), 1e-9) / STEPS  # 0 is no unit
        cells = np.clip(np.round(effect / unit), -STEPS, STEPS).astype(np.int8)
        return Tile(rows, columns, cells, unit)

    def whole(self) -> Tile:
        """All of it, in the size of a small picture; large data are summed up for all others."""
        return self.tile(0, self.shape[0], 0, self.shape[1], *SMALL)

    def value(self, row: int, column: int) -> float:
        """One entry, by its places."""
        part = slice(self._indptr[row], self._indptr[row + 1])
        return float(self._data[part][self._indices[part] == column].sum())

    def _summed(self, rows: Array, columns: Array) -> Array:
        """Sums over cells, entry by entry."""
        h, w = len(rows) - 1, len(columns) - 1
        part = slice(self._indptr[rows[0]], self._indptr[rows[-1]])
        counts = np.diff(self._indptr[rows])
        cell = np.full(self.shape[1], w, dtype=np.int64)  # columns beside the part: one more cell
        for j in range(w):
            cell[columns[j] : columns[j + 1]] = j
        places = np.repeat(np.arange(h) * (w + 1), counts) + cell[self._indices[part]]
        sums = np.bincount(places, self._data[part], minlength=h * (w + 1))
        return np.asarray(sums.reshape(h, w + 1)[:, :w])

    @cached_property
    def _grid(self) -> tuple[Array, Array, Array]:
        """Edges of a grid over all, and the sum of all that lies before each corner."""
        rows = _edges(0, self.shape[0], GRID[0])
        columns = _edges(0, self.shape[1], GRID[1])
        # Some rows at a time: what is summed entry by entry needs room for each entry.
        share = max(1, int(len(rows) * DIRECT / max(len(self._data), 1)))
        sums = np.concatenate(
            [self._summed(rows[i : i + share + 1], columns) for i in range(0, len(rows) - 1, share)]
        )
        before = np.zeros((len(rows), len(columns)))
        np.cumsum(np.cumsum(sums, axis=0), axis=1, out=before[1:, 1:])
        return rows, columns, before

    def _effect(self, sums: Array, rows: Array, columns: Array) -> Array:
        """What cells show: log2 of the lift, damped, or standard deviations from the column."""
        over = np.diff(self._before_rows[rows])
        across = np.diff(self._before_columns[columns])
        if not self.signed:
            expected = np.outer(over, across) / (self._before_rows[-1] or 1.0)
            # As in the report: empty cells of which little is expected stay near zero.
            more = max(float(expected.mean()), float(np.finfo(float).tiny))
            return np.asarray(np.log2((sums + more) / (expected + more)))
        heights, widths = np.diff(rows), np.diff(columns)
        all_of = widths * self.shape[0]
        mean = across / all_of
        squares = np.diff(self._before_squares[columns]) / all_of
        deviation = np.sqrt(np.maximum(squares - mean**2, 0))
        # Constant columns deviate from nothing.
        deviation = np.where(deviation > 0, deviation, 1.0)
        return np.asarray((sums / np.outer(heights, widths) - mean) / deviation)


def _sums(R: Any, axis: int) -> Array:
    """Sum over each column (0) or row (1) of a sparse matrix."""
    return np.asarray(R.sum(axis=axis), dtype=float).ravel()


def _before(values: Array) -> Array:
    """Sums of all values before each place, and of all."""
    return np.concatenate([[0.0], np.cumsum(values)])


def _edges(start: int, end: int, n: int) -> Array:
    """Places that cut a range in about n parts, none of them empty."""
    return np.unique(np.linspace(start, end, min(n, end - start) + 1).round().astype(np.int64))


def _snapped(edges: Array, grid: Array) -> tuple[Array, Array]:
    """The nearest edges of a grid, each once, and their positions in it."""
    after = np.clip(np.searchsorted(grid, edges), 1, len(grid) - 1)
    nearer = edges - grid[after - 1] < grid[after] - edges
    at = np.unique(np.where(nearer, after - 1, after))
    if len(at) < 2:
        at = np.array([max(at[0] - 1, 0), max(at[0] - 1, 0) + 1])
    return grid[at], at
