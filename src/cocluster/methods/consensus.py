"""consensus(): one partition from many, of restarts or of different methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans

from cocluster.linalg.types import Array
from cocluster.links.labelling import label_codes
from cocluster.methods.numbering import by_size
from cocluster.utils.checks import check_integer


@dataclass(frozen=True, eq=False)
class Consensus:
    """What several partitions agree on.

    Attributes
    ----------
    labels : int array of shape (n_samples,)
        Numbered by size, 0 is the largest cluster.
    agreement : array of shape (n_samples,)
        Share of the members that put the sample where most of its cluster is: low values are
        samples that restarts or methods do not agree on.
    """

    labels: Array
    agreement: Array


def consensus(members: Sequence[Any], n_clusters: int | None = None) -> Consensus:
    """Find the partition that shares most with all members.

    Each member votes for its clusters: a sample is the row of the clusters it was put into. k-means
    of these rows maximises the (quadratic) mutual information with the members (Topchy, Jain and
    Punch, "Clustering ensembles: models of consensus and weak partitions", 2005). It begins at
    every member in turn, and the best end counts: it agrees with the members no less than any of
    them.

    Parameters
    ----------
    members : sequence of fitted models or of labels
        Of the same samples in the same order. Labels may be numbers or texts.
    n_clusters : int, optional
        By default as many as the first member has.

    Returns
    -------
    Consensus
        ``labels``, and for each sample the ``agreement`` of the members.

    Examples
    --------
    >>> found = consensus([[0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 1, 1]])
    >>> found.labels
    array([0, 0, 0, 1, 1, 1])
    >>> found.agreement.round(2)
    array([1.  , 1.  , 0.67, 1.  , 1.  , 1.  ])
    """
    votes = [_labels(member, i) for i, member in enumerate(members)]
    if not votes:
        raise ValueError("There are no members to agree; pass at least one fitted model.")
    sizes = {len(labels) for labels in votes}
    if len(sizes) > 1:
        raise ValueError(f"The members have {sorted(sizes)} samples; they must have the same.")
    k = int(votes[0].max()) + 1 if n_clusters is None else check_integer(n_clusters, "n_clusters")
    if k > len(votes[0]):
        raise ValueError(f"n_clusters={k} is more than the {len(votes[0])} samples.")
    labels = _best(votes, k)
    labels = by_size(labels, k)[labels]
    return Consensus(labels, np.mean([_with_most(vote, labels) for vote in votes], axis=0))


def _labels(member: Any, number: int) -> Array:
    """Codes of the samples in one member."""
    codes = label_codes(getattr(member, "labels_", member), None)
    if len(codes) == 0 or (codes < 0).any():
        raise ValueError(f"Member {number} lacks labels for some samples; leave the member out.")
    return codes


def _best(votes: list[Array], k: int) -> Array:
    """The k-means of the votes with the least inertia, from every member that has k clusters."""
    ballots = [_indicator(labels) for labels in votes]
    rows = sp.csr_matrix(sp.hstack(ballots))
    starts: list[Any] = []
    for labels, ballot in zip(votes, ballots, strict=True):
        if int(labels.max()) + 1 == k:
            starts.append((ballot.T @ rows).toarray() / np.bincount(labels)[:, None])
    # A number that no member has begins at random, from a fixed seed.
    runs = [KMeans(k, init=start, n_init=1, random_state=0) for start in starts]
    fits = [run.fit(rows) for run in runs or [KMeans(k, n_init=10, random_state=0)]]
    return np.asarray(min(fits, key=lambda run: run.inertia_).labels_)


def _indicator(labels: Array) -> sp.csr_matrix:
    """Samples by clusters, 1 where a sample is in a cluster."""
    n = len(labels)
    return sp.csr_matrix((np.ones(n), labels, np.arange(n + 1)))


def _with_most(vote: Array, labels: Array) -> Array:
    """Whether each sample is in the cluster of a member that most of its own cluster are in."""
    common = np.zeros((int(labels.max()) + 1, int(vote.max()) + 1))
    np.add.at(common, (labels, vote), 1)
    return np.asarray(common.argmax(axis=1)[labels] == vote)
