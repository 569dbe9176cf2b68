"""Strategies that choose the next question from the data, the labels and the answers alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from cocluster.data.relational import RelationalData
from cocluster.data.scaling import fit_scaling
from cocluster.interview.beliefs import Beliefs
from cocluster.interview.queries import Query
from cocluster.linalg.matrices import as_dense, times
from cocluster.linalg.types import Array

# Smallest probability of "same" at which a sample is compared with a group. Below it, the sample
# is taken to belong to a new group.
MIN_CHANCE = 0.25
# With as many groups as clusters the threshold is divided by this: a group too many costs more
# than a question.
CAUTION = 3.0
# Uncertainty is smoothed over neighbours (share of the neighbours, number of steps): in dense
# regions many samples follow one answer.
NEIGHBOUR_SHARE, SMOOTHING_STEPS = 0.7, 10
# Random pairs drawn before open pairs are searched one by one: if one pair in twenty is open, a
# hundred draws miss them all less than once in a hundred times.
N_DRAWS = 100
# A feature is represented by at most this many samples, those with the largest share of it.
N_TOP_SAMPLES = 20


@dataclass(frozen=True, eq=False)
class ClusterGeometry:
    """The embedding Z of the samples, with the centroids and cores of the current clusters."""

    Z: Array
    labels: Array

    @cached_property
    def sizes(self) -> Array:
        """Number of samples in each cluster."""
        return np.bincount(self.labels)

    @cached_property
    def centroids(self) -> Array:
        """Mean of each cluster; infinite for an empty cluster, so that no sample is near it."""
        sums = np.stack([np.bincount(self.labels, column) for column in self.Z.T], axis=1)
        with np.errstate(invalid="ignore"):
            means = sums / self.sizes[:, None]
        return np.where(self.sizes[:, None] > 0, means, np.inf)

    @cached_property
    def distances(self) -> Array:
        """Squared distance of each sample to each centroid."""
        return np.asarray(cdist(self.Z, self.centroids, "sqeuclidean"))

    @cached_property
    def cores(self) -> Array:
        """The member of each cluster nearest to its centroid (any sample for an empty cluster)."""
        is_member = self.labels[:, None] == np.arange(len(self.sizes))
        return np.asarray(np.where(is_member, self.distances, np.inf).argmin(axis=0))

    @cached_property
    def nearest(self) -> Array:
        """The two nearest clusters of each sample, shape (n_samples, 2)."""
        second = min(1, len(self.sizes) - 1)  # a single cluster is both of them
        return np.argsort(self.distances, axis=1, kind="stable")[:, [0, second]]

    @cached_property
    def boundary_ratio(self) -> Array:
        """Distance to the nearest centroid over that to the second: 1 on a boundary."""
        first, second = np.take_along_axis(self.distances, self.nearest, axis=1).T
        ratio = np.divide(first, second, out=np.zeros(len(first)), where=second > 0)
        return ratio if len(self.sizes) > 1 else np.zeros(len(first))

    def means(self, groups: list[Array]) -> Array:
        """Return the mean of each group of samples."""
        return np.array([self.Z[group].mean(axis=0) for group in groups])

    def typical_member(self, group: Array) -> int:
        """Return the member of a group nearest to its mean."""
        return int(group[cdist(self.Z[group], self.means([group])).ravel().argmin()])


@dataclass(frozen=True, eq=False)
class StrategyInput:
    """The input of a strategy: the embedded clusters, the answers and a random generator."""

    geometry: ClusterGeometry
    beliefs: Beliefs
    rng: np.random.Generator

    @cached_property
    def groups(self) -> list[Array]:
        """Groups known to be distinct; before any answer the core of the largest cluster."""
        core = self.geometry.cores[self.geometry.sizes.argmax()]
        return self.beliefs.known_pairs.distinct_groups() or [np.array([core])]

    @cached_property
    def compared_components(self) -> Array:
        """Mask of the must-link components with an answer."""
        pairs = self.beliefs.known_pairs
        mask = (pairs.sizes > 1) | (pairs.n_closed > 0)
        # Before any answer the first group is one sample that the others are compared with.
        mask[pairs.component[self.groups[0]]] = True
        return mask

    @cached_property
    def new_samples(self) -> Array:
        """Samples without an answer."""
        return np.flatnonzero(~self.compared_components[self.beliefs.known_pairs.component])


def placement_strategy(state: StrategyInput) -> Query | None:
    """Ask about cores of clusters, groups that may be one, then samples in uncertain regions.

    Each sample is compared with its most probable group first, until it is in one or fits none.
    """
    beliefs = state.beliefs
    return (
        _continue_placing(beliefs) or _new_query(beliefs.with_current(None)) or any_open_pair(state)
    )


def placement_query(beliefs: Beliefs) -> Query | None:
    """Ask which group a sample belongs to; the sample may be the core of a group.

    If answers may be wrong, two groups may be proposed for merging that were said to be apart. Then
    there is no option left, and another sample is placed instead.
    """
    for allow_merge in (True, False):
        query = _new_query(beliefs.with_current(None), allow_merge)
        if query is None:
            return None
        trial = beliefs.with_current(query.j)
        options = tuple(trial.embedding.core(trial.groups[g]) for g in trial.likely_groups(query.j))
        if options:
            return replace(query, i=options[0], options=options)
    return None


def open_new_groups(beliefs: Beliefs) -> Beliefs:
    """Make groups of the cores of unexplored clusters that fit no group.

    From the largest cluster on, until there is one that is worth asking about.
    """
    if beliefs.current is not None and _continue_placing(beliefs) is not None:
        return beliefs
    beliefs = beliefs.with_current(None)
    for c in beliefs.unexplored_clusters:
        x = beliefs.cores[c]
        trial = beliefs.with_current(x)
        if beliefs.known_pairs.has_comparison(x) or trial.group_chances(x).max() >= MIN_CHANCE:
            break
        beliefs = replace(beliefs, compared_samples=beliefs.compared_samples | {x})
    return beliefs


def _new_query(beliefs: Beliefs, allow_merge: bool = True) -> Query | None:
    """Ask about a sample that is not being placed yet, or (with ``allow_merge``) two groups."""
    return (
        _core_query(beliefs)
        or (_merge_query(beliefs) if allow_merge else None)
        or _uncertain_sample_query(beliefs)
    )


def _continue_placing(beliefs: Beliefs) -> Query | None:
    """Ask about the sample that is being placed, if it may well belong to another group."""
    x = beliefs.current
    if x is None:
        return None
    chances = beliefs.group_chances(x)
    threshold = MIN_CHANCE if len(beliefs.groups) < beliefs.n_clusters else MIN_CHANCE / CAUTION
    for group in np.argsort(-chances, kind="stable"):
        if chances[group] < threshold:
            break
        pair = _open_pair(beliefs, beliefs.groups[group], np.array([x]))
        if pair is not None:
            query = _compare_with_group(beliefs, x, int(group), "not in a group yet")
            return replace(query, i=pair[0])
    return None


def _core_query(beliefs: Beliefs) -> Query | None:
    """Ask about the core of the largest unexplored cluster."""
    for c in beliefs.unexplored_clusters:
        x = beliefs.cores[c]
        # A core that nobody could place is not asked about again.
        if not beliefs.known_pairs.has_comparison(x):
            trial = beliefs.with_current(x)
            best_group = int(trial.group_chances(x).argmax())
            return _compare_with_group(trial, x, best_group, f"core of cluster {c}")
    return None


def _merge_query(beliefs: Beliefs) -> Query | None:
    """Ask about the two groups with the largest probability of being one, if it is large enough."""
    chances = beliefs.merge_chances
    a, b = divmod(int(chances.argmax()), len(beliefs.groups))
    threshold = MIN_CHANCE if len(beliefs.groups) <= beliefs.n_clusters else MIN_CHANCE / CAUTION
    if chances[a, b] < threshold:
        return None
    pair = _open_pair(beliefs, beliefs.groups[a], beliefs.groups[b])
    if pair is None:
        return None
    sizes = np.bincount(beliefs.posterior.argmax(axis=1), minlength=beliefs.posterior.shape[1])
    changes = f"clusters of about {sizes[a]} and {sizes[b]} samples would be one"
    return Query(*pair, "two groups that may be one", float(chances[a, b]), changes=changes)


def _open_pair(beliefs: Beliefs, group: Array, second_group: Array) -> tuple[int, int] | None:
    """Return typical members of two groups that were not compared with each other."""
    stated = {tuple(sorted(pair)) for pair in beliefs.known_pairs.links.pairs.tolist()}
    for rank in range(max(len(group), len(second_group))):
        i, j = beliefs.embedding.core(group, rank), beliefs.embedding.core(second_group, rank)
        if (min(i, j), max(i, j)) not in stated:
            return i, j
    return None


def _uncertain_sample_query(beliefs: Beliefs) -> Query | None:
    """Ask about the sample with the largest uncertainty, averaged with its neighbours."""
    uncertainty = beliefs.embedding.smooth(
        1 - beliefs.posterior.max(axis=1), NEIGHBOUR_SHARE, SMOOTHING_STEPS
    )
    uncertainty = np.where(beliefs.uncertainty < 0, -1.0, uncertainty)
    pairs = beliefs.known_pairs
    uncertainty[pairs.n_closed[pairs.component] > 0] = -1.0  # nobody could place these
    x = int(uncertainty.argmax())
    if uncertainty[x] < 0:
        return None
    trial = beliefs.with_current(x)
    chances = trial.group_chances(x)
    if not chances.max() > 0:
        return None
    return _compare_with_group(trial, x, int(chances.argmax()), "its group is uncertain")


def _compare_with_group(beliefs: Beliefs, x: int, group: int, reason: str) -> Query:
    """Ask about a sample and the most typical member of a group."""
    chance = float(beliefs.group_chances(x)[group])
    changes = f"up to {beliefs.reach(x)} samples around it would follow"
    return Query(beliefs.embedding.core(beliefs.groups[group]), x, reason, chance, changes=changes)


def exploration_strategy(state: StrategyInput) -> Query | None:
    """Ask farthest-first (explore and consolidate, Basu et al. 2004).

    Samples far from all groups come first, until there is a group for each cluster; then samples at
    random, placed among the groups.
    """
    return _continue_exploring(state) or _farthest_sample_query(state) or any_open_pair(state)


def uncertainty_strategy(state: StrategyInput) -> Query | None:
    """Ask about samples between two clusters and the cores of these, the most uncertain first.

    A sample that is known to belong to one of the two cores is not asked about again.
    """
    geometry, pairs = state.geometry, state.beliefs.known_pairs
    component = pairs.component
    cores = geometry.cores[geometry.nearest]
    closed = np.stack([pairs.closed_samples(core) for core in geometry.cores], axis=1)
    open_pairs = ~np.take_along_axis(closed, geometry.nearest, axis=1)
    is_placed = (component[cores] == component[:, None]).any(axis=1)
    candidates = np.flatnonzero(open_pairs.any(axis=1) & ~is_placed)
    if len(candidates) == 0:
        return any_open_pair(state)
    x = int(candidates[geometry.boundary_ratio[candidates].argmax()])
    a, b = geometry.nearest[x]
    core = int(cores[x, open_pairs[x].argmax()])
    return Query(core, x, f"between clusters {a} and {b}", float(geometry.boundary_ratio[x]))


def random_strategy(state: StrategyInput) -> Query | None:
    """Ask about any open pair, drawn uniformly: the baseline."""
    for i, j in state.rng.integers(len(state.geometry.labels), size=(N_DRAWS, 2)).tolist():
        if not state.beliefs.known_pairs.closed_samples(i)[j]:
            return Query(i, j, "drawn at random", 0.0)
    return any_open_pair(state)


def any_open_pair(state: StrategyInput) -> Query | None:
    """Ask about an open pair, if any is left, of the component with the fewest comparisons."""
    pairs = state.beliefs.known_pairs
    i = int((pairs.component == pairs.n_closed.argmin()).argmax())
    closed = pairs.closed_samples(i)
    return None if closed.all() else Query(i, int(closed.argmin()), "not settled yet", 0.0)


Strategy = Callable[[StrategyInput], Query | None]
STRATEGIES: dict[str, Strategy] = {
    "place": placement_strategy,
    "explore": exploration_strategy,
    "uncertain": uncertainty_strategy,
    "random": random_strategy,
}


def _continue_exploring(state: StrategyInput) -> Query | None:
    """Ask about the sample that was compared with most groups and is in none."""
    pairs = state.beliefs.known_pairs
    group_components = pairs.component[[group[0] for group in state.groups]]
    n_compared = np.asarray((pairs.closed[:, group_components] != 0).sum(axis=1)).ravel()
    waiting = state.compared_components & (n_compared < len(group_components))
    waiting[group_components] = False
    candidates = np.flatnonzero(waiting)
    if len(candidates) == 0:
        return None
    a = candidates[n_compared[candidates].argmax()]
    # Any sample of the component will do: an answer about one holds for all.
    x = int((pairs.component == a).argmax())
    score = float(n_compared[a] / len(group_components))
    return _nearest_group_query(state, x, "not in a group yet", score)


def _farthest_sample_query(state: StrategyInput) -> Query | None:
    """Ask about the sample farthest from all groups, or a random one if no group is missing."""
    if len(state.new_samples) == 0:
        return None
    if len(state.groups) >= state.beliefs.n_clusters:
        x = int(state.rng.choice(state.new_samples))
        return _nearest_group_query(state, x, "drawn at random", 0.0)
    geometry = state.geometry
    distance = cdist(geometry.Z[state.new_samples], geometry.means(state.groups)).min(axis=1)
    x = int(state.new_samples[distance.argmax()])
    # Two points are at most twice the largest norm apart.
    diameter = 2 * np.linalg.norm(geometry.Z, axis=1).max()
    return _nearest_group_query(state, x, "far from all groups", float(distance.max() / diameter))


def _nearest_group_query(state: StrategyInput, x: int, reason: str, score: float) -> Query | None:
    """Ask about a sample and the nearest group it was not compared with."""
    closed = state.beliefs.known_pairs.closed_samples(x)
    groups = [group for group in state.groups if not closed[group[0]]]
    if not groups:
        return None
    distance = cdist(state.geometry.Z[[x]], state.geometry.means(groups))
    return Query(state.geometry.typical_member(groups[int(distance.argmin())]), x, reason, score)


def top_samples(data: RelationalData, features: Array) -> Array:
    """Return the samples with the largest tf-idf share of some features of the first view."""
    relation, Y = data.relations[0], _tfidf(data)
    indicator = np.zeros((Y.shape[1], 1))
    indicator[features] = 1
    shares = np.zeros(len(data))
    rows = slice(None) if relation.row_index is None else relation.row_index
    shares[rows] = np.ravel(as_dense(times(Y, indicator)))
    top = np.argsort(-shares, kind="stable")[:N_TOP_SAMPLES]
    return np.asarray(top[shares[top] > 0])


def feature_query(beliefs: Beliefs, data: RelationalData, excluded: set[int]) -> Query | None:
    """Ask about the feature that says most about uncertain samples that may belong to one group.

    The score is how much more of the feature there is in the uncertain samples that lean to a group
    than in all others.
    """
    G = len(beliefs.groups)
    lean = beliefs.posterior[:, :G] * np.maximum(beliefs.uncertainty, 0)[:, None]
    relation, Y = data.relations[0], _tfidf(data)
    lean = lean if relation.row_index is None else lean[relation.row_index]
    group_mean = as_dense(times(Y.T, lean)) / np.maximum(lean.sum(axis=0), np.finfo(float).tiny)
    overall_mean = np.ravel(as_dense(times(Y.T, np.ones((Y.shape[0], 1))))) / Y.shape[0]
    # Weighted by the uncertainty that an answer would remove.
    gain = (group_mean - overall_mean[:, None]) * lean.sum(axis=0)
    gain[sorted(excluded)] = -np.inf
    feature, group = divmod(int(gain.argmax()), G)
    if not gain[feature, group] > 0:
        return None
    n_samples = len(top_samples(data, np.array([feature])))
    return Query(
        beliefs.embedding.core(beliefs.groups[group]),
        feature,
        "many samples in doubt have this feature",
        float(min(gain[feature, group], 1.0)),
        changes=f"up to {n_samples} samples that have it would lean",
        about_feature=True,
    )


def _tfidf(data: RelationalData) -> Any:
    """Return the tf-idf matrix of the first view."""
    matrix = data.relations[0].matrix
    return fit_scaling(matrix, "tfidf").apply(matrix)
