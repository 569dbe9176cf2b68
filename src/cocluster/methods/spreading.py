r"""What links say of samples that nobody was asked about.

Links join some samples into groups. A group that is apart from the others is a class; clusters that
no class has claimed are classes too, known by their members. From these `Ground.posterior` gives
every sample a probability :math:`P_{ik}` of each class, and the hard methods minimise

.. math:: J + c \sum_i -\log P_{i, z_i}

with J their own objective, z the labels of the samples and c what an average sample weighs in J, as
for a violated cannot-link. Where the answers say nothing P is flat, and the data decide alone. The
sum is linear in the memberships: no step raises it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import softmax

from cocluster.linalg.partitions import gathered
from cocluster.linalg.types import Array
from cocluster.links import Links
from cocluster.methods.base import Coclusterer
from cocluster.methods.coarse import coarse_to_fine
from cocluster.methods.ground import Ground, ground_of
from cocluster.methods.numbering import as_before
from cocluster.methods.starts import given_start
from cocluster.methods.task import Task
from cocluster.trifactor import Callback, Prior, Run

# What all members of a cluster together count beside one sample that something is known of. They
# keep a few links from undoing clusters that were right.
CLUSTER_WEIGHT = 1.0
# So many members, from the core to the rim, stand for a cluster.
MEMBERS = 20
# One sample of a group may be in a cluster by mistake; several that agree are a message.
SEVERAL = 2
# A group that holds two clusters has samples in both at about the same rate; a few that lie in a
# third one by mistake are far fewer.
AS_MANY = 0.5
# Part of a class that may always be unknown: clusters are not classes.
LEAST_LEFT = 0.1
# Least probability: nothing is ruled out by a posterior, only by links.
LEAST = 1e-6


if TYPE_CHECKING:
    Base = Coclusterer
else:
    # Not a dataclass: its fields would hide the defaults of other bases.
    Base = object


class PriorMixin(Base):
    """Base of methods with hard labels that accept prior probabilities of the clusters.

    Such a method has a parameter ``spread``: whether links between samples become a prior for all.
    """

    spread: bool
    accepts_prior: ClassVar[bool] = True

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        links: Any = None,
        callback: Callback | None = None,
        mask: Any = None,
        prior: Any = None,
    ) -> Self:
        """Co-cluster X; the parameters are those of `Coclusterer.fit`, and ``prior``.

        ``prior`` holds probabilities of the clusters for the samples, shape
        (n_samples, n_clusters), which replace those that follow from the links.
        """
        self._run(X, y, links=links, callback=callback, mask=mask, prior=prior)
        return self

    def _solve(self, task: Task) -> Run:
        """Return the best run, with links between samples propagated to all if ``spread``.

        Then the method is run without links first. From its labels and the links follow the
        probabilities of every sample: the start and the prior of the run that is returned.
        Data that are not in memory are fitted with the links alone.
        """
        center = task.data.center
        prior, links = task.priors.get(center), task.links.get(center)
        if prior is None and links is not None and self.spread:
            prior = _posterior(task, links, self._run_without_prior)
        if prior is None:
            return self._run_without_prior(task)
        start = given_start(task.data, task.clusters, {center: prior.argmax(axis=1)})
        return self._solve_from(replace(task, priors={center: prior}), start)

    def _run_without_prior(self, task: Task) -> Run:
        """Return the best run of a task without a prior, large data by way of a subsample."""
        return coarse_to_fine(self, task, super()._solve)


def _posterior(task: Task, links: Links, best_run: Callable[[Task], Run]) -> Array | None:
    """Probabilities of the clusters from links, for data in memory."""
    center = task.data.center
    seed = int(task.rng.integers(2**31 - 1))
    ground = ground_of(task.data, task.clusters[center], seed)
    if ground is None:
        return None
    others = {name: own for name, own in task.links.items() if name != center}
    alone, k = replace(task, links=others, callback=None), task.clusters[center]
    labels = gathered(best_run(alone).state.factors[center]).labels
    spare = len(joined(labels, groups_of(links), k))
    if spare == 0:
        return spread_links(ground, labels, links, k)
    # Links join clusters; so that there are k all the same, others are told apart more finely.
    finer = replace(alone, clusters={**task.clusters, center: min(k + spare, len(task.data))})
    found = gathered(best_run(finer).state.factors[center]).labels
    return numbered_as(spread_links(ground, found, links, k), labels, k)


def prior_costs(task: Task, objective: float) -> dict[str, Prior]:
    """Priors of a task as costs, in the unit of an objective to which all samples contribute."""
    unit = objective / len(task.data)
    return {
        name: Prior(task.data.placed(name, -unit * np.log(np.maximum(P, LEAST))))
        for name, P in task.priors.items()
    }


@dataclass(frozen=True, eq=False)
class Classes:
    """Classes, and the samples by which they are known.

    Attributes
    ----------
    chosen, targets, weights : arrays
        As `Ground.posterior` takes them.
    apart : bool array of shape (c, c)
        Classes that are known to be different.
    """

    chosen: Array
    targets: Array
    weights: Array
    apart: Array


def spread_links(ground: Ground, labels: Array, links: Links, k: int) -> Array:
    """Probability of each of k clusters for every sample.

    Parameters
    ----------
    ground : Ground
    labels : int array of shape (n,)
        Clusters without the links, whose numbers are kept.
    links : Links
    k : int
        With more clusters than that in ``labels``, their numbers are not kept.

    Returns
    -------
    ndarray of shape (n, k), rows sum to one
    """
    closure = links.closure()
    apart = np.asarray(closure.cannot_matrix().todense() != 0)
    founders, members = founding(links), groups_of(links)
    classes = classes_of(ground, labels, members, apart[np.ix_(founders, founders)])
    P = ground.posterior(classes.chosen, classes.targets, classes.weights)
    # Components that are in no class yet have a place that their members and links agree on.
    known = np.flatnonzero((closure.sizes > 1) | apart.any(axis=1))
    open_ones = np.setdiff1d(known, founders)
    if len(open_ones):
        forbidden = np.zeros((len(open_ones), P.shape[1]), dtype=bool)
        forbidden[:, : len(founders)] = apart[np.ix_(open_ones, founders)]
        classes = _with_units(classes, P, closure.component, open_ones, forbidden)
        P = ground.posterior(classes.chosen, classes.targets, classes.weights)
    P = P * left_over(labels, members, P.shape[1])
    P /= P.sum(axis=1, keepdims=True)
    for number, group in enumerate(members):
        P[group] = np.eye(P.shape[1])[number]
    P = reduced(P, classes.apart, k)[0]
    return numbered_as(P, labels if labels.max() < k else P.argmax(axis=1), k)


def founding(links: Links) -> Array:
    """Components that are classes of their own: all apart from each other, the largest first.

    A group that a labelling names is one; so are must-linked samples. A sample alone that is only
    known to be apart from another one may well belong to a third class.
    """
    closure = links.closure()
    named = np.zeros(closure.n_components, dtype=bool)
    for labelling in links.labellings:
        named[closure.component[labelling.members]] = labelling.distinct
    candidates = np.flatnonzero(named | (closure.sizes > 1))
    apart = closure.cannot_matrix()
    found: list[int] = []
    for a in candidates[np.argsort(-closure.sizes[candidates], kind="stable")].tolist():
        others = apart.indices[apart.indptr[a] : apart.indptr[a + 1]]
        if np.isin(found, others).all():
            found.append(a)
    return np.array(found, dtype=np.intp)


def groups_of(links: Links) -> list[Array]:
    """The samples of every class that the links name."""
    component = links.closure().component
    return [np.flatnonzero(component == a) for a in founding(links)]


def left_over(labels: Array, groups: list[Array], n_classes: int) -> Array:
    """Part of each class that is not known yet, judged by the cluster its group is in.

    Of a class whose members are all known, hardly any are among the others.
    """
    left = np.ones(n_classes)
    sizes = np.maximum(np.bincount(labels), 1)
    for number, group in enumerate(groups):
        left[number] = 1 - (np.bincount(labels[group], minlength=len(sizes)) / sizes).max()
    return np.maximum(left, LEAST_LEFT)


def joined(labels: Array, groups: list[Array], k: int) -> Array:
    """Clusters that the links join to another one.

    Several samples are known in such a cluster, all of one group, and as large a part of it, or
    nearly, as in the cluster that the group has claimed.
    """
    counts = np.array([np.bincount(labels[group], minlength=k) for group in groups])
    counts = counts.reshape(len(groups), k)
    claimed = _claims(counts)
    alone = ((counts > 0).sum(axis=0) == 1) & (counts.sum(axis=0) >= SEVERAL)
    shares = counts / np.maximum(np.bincount(labels, minlength=k), 1)
    of_claimed = shares[:, claimed].max(axis=1, initial=0.0)
    alike = (shares >= AS_MANY * of_claimed[:, None]) & (counts > 0)
    return np.setdiff1d(np.flatnonzero(alone & alike.any(axis=0)), claimed)


def _claims(counts: Array) -> Array:
    """The cluster that each group has most of its samples in, each cluster at most once."""
    claims = linear_sum_assignment(counts, maximize=True)
    return np.asarray(claims[1][counts[claims] > 0])


def classes_of(ground: Ground, labels: Array, groups: list[Array], apart: Array) -> Classes:
    """Groups as classes, and with them the clusters that no group has claimed.

    A group claims the cluster most of its members are in, each cluster at most once. Members of a
    cluster stand weakly for the classes of the samples that are known in it.
    """
    k = int(labels.max()) + 1
    counts = np.array([np.bincount(labels[group], minlength=k) for group in groups])
    counts = counts.reshape(len(groups), k)
    present = np.flatnonzero(np.bincount(labels, minlength=k))
    unclaimed = np.setdiff1d(present, np.append(_claims(counts), joined(labels, groups, k)))
    n_classes = len(groups) + len(unclaimed)
    inside = [np.flatnonzero(labels == c) for c in unclaimed]
    chosen = np.concatenate([*groups, np.array([ground.core(own) for own in inside], np.intp)])
    codes = np.repeat(
        np.arange(n_classes), [*(len(group) for group in groups), *([1] * len(unclaimed))]
    )
    known = np.eye(n_classes)[codes]
    shares = _known_shares(labels, counts, known, chosen, unclaimed)
    extra = [_members(ground, labels, c, chosen, shares[c]) for c in present.tolist()]
    whole = np.zeros((n_classes, n_classes), dtype=bool)
    whole[: len(groups), : len(groups)] = apart
    return Classes(
        np.concatenate([chosen, *(own for own, _, _ in extra)]),
        np.concatenate([known, *(shares for _, shares, _ in extra)]),
        np.concatenate([np.ones(len(chosen)), *(weights for _, _, weights in extra)]),
        whole,
    )


def _known_shares(
    labels: Array, counts: Array, known: Array, chosen: Array, unclaimed: Array
) -> Array:
    """How many samples of each class are known in every cluster.

    A cluster that no group has claimed is a class of its own. If it were part of a group, as many
    of its samples would be known as of the cluster that the group has claimed; those that are not
    speak against it. Otherwise a group that all is known of would flood its neighbours.
    """
    n_groups, k = counts.shape
    shares = np.zeros((k, known.shape[1]))
    np.add.at(shares, labels[chosen], known)
    sizes = np.bincount(labels, minlength=k)
    rate = (counts / np.maximum(sizes, 1)).max(initial=0.0)
    for number, c in enumerate(unclaimed, start=n_groups):
        shares[c, number] = max(1.0, rate * sizes[c] - counts[:, c].sum())
    return shares


def _members(
    ground: Ground, labels: Array, c: int, chosen: Array, shares: Array
) -> tuple[Array, Array, Array]:
    """Samples that stand for a cluster, the classes known in it, and their weights."""
    own = np.setdiff1d(np.flatnonzero(labels == c), chosen)
    if not shares.any() or not len(own):
        return own[:0], np.empty((0, len(shares))), np.empty(0)
    gap = np.square(ground.Z[own] - ground.Z[own].mean(axis=0)).sum(axis=1)
    by_gap = own[np.argsort(gap, kind="stable")]
    some = by_gap[np.linspace(0, len(own) - 1, min(MEMBERS, len(own))).astype(int)]
    # A cluster in which all that is known agrees has shown that it is one, and counts as much again
    # as what is known in it; one that is mixed has shown the contrary.
    agreement = max(0.0, 2 * shares.max() - shares.sum())
    targets = np.tile(shares / shares.sum(), (len(some), 1))
    return some, targets, np.full(len(some), (CLUSTER_WEIGHT + agreement) / len(some))


def _with_units(
    classes: Classes, P: Array, component: Array, units: Array, forbidden: Array
) -> Classes:
    """The classes with further components, each in the shares that its samples have together."""
    chosen, targets = [classes.chosen], [classes.targets]
    logs = np.log(np.maximum(P, LEAST))
    for unit, barred in zip(units, forbidden, strict=True):
        own = np.flatnonzero(component == unit)
        score = np.where(barred, -np.inf, logs[own].sum(axis=0))
        if np.isfinite(score).any():
            chosen.append(own)
            targets.append(np.tile(softmax(score), (len(own), 1)))
    added = sum(map(len, chosen[1:]))
    return replace(
        classes,
        chosen=np.concatenate(chosen),
        targets=np.concatenate(targets),
        weights=np.concatenate([classes.weights, np.ones(added)]),
    )


def confusion(P: Array) -> Array:
    """Share of the smaller of two classes that the posterior gives to the other."""
    own = P.argmax(axis=1)
    given = np.zeros((P.shape[1], P.shape[1]))
    np.add.at(given, own, P)
    sizes = np.maximum(np.bincount(own, minlength=P.shape[1]), 1)
    return np.asarray((given + given.T) / np.minimum.outer(sizes, sizes))


def reduced(P: Array, apart: Array, k: int) -> tuple[Array, list[list[int]]]:
    """The posterior of at most k classes, and the classes that each is made of.

    Classes that are confused most are joined, those known to be apart only when no others are left.
    """
    parts = [[c] for c in range(P.shape[1])]
    apart = apart.copy()
    while P.shape[1] > k:
        first, second = np.triu_indices(P.shape[1], 1)
        mixed = confusion(P)[first, second]
        best = (mixed - (mixed.max() + 1) * apart[first, second]).argmax()
        a, b = int(first[best]), int(second[best])
        P = np.delete(P + np.outer(P[:, b], np.arange(P.shape[1]) == a), b, axis=1)
        apart[a] |= apart[b]
        apart[:, a] |= apart[:, b]
        apart = np.delete(np.delete(apart, b, axis=0), b, axis=1)
        parts[a] += parts.pop(b)
    return P, parts


def numbered_as(P: Array, labels: Array, k: int) -> Array:
    """A posterior of k clusters, its columns in the order of the clusters that they agree with."""
    whole = np.zeros((len(P), k))
    whole[:, : P.shape[1]] = P
    numbers = as_before(whole.argmax(axis=1), labels, k)
    return np.asarray(whole[:, np.argsort(numbers)])
