"""What the answers say about every sample: its groups, their probabilities, and open pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.matrices import as_dense
from cocluster.linalg.types import Array
from cocluster.links import Links
from cocluster.methods.default.embedding import NeighbourEmbedding
from cocluster.methods.default.supervision import confusion, merge_classes, order_as
from cocluster.methods.numbering import as_before

# Weight of a sample with the answer "unsure": it counts as half in the group it was compared with.
UNSURE_WEIGHT = 0.3
# Two groups are never predicted to be one with a higher probability: somebody was asked to tell
# them apart, so the most confused groups are as often one as not.
MAX_SAME_CHANCE = 0.6
# No two groups are one for certain before an answer says so.
MAX_MERGE_CHANCE = 0.95
# Pseudo-count of samples of unknown class in each cluster.
UNKNOWN_IN_CLUSTER = 1.0
# With this many labelled samples in a cluster besides the first, the cluster's own shares count
# half: by then the labelled samples themselves show where its classes lie.
HALF_AFTER = 3.0
# Total weight of the samples of one hint, relative to one sample with an answer.
HINT_WEIGHT = 1.0

# Samples, their class probabilities and their weights.
WeightedSamples = tuple[Array, Array, Array]


@dataclass(frozen=True, eq=False)
class KnownPairs:
    """Pairs that need no question, because the answer is implied or was "unsure".

    An "unsure" pair stands for all pairs of the two must-link components.
    """

    links: Links

    @property
    def component(self) -> Array:
        """Must-link component of each sample."""
        return self.links.closure().component

    @property
    def sizes(self) -> Array:
        """Number of samples in each component."""
        return self.links.closure().sizes

    @cached_property
    def closed(self) -> sp.csr_array:
        """Matrix of the pairs of different components that need no question."""
        # An "unsure" pair closes the same pairs of components as a cannot-link does.
        signs = self.links.signs
        return replace(self.links, signs=np.where(signs == 0, -1, signs)).closure().cannot_matrix()

    @cached_property
    def n_closed(self) -> Array:
        """Number of components that each component need not be compared with."""
        return np.diff(self.closed.indptr)

    def has_comparison(self, sample: int) -> bool:
        """Return whether the sample was compared with a sample of another component."""
        return bool(self.n_closed[self.component[sample]])

    def closed_samples(self, i: int) -> Array:
        """Return a mask of the samples that sample i need not be compared with, itself included."""
        mask = np.zeros(len(self.sizes), dtype=bool)
        mask[_row(self.closed, self.component[i])] = True
        mask[self.component[i]] = True
        return np.asarray(mask[self.component])

    def distinct_groups(self) -> list[Array]:
        """Return groups of samples that are all cannot-linked with each other.

        Components are added greedily from the largest; the groups are the classes seen so far.
        """
        cannot = self.links.closure().cannot_matrix()
        # A sample without any link may belong to any class, so it makes no group.
        linked = np.flatnonzero((self.sizes > 1) | (np.diff(cannot.indptr) > 0))
        distinct: list[int] = []
        for a in linked[np.argsort(-self.sizes[linked], kind="stable")]:
            if np.isin(distinct, _row(cannot, a)).all():
                distinct.append(a)
        return [np.flatnonzero(self.component == a) for a in distinct]

    def with_must_link(self, i: int, j: int) -> KnownPairs:
        """Return the known pairs after an answer of "same" about i and j."""
        return KnownPairs(self.links | Links.from_pairs([[i, j]], n_samples=len(self.links)))


def _row(matrix: sp.csr_array, i: int) -> Array:
    """Return the columns of the entries of one row."""
    return np.asarray(matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]])


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Groups of samples that the answers make, and their probabilities for every other sample.

    Samples with the answer "same" are a group. So is a sample that was compared and fits no group.
    A cluster without any answer takes part with its core, as a group to come.

    Attributes
    ----------
    embedding : NeighbourEmbedding
    labels : int array of shape (n,)
        Clusters before any answer.
    known_pairs : KnownPairs
    n_clusters : int
    compared_samples : frozenset of int
        Samples that were compared with groups.
    current : int or None
        The sample that is being placed: it is in no group yet.
    merge_rate : float
        Two groups with confusion c are one with a probability of ``merge_rate * c``.
    hints : tuple of (int array, int)
        Samples that have much of a feature, and a sample whose group the feature belongs to.
    errors : float
        Share of answers that may be wrong.
    """

    embedding: NeighbourEmbedding
    labels: Array
    known_pairs: KnownPairs
    n_clusters: int
    compared_samples: frozenset[int] = frozenset()
    current: int | None = None
    merge_rate: float = 2.0
    hints: tuple[tuple[Array, int], ...] = ()
    errors: float = 0.0

    def with_current(self, sample: int | None) -> Beliefs:
        """Return the beliefs while this sample (or None) is being placed."""
        return self if sample == self.current else replace(self, current=sample)

    @cached_property
    def cores(self) -> dict[int, int]:
        """The core of each cluster, the largest cluster first."""
        sizes = np.bincount(self.labels, minlength=self.n_clusters)
        return {
            int(c): self.embedding.core(np.flatnonzero(self.labels == c))
            for c in np.argsort(-sizes, kind="stable")
            if sizes[c]
        }

    @cached_property
    def groups(self) -> list[Array]:
        """Samples of each group."""
        component, sizes = self.known_pairs.component, self.known_pairs.sizes
        single = [
            i
            for i in sorted(self.compared_samples)
            if sizes[component[i]] == 1 and i != self.current
        ]
        components = np.union1d(
            np.flatnonzero(sizes > 1), component[np.array(single, dtype=np.intp)]
        )
        if self.current is not None and sizes[component[self.current]] == 1:
            components = components[components != component[self.current]]
        if len(components):
            return [np.flatnonzero(component == a) for a in components]
        # Before any answer, samples are compared with the core of the largest cluster.
        return [np.array([next(iter(self.cores.values()))])]

    @cached_property
    def group_by_sample(self) -> dict[int, int]:
        """Index of the group of each sample that is in one."""
        return {i: g for g, group in enumerate(self.groups) for i in group.tolist()}

    @cached_property
    def _group_components(self) -> Array:
        """Must-link component of each group."""
        return self.known_pairs.component[[group[0] for group in self.groups]]

    @cached_property
    def grouped_samples(self) -> Array:
        """Samples that are in a group."""
        return np.concatenate(self.groups)

    @cached_property
    def unexplored_clusters(self) -> list[int]:
        """Clusters without any sample in a group, the largest first."""
        explored = set(self.labels[self.grouped_samples].tolist())
        if self.current is not None:
            explored.add(int(self.labels[self.current]))
        return [c for c in self.cores if c not in explored]

    @cached_property
    def closed_groups(self) -> Array:
        """Pairs of groups that need no question: they are apart, or somebody was unsure."""
        components = self._group_components
        return np.asarray(self.known_pairs.closed[components][:, components].todense() != 0)

    @cached_property
    def posterior(self) -> Array:
        """Probability of every group, and after them of every unexplored cluster."""
        return np.asarray(self._exclude_closed_groups(self._propagated_posterior.copy()))

    @cached_property
    def _propagated_posterior(self) -> Array:
        """The posterior before samples are excluded from the groups they are apart from."""
        samples, targets = self._labelled_samples
        n_classes = targets.shape[1]
        evidence = [
            (samples, targets, np.ones(len(samples))),
            self._unsure_samples(n_classes),
            *self._hint_samples(n_classes),
        ]
        P = self.embedding.posterior(*map(np.concatenate, zip(*evidence, strict=True)))
        P[self.grouped_samples] = targets[: len(self.grouped_samples)]
        return np.asarray(P)

    @cached_property
    def _labelled_samples(self) -> tuple[Array, Array]:
        """Samples in groups, then cores of unexplored clusters; and their one-hot classes."""
        codes = np.repeat(np.arange(len(self.groups)), [len(group) for group in self.groups])
        n_classes = len(self.groups) + len(self.unexplored_clusters)
        cores = np.array([self.cores[c] for c in self.unexplored_clusters], dtype=np.intp)
        codes = np.concatenate([codes, np.arange(len(self.groups), n_classes)])
        return np.concatenate([self.grouped_samples, cores]), np.eye(n_classes)[codes]

    @cached_property
    def cluster_posterior(self) -> Array:
        """The posterior for labels: samples stay in their cluster unless much speaks against it.

        Before any answer the data have put each sample into a cluster. The labelled samples of that
        cluster are a second opinion on its class, besides the answers nearby; the two are
        multiplied. A few answers then do not undo clusters that were right. Questions use the
        `posterior` instead, because they are to find out where clusters are wrong.
        """
        samples, targets = self._labelled_samples
        counts = np.zeros((int(self.labels.max()) + 1, targets.shape[1]))
        np.add.at(counts, self.labels[samples], targets)
        n_labelled = counts.sum(axis=1, keepdims=True)
        shares = counts + UNKNOWN_IN_CLUSTER / targets.shape[1]
        shares /= n_labelled + UNKNOWN_IN_CLUSTER
        shares **= HALF_AFTER / (HALF_AFTER + np.maximum(n_labelled - 1, 0))
        P = self.posterior * shares[self.labels]
        P /= P.sum(axis=1, keepdims=True)
        P[self.grouped_samples] = targets[: len(self.grouped_samples)]
        return np.asarray(P)

    def _hint_samples(self, n_classes: int) -> Iterator[WeightedSamples]:
        """Yield the ungrouped samples of each hint, with the class of the hint's group."""
        for samples, member in self.hints:
            group = self.group_by_sample.get(member)
            ungrouped = np.setdiff1d(samples, self.grouped_samples)
            if group is not None and len(ungrouped):
                targets = np.tile(np.eye(n_classes)[group], (len(ungrouped), 1))
                yield ungrouped, targets, np.full(len(ungrouped), HINT_WEIGHT / len(ungrouped))

    def _unsure_samples(self, n_classes: int) -> WeightedSamples:
        """Return samples with the answer "unsure": half in that group, half in any other."""
        links, group_by_sample = self.known_pairs.links, self.group_by_sample
        compared_group = {
            j: group_by_sample[i]
            for i, j in links.pairs[links.signs == 0].tolist()
            if j not in group_by_sample and i in group_by_sample and j != self.current
        }
        if n_classes < 2 or not compared_group:
            return np.empty(0, np.intp), np.empty((0, n_classes)), np.empty(0)
        one_hot = np.eye(n_classes)[list(compared_group.values())]
        targets = one_hot / 2 + (1 - one_hot) / (2 * (n_classes - 1))
        return np.array(list(compared_group)), targets, np.full(len(compared_group), UNSURE_WEIGHT)

    def _exclude_closed_groups(self, P: Array) -> Array:
        """Set the probability of closed groups to 0 for samples outside the groups, in place."""
        G = len(self.groups)
        components = self._group_components
        pairs = self.known_pairs
        outside = set(np.flatnonzero(pairs.n_closed).tolist()) - set(components.tolist())
        for a in outside:
            samples = np.flatnonzero(pairs.component == a)
            allowed = P[samples]
            allowed[:, :G] *= ~np.isin(components, pairs.closed[[a]].indices)
            total = allowed.sum(axis=1, keepdims=True)
            rescaled = allowed / np.maximum(total, np.finfo(float).tiny)
            P[samples] = np.where(total > 0, rescaled, P[samples])
        return P

    def group_chances(self, sample: int) -> Array:
        """Return the probability of each group for a sample.

        While there are fewer groups than clusters the sample may belong to none, and the
        probabilities add up to less than 1.
        """
        G = len(self.groups)
        closed = self.known_pairs.closed[[self.known_pairs.component[sample]]].indices
        missing = max(self.n_clusters - G, 0) / (self.n_clusters + len(self.grouped_samples))
        is_open = ~np.isin(self._group_components, closed)
        chances = (1 - missing) * self._propagated_posterior[sample, :G] * is_open
        return np.asarray(chances / max(chances.sum() + missing, np.finfo(float).tiny))

    @cached_property
    def uncertainty(self) -> Array:
        """1 minus the probability of the best group; -1 for samples that are in a group."""
        uncertainty = 1 - self.posterior.max(axis=1)
        uncertainty[self.grouped_samples] = -1
        return np.asarray(uncertainty)

    @cached_property
    def _confusion(self) -> Array:
        """Share of the smaller of two groups that might belong to the other, above the diagonal."""
        G = len(self.groups)
        return np.triu(confusion(self.posterior)[:G, :G], 1)

    @cached_property
    def _cannot_votes(self) -> Array:
        """Number of answers that keep two groups apart."""
        components = self._group_components
        cannot = self.known_pairs.links.closure().cannot_matrix()
        return np.asarray(as_dense(cannot[components][:, components]))

    @cached_property
    def merge_chances(self) -> Array:
        """Probability that two groups are one; 0 below the diagonal.

        If answers may be wrong, those that keep two groups apart only lower it.
        """
        chance = np.minimum(self.merge_rate * self._confusion, MAX_MERGE_CHANCE)
        if not self.errors:
            return np.where(self.closed_groups, 0.0, chance)
        odds_against = np.exp(self._cannot_votes * np.log((1 - self.errors) / self.errors))
        return np.asarray(chance / (chance + (1 - chance) * odds_against))

    def likely_groups(self, sample: int) -> list[int]:
        """Return the groups that a sample may belong to, the most probable first.

        For a sample in a group: the groups that its group may be one with.
        """
        closed = self.known_pairs.closed_samples(sample)
        candidates = [g for g, group in enumerate(self.groups) if not closed[group[0]]]
        group = self.group_by_sample.get(sample)
        if group is None:
            chances = self.group_chances(sample)
        else:
            chances = (self.merge_chances + self.merge_chances.T)[group]
        return sorted(candidates, key=lambda g: -chances[g])

    def pair_confusion(self, i: int, j: int) -> float:
        """Return the confusion of the groups of two samples; 0 if closed or not in two groups."""
        a, b = sorted(self.group_by_sample.get(x, -1) for x in (i, j))
        if a < 0 or a == b or self.closed_groups[a, b]:
            return 0.0
        return float(self._confusion[a, b])

    def same_chance(self, i: int, j: int) -> float:
        """Return the probability that two samples belong together; 0.5 if neither is in a group."""
        group_i, group_j = self.group_by_sample.get(i), self.group_by_sample.get(j)
        if group_i is not None and group_j is not None:
            a, b = sorted((group_i, group_j))
            return 1.0 if a == b else min(2 * float(self._confusion[a, b]), MAX_SAME_CHANCE)
        if group_i is not None:
            return float(self.with_current(j).group_chances(j)[group_i])
        if group_j is not None:
            return float(self.with_current(i).group_chances(i)[group_j])
        return 0.5

    def prior(self, labels: Array) -> Array:
        """Return the probabilities of `n_clusters` clusters, numbered like earlier labels."""
        P, _ = self._merged_posterior
        return order_as(P, labels, self.n_clusters)

    @cached_property
    def _merged_posterior(self) -> tuple[Array, list[list[int]]]:
        """Posterior of the clusters, and the groups that were merged into each."""
        apart = np.zeros((self.cluster_posterior.shape[1],) * 2, dtype=bool)
        G = len(self.groups)
        # A single answer may be wrong: a group that rests on one may be merged again.
        apart[:G, :G] = self._cannot_votes > 1 if self.errors else self.closed_groups
        return merge_classes(self.cluster_posterior, apart, self.n_clusters)

    def merge_groups(self) -> list[Array]:
        """Return the samples of the groups, merged if there are more groups than clusters."""
        G = len(self.groups)
        merged = [[g for g in classes if g < G] for classes in self._merged_posterior[1]]
        return [np.concatenate([self.groups[g] for g in groups]) for groups in merged if groups]

    def nearest_labelled_sample(self, extra: tuple[int, ...] = ()) -> Array:
        """Return for each sample the nearest sample that is in a group or among the extra ones."""
        labelled = np.append(np.setdiff1d(self.grouped_samples, extra), extra).astype(np.intp)
        points = self.embedding.Z[labelled]
        nearness = self.embedding.Z @ points.T - np.square(points).sum(axis=1) / 2
        return np.asarray(labelled[nearness.argmax(axis=1)])

    def reach(self, sample: int) -> int:
        """Count the samples whose nearest labelled sample would be this one."""
        return int((self.nearest_labelled_sample((sample,)) == sample).sum())

    def count_changes(self, before: Beliefs) -> int:
        """Count the samples whose most probable group is another one than before."""
        k = max(self.cluster_posterior.shape[1], before.cluster_posterior.shape[1])
        labels = self.cluster_posterior.argmax(axis=1)
        old_labels = before.cluster_posterior.argmax(axis=1)
        return int((as_before(labels, old_labels, k)[labels] != old_labels).sum())
