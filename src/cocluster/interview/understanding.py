"""What the answers so far say of every sample: groups, probabilities, and what is worth asking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cocluster.interview.knowledge import Known
from cocluster.linalg.matrices import as_dense
from cocluster.linalg.types import Array
from cocluster.methods.ground import Ground
from cocluster.methods.numbering import as_before
from cocluster.methods.spreading import confusion, numbered_as, reduced

# What a sample counts that nobody could place: half in the group it was compared with.
UNSURE_WEIGHT = 0.3
# Groups that are confused most are as often one as not: somebody was asked to tell them apart.
MOST_CONFUSED_CHANCE = 0.6
# No two groups are one for certain before somebody says so.
MOST_CERTAIN = 0.95
# What a cluster is taken to hold beside the samples known in it: one sample, of any class.
UNKNOWN_IN_CLUSTER = 1.0
# With so many more samples known in a cluster than one, what it says of the others counts half: by
# then they tell themselves where its classes lie.
HALF_AFTER = 3.0
# What all samples together count that a feature speaks for, beside one that was placed.
HINT_WEIGHT = 1.0


@dataclass(frozen=True, eq=False)
class Understanding:
    """Groups of samples that answers have joined, and the chance of each for every other sample.

    Samples that were said to be the same are a group. So is one that was asked about and fits none.
    Clusters in which nothing is known take part with their core, as groups to come.

    Attributes
    ----------
    ground : Ground
    labels : int array of shape (n,)
        Clusters before any answer.
    known : Known
    n_clusters : int
    asked : frozenset of int
        Samples that were compared with groups.
    current : int or None
        The sample that is being placed: it is in no group yet.
    same_per_confusion : float
        Groups that are confused by a share c are one with a chance of so many c.
    hints : tuple of (int array, int)
        Samples that have much of a feature, and a sample whose group the feature belongs to.
    errors : float
        Share of answers that may be wrong.
    """

    ground: Ground
    labels: Array
    known: Known
    n_clusters: int
    asked: frozenset[int] = frozenset()
    current: int | None = None
    same_per_confusion: float = 2.0
    hints: tuple[tuple[Array, int], ...] = ()
    errors: float = 0.0

    def placing(self, sample: int | None) -> Understanding:
        """The same with another sample to be placed, or none."""
        return self if sample == self.current else replace(self, current=sample)

    def is_closed(self, sample: int) -> bool:
        """Whether a sample was compared with another one already."""
        return bool(self.known.n_closed[self.known.component[sample]])

    @cached_property
    def sizes(self) -> Array:
        """Samples in each cluster before any answer."""
        return np.bincount(self.labels, minlength=self.n_clusters)

    @cached_property
    def cores(self) -> dict[int, int]:
        """The core of each cluster, the largest cluster first."""
        order = np.argsort(-self.sizes, kind="stable")
        return {
            int(c): self.ground.core(np.flatnonzero(self.labels == c))
            for c in order
            if self.sizes[c]
        }

    @cached_property
    def groups(self) -> list[Array]:
        """Samples of each group."""
        component, sizes = self.known.component, self.known.sizes
        lone = [i for i in sorted(self.asked) if sizes[component[i]] == 1 and i != self.current]
        own = np.union1d(np.flatnonzero(sizes > 1), component[np.array(lone, dtype=np.intp)])
        if self.current is not None and sizes[component[self.current]] == 1:
            own = own[own != component[self.current]]
        found = [np.flatnonzero(component == a) for a in own]
        if found:
            return found
        # Before any answer the core of the largest cluster is the group that others are asked for.
        return [np.array([next(iter(self.cores.values()))])]

    @cached_property
    def placed(self) -> Array:
        """Samples that are in a group."""
        return np.concatenate(self.groups)

    @cached_property
    def untouched(self) -> list[int]:
        """Clusters in which nothing is known, the largest first."""
        seen = set(self.labels[self.placed].tolist())
        if self.current is not None:
            seen.add(int(self.labels[self.current]))
        return [c for c in self.cores if c not in seen]

    @cached_property
    def apart(self) -> Array:
        """Which groups need not be compared: they are known to be apart, or nobody could tell."""
        own = self.known.component[[group[0] for group in self.groups]]
        return np.asarray(self.known.closed[own][:, own].todense() != 0)

    @cached_property
    def posterior(self) -> Array:
        """Probability of every group, and after them of every cluster without one."""
        return np.asarray(self._with_answers(self._spread.copy()))

    @cached_property
    def _spread(self) -> Array:
        """The same before samples in no group are kept from those they are apart from."""
        chosen, targets = self._examples
        n_classes, weights = targets.shape[1], np.ones(len(chosen))
        parts = [(chosen, targets, weights), self._unsure(n_classes), *self._hinted(n_classes)]
        P = self.ground.posterior(*map(np.concatenate, zip(*parts, strict=True)))
        P[self.placed] = targets[: len(self.placed)]
        return np.asarray(P)

    @cached_property
    def _examples(self) -> tuple[Array, Array]:
        """Samples that are in a group, then cores of clusters without one; and their classes."""
        codes = np.repeat(np.arange(len(self.groups)), [len(group) for group in self.groups])
        n_classes = len(self.groups) + len(self.untouched)
        cores = np.array([self.cores[c] for c in self.untouched], dtype=np.intp)
        codes = np.concatenate([codes, np.arange(len(self.groups), n_classes)])
        return np.concatenate([self.placed, cores]), np.eye(n_classes)[codes]

    @cached_property
    def in_clusters(self) -> Array:
        """The posterior for labels: samples stay with their cluster where little speaks against it.

        Before any answer the data have put each sample into a cluster. What is known in that
        cluster is a second opinion on its class, beside the answers nearby; the two are multiplied.
        A few answers then do not undo clusters that were right. Questions go by the `posterior`
        without it: they are to find out where clusters are wrong.
        """
        chosen, targets = self._examples
        counts = np.zeros((int(self.labels.max()) + 1, targets.shape[1]))
        np.add.at(counts, self.labels[chosen], targets)
        known = counts.sum(axis=1, keepdims=True)
        shares = counts + UNKNOWN_IN_CLUSTER / targets.shape[1]
        shares /= known + UNKNOWN_IN_CLUSTER
        shares **= HALF_AFTER / (HALF_AFTER + np.maximum(known - 1, 0))
        P = self.posterior * shares[self.labels]
        P /= P.sum(axis=1, keepdims=True)
        P[self.placed] = targets[: len(self.placed)]
        return np.asarray(P)

    def _hinted(self, n_classes: int) -> Iterator[tuple[Array, Array, Array]]:
        """Samples that features speak for, in the groups of those features."""
        for samples, member in self.hints:
            group = next((g for g, own in enumerate(self.groups) if member in own), None)
            free = np.setdiff1d(samples, self.placed)
            if group is not None and len(free):
                targets = np.tile(np.eye(n_classes)[group], (len(free), 1))
                yield free, targets, np.full(len(free), HINT_WEIGHT / len(free))

    def _unsure(self, n_classes: int) -> tuple[Array, Array, Array]:
        """Samples that nobody could place: half in the group asked for, half in any other."""
        group_of = {int(i): g for g, group in enumerate(self.groups) for i in group}
        links, found = self.known.links, dict[int, int]()
        for i, j in links.pairs[links.signs == 0].tolist():
            if j not in group_of and i in group_of and j != self.current:
                found[j] = group_of[i]
        if n_classes < 2 or not found:
            return np.empty(0, np.intp), np.empty((0, n_classes)), np.empty(0)
        own = np.eye(n_classes)[list(found.values())]
        shares = own / 2 + (1 - own) / (2 * (n_classes - 1))
        return np.array(list(found)), shares, np.full(len(found), UNSURE_WEIGHT)

    def _with_answers(self, P: Array) -> Array:
        """Samples that are in no group cannot be in one that they are apart from."""
        G = len(self.groups)
        firsts = self.known.component[[group[0] for group in self.groups]]
        lone = set(np.flatnonzero(self.known.n_closed).tolist()) - set(firsts.tolist())
        for a in lone:
            own = np.flatnonzero(self.known.component == a)
            left = P[own]
            left[:, :G] *= ~np.isin(firsts, self.known.closed[[a]].indices)
            total = left.sum(axis=1, keepdims=True)
            P[own] = np.where(total > 0, left / np.maximum(total, np.finfo(float).tiny), P[own])
        return np.asarray(P)

    def chances(self, sample: int) -> Array:
        """Chance of each group for a sample; while groups are missing it may belong to none."""
        G = len(self.groups)
        firsts = self.known.component[[group[0] for group in self.groups]]
        own = self.known.closed[[self.known.component[sample]]].indices
        missing = max(self.n_clusters - G, 0) / (self.n_clusters + len(self.placed))
        left = (1 - missing) * self._spread[sample, :G] * ~np.isin(firsts, own)
        return np.asarray(left / max(left.sum() + missing, np.finfo(float).tiny))

    @cached_property
    def doubt(self) -> Array:
        """How unsure the group of each sample is; -1 for those that are in one."""
        doubt = 1 - self.posterior.max(axis=1)
        doubt[self.placed] = -1
        return np.asarray(doubt)

    @cached_property
    def confused(self) -> Array:
        """Share of the smaller of two groups that might belong to the other; 0 if they cannot."""
        return np.where(self.apart, 0.0, self._mixed)

    @cached_property
    def _mixed(self) -> Array:
        """The same whatever is known of the groups."""
        G = len(self.groups)
        return np.triu(confusion(self.posterior)[:G, :G], 1)

    @cached_property
    def _votes_against(self) -> Array:
        """How often two groups were said to be apart."""
        own = self.known.component[[group[0] for group in self.groups]]
        return np.asarray(as_dense(self.known.links.closure().cannot_matrix()[own][:, own]))

    @cached_property
    def chance_of_one(self) -> Array:
        """Chance that two groups are one; 0 below the diagonal.

        If people may err, answers that keep two groups apart only lower it.
        """
        chance = np.minimum(self.same_per_confusion * self._mixed, MOST_CERTAIN)
        if not self.errors:
            return np.where(self.apart, 0.0, chance)
        against = np.exp(self._votes_against * np.log((1 - self.errors) / self.errors))
        return np.asarray(chance / (chance + (1 - chance) * against))

    def likely_groups(self, sample: int) -> list[int]:
        """Groups that a sample may belong to, the most probable first.

        For a sample that is in a group: those that its own may be one with.
        """
        settled = self.known.settled(sample)
        free = [g for g, group in enumerate(self.groups) if not settled[group[0]]]
        own = next((g for g, group in enumerate(self.groups) if sample in group), None)
        chance = self.chance_of_one
        chances = self.chances(sample) if own is None else (chance + chance.T)[own]
        return sorted(free, key=lambda g: -chances[g])

    def confusion_of(self, i: int, j: int) -> float:
        """Share by which the groups of two samples are confused; 0 if they are not in two."""
        own = [next((g for g, group in enumerate(self.groups) if x in group), -1) for x in (i, j)]
        if min(own) < 0 or own[0] == own[1]:
            return 0.0
        return float(self.confused[min(own), max(own)])

    def chance_of_same(self, i: int, j: int) -> float:
        """Chance that two samples belong together, i being in a group or j in one."""
        own = {x: g for g, group in enumerate(self.groups) for x in group.tolist()}
        if i in own and j in own:
            a, b = sorted((own[i], own[j]))
            return 1.0 if a == b else min(2 * float(self._mixed[a, b]), MOST_CONFUSED_CHANCE)
        x, group = (j, own.get(i)) if i in own else (i, own.get(j))
        if group is None:
            return 0.5  # nothing is known of either
        return float(self.placing(x).chances(x)[group])

    def prior(self, labels: Array) -> Array:
        """Probabilities of as many clusters as asked for, numbered as earlier labels are."""
        P, _ = self._joined
        return numbered_as(P, labels, self.n_clusters)

    @cached_property
    def _joined(self) -> tuple[Array, list[list[int]]]:
        """Posterior of the clusters, and the groups that each is made of."""
        whole = np.zeros((self.in_clusters.shape[1],) * 2, dtype=bool)
        G = len(self.groups)
        # One answer may be a slip: a group that it has made is put back where it looks like.
        whole[:G, :G] = self._votes_against > 1 if self.errors else self.apart
        return reduced(self.in_clusters, whole, self.n_clusters)

    def joined_groups(self) -> list[Array]:
        """The groups, those of one cluster put together where they are more than the clusters."""
        G = len(self.groups)
        inside = [[g for g in part if g < G] for part in self._joined[1]]
        return [np.concatenate([self.groups[g] for g in part]) for part in inside if part]

    def nearest_known(self, more: tuple[int, ...] = ()) -> Array:
        """For each sample the nearest one that is in a group, or among some more."""
        known = np.append(np.setdiff1d(self.placed, more), more).astype(np.intp)
        points = self.ground.Z[known]
        nearness = self.ground.Z @ points.T - np.square(points).sum(axis=1) / 2
        return np.asarray(known[nearness.argmax(axis=1)])

    def reach(self, sample: int) -> int:
        """How many samples have this one as the nearest of those that something is known of."""
        return int((self.nearest_known((sample,)) == sample).sum())

    def decided(self, before: Understanding) -> int:
        """Samples whose most probable group is another one than before."""
        k = max(self.in_clusters.shape[1], before.in_clusters.shape[1])
        own, old = self.in_clusters.argmax(axis=1), before.in_clusters.argmax(axis=1)
        return int((as_before(own, old, k)[own] != old).sum())
