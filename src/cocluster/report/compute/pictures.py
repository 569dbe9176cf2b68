"""The part of an account that is looked at first: the matrix of each view, sorted by cluster.

A matrix of any size is summed up to a few hundred cells each way, block by block where it lies on
disk. Cells never reach over the border of a cluster, so that borders can be drawn between them.
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
from cocluster.report.compute.material import Material
from cocluster.report.subject import Clusters
from cocluster.report.values import Id, Picture

# Cells along a side of one picture, and the least if there are many: together they should not
# outweigh all else that an account holds.
CELLS, FEWEST = 400, 120
# Colours on either side of none.
STEPS = 50
# Cells more extreme than this share have the strongest colour, so that a few outliers do not make
# all others pale.
PERCENTILE = 99
# Names shown of the objects behind one cell, and letters of each.
NAMES, LETTERS = 3, 40


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the objects of one side of a picture go.

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
        """Cells as clusters."""
        return as_partition(self.cells, int(self.cuts[-1]))

    @staticmethod
    def of(clusters: Clusters, order: Array, limit: int, first: Array | None = None) -> Layout:
        """Clusters one after the other, objects within them in the given order.

        Parameters
        ----------
        clusters : Clusters
        order : int array
            All objects, in the order that they keep within their cluster.
        limit : int
            About so many cells; each cluster has one at least.
        first : int array, optional
            The clusters in their order; by default that of their ids.
        """
        ranks = np.argsort(np.arange(len(clusters)) if first is None else first)
        codes = ranks[clusters.codes]
        sizes = np.bincount(codes, minlength=len(clusters))
        n = len(codes)
        wide = sizes if n <= limit else np.maximum(np.round(sizes * limit / n), 1).astype(int)
        wide = np.where(sizes > 0, wide, 0)
        cuts = np.concatenate([[0], np.cumsum(wide)])
        placed = order[np.argsort(codes[order], kind="stable")]
        begins = np.concatenate([[0], np.cumsum(sizes)])
        own = codes[placed]
        within = np.arange(n) - begins[own]
        cells = np.empty(n, dtype=np.int64)
        cells[placed] = cuts[own] + within * wide[own] // np.maximum(sizes[own], 1)
        return Layout(clusters.ids[np.argsort(ranks)], cells, cuts)


def pictures_part(found: Material) -> tuple[Picture, ...]:
    """A picture for every relation."""
    if found.data is None:
        return ()
    relations = found.data.relations
    cells = max(int(CELLS / np.sqrt(len(relations))), FEWEST)
    return tuple(_picture(found, relation, cells) for relation in relations)


def _picture(found: Material, relation: Relation, limit: int) -> Picture:
    """One matrix, sorted and summed up."""
    R: Any = relation.matrix
    rows = _present(found.clusters.get(relation.rows), relation.row_index, R.shape[0])
    columns = _present(found.clusters.get(relation.cols), None, R.shape[1])
    over = Layout.of(rows, np.arange(R.shape[0]), limit)
    # Features that weigh most come first within their group.
    across = Layout.of(columns, np.argsort(-column_degrees(R), kind="stable"), limit)
    assert found.data is not None
    P, Q = found.data.placed(relation.rows, over.partition), across.partition
    effect, kind = cell_effects(R, P, Q, over.partition.sizes)
    unit = max(float(np.percentile(np.abs(effect), PERCENTILE)), 1e-9) / STEPS  # 0 is no unit
    cells = np.clip(np.round(effect / unit), -STEPS, STEPS).astype(int)
    names = found.data.names
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
        row_ids=_ids(over, found, relation.rows),
        column_ids=_ids(across, found, relation.cols),
        row_cuts=tuple(over.cuts.tolist()),
        column_cuts=tuple(across.cuts.tolist()),
        row_names=_names(over, names.get(relation.rows), positions),
        column_names=_names(across, names.get(relation.cols), np.arange(R.shape[1])),
    )


def _present(clusters: Clusters | None, index: Array | None, n: int) -> Clusters:
    """Clusters of the rows (or columns) of a matrix; one, where the type has none."""
    if clusters is None:
        return Clusters(np.zeros(1, dtype=int), np.zeros(n, dtype=int))
    return clusters if index is None else Clusters(clusters.ids, clusters.codes[index])


def _ids(layout: Layout, found: Material, name: str) -> tuple[Id, ...]:
    """Clusters in their order; none for a type that is not clustered."""
    return tuple(layout.ids.tolist()) if name in found.clusters else ()


def cell_effects(R: Any, P: Partition, Q: Partition, heights: Array) -> tuple[Array, str]:
    """What cells of rows P and columns Q show, and its name; ``heights`` are the rows in each."""
    sums = _summed(cell_sums, R, P, Q)
    if is_nonnegative(R):
        return log_lift(sums, 1.0), "log2 lift"
    areas = np.outer(heights, Q.sizes)
    squares = _summed(cell_squares, R, P, Q).sum(axis=0)
    column = areas.sum(axis=0)
    mean = sums.sum(axis=0) / column
    deviation = np.sqrt(np.maximum(squares / column - mean**2, 0))
    # Constant columns deviate from nothing.
    deviation = np.where(deviation > 0, deviation, 1.0)
    return (sums / areas - mean) / deviation, "standard deviations"


def _summed(function: Any, R: Any, P: Partition, Q: Partition) -> Array:
    """Sums over cells, block by block where rows are not in memory."""
    return np.asarray(summed(function, R, Q, along=(P,)))


def cell_sums(R: Any, P: Partition, Q: Partition) -> Array:
    """Sums of some rows over all pairs of a row cell and a column cell."""
    # Rows first: what is left of a sparse matrix is as sparse, and of any as small as a few rows.
    return as_dense((P.sparse().T @ R) @ Q.sparse())


def cell_squares(R: Any, P: Partition, Q: Partition) -> Array:
    """The same of squares."""
    return cell_sums(entrywise(np.square, R), P, Q)


def _names(layout: Layout, names: Any, positions: Array) -> tuple[str, ...]:
    """What lies behind each cell: the first of its objects, and how many more."""
    order = np.argsort(layout.cells, kind="stable")
    ends = np.searchsorted(layout.cells[order], np.arange(layout.cuts[-1] + 1))
    return tuple(_listed([positions[i] for i in order[a:b]], names) for a, b in pairwise(ends))


def _listed(positions: Sequence[Any], names: Any) -> str:
    """The first few of some objects in words."""
    shown = [str(i if names is None else names[i])[:LETTERS] for i in positions[:NAMES]]
    more = len(positions) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
