"""Out of a local optimum: two clusters that are nearly one become one, and another is parted.

Sweeps move samples one by one. If the start has put two clusters together and parted a third, no
single move mends that. So the cheapest merges are paired with the best splits, and what sweeps make
of it is kept if the objective is lower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cocluster.linalg.matrices import as_dense, inner, times
from cocluster.linalg.partitions import as_partition, gathered
from cocluster.linalg.types import Array, InMemory
from cocluster.methods.columns import Profiles, merge_losses, regrouped
from cocluster.methods.information.itcc import TINY, InformationProblem
from cocluster.trifactor import Run, State

# Rows in which splits are sought, at least and for each cluster: the smallest of ten clusters, of
# which the largest is fifty times as large, has a hundred of them.
LEAST_ROWS, ROWS_PER_CLUSTER = 20_000, 500
# With more clusters the losses of all pairs would take longer than the fit.
MOST_CLUSTERS = 200
# One swap is tried even if the split wins only this part of what the merge loses: feature clusters
# have not followed yet, and with them it wins more.
WORTH_TRYING = 0.5
# Steps to find the direction in which a cluster is widest, and to part it there: far more than
# planted clusters need.
STEPS = 20


@dataclass(frozen=True, eq=False)
class Swap:
    """Cluster ``second`` joins ``first``, and is then one of two parts of ``parted``.

    ``halves`` are the rows of the two parts in the table of the clusters.
    """

    first: int
    second: int
    parted: int
    halves: Array

    def apply(self, joint: Array) -> None:
        """Change the table of the clusters."""
        joint[self.first] += joint[self.second]
        joint[self.parted], joint[self.second] = self.halves


def with_swaps(
    problem: InformationProblem, run: Run, sweeps: Callable[[State], Run], tol: float
) -> Run:
    """The run, or a better one after merges and splits of sample clusters.

    Parameters
    ----------
    problem : InformationProblem
        Of one matrix of counts that vary as the objective assumes, without links. For others a
        lower one is no better: on texts for choosing, scores rather fell.
    run : Run
        Where the sweeps ended.
    sweeps : function of a state
        The run from there.
    tol : float
        A better run wins more than this part of the information kept.
    """
    n, k = run.state.factors[problem.data.center].shape
    if k > MOST_CLUSTERS:
        return run
    # In equal distances: of all clusters, also where the rows are sorted by them.
    rows = np.linspace(0, n - 1, min(n, max(LEAST_ROWS, ROWS_PER_CLUSTER * k))).astype(np.intp)
    some = Some(problem, rows, problem.data[rows].relations[0].matrix)
    better: Run | None = run
    while better is not None:
        run = better
        low = run.objective - tol * (problem.constant - run.objective)
        tries = (sweeps(start) for start in some.starts(run.state))
        better = next((other for other in tries if other.objective < low), None)
    return run


@dataclass(frozen=True, eq=False)
class Some:
    """Rows of the matrix of a problem, in memory, from which splits are found."""

    problem: InformationProblem
    rows: Array
    matrix: InMemory

    @property
    def unit(self) -> float:
        """The entry that stands for one occurrence."""
        return self.problem.occurrence[self.problem.data.center]

    def counts(self, state: State, which: Any) -> Array:
        """Sums of some of the rows over the clusters of the features."""
        G = state.factors[self.problem.data.relations[0].cols]
        return as_dense(times(self.matrix[which], G))

    def labels(self, state: State) -> Array:
        """Clusters of the rows."""
        return np.asarray(gathered(state.factors[self.problem.data.center]).labels[self.rows])

    def starts(self, found: State) -> Iterator[State]:
        """Other groupings: all swaps that seem worth it at once, then half as many, down to one."""
        center = self.problem.data.center
        state = State(found.factors, (), dict(found.products))
        joint, sizes = self.problem.cross(state, 0), state.factors[center].sizes
        clusters, labels = _tabled(joint, sizes, self.unit), self.labels(state)
        halves: dict[int, Array] = {}
        for cluster in np.flatnonzero(np.bincount(labels, minlength=len(sizes)) > 1).tolist():
            members = self.counts(state, np.flatnonzero(labels == cluster))
            parts = _parted(_tabled(members, np.ones(len(members)), self.unit))
            # What these rows show, for all samples of the cluster.
            halves[cluster] = parts * (sizes[cluster] / len(members))
        swaps = list(_swaps(clusters, halves))
        while swaps:
            table = np.array(joint, dtype=np.float64)
            for swap in swaps:
                swap.apply(table)
            yield self.problem.predicted(center, replace(state, associations=(table,)))
            swaps = swaps[: len(swaps) // 2]


def _tabled(counts: Array, sizes: Array, unit: float) -> Profiles:
    """Counts, their total and the number of samples: all that the objective needs of a cluster."""
    Q = np.column_stack([counts, counts.sum(axis=1), sizes]).astype(np.float64)
    return Profiles(Q, np.append(np.ones(counts.shape[1]), [-1.0, unit]))


def _swaps(clusters: Profiles, halves: Mapping[int, Array]) -> Iterator[Swap]:
    """Merges and splits that win together, each cluster in one of them; at least one, perhaps."""
    k = len(clusters.Q)
    gains = np.full(k, -np.inf)
    for cluster, parts in halves.items():
        gains[cluster] = clusters.kept(parts).sum() - clusters.kept(parts.sum(axis=0))
    losses = merge_losses(clusters, clusters.Q)
    for number in range(k // 3):
        parted = int(gains.argmax())
        losses[parted], losses[:, parted] = np.inf, np.inf
        first, second = (int(i) for i in np.unravel_index(losses.argmin(), losses.shape))
        needed = WORTH_TRYING if number == 0 else 1.0
        if not gains[parted] > needed * losses[first, second]:
            return
        yield Swap(first, second, parted, halves[parted][:, :-2])
        for used in (first, second):
            losses[used], losses[:, used] = np.inf, np.inf
        gains[[first, second, parted]] = -np.inf


def _parted(members: Profiles) -> Array:
    """Sums over two groups of samples that are coded best apart."""
    side = _along_widest(members.Q[:, :-2]) > 0
    return np.asarray(inner(regrouped(members, as_partition(side, 2), STEPS), members.Q))


def _along_widest(P: Array) -> Array:
    """Where samples lie along the direction in which they differ most, by the noise of counts."""
    total = P.sum(axis=0)
    P, total = P[:, total > 0], total[total > 0]
    length = P.sum(axis=1, keepdims=True)
    deviation = (P - length * total / total.sum()) / np.sqrt(total * np.maximum(length, TINY))
    direction = np.random.default_rng(0).standard_normal(P.shape[1])
    for _ in range(STEPS):
        direction = deviation.T @ (deviation @ direction)
        direction /= max(np.linalg.norm(direction), TINY)
    return np.asarray(deviation @ direction)
