"""The associations of an account: which clusters of two types go together."""

from __future__ import annotations

from typing import Any

import numpy as np

from cocluster.data.relation import Relation
from cocluster.linalg.matrices import column_sums, entrywise, inner, is_nonnegative, times
from cocluster.linalg.rowwise import summed
from cocluster.linalg.types import Array
from cocluster.report.report_input import ReportInput
from cocluster.report.values import Association

# Blocks are marked until they carry this share of the information between the clusters.
MARKED_SHARE = 0.8
# Share of the mean expected sum that is added to every block, which keeps logarithms finite.
DAMPING = 0.01
# Least standard deviation as a share of the largest mean; constant columns have none.
MIN_DEVIATION = 1e-12


def compute_associations(source: ReportInput) -> tuple[Association, ...]:
    """Return the association of every pair of clustered types that share a relation."""
    return tuple(
        _association(source, relation)
        for relation in source.relations
        if relation.rows in source.clusters and relation.cols in source.clusters
    )


def _association(source: ReportInput, relation: Relation) -> Association:
    """Return sums, lifts and effects of the blocks of one relation."""
    rows, columns = source.clusters[relation.rows], source.clusters[relation.cols]
    G, H, R = rows.at(relation.row_index).partition, columns.partition, relation.matrix
    assert source.data is not None
    sums = inner(H, times(R.T, source.data.placed(relation.rows, G))).T
    areas = np.outer(G.sizes, H.sizes)
    means = sums / np.maximum(areas, 1)
    lift = lifts(sums) if is_nonnegative(R) else None
    if lift is not None:
        # Blocks count by what they add to the information between the clusters.
        effect = log_lift(sums)
        weight = np.where(lift > 1, sums * np.log(np.maximum(lift, 1)), 0)
    else:
        effect = _deviations(R, sums, G.sizes, H)
        weight = np.where(effect > 0, effect**2 * areas, 0)
    return Association(
        relation.rows,
        relation.cols,
        tuple(rows.ids.tolist()),
        tuple(columns.ids.tolist()),
        _as_tuples(sums),
        _as_tuples(means),
        None if lift is None else _as_tuples(lift),
        _as_tuples(effect),
        _heaviest_blocks(weight),
    )


def lifts(sums: Array) -> Array:
    """Return sums over the sums expected from their rows and columns; 1 for 0 / 0.

    >>> lifts(np.array([[3.0, 1.0], [1.0, 3.0]])).tolist()
    [[1.5, 0.5], [0.5, 1.5]]
    """
    expected = np.outer(sums.sum(axis=1), sums.sum(axis=0)) / (sums.sum() or 1.0)
    return np.asarray(np.divide(sums, expected, out=np.ones(sums.shape), where=expected > 0))


def log_lift(sums: Array, damping: float = DAMPING) -> Array:
    """Return log2 of the lift, damped so that empty cells with small expectations stay near zero.

    ``damping`` is added to the observed and the expected sum of every cell, as a share of the
    mean expected sum.
    """
    expected = np.outer(sums.sum(axis=1), sums.sum(axis=0)) / (sums.sum() or 1.0)
    # The tiny number avoids 0 / 0 for data that are zero throughout.
    extra = max(damping * float(expected.mean()), float(np.finfo(float).tiny))
    return np.asarray(np.log2((sums + extra) / (expected + extra)))


def _deviations(R: Any, sums: Array, row_sizes: Array, H: Any) -> Array:
    """Return the means of blocks less those of their columns, in standard deviations."""
    n = max(int(R.shape[0]), 1)
    counts = np.maximum(n * H.sizes, 1)
    overall = sums.sum(axis=0) / counts
    squares = inner(H, np.asarray(summed(_squares, R)))
    deviation = np.sqrt(np.maximum(squares / counts - overall**2, 0))
    deviation = np.maximum(
        deviation, MIN_DEVIATION * max(float(np.abs(overall).max(initial=0)), MIN_DEVIATION)
    )
    means = sums / np.maximum(np.outer(row_sizes, H.sizes), 1)
    # Empty clusters have no deviation.
    return np.where(row_sizes[:, None] > 0, (means - overall) / deviation, 0)


def _squares(R: Any) -> Array:
    """Return the sum of squares of each column."""
    return column_sums(entrywise(np.square, R))


def _heaviest_blocks(weight: Array) -> tuple[tuple[int, ...], ...]:
    """Return the positions of the heaviest blocks, which together carry most of the weight."""
    order = np.argsort(-weight, axis=None, kind="stable")
    cumulated = np.cumsum(weight.ravel()[order])
    if not cumulated.size or cumulated[-1] <= 0:
        return ()
    n = int(np.searchsorted(cumulated, MARKED_SHARE * cumulated[-1])) + 1
    positions = np.unravel_index(order[:n], weight.shape)
    return tuple((int(i), int(j)) for i, j in zip(*positions, strict=True) if weight[i, j] > 0)


def _as_tuples(values: Array) -> tuple[tuple[float, ...], ...]:
    """Return a matrix as a tuple of tuples."""
    return tuple(tuple(row) for row in values.astype(float).tolist())
