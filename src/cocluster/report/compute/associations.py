"""The part of an account on associations: which clusters of two types go together."""

from __future__ import annotations

from typing import Any

import numpy as np

from cocluster.data.relation import Relation
from cocluster.linalg.matrices import column_sums, entrywise, inner, is_nonnegative, times
from cocluster.linalg.rowwise import summed
from cocluster.linalg.types import Array
from cocluster.report.compute.material import Material
from cocluster.report.values import Association

# Blocks are marked until they carry this share of what the clusters know of each other.
CARRIED = 0.8
# What is added to every block, as a share of what is expected of one: keeps logarithms finite.
DAMPING = 0.01
# The least deviation, as a share of the largest value: of constant columns there is none.
LEAST = 1e-12


def association_part(found: Material) -> tuple[Association, ...]:
    """A table for every relation whose types both have clusters."""
    if found.data is None:
        return ()
    return tuple(
        _association(found, relation)
        for relation in found.data.relations
        if relation.rows in found.clusters and relation.cols in found.clusters
    )


def _association(found: Material, relation: Relation) -> Association:
    """The blocks of one relation."""
    rows, columns = found.clusters[relation.rows], found.clusters[relation.cols]
    G, H, R = rows.partition, columns.partition, relation.matrix
    if relation.row_index is not None:
        G = G[relation.row_index]
    assert found.data is not None
    sums = inner(H, times(R.T, found.data.placed(relation.rows, G))).T
    areas = np.outer(G.sizes, H.sizes)
    means = sums / np.maximum(areas, 1)
    if is_nonnegative(R):
        lift = lifts(sums)
        effect, weight = log_lift(sums), _information(sums)
    else:
        lift, effect = None, _deviations(R, sums, G.sizes, H)
        weight = np.where(effect > 0, effect**2 * areas, 0)
    return Association(
        relation.rows,
        relation.cols,
        tuple(rows.ids.tolist()),
        tuple(columns.ids.tolist()),
        _table(sums),
        _table(means),
        None if lift is None else _table(lift),
        _table(effect),
        _marked(weight),
    )


def lifts(sums: Array) -> Array:
    """Sums over those that the sums of rows and columns lead one to expect; 1 for 0 / 0.

    >>> lifts(np.array([[3.0, 1.0], [1.0, 3.0]])).tolist()
    [[1.5, 0.5], [0.5, 1.5]]
    """
    expected = np.outer(sums.sum(axis=1), sums.sum(axis=0)) / (sums.sum() or 1.0)
    return np.asarray(np.divide(sums, expected, out=np.ones(sums.shape), where=expected > 0))


def log_lift(sums: Array, damping: float = DAMPING) -> Array:
    """log2 of the lift, as if a little more had been seen in every cell, as expected there.

    So empty cells of which little is expected stay near zero. ``damping`` is that little, as a
    share of what is expected of a cell on average.
    """
    expected = np.outer(sums.sum(axis=1), sums.sum(axis=0)) / (sums.sum() or 1.0)
    # The tiny number is for data that are zero throughout.
    more = max(damping * float(expected.mean()), float(np.finfo(float).tiny))
    return np.asarray(np.log2((sums + more) / (expected + more)))


def _information(sums: Array) -> Array:
    """What each block with more than expected adds to the information between the clusters."""
    lift = lifts(sums)
    return np.where(lift > 1, sums * np.log(np.maximum(lift, 1)), 0)


def _deviations(R: Any, sums: Array, row_sizes: Array, H: Any) -> Array:
    """Means of blocks less those of their columns, in standard deviations of the columns."""
    n = max(int(R.shape[0]), 1)
    counts = np.maximum(n * H.sizes, 1)
    overall = sums.sum(axis=0) / counts
    squares = inner(H, np.asarray(summed(_squares, R)))
    deviation = np.sqrt(np.maximum(squares / counts - overall**2, 0))
    deviation = np.maximum(deviation, LEAST * max(float(np.abs(overall).max(initial=0)), LEAST))
    means = sums / np.maximum(np.outer(row_sizes, H.sizes), 1)
    # Empty clusters deviate from nothing.
    return np.where(row_sizes[:, None] > 0, (means - overall) / deviation, 0)


def _squares(R: Any) -> Array:
    """Sum of squares of each column."""
    return column_sums(entrywise(np.square, R))


def _marked(weight: Array) -> tuple[tuple[int, ...], ...]:
    """Positions of the heaviest blocks, which together carry most of the weight."""
    order = np.argsort(-weight, axis=None, kind="stable")
    carried = np.cumsum(weight.ravel()[order])
    if not carried.size or carried[-1] <= 0:
        return ()
    n = int(np.searchsorted(carried, CARRIED * carried[-1])) + 1
    places = np.unravel_index(order[:n], weight.shape)
    return tuple((int(i), int(j)) for i, j in zip(*places, strict=True) if weight[i, j] > 0)


def _table(values: Array) -> tuple[tuple[float, ...], ...]:
    """An array as tuples."""
    return tuple(tuple(float(value) for value in row) for row in values)
