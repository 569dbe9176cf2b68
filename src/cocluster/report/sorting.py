"""The matrix of a view, sorted by cluster, and any part of it summed up to the size of a screen.

The sorted matrix is kept in memory. Small parts are summed entry by entry; large ones from a grid
of sums over a few million cells, so that either way a picture takes a fraction of a second.
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
from cocluster.report.compute.material import Material
from cocluster.report.grid import Border, Grid, Sums, Tile, edges
from cocluster.report.subject import Clusters

# Entries that are summed one by one for a picture: about 20 ms.
DIRECT = 2_000_000
# Cells of the grid along the rows and the columns: with the sums before each, 64 MB.
GRID = (4096, 2048)
# Cells of the grid that is kept in a file: more than a picture has, and about a megabyte of counts.
KEPT = (1024, 1024)
# Cells of a small picture.
SMALL = (300, 400)


@dataclass(frozen=True, eq=False)
class Side:
    """The order of the objects along one side.

    Attributes
    ----------
    border : Border
        Where its clusters begin.
    order : int array
        Object at each place.
    """

    border: Border
    order: Array

    @staticmethod
    def of(kind: str, clusters: Clusters | None, weights: Array) -> Side:
        """Clusters by their id, and what weighs most first in each."""
        codes = np.zeros(len(weights), dtype=int) if clusters is None else clusters.codes
        order = np.lexsort((-weights, codes))
        sizes = np.bincount(codes, minlength=1 if clusters is None else len(clusters))
        ids = [] if clusters is None else clusters.ids.tolist()
        return Side(Border(kind, ids, [0, *np.cumsum(sizes).tolist()]), order)

    @cached_property
    def place(self) -> Array:
        """Place of each object."""
        found = np.empty(len(self.order), dtype=np.int64)
        found[self.order] = np.arange(len(self.order))
        return found


class Sorted:
    """A sorted matrix; see the module.

    Parameters
    ----------
    clusters : mapping of type to Clusters
    relation : Relation
        Some of the data, in memory.
    """

    def __init__(self, clusters: Mapping[str, Clusters], relation: Relation) -> None:
        R = as_sparse(relation.matrix)
        self.signed = bool(R.data.min(initial=0) < 0)
        own = clusters.get(relation.rows)
        if own is not None and relation.row_index is not None:
            own = Clusters(own.ids, own.codes[relation.row_index])
        across = clusters.get(relation.cols)
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
        self._before_squares = _before(_sums(R * R, 0)[self.columns.order]) if self.signed else None

    @property
    def over(self) -> Border:
        """Clusters of the rows."""
        return self.rows.border

    @property
    def across(self) -> Border:
        """Clusters of the columns."""
        return self.columns.border

    def tile(self, r0: int, r1: int, c0: int, c1: int, height: int, width: int) -> Tile:
        """Rows from r0 up to r1 and columns from c0 up to c1, in about so many cells."""
        if self._indptr[r1] - self._indptr[r0] > DIRECT:
            return self._fine.tile(r0, r1, c0, c1, height, width)
        rows, columns = edges(r0, r1, height), edges(c0, c1, width)
        found = Sums(
            rows,
            columns,
            self._summed(rows, columns),
            np.diff(self._before_rows[rows]),
            np.diff(self._before_columns[columns]),
            self._squares(columns),
            self.shape[0],
            float(self._before_rows[-1]),
        )
        return found.tile()

    def whole(self) -> Tile:
        """All of it, in the size of a small picture; large data are summed up for all others."""
        return self.tile(0, self.shape[0], 0, self.shape[1], *SMALL)

    def value(self, row: int, column: int) -> float:
        """One entry, by its places."""
        part = slice(self._indptr[row], self._indptr[row + 1])
        return float(self._data[part][self._indices[part] == column].sum())

    def grid(self, height: int, width: int) -> Grid:
        """Sums over a grid of about so many cells."""
        rows, columns = edges(0, self.shape[0], height), edges(0, self.shape[1], width)
        # Some rows at a time: what is summed entry by entry needs room for each entry.
        share = max(1, int(len(rows) * DIRECT / max(len(self._data), 1)))
        parts = range(0, len(rows) - 1, share)
        sums = np.concatenate([self._summed(rows[i : i + share + 1], columns) for i in parts])
        squares = self._squares(columns)
        return Grid(self.over, self.across, rows, columns, sums, squares)

    @cached_property
    def _fine(self) -> Grid:
        """The grid that large parts are drawn from."""
        return self.grid(*GRID)

    def _squares(self, columns: Array) -> Array | None:
        """Sums of squares between edges of columns, where they are needed."""
        before = self._before_squares
        return None if before is None else np.diff(before[columns])

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


def sorted_view(model: Any, data: Any, view: str) -> Sorted:
    """The matrix of a view, sorted by the clusters of a model.

    Parameters
    ----------
    model : fitted model
    data : Dataset, matrix, frame, AnnData, views or RelationalData
        Those that were fitted.
    view : str
    """
    found = Material.of(model, data)
    assert found.data is not None
    return Sorted(found.clusters, next(r for r in found.data.relations if r.cols == view))


def kept_grids(model: Any, data: Any) -> dict[str, Grid]:
    """Grids of the views that take long to sort and to sum up, by name."""
    found = Material.of(model, data)
    relations = () if found.data is None else found.data.relations
    large = [r for r in relations if values_of(r.matrix).size > DIRECT]
    return {relation.cols: Sorted(found.clusters, relation).grid(*KEPT) for relation in large}


def _sums(R: Any, axis: int) -> Array:
    """Sum over each column (0) or row (1) of a sparse matrix."""
    return np.asarray(R.sum(axis=axis), dtype=float).ravel()


def _before(values: Array) -> Array:
    """Sums of all values before each place, and of all."""
    return np.concatenate([[0.0], np.cumsum(values)])
