"""Merging and splitting clusters with the least loss of information.

Merging the fine clusters of the features gives readable groups: many feature clusters tell samples
better apart, but people want about as many as there are clusters of samples. So the fine ones are
kept for the samples, and the groups shown are merged from them, always the two that lose least
information (agglomerative information bottleneck [1]_); then feature by feature is moved, as `ITCC`
moves them. This needs only Rᵀ G of the data, which a fit leaves behind.

Split-merge moves of sample clusters lead out of a local optimum. Sweeps move samples one by one: if
the start has put two clusters together and split a third, no single move mends that. So the
cheapest merges are paired with the best splits, and the result of further sweeps is kept if the
objective is lower.

References
----------
.. [1] Slonim, Tishby. Agglomerative Information Bottleneck. NIPS 1999.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import xlogy

from cocluster.linalg.assignment import assigned, fill_empty
from cocluster.linalg.matrices import as_dense, inner, times
from cocluster.linalg.partitions import Partition, Ties, as_partition, gathered
from cocluster.linalg.types import Array
from cocluster.methods.information.itcc import TINY, InformationProblem
from cocluster.trifactor import Run, State

# Labels are stable within ten sweeps as a rule; this ends only a run that rounding keeps alive.
MOST_SWEEPS = 100
# Rows in which splits are sought, at least and per cluster: if the largest of ten clusters is fifty
# times as large as the smallest, the smallest has a hundred of them.
LEAST_ROWS, ROWS_PER_CLUSTER = 20_000, 500
# With more clusters the losses of all pairs would take longer than the fit.
MOST_CLUSTERS = 200
# One move is tried even if the split gains only this share of the loss by the merge: the feature
# clusters have not followed yet, and with them it gains more.
WORTH_TRYING = 0.5
# Steps to find the direction in which a cluster is widest, and to split it there: far more than
# planted clusters need.
STEPS = 20


@dataclass(frozen=True, eq=False)
class Profiles:
    r"""Sums of the objects of one type over the clusters of the types related to it.

    The information that clusters of them keep is :math:`\sum_c v \cdot (C_c \log C_c)` up to a
    constant, with C = Hᵀ Q the sums over each cluster.

    Attributes
    ----------
    Q : array of shape (n_objects, m)
        For each relation: the object's sums over every cluster on the other side, and their total.
    weights : array of shape (m,)
        v: the weight of the relation, and minus that weight for the total.
    ties : Ties or None
        Objects that share a cluster.
    pairwise : csr_array or None
        Cost of two objects sharing a cluster, in the unit of the weights.
    """

    Q: Array
    weights: Array
    ties: Ties | None = None
    pairwise: object = None

    def information(self, C: Array) -> Array:
        """Return the information kept by clusters that are given as sums of rows of Q."""
        return np.asarray(xlogy(C, C) @ self.weights)


def cluster_profiles(problem: InformationProblem, state: State, name: str) -> Profiles:
    """Return the profiles of one type over the clusters that a state has for the others."""
    blocks, weights = [], []
    for r, side in problem.touching(name):
        sums = np.asarray(problem.product(state, r, side), dtype=np.float64)
        P = np.zeros((problem.data.size(name), sums.shape[1] + 1))
        P[problem.rows_of(r, side), :-1] = sums
        P[:, -1] = P[:, :-1].sum(axis=1)
        blocks.append(P)
        # The share of one count in the whole is the weight of its relation, up to a constant.
        weight = problem.data.relations[r].weight
        weights.append(weight * np.append(np.ones(sums.shape[1]), -1.0))
    pairs = problem.pairs.get(name) if name in problem.links else None
    pairwise = None
    if pairs is not None:
        # Links cost information; that constant converts it to the unit of the weights.
        relations = zip(problem.data.relations, problem.totals, strict=True)
        unit = float(sum(relation.weight * total for relation, total in relations))
        pairwise = unit * pairs.matrix
    return Profiles(np.hstack(blocks), np.concatenate(weights), problem.ties.get(name), pairwise)


def merge_losses(profiles: Profiles, C: Array) -> Array:
    """Return the loss of merging cluster i and a later one j at [i, j]; elsewhere infinity.

    C are the sums of rows of Q over each cluster.
    """
    information, loss = profiles.information(C), np.full((len(C), len(C)), np.inf)
    for i in range(len(C) - 1):
        merged = profiles.information(C[i] + C[i + 1 :])
        loss[i, i + 1 :] = information[i] + information[i + 1 :] - merged
    return loss


def merge_clusters(profiles: Profiles, fine: Partition, n_groups: int) -> Array:
    """Return the group of each fine cluster: the two that lose least information are merged.

    Ties go to the first pair; clusters without objects have group 0. M fine clusters over m
    columns of the profiles cost about M² m operations.
    """
    used = np.flatnonzero(fine.sizes)
    C = inner(fine, profiles.Q)[used]
    pair_costs = _pair_costs(profiles, fine)[np.ix_(used, used)]
    information, group = profiles.information(C), np.arange(len(used))
    alive = np.ones(len(used), dtype=bool)
    loss = merge_losses(profiles, C) + pair_costs
    for _ in range(len(used) - n_groups):
        i, j = np.unravel_index(loss.argmin(), loss.shape)
        C[i] += C[j]
        information[i], alive[j] = profiles.information(C[i]), False
        pair_costs[i] += pair_costs[j]
        pair_costs[:, i] += pair_costs[:, j]
        group[group == j] = i
        loss[j], loss[:, j] = np.inf, np.inf
        others = np.flatnonzero(alive & (np.arange(len(used)) != i))
        first, second = np.minimum(i, others), np.maximum(i, others)
        merged = profiles.information(C[i] + C[others])
        loss[first, second] = information[i] + information[others] - merged + pair_costs[i, others]
    groups = np.zeros(fine.n_clusters, dtype=np.intp)
    groups[used] = np.unique(group, return_inverse=True)[1]
    return groups


def _pair_costs(profiles: Profiles, fine: Partition) -> Array:
    """Return the cost of the objects of two clusters sharing one, for all pairs of clusters."""
    if profiles.pairwise is None:
        return np.zeros((fine.n_clusters, fine.n_clusters))
    H = fine.sparse()
    # A pair stands twice in the symmetric matrix of pairs, as in the objective.
    return 2 * (H.T @ profiles.pairwise @ H).toarray()


def move_objects(profiles: Profiles, groups: Partition, max_sweeps: int = MOST_SWEEPS) -> Partition:
    """Move every object to the group that codes it best, until none moves.

    The loss of information never rises.
    """
    for _ in range(max_sweeps):
        moved = _sweep(profiles, groups)
        if np.array_equal(moved.labels, groups.labels):
            break
        groups = moved
    return groups


def _sweep(profiles: Profiles, groups: Partition) -> Partition:
    """Move every object once to the group that codes it best, and leave no group empty."""
    C = inner(groups, profiles.Q)
    codes = np.log(np.maximum(C, TINY)) * profiles.weights
    # The codes are negated, and not the objects, of which there may be millions.
    costs = profiles.Q @ -codes.T
    # The profile of a group without objects says nothing: it is filled below.
    costs[:, groups.sizes == 0] = np.inf
    moved = assigned(costs, groups, profiles.ties, profiles.pairwise)
    if moved.sizes.all():
        return moved
    current = costs[np.arange(len(costs)), moved.labels]
    # An object's gain by a group of its own, whose profile codes it best.
    return fill_empty(moved, profiles.information(profiles.Q) + current, profiles.ties)


def merge_features(
    problem: InformationProblem, state: State, n_groups: Mapping[str, int]
) -> tuple[dict[str, Partition], tuple[Array, ...]]:
    """Merge the feature clusters of every type that has more of them than groups are wanted.

    Parameters
    ----------
    problem : InformationProblem
        The data and links of the fit.
    state : State
        The end of the fit, with the clusters of the central type, which stay, and the fine clusters
        of all other types.
    n_groups : mapping of type to int

    Returns
    -------
    groups : dict of type to Partition
        Groups of the types whose clusters were merged.
    associations : tuple of arrays
        Joint distribution of the clusters of every relation, with the groups in place.
    """
    groups = {}
    for name, k in n_groups.items():
        fine = state.factors[name]
        if name != problem.data.center and fine.n_clusters > k:
            profiles = cluster_profiles(problem, state, name)
            coarse = merge_clusters(profiles, fine, k)[fine.labels]
            groups[name] = move_objects(profiles, as_partition(coarse, k))
    for name, G in groups.items():
        state = problem.replaced(state, name, G)
    tables = (problem.cross(state, r) for r in range(len(problem.data.relations)))
    return groups, tuple(table / (table.sum() or 1.0) for table in tables)


@dataclass(frozen=True, eq=False)
class SplitMergeMove:
    """Cluster ``second`` is merged into ``first``, and takes one half of cluster ``split``.

    ``halves`` are the rows of the two halves in the table of the clusters.
    """

    first: int
    second: int
    split: int
    halves: Array

    def apply(self, joint: Array) -> None:
        """Change the table of the clusters in place."""
        joint[self.first] += joint[self.second]
        joint[self.split], joint[self.second] = self.halves


def split_and_merge(
    problem: InformationProblem, run: Run, sweep: Callable[[State], Run], tol: float
) -> Run:
    """Return the run, or a better one after split-merge moves of sample clusters.

    Parameters
    ----------
    problem : InformationProblem
        One matrix of Poisson counts, without links. For other data a lower objective is no better:
        on the tuning texts, scores rather fell.
    run : Run
        The end of the sweeps.
    sweep : function of a state
        The run from there.
    tol : float
        A better run gains more than this share of the information kept.
    """
    data = problem.data
    n, k = run.state.factors[data.center].shape
    if k > MOST_CLUSTERS:
        return run
    # Evenly spaced, so that all clusters are sampled even if the rows are sorted by them.
    rows = np.linspace(0, n - 1, min(n, max(LEAST_ROWS, ROWS_PER_CLUSTER * k))).astype(np.intp)
    matrix = data[rows].relations[0].matrix
    better: Run | None = run
    while better is not None:
        run = better
        threshold = run.objective - tol * (problem.constant - run.objective)
        labels = np.asarray(gathered(run.state.factors[data.center]).labels[rows])
        counts = as_dense(times(matrix, run.state.factors[data.relations[0].cols]))
        trials = (sweep(start) for start in _move_starts(problem, run.state, labels, counts))
        better = next((trial for trial in trials if trial.objective < threshold), None)
    return run


def _move_starts(
    problem: InformationProblem, state: State, labels: Array, counts: Array
) -> Iterator[State]:
    """Yield states after all promising moves at once, then after half as many, down to one.

    ``labels`` and ``counts`` are the clusters of the sampled rows and their sums over the feature
    clusters.
    """
    center = problem.data.center
    state, unit = State(state.factors, (), dict(state.products)), problem.occurrence[center]
    joint, sizes = problem.cross(state, 0), state.factors[center].sizes
    clusters = count_profiles(joint, sizes, unit)
    halves: dict[int, Array] = {}
    for cluster in np.flatnonzero(np.bincount(labels, minlength=len(sizes)) > 1).tolist():
        members = counts[labels == cluster]
        sampled = split_cluster(count_profiles(members, np.ones(len(members)), unit))
        # Scaled from the sampled rows to all samples of the cluster.
        halves[cluster] = sampled * (sizes[cluster] / len(members))
    moves = list(_promising_moves(clusters, halves))
    while moves:
        table = np.array(joint, dtype=np.float64)
        for move in moves:
            move.apply(table)
        yield problem.predicted(center, replace(state, associations=(table,)))
        moves = moves[: len(moves) // 2]


def count_profiles(counts: Array, sizes: Array, unit: float) -> Profiles:
    """Return counts, totals and sizes as profiles: all that the objective needs of a cluster."""
    Q = np.column_stack([counts, counts.sum(axis=1), sizes]).astype(np.float64)
    return Profiles(Q, np.append(np.ones(counts.shape[1]), [-1.0, unit]))


def _promising_moves(clusters: Profiles, halves: Mapping[int, Array]) -> Iterator[SplitMergeMove]:
    """Yield moves whose split gains more than their merge loses, each cluster in one of them.

    The first is yielded if it gains at least `WORTH_TRYING` of the loss.
    """
    k = len(clusters.Q)
    gains = np.full(k, -np.inf)
    for cluster, rows in halves.items():
        gains[cluster] = clusters.information(rows).sum() - clusters.information(rows.sum(axis=0))
    losses = merge_losses(clusters, clusters.Q)
    for number in range(k // 3):
        split = int(gains.argmax())
        losses[split], losses[:, split] = np.inf, np.inf
        first, second = (int(i) for i in np.unravel_index(losses.argmin(), losses.shape))
        required = WORTH_TRYING if number == 0 else 1.0
        if not gains[split] > required * losses[first, second]:
            return
        yield SplitMergeMove(first, second, split, halves[split][:, :-2])
        for used in (first, second):
            losses[used], losses[:, used] = np.inf, np.inf
        gains[[first, second, split]] = -np.inf


def split_cluster(members: Profiles) -> Array:
    """Return the sums over two groups of samples that are coded best apart."""
    side = _widest_direction(members.Q[:, :-2]) > 0
    return np.asarray(inner(move_objects(members, as_partition(side, 2), STEPS), members.Q))


def _widest_direction(P: Array) -> Array:
    """Project samples on the direction in which they differ most, in units of Poisson noise."""
    total = P.sum(axis=0)
    P, total = P[:, total > 0], total[total > 0]
    length = P.sum(axis=1, keepdims=True)
    deviation = (P - length * total / total.sum()) / np.sqrt(total * np.maximum(length, TINY))
    direction = np.random.default_rng(0).standard_normal(P.shape[1])
    for _ in range(STEPS):
        direction = deviation.T @ (deviation @ direction)
        direction /= max(np.linalg.norm(direction), TINY)
    return np.asarray(deviation @ direction)
