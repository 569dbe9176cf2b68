"""Readable column clusters: few groups merged from many, with the clusters of the samples fixed.

Many feature clusters tell samples better apart; people want about as many as there are clusters of
samples. So the many are kept for the samples, and what is shown is merged from them: always the
two that lose least information (agglomerative information bottleneck [1]_), then feature by
feature, as `ITCC` moves them. All that is needed of the data is Rᵀ G, which a fit leaves behind.

References
----------
.. [1] Slonim, Tishby. Agglomerative Information Bottleneck. NIPS 1999.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from cocluster.linalg.assignment import assigned, fill_empty
from cocluster.linalg.matrices import inner
from cocluster.linalg.partitions import Partition, Ties, as_partition
from cocluster.linalg.types import Array
from cocluster.methods.information.itcc import TINY, InformationProblem
from cocluster.trifactor import State

# Labels settle within ten sweeps as a rule; this ends only a run that rounding keeps alive.
MOST_SWEEPS = 100


@dataclass(frozen=True, eq=False)
class Profiles:
    r"""What the objects of one type have in common with the clusters around them.

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
        What it costs two objects to share a cluster, in the unit of the weights.
    """

    Q: Array
    weights: Array
    ties: Ties | None = None
    pairwise: object = None

    def kept(self, C: Array) -> Array:
        """Information kept by each of some clusters, given as sums of rows of Q."""
        return np.asarray(xlogy(C, C) @ self.weights)


def profiles_of(problem: InformationProblem, state: State, name: str) -> Profiles:
    """The profiles of one type over the clusters that a state has for the others."""
    blocks, weights = [], []
    for r, other in problem.touching(name):
        sums = np.asarray(problem.product(state, r, other), dtype=np.float64)
        P = np.zeros((problem.data.size(name), sums.shape[1] + 1))
        P[problem.rows_of(r, other), :-1] = sums
        P[:, -1] = P[:, :-1].sum(axis=1)
        blocks.append(P)
        # The share of one count in the whole is the weight of its relation, up to a constant.
        weight = problem.data.relations[r].weight
        weights.append(weight * np.append(np.ones(sums.shape[1]), -1.0))
    pairs = problem.pairs.get(name) if name in problem.links else None
    # Links cost information; in the unit of the weights that is so many times as much.
    unit = 1.0 if pairs is None else _unit(problem)
    return Profiles(
        np.hstack(blocks),
        np.concatenate(weights),
        problem.ties.get(name),
        None if pairs is None else unit * pairs.matrix,
    )


def _unit(problem: InformationProblem) -> float:
    """Weighted total of all relations: what the constant of the weights is."""
    relations = zip(problem.data.relations, problem.totals, strict=True)
    return float(sum(relation.weight * total for relation, total in relations))


def merge_losses(profiles: Profiles, C: Array) -> Array:
    """Information lost if cluster i and a later one j are merged, at [i, j]; elsewhere infinite.

    C are the sums of rows of Q over each cluster.
    """
    kept, loss = profiles.kept(C), np.full((len(C), len(C)), np.inf)
    for one in range(len(C) - 1):
        loss[one, one + 1 :] = kept[one] + kept[one + 1 :] - profiles.kept(C[one] + C[one + 1 :])
    return loss


def merged(profiles: Profiles, fine: Partition, n_groups: int) -> Array:
    """The group of each fine cluster: two by two those are merged that lose least information.

    Ties go to the first pair; clusters without objects have group 0. M fine clusters over m
    columns of the profiles cost about M² m operations.
    """
    used = np.flatnonzero(fine.sizes)
    C = inner(fine, profiles.Q)[used]
    apart = _shared_costs(profiles, fine)[np.ix_(used, used)]
    kept, group, alive = profiles.kept(C), np.arange(len(used)), np.ones(len(used), dtype=bool)
    loss = merge_losses(profiles, C) + apart
    for _ in range(len(used) - n_groups):
        i, j = np.unravel_index(loss.argmin(), loss.shape)
        C[i] += C[j]
        kept[i], alive[j] = profiles.kept(C[i]), False
        apart[i] += apart[j]
        apart[:, i] += apart[:, j]
        group[group == j] = i
        loss[j], loss[:, j] = np.inf, np.inf
        others = np.flatnonzero(alive & (np.arange(len(used)) != i))
        first, second = np.minimum(i, others), np.maximum(i, others)
        together = profiles.kept(C[i] + C[others])
        loss[first, second] = kept[i] + kept[others] - together + apart[i, others]
    groups = np.zeros(fine.n_clusters, dtype=np.intp)
    groups[used] = np.unique(group, return_inverse=True)[1]
    return groups


def _shared_costs(profiles: Profiles, fine: Partition) -> Array:
    """What it costs the objects of two clusters to share one, for all pairs of clusters."""
    if profiles.pairwise is None:
        return np.zeros((fine.n_clusters, fine.n_clusters))
    H = fine.sparse()
    # A pair stands twice in the symmetric matrix of pairs, as in the objective.
    return 2 * (H.T @ profiles.pairwise @ H).toarray()


def regrouped(profiles: Profiles, groups: Partition, max_sweeps: int = MOST_SWEEPS) -> Partition:
    """Every object to the group that codes it best, until none moves; the loss never rises."""
    for _ in range(max_sweeps):
        moved = _moved(profiles, groups)
        if np.array_equal(moved.labels, groups.labels):
            break
        groups = moved
    return groups


def _moved(profiles: Profiles, groups: Partition) -> Partition:
    """Every object to the group that codes it best, once, and no group left empty."""
    # The codes are negated, and not the objects, of which there may be millions.
    costs = profiles.Q @ -_codes(profiles, inner(groups, profiles.Q)).T
    # The profile of a group without objects says nothing: it is filled below.
    costs[:, groups.sizes == 0] = np.inf
    moved = assigned(costs, groups, profiles.ties, profiles.pairwise)
    if moved.sizes.all():
        return moved
    own = costs[np.arange(len(costs)), moved.labels]
    # What an object would win by a group of its own, whose profile codes it best.
    return fill_empty(moved, profiles.kept(profiles.Q) + own, profiles.ties)


def _codes(profiles: Profiles, C: Array) -> Array:
    """Logarithms of the sums of the groups, weighted: products with Q are information kept."""
    return np.asarray(np.log(np.maximum(C, TINY)) * profiles.weights)


def readable(
    problem: InformationProblem, state: State, wanted: Mapping[str, int]
) -> tuple[dict[str, Partition], tuple[Array, ...]]:
    """Groups of every type that has more clusters than wanted, and the associations they make.

    Parameters
    ----------
    problem : InformationProblem
        The data and links of the fit.
    state : State
        Where the fit ended, with the clusters of the central type, which stay, and the fine
        clusters of all others.
    wanted : mapping of type to int
        Number of groups.

    Returns
    -------
    groups : dict of type to Partition
        Those of the types with more clusters than wanted.
    associations : tuple of arrays
        Joint distribution of the clusters of every relation, with the groups in place.
    """
    groups = {}
    for name, k in wanted.items():
        fine = state.factors[name]
        if name != problem.data.center and fine.n_clusters > k:
            profiles = profiles_of(problem, state, name)
            coarse = merged(profiles, fine, k)[fine.labels]
            groups[name] = regrouped(profiles, as_partition(coarse, k))
    for name, G in groups.items():
        state = problem.replaced(state, name, G)
    tables = (problem.cross(state, r) for r in range(len(problem.data.relations)))
    return groups, tuple(table / (table.sum() or 1.0) for table in tables)
