r"""Exact integrated classification likelihood of a degree-corrected block model; greedy merging.

The model: a count of row i and column j, in clusters k and l, is

.. math:: X_{ij} \sim \mathrm{Poisson}(\theta_i \, \varphi_j \, \lambda_{kl}),

with :math:`\theta` uniform over the weights of each row cluster that have mean 1, :math:`\varphi`
likewise, :math:`\lambda` exponential with the mean of all entries, and labels that come from
clusters of uniformly drawn shares. All of these integrate out in closed form, and what is left
depends on the labels through sizes of clusters and sums of blocks only. So any two clusters can be
tried as one without a look at the data, and going on until all are one gives a tree on every side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy.special import gammaln, xlogy

from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import (
    column_sums,
    inner,
    row_sums,
    scaled,
    squared_norm,
    times,
    values_of,
)
from cocluster.linalg.partitions import Partition, as_partition
from cocluster.linalg.types import Array, InMemory

# Labels of every type.
Labels = Mapping[str, Array]

# Feature clusters for each cluster of samples while samples are told apart: with as many of one as
# of the other, profiles are too coarse for weak groups (benchmarks/leaderboard).
PROFILE = 5
# Least share of the squares of the data that counts as not explained by blocks: data that are their
# blocks to the last digit are certain, but not infinitely so.
CERTAIN = 1e-6


@dataclass(frozen=True, eq=False)
class Blocks:
    """Sums of the data over pairs of a row cluster and a column cluster, views side by side.

    Attributes
    ----------
    counts : array of shape (n_row_clusters, n_column_clusters)
        Sums of the blocks, the column clusters of the views one after the other.
    view : int array of shape (n_column_clusters,)
        The view of each column cluster, from 0 on without gaps.
    rows : array of shape (n_row_clusters,)
        Sizes of the row clusters.
    present : array of shape (n_row_clusters, n_views)
        How many of its rows each view has; all of them, unless rows are absent.
    columns : array of shape (n_column_clusters,)
        Sizes of the column clusters.
    """

    counts: Array
    view: Array
    rows: Array
    present: Array
    columns: Array

    @property
    def rates(self) -> Array:
        """Rate of the prior of each block: one over the mean entry of its view."""
        by_view = [
            self.present[:, v].sum() * self.columns[self.view == v].sum() / self.total(v)
            for v in range(self.present.shape[1])
        ]
        return np.array(by_view)[self.view]

    def total(self, view: int) -> float:
        """Sum of all entries of a view; 1 if there is nothing in it."""
        return float(self.counts[:, self.view == view].sum()) or 1.0


@dataclass(frozen=True)
class Step:
    """One merge on the way from the finest clusters to one.

    Attributes
    ----------
    side : int
        0 for rows, 1 + v for the columns of view v.
    left, right : int
        What was merged, numbered as in scipy's linkage: leaves first, then merges in their order.
    value : float
        The criterion after it.
    lost : float
        Share of the mutual information of rows and columns, as far as the finest blocks hold it,
        that is lost by now; views weigh as their counts.
    """

    side: int
    left: int
    right: int
    value: float
    lost: float


class Criterion(Protocol):
    """What merging keeps high: a sum over blocks, clusters and numbers of clusters."""

    def blocks(self, counts: Array, cells: Array, rates: Array) -> Array:
        """Return the terms of blocks with these counts and numbers of cells."""

    def clusters(self, totals: Array, present: Array, sizes: Array) -> Array:
        """Return the terms of clusters, from totals and sizes by view, and sizes."""

    def labels(self, size: float, n_clusters: int) -> float:
        """Return the term of the number of clusters of one side."""


class Likelihood:
    """log p(data, labels) of the model above, up to terms that do not depend on the labels."""

    def blocks(self, counts: Array, cells: Array, rates: Array) -> Array:
        r""":math:`\log\int p(C | \lambda)\,dp(\lambda)`, and the ways to spread C over cells."""
        # A block without cells, where a view has no row of a cluster, is worth nothing.
        log_integral = gammaln(counts + 1) + xlogy(counts, cells) + np.log(rates)
        return np.asarray(log_integral - (counts + 1) * np.log(rates + cells))

    def clusters(self, totals: Array, present: Array, sizes: Array) -> Array:
        """Integrate over the weights of the objects and the shares of the clusters."""
        at_least_one = np.maximum(present, 1)
        degrees = np.where(present > 0, gammaln(at_least_one) - gammaln(totals + at_least_one), 0.0)
        return np.asarray(degrees.sum(axis=1) + gammaln(sizes + 1))

    def labels(self, size: float, n_clusters: int) -> float:
        """The part of log p(labels) that depends on the number of clusters alone."""
        return float(gammaln(n_clusters) - gammaln(size + n_clusters))


class Information:
    """Mutual information of the clusters of rows and columns, times the sum of all counts.

    It takes no account of chance, so more clusters are always better: a criterion for the order of
    merges, not for their number. For that it serves better than the likelihood where groups are
    weak, of which the likelihood would leave nothing.
    """

    def blocks(self, counts: Array, cells: Array, rates: Array) -> Array:
        """c log c."""
        return np.asarray(xlogy(counts, counts))

    def clusters(self, totals: Array, present: Array, sizes: Array) -> Array:
        """The same of the margins, which counts against."""
        return -np.asarray(xlogy(totals, totals).sum(axis=1))

    def labels(self, size: float, n_clusters: int) -> float:
        """Nothing."""
        return 0.0


LIKELIHOOD, INFORMATION = Likelihood(), Information()
BOTH = (0, 1)


def icl(blocks: Blocks) -> float:
    """The integrated classification likelihood, up to a constant of the data."""
    return Merging(blocks, LIKELIHOOD).value


def merge_all(
    blocks: Blocks, criterion: Criterion = LIKELIHOOD, axes: Sequence[int] = BOTH
) -> list[Step]:
    """Merge the pair of clusters that leaves the criterion highest, until all are one.

    Rows and columns compete, unless ``axes`` says 0 (rows only) or 1 (columns only). The gains of
    all pairs are kept up to date, so that a step never misses the best one and costs a few sums
    over the pairs.
    """
    merging, steps = Merging(blocks, criterion, axes), []
    while (step := merging.step()) is not None:
        steps.append(step)
    return steps


def best_step(blocks: Blocks, steps: Sequence[Step]) -> int:
    """Return the number of steps after which the criterion is highest."""
    return int(np.argmax([icl(blocks), *(step.value for step in steps)]))


def numbers_after(blocks: Blocks, steps: Sequence[Step]) -> list[int]:
    """Clusters left on every side (rows, columns of each view) after some steps."""
    merged = np.bincount([step.side for step in steps], minlength=1 + blocks.present.shape[1])
    return [int(n) for n in np.r_[len(blocks.rows), np.bincount(blocks.view)] - merged]


def cut(steps: Sequence[Step], side: int, n_leaves: int, n_clusters: int) -> Array:
    """Cluster of each leaf of a side when its merges have left so many clusters."""
    merges = [step for step in steps if step.side == side][: max(n_leaves - n_clusters, 0)]
    # Every node ends in the last merge it took part in, found from the top down.
    root = np.arange(n_leaves + len(merges))
    for node, step in reversed(list(enumerate(merges, n_leaves))):
        root[[step.left, step.right]] = root[node]
    return np.unique(root[:n_leaves], return_inverse=True)[1]


@dataclass(eq=False)
class _Axis:
    """Clusters along one axis of the blocks (0: rows, 1: columns), as far as merged."""

    sizes: Array
    # Totals and sizes view by view: a column belongs to one view, a row to all of them.
    totals: Array
    present: Array
    # Only clusters of one group may be merged: columns of one view, any rows.
    group: Array
    node: list[int]
    gains: Array = field(init=False)

    def numbers(self) -> Array:
        """Clusters in each group."""
        return np.bincount(self.group)

    def merge(self, a: int, b: int, node: int) -> None:
        """Merge cluster b into cluster a."""
        for values in (self.sizes, self.totals, self.present):
            values[a] += values[b]
        self.sizes, self.group = np.delete(self.sizes, b), np.delete(self.group, b)
        self.totals, self.present = (np.delete(v, b, axis=0) for v in (self.totals, self.present))
        self.node[a] = node
        del self.node[b]


class Merging:
    """Blocks that are merged step by step, with the gain of every pair of clusters at hand."""

    def __init__(self, blocks: Blocks, criterion: Criterion, merged: Sequence[int] = BOTH) -> None:
        self.criterion, self.merged = criterion, merged
        self.counts = np.array(blocks.counts, dtype=np.float64)
        self.cells = blocks.present[:, blocks.view] * np.asarray(blocks.columns, dtype=np.float64)
        self.rates, self.view = blocks.rates, blocks.view
        self.totals = np.array([blocks.total(v) for v in range(blocks.present.shape[1])])
        by_view = np.stack(
            [self.counts[:, self.view == v].sum(axis=1) for v in range(len(self.totals))], axis=1
        )
        columns = np.array(blocks.columns, dtype=np.float64)
        self.axes = (
            _Axis(
                np.array(blocks.rows, dtype=np.float64),
                by_view,
                np.array(blocks.present, dtype=np.float64),
                np.zeros(len(blocks.rows), dtype=int),
                list(range(len(blocks.rows))),
            ),
            _Axis(
                columns,
                self.counts.sum(axis=0)[:, None],
                columns[:, None].copy(),
                self.view.copy(),
                [int(i) for v in np.bincount(self.view) for i in range(v)],
            ),
        )
        # Number of the next merge on every side, as scipy's linkage counts.
        self.next = [len(blocks.rows), *np.bincount(self.view).tolist()]
        # Members of the groups never leave them.
        self.members = [np.bincount(axis.group, axis.sizes) for axis in self.axes]
        for axis in merged:
            self.axes[axis].gains = self._all_gains(axis)
        self.value, self.whole = self._value(), self._information()

    def step(self) -> Step | None:
        """Merge the best pair; return None if no pair is left."""
        best = max((self._best(axis) for axis in self.merged), key=lambda candidate: candidate[0])
        gain, axis, a, b = best
        if gain == -np.inf:
            return None
        clusters = self.axes[axis]
        side = 1 + int(clusters.group[a]) if axis else 0
        left_node, right_node = clusters.node[a], clusters.node[b]
        self._merge(axis, a, b, self.next[side])
        self.next[side] += 1
        self.value += gain
        return Step(side, left_node, right_node, self.value, self._lost_share())

    def _information(self) -> float:
        """Mutual information of the blocks in nats, times the sum of all counts."""
        information = xlogy(self.counts, self.counts).sum()
        for axis in self.axes:
            information -= xlogy(axis.totals, axis.totals).sum()
        return float(information + xlogy(self.totals, self.totals).sum())

    def _lost_share(self) -> float:
        """Return the share of the information lost by merges; 0 if there was none."""
        return 1 - self._information() / self.whole if self.whole > 0 else 0.0

    def _value(self) -> float:
        """Compute the criterion from scratch."""
        value = self.criterion.blocks(self.counts, self.cells, self.rates).sum()
        for axis, members in zip(self.axes, self.members, strict=True):
            labels = map(self.criterion.labels, members, axis.numbers())
            value += self._cluster_terms(axis).sum() + sum(labels)
        return float(value)

    def _cluster_terms(self, axis: _Axis) -> Array:
        """Return the term of each cluster, without its blocks."""
        return self.criterion.clusters(axis.totals, axis.present, axis.sizes)

    def _best(self, axis: int) -> tuple[float, int, int, int]:
        """Gain of the best pair along an axis, the axis, and the pair."""
        clusters = self.axes[axis]
        if len(clusters.group) < 2:
            return -np.inf, axis, 0, 0
        # One cluster fewer is worth the same for all pairs of a group.
        fewer = [
            self.criterion.labels(size, n - 1) - self.criterion.labels(size, n) if n > 1 else 0.0
            for size, n in zip(self.members[axis], clusters.numbers(), strict=True)
        ]
        gains = clusters.gains + np.array(fewer)[clusters.group][:, None]
        a, b = divmod(int(gains.argmax()), gains.shape[1])
        return float(gains[a, b]), axis, min(a, b), max(a, b)

    def _with_axis_first(self, axis: int) -> tuple[Array, Array, Array]:
        """Counts, cells and rates with the clusters of an axis in rows."""
        rates = np.broadcast_to(self.rates, self.counts.shape)
        arrays = (self.counts, self.cells, rates)
        return arrays if axis == 0 else tuple(A.T for A in arrays)  # type: ignore[return-value]

    def _all_gains(self, axis: int) -> Array:
        """Gain of every pair along an axis; no gain for a cluster with itself or across groups."""
        clusters = self.axes[axis]
        return np.stack([self._gains_with(axis, a) for a in range(len(clusters.sizes))])

    def _gains_with(self, axis: int, a: int) -> Array:
        """Gain of merging cluster a with each of the others."""
        clusters = self.axes[axis]
        counts, cells, rates = self._with_axis_first(axis)
        alone = self.criterion.blocks(counts, cells, rates).sum(axis=1) + self._cluster_terms(
            clusters
        )
        both = self.criterion.blocks(counts + counts[a], cells + cells[a], rates).sum(axis=1)
        both += self.criterion.clusters(
            clusters.totals + clusters.totals[a],
            clusters.present + clusters.present[a],
            clusters.sizes + clusters.sizes[a],
        )
        gains = both - alone - alone[a]
        gains[(clusters.group != clusters.group[a]) | (np.arange(len(gains)) == a)] = -np.inf
        return np.asarray(gains)

    def _gain_share(self, axis: int, across: int) -> Array:
        """Return the share of one cluster of the other axis in the gain of every pair."""
        counts, cells, rates = (A[:, across] for A in self._with_axis_first(axis))
        alone = self.criterion.blocks(counts, cells, rates)
        both = self.criterion.blocks(
            counts[:, None] + counts, cells[:, None] + cells, np.maximum(rates[:, None], rates)
        )
        return np.asarray(both - alone[:, None] - alone)

    def _merge(self, axis: int, a: int, b: int, node: int) -> None:
        """Merge two clusters and bring all gains up to date."""
        across, competes = self.axes[1 - axis], 1 - axis in self.merged
        if competes:
            across.gains -= self._gain_share(1 - axis, a) + self._gain_share(1 - axis, b)
        for name in ("counts", "cells"):
            values = getattr(self, name)
            np.moveaxis(values, axis, 0)[a] += np.moveaxis(values, axis, 0)[b]
            setattr(self, name, np.delete(values, b, axis=axis))
        if axis == 1:
            self.rates = np.delete(self.rates, b)
        clusters = self.axes[axis]
        clusters.merge(a, b, node)
        if competes:
            across.gains += self._gain_share(1 - axis, a)
        clusters.gains = np.delete(np.delete(clusters.gains, b, axis=0), b, axis=1)
        clusters.gains[a] = self._gains_with(axis, a)
        clusters.gains[:, a] = clusters.gains[a]


def views(data: RelationalData) -> list[str]:
    """The types of the features, view by view."""
    return [relation.cols for relation in data.relations]


def blocks_of_labels(data: RelationalData, labels: Labels, units: Sequence[float]) -> Blocks:
    """Sum the entries over the blocks of all views, each in its unit (see `dispersion`)."""
    G = _partition(labels[data.center])
    counts, present, columns, view = [], [], [], []
    for v, (relation, unit) in enumerate(zip(data.relations, units, strict=True)):
        H, view_rows = _partition(labels[relation.cols]), _view_rows(G, relation.row_index)
        counts.append(inner(view_rows, times(relation.matrix, H)) / unit)
        present.append(view_rows.sizes)
        columns.append(H.sizes)
        view.append(np.full(H.n_clusters, v))
    return Blocks(
        np.hstack(counts),
        np.concatenate(view),
        G.sizes,
        np.stack(present, axis=1),
        np.concatenate(columns),
    )


def _partition(labels: Array) -> Partition:
    """Return labels without gaps as a factor."""
    return as_partition(labels, int(labels.max()) + 1)


def _view_rows(G: Partition, index: Array | None) -> Partition:
    """Select the labels of the rows that a view has."""
    return G if index is None else G[index]


def dispersion(data: RelationalData, labels: Labels) -> list[float]:
    r"""Return the variance over mean of the entries of each view around its blocks.

    It is 1 for counts that are independent of each other given their rate. Words come in bursts:
    once there, they come again, and their counts vary two to three times as much. Entries divided
    by it weigh as much as independent counts, and so do measurements in any unit. Counts that vary
    less than Poisson ones (presence and absence) stay as they are.
    """
    G = _partition(labels[data.center])
    ratios = []
    for relation in data.relations:
        H = _partition(labels[relation.cols])
        value = _variance_over_mean(relation.matrix, _view_rows(G, relation.row_index), H)
        ratios.append(max(value, 1.0) if is_counts(relation.matrix) else value)
    return ratios


def _variance_over_mean(X: Any, G: Partition, H: Partition) -> float:
    r""":math:`\sum (x - \mu)^2 / \sum \mu` for the rates :math:`\mu` that the blocks imply."""
    rows, columns = row_sums(X), column_sums(X)
    counts = inner(G, times(X, H))
    margins = np.outer(counts.sum(axis=1), counts.sum(axis=0))
    # An entry of block (k, l) is expected to be r_i c_j rate_kl. Where there is no count, the rate
    # is 0 as well, and the sums over all entries become sums over blocks.
    rates = np.divide(counts, margins, out=np.zeros_like(counts), where=counts > 0)
    crossed = inner(G, times(scaled(X, rows, columns), H))
    squares = np.outer(inner(G, rows[:, None] ** 2), inner(H, columns[:, None] ** 2))
    residual = squared_norm(X) - 2 * (rates * crossed).sum() + (rates**2 * squares).sum()
    return float(max(residual, CERTAIN * squared_norm(X)) / counts.sum())


def tree(data: RelationalData, labels: Labels) -> list[Step]:
    """All merges of the clusters of samples and of features, least loss of information first.

    Each side is merged with the other as fine as it is; views count alike.
    """
    totals = [float(column_sums(relation.matrix).sum()) for relation in data.relations]
    blocks = blocks_of_labels(data, labels, totals)
    return [step for axis in BOTH for step in merge_all(blocks, INFORMATION, (axis,))]


def cut_labels(data: RelationalData, labels: Labels, steps: Sequence[Step], k: int) -> Labels:
    """Labels when the merges have left k clusters of samples and `PROFILE` k of features."""
    cuts = {}
    for side, name in enumerate((data.center, *views(data))):
        leaves = int(labels[name].max()) + 1
        n_clusters = k if side == 0 else min(leaves, PROFILE * k)
        cuts[name] = cut(steps, side, leaves, n_clusters)[labels[name]]
    return cuts


def is_counts(X: InMemory) -> bool:
    """Whether all entries are whole numbers."""
    values = values_of(X)
    return bool(np.array_equal(values, np.rint(values)))
