"""The pictures of an account: the matrix of each view, sorted by cluster.

A matrix of any size is summed up to a few hundred cells each way, block by block if it is on disk.
Cells never cross the border of a cluster, so that borders can be drawn between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from cocluster.data.relation import Relation
from cocluster.linalg.matrices import as_dense, column_degrees, entrywise, is_nonnegative
from cocluster.linalg.partitions import Partition, as_partition
from cocluster.linalg.rowwise import summed
from cocluster.linalg.types import Array
from cocluster.report.compute.associations import log_lift
from cocluster.report.report_input import Clusters, ReportInput
from cocluster.report.values import Id, Picture

# Cells along a side of a single picture, and the least number if there are many pictures, so that
# they do not dominate the size of an account.
MAX_CELLS, MIN_CELLS = 400, 120
# Number of colours for effects above zero, and for those below.
STEPS = 50
# Percentile of the effects that gets the strongest colour, so that a few outliers do not make all
# other cells pale.
PERCENTILE = 99
# Names listed for the objects behind one cell, and characters of each.
MAX_NAMES, NAME_LENGTH = 3, 40


@dataclass(frozen=True, eq=False)
class Layout:
    """The cells of the objects along one side of a picture.

    Attributes
    ----------
    ids : array
        Clusters in the order of the picture.
    cells : int array of shape (n_objects,)
        Cell of each object.
    cuts : int array
        First cell of each cluster, and the number of cells.
    """

    ids: Array
    cells: Array
    cuts: Array

    @property
    def partition(self) -> Partition:
        """The cells as a partition of the objects."""
        return as_partition(self.cells, int(self.cuts[-1]))

    @staticmethod
    def of(clusters: Clusters, order: Array, limit: int) -> Layout:
        """Lay out clusters one after the other, and objects within them in the given order.

        Parameters
        ----------
        clusters : Clusters
        order : int array
            All objects, in the order that they keep within their cluster.
        limit : int
            Approximate number of cells; each cluster has at least one.
        """
        codes, n = clusters.codes, len(clusters.codes)
        sizes = np.bincount(codes, minlength=len(clusters))
        widths = sizes if n <= limit else np.maximum(np.round(sizes * limit / n), 1).astype(int)
        widths = np.where(sizes > 0, widths, 0)
        cuts = np.concatenate([[0], np.cumsum(widths)])
        starts = np.concatenate([[0], np.cumsum(sizes)])
        objects = order[np.argsort(codes[order], kind="stable")]
        sorted_codes = codes[objects]
        ranks = np.arange(n) - starts[sorted_codes]
        cells = np.empty(n, dtype=np.int64)
        shares = ranks * widths[sorted_codes] // np.maximum(sizes[sorted_codes], 1)
        cells[objects] = cuts[sorted_codes] + shares
        return Layout(clusters.ids, cells, cuts)


def draw_pictures(source: ReportInput) -> tuple[Picture, ...]:
    """Return a picture of every relation."""
    limit = max(int(MAX_CELLS / np.sqrt(max(len(source.relations), 1))), MIN_CELLS)
    return tuple(_picture(source, relation, limit) for relation in source.relations)


def _picture(source: ReportInput, relation: Relation, limit: int) -> Picture:
    """Return the picture of one relation: sorted, summed up and coloured."""
    R: Any = relation.matrix
    rows = _clusters_along(source.clusters.get(relation.rows), relation.row_index, R.shape[0])
    columns = _clusters_along(source.clusters.get(relation.cols), None, R.shape[1])
    vertical = Layout.of(rows, np.arange(R.shape[0]), limit)
    # Features with the largest sums come first within their group.
    horizontal = Layout.of(columns, np.argsort(-column_degrees(R), kind="stable"), limit)
    assert source.data is not None
    P, Q = source.data.placed(relation.rows, vertical.partition), horizontal.partition
    effect, kind = cell_effects(R, P, Q, vertical.partition.sizes)
    unit = max(float(np.percentile(np.abs(effect), PERCENTILE)), 1e-9) / STEPS  # avoids 0
    cells = np.clip(np.round(effect / unit), -STEPS, STEPS).astype(int)
    names = source.data.names
    positions = np.arange(R.shape[0]) if relation.row_index is None else relation.row_index
    return Picture(
        view=relation.cols,
        rows=relation.rows,
        columns=relation.cols,
        n_rows=int(R.shape[0]),
        n_columns=int(R.shape[1]),
        cells=tuple(tuple(row) for row in cells.tolist()),
        unit=unit,
        kind=kind,
        row_ids=_cluster_ids(vertical, source, relation.rows),
        column_ids=_cluster_ids(horizontal, source, relation.cols),
        row_cuts=tuple(vertical.cuts.tolist()),
        column_cuts=tuple(horizontal.cuts.tolist()),
        row_names=_cell_names(vertical, names.get(relation.rows), positions),
        column_names=_cell_names(horizontal, names.get(relation.cols), np.arange(R.shape[1])),
    )


def _clusters_along(clusters: Clusters | None, index: Array | None, n: int) -> Clusters:
    """Return the clusters of the rows or columns of a matrix; a single one for other types."""
    if clusters is None:
        return Clusters(np.zeros(1, dtype=int), np.zeros(n, dtype=int))
    return clusters.at(index)


def _cluster_ids(layout: Layout, source: ReportInput, type_name: str) -> tuple[Id, ...]:
    """Return the clusters in the order of the picture; none for a type without clusters."""
    return tuple(layout.ids.tolist()) if type_name in source.clusters else ()


def cell_effects(R: Any, P: Partition, Q: Partition, heights: Array) -> tuple[Array, str]:
    """Return the effects of cells of rows P and columns Q, and the kind of effect.

    ``heights`` is the number of rows in each row of cells.
    """
    sums = np.asarray(summed(cell_sums, R, Q, along=(P,)))
    if is_nonnegative(R):
        return log_lift(sums, 1.0), "log2 lift"
    areas = np.outer(heights, Q.sizes)
    squares = np.asarray(summed(cell_squares, R, Q, along=(P,))).sum(axis=0)
    n_entries = areas.sum(axis=0)
    mean = sums.sum(axis=0) / n_entries
    deviation = np.sqrt(np.maximum(squares / n_entries - mean**2, 0))
    # Constant columns have no deviation.
    deviation = np.where(deviation > 0, deviation, 1.0)
    return (sums / areas - mean) / deviation, "standard deviations"


def cell_sums(R: Any, P: Partition, Q: Partition) -> Array:
    """Return the sums over all pairs of a row cell and a column cell."""
    # Rows first, because few rows are left then, and a sparse matrix stays sparse.
    return as_dense((P.sparse().T @ R) @ Q.sparse())


def cell_squares(R: Any, P: Partition, Q: Partition) -> Array:
    """Return the sums of squares over all pairs of a row cell and a column cell."""
    return cell_sums(entrywise(np.square, R), P, Q)


def _cell_names(layout: Layout, names: Any, positions: Array) -> tuple[str, ...]:
    """Return for each cell the first of its objects, and how many more there are."""
    order = np.argsort(layout.cells, kind="stable")
    ends = np.searchsorted(layout.cells[order], np.arange(layout.cuts[-1] + 1))
    return tuple(_list_names([positions[i] for i in order[a:b]], names) for a, b in pairwise(ends))


def _list_names(positions: Sequence[Any], names: Any) -> str:
    """Return the first names and the number of further objects."""
    first = [str(i if names is None else names[i])[:NAME_LENGTH] for i in positions[:MAX_NAMES]]
    n_more = len(positions) - len(first)
    return ", ".join(first) + (f" and {n_more:,} more" if n_more else "")
