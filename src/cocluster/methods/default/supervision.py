r"""Label propagation: from links between some samples to cluster probabilities of all samples.

Links join some samples into groups. A group that is apart from the others is a class; clusters that
no class has claimed are classes too, known by their members. From these,
`NeighbourEmbedding.posterior` gives every sample a probability :math:`P_{ik}` of each class, and
the hard methods minimise

.. math:: J + c \sum_i -\log P_{i, z_i}

with J their own objective, z the labels of the samples and c the mean share of a sample in J, as
for a violated cannot-link. Where the links say nothing P is flat, and the data decide alone. The
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
from cocluster.methods.default.embedding import NeighbourEmbedding, neighbour_embedding
from cocluster.methods.default.subsample import assign_all_rows, subsample_task
from cocluster.methods.numbering import as_before
from cocluster.methods.starts import given_start, start_name
from cocluster.methods.task import Task
from cocluster.trifactor import Callback, Prior, Run

# Weight of all members of a cluster together, in labelled samples: it keeps a few links from
# undoing clusters that were right.
CLUSTER_WEIGHT = 1.0
# Members that represent a cluster, from its core to its rim.
MEMBERS = 20
# Samples of a group that must lie in a cluster before the links join it: one may be a mistake.
SEVERAL = 2
# A group that holds two clusters has samples in both at about the same rate; in a third one, where
# some lie by mistake, the rate is below this share of it.
AS_MANY = 0.5
# Least share of a class that is unlabelled: clusters are not classes.
LEAST_LEFT = 0.1
# Least probability: only links rule a cluster out, never a posterior.
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

        Then the method is run without links first. Its labels and the links imply the
        probabilities of every sample: the start and the prior of the run that is returned.
        Data that are not in memory are fitted with the links alone.
        """
        center = task.data.center
        prior, links = task.priors.get(center), task.links.get(center)
        if prior is None and links is not None and self.spread:
            prior = propagate_labels(task, links, self._solve_without_prior)
        if prior is None:
            return self._solve_without_prior(task)
        start = given_start(task.data, task.clusters, {center: prior.argmax(axis=1)})
        return self._solve_from(replace(task, priors={center: prior}), start)

    def _solve_without_prior(self, task: Task) -> Run:
        """Return the best run of a task without a prior, by way of a subsample of large data."""
        sample = subsample_task(task) if start_name(self.init) == "spectral" else None
        if sample is None:
            return super()._solve(task)
        problem = self._linked_problem(task)
        state = assign_all_rows(problem, super()._solve(sample).state)
        return self._finished(problem, self._sweep(problem, state, task))


def propagate_labels(task: Task, links: Links, cluster: Callable[[Task], Run]) -> Array | None:
    """Return the cluster probabilities of all samples that follow from links between some.

    Parameters
    ----------
    task : Task
    links : Links
        Links between samples.
    cluster : function of a task
        Clusters the data without links between samples.

    Returns
    -------
    ndarray of shape (n, k), or None for data that cannot be embedded in memory
    """
    center = task.data.center
    k, seed = task.clusters[center], int(task.rng.integers(2**31 - 1))
    embedding = neighbour_embedding(task.data, k, seed)
    if embedding is None:
        return None
    other_links = {name: values for name, values in task.links.items() if name != center}
    unlinked = replace(task, links=other_links, callback=None)
    labels = gathered(cluster(unlinked).state.factors[center]).labels
    n_joined = len(joined_clusters(labels, linked_groups(links), k))
    if n_joined == 0:
        return posterior_from_links(embedding, labels, links, k)
    # Links join clusters; more clusters are fitted, so that k are left.
    n_fitted = min(k + n_joined, len(task.data))
    run = cluster(replace(unlinked, clusters={**task.clusters, center: n_fitted}))
    fine_labels = gathered(run.state.factors[center]).labels
    return order_as(posterior_from_links(embedding, fine_labels, links, k), labels, k)


def prior_costs(task: Task, objective: float) -> dict[str, Prior]:
    """Convert the priors of a task to costs, in the unit of an objective over all samples."""
    unit = objective / len(task.data)
    return {
        name: Prior(task.data.placed(name, -unit * np.log(np.maximum(P, LEAST))))
        for name, P in task.priors.items()
    }


@dataclass(frozen=True, eq=False)
class Classes:
    """Classes, and the samples that represent them.

    Attributes
    ----------
    samples, targets, weights : arrays
        As `NeighbourEmbedding.posterior` takes them.
    apart : bool array of shape (c, c)
        Pairs of classes that cannot-links separate.
    """

    samples: Array
    targets: Array
    weights: Array
    apart: Array


def posterior_from_links(
    embedding: NeighbourEmbedding, labels: Array, links: Links, k: int
) -> Array:
    """Return the probability of each of k clusters for every sample.

    Parameters
    ----------
    embedding : NeighbourEmbedding
    labels : int array of shape (n,)
        Clusters without the links, whose numbers are kept.
    links : Links
    k : int
        If ``labels`` has more clusters, their numbers are not kept.

    Returns
    -------
    ndarray of shape (n, k), rows sum to one
    """
    closure = links.closure()
    apart = np.asarray(closure.cannot_matrix().todense() != 0)
    founders, groups = founding_components(links), linked_groups(links)
    classes = link_classes(embedding, labels, groups, apart[np.ix_(founders, founders)])
    P = embedding.posterior(classes.samples, classes.targets, classes.weights)
    # Components in no class yet take the shares that their members and links agree on.
    linked = np.flatnonzero((closure.sizes > 1) | apart.any(axis=1))
    unplaced = np.setdiff1d(linked, founders)
    if len(unplaced):
        forbidden = np.zeros((len(unplaced), P.shape[1]), dtype=bool)
        forbidden[:, : len(founders)] = apart[np.ix_(unplaced, founders)]
        classes = _add_components(classes, P, closure.component, unplaced, forbidden)
        P = embedding.posterior(classes.samples, classes.targets, classes.weights)
    P = P * unlabelled_shares(labels, groups, P.shape[1])
    P /= P.sum(axis=1, keepdims=True)
    for number, group in enumerate(groups):
        P[group] = np.eye(P.shape[1])[number]
    P = merge_classes(P, classes.apart, k)[0]
    return order_as(P, labels if labels.max() < k else P.argmax(axis=1), k)


def founding_components(links: Links) -> Array:
    """Return the link components that are classes: apart from each other, the largest first.

    A group named by a labelling is a class, and so are must-linked samples. A single sample that is
    only known to be apart from another one may well belong to a third class.
    """
    closure = links.closure()
    named = np.zeros(closure.n_components, dtype=bool)
    for labelling in links.labellings:
        named[closure.component[labelling.members]] = labelling.distinct
    candidates = np.flatnonzero(named | (closure.sizes > 1))
    apart = closure.cannot_matrix()
    founders: list[int] = []
    for a in candidates[np.argsort(-closure.sizes[candidates], kind="stable")].tolist():
        cannot_links = apart.indices[apart.indptr[a] : apart.indptr[a + 1]]
        if np.isin(founders, cannot_links).all():
            founders.append(a)
    return np.array(founders, dtype=np.intp)


def linked_groups(links: Links) -> list[Array]:
    """Return the samples of every class that the links name."""
    component = links.closure().component
    return [np.flatnonzero(component == a) for a in founding_components(links)]


def unlabelled_shares(labels: Array, groups: list[Array], n_classes: int) -> Array:
    """Return the share of each class without links, judged by the cluster its group lies in.

    A class whose members are all linked has hardly any among the other samples.
    """
    shares = np.ones(n_classes)
    sizes = np.maximum(np.bincount(labels), 1)
    for number, group in enumerate(groups):
        shares[number] = 1 - (np.bincount(labels[group], minlength=len(sizes)) / sizes).max()
    return np.maximum(shares, LEAST_LEFT)


def joined_clusters(labels: Array, groups: list[Array], k: int) -> Array:
    """Return the clusters that the links join to another one.

    Several samples of such a cluster are linked, all in one group, and about as large a share of it
    as of the cluster that the group has claimed.
    """
    counts = _group_counts(labels, groups, k)
    claimed = _claimed_clusters(counts)
    in_one_group = ((counts > 0).sum(axis=0) == 1) & (counts.sum(axis=0) >= SEVERAL)
    shares = counts / np.maximum(np.bincount(labels, minlength=k), 1)
    claimed_shares = shares[:, claimed].max(axis=1, initial=0.0)
    alike = (shares >= AS_MANY * claimed_shares[:, None]) & (counts > 0)
    return np.setdiff1d(np.flatnonzero(in_one_group & alike.any(axis=0)), claimed)


def _group_counts(labels: Array, groups: list[Array], k: int) -> Array:
    """Count the samples of each group (rows) in each cluster (columns)."""
    counts = np.array([np.bincount(labels[group], minlength=k) for group in groups])
    return counts.reshape(len(groups), k)


def _claimed_clusters(counts: Array) -> Array:
    """Return the cluster that most samples of each group lie in, each cluster at most once."""
    pairs = linear_sum_assignment(counts, maximize=True)
    return np.asarray(pairs[1][counts[pairs] > 0])


def link_classes(
    embedding: NeighbourEmbedding, labels: Array, groups: list[Array], apart: Array
) -> Classes:
    """Make classes of the groups, and of the clusters that no group has claimed.

    A group claims the cluster that most of its members are in, each cluster at most once. Members
    of a cluster represent, with low weight, the classes of the samples that are linked in it.
    """
    k = int(labels.max()) + 1
    counts = _group_counts(labels, groups, k)
    occupied = np.flatnonzero(np.bincount(labels, minlength=k))
    taken = np.append(_claimed_clusters(counts), joined_clusters(labels, groups, k))
    unclaimed = np.setdiff1d(occupied, taken)
    n_classes = len(groups) + len(unclaimed)
    cores = [embedding.core(np.flatnonzero(labels == c)) for c in unclaimed]
    samples = np.concatenate([*groups, np.array(cores, np.intp)])
    sizes = [*(len(group) for group in groups), *([1] * len(unclaimed))]
    targets = np.eye(n_classes)[np.repeat(np.arange(n_classes), sizes)]
    shares = _class_counts(labels, counts, targets, samples, unclaimed)
    members = [_members(embedding, labels, c, samples, shares[c]) for c in occupied.tolist()]
    classes_apart = np.zeros((n_classes, n_classes), dtype=bool)
    classes_apart[: len(groups), : len(groups)] = apart
    return Classes(
        np.concatenate([samples, *(member_samples for member_samples, _, _ in members)]),
        np.concatenate([targets, *(member_targets for _, member_targets, _ in members)]),
        np.concatenate([np.ones(len(samples)), *(weights for _, _, weights in members)]),
        classes_apart,
    )


def _class_counts(
    labels: Array, counts: Array, targets: Array, samples: Array, unclaimed: Array
) -> Array:
    """Count the labelled samples of each class in every cluster.

    A cluster that no group has claimed is a class of its own. If it were part of a group, as many
    of its samples would be linked as of the cluster that the group has claimed; the missing ones
    count against it. Otherwise a group whose members are all linked would flood its neighbours.
    """
    n_groups, k = counts.shape
    class_counts = np.zeros((k, targets.shape[1]))
    np.add.at(class_counts, labels[samples], targets)
    sizes = np.bincount(labels, minlength=k)
    rate = (counts / np.maximum(sizes, 1)).max(initial=0.0)
    for number, c in enumerate(unclaimed, start=n_groups):
        class_counts[c, number] = max(1.0, rate * sizes[c] - counts[:, c].sum())
    return class_counts


def _members(
    embedding: NeighbourEmbedding, labels: Array, c: int, samples: Array, class_counts: Array
) -> tuple[Array, Array, Array]:
    """Return samples that represent a cluster, their class shares, and their weights."""
    unlabelled = np.setdiff1d(np.flatnonzero(labels == c), samples)
    if not class_counts.any() or not len(unlabelled):
        return unlabelled[:0], np.empty((0, len(class_counts))), np.empty(0)
    positions = np.linspace(0, len(unlabelled) - 1, min(MEMBERS, len(unlabelled))).astype(int)
    members = embedding.by_distance(unlabelled)[positions]
    # If all labelled members of a cluster agree, its own members weigh as much as the labels; if
    # the labels are mixed, they weigh only CLUSTER_WEIGHT.
    agreement = max(0.0, 2 * class_counts.max() - class_counts.sum())
    targets = np.tile(class_counts / class_counts.sum(), (len(members), 1))
    return members, targets, np.full(len(members), (CLUSTER_WEIGHT + agreement) / len(members))


def _add_components(
    classes: Classes, P: Array, component: Array, unplaced: Array, forbidden: Array
) -> Classes:
    """Add the samples of further components, each with the shares its samples have together."""
    samples, targets = [classes.samples], [classes.targets]
    logs = np.log(np.maximum(P, LEAST))
    for number, is_forbidden in zip(unplaced, forbidden, strict=True):
        members = np.flatnonzero(component == number)
        score = np.where(is_forbidden, -np.inf, logs[members].sum(axis=0))
        if np.isfinite(score).any():
            samples.append(members)
            targets.append(np.tile(softmax(score), (len(members), 1)))
    n_added = sum(map(len, samples[1:]))
    return replace(
        classes,
        samples=np.concatenate(samples),
        targets=np.concatenate(targets),
        weights=np.concatenate([classes.weights, np.ones(n_added)]),
    )


def confusion(P: Array) -> Array:
    """Return, for two classes, the share of the smaller one that the posterior gives the other."""
    labels = P.argmax(axis=1)
    mass = np.zeros((P.shape[1], P.shape[1]))
    np.add.at(mass, labels, P)
    sizes = np.maximum(np.bincount(labels, minlength=P.shape[1]), 1)
    return np.asarray((mass + mass.T) / np.minimum.outer(sizes, sizes))


def merge_classes(P: Array, apart: Array, k: int) -> tuple[Array, list[list[int]]]:
    """Merge classes until k are left; return their posterior and the classes each is made of.

    The most confused classes are merged first; classes with a cannot-link between them only when
    no others are left.
    """
    merged = [[c] for c in range(P.shape[1])]
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
        merged[a] += merged.pop(b)
    return P, merged


def order_as(P: Array, labels: Array, k: int) -> Array:
    """Return a posterior of k clusters, its columns in the order of the labels they agree with."""
    padded = np.zeros((len(P), k))
    padded[:, : P.shape[1]] = P
    numbers = as_before(padded.argmax(axis=1), labels, k)
    return np.asarray(padded[:, np.argsort(numbers)])
