"""Numbers of clusters that say something: by size, as in an earlier fit, along the diagonal.

A numbering is an array: the new number of each cluster.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from cocluster.linalg.matrices import inverse_root
from cocluster.linalg.types import Array


def by_size(labels: Array, n_clusters: int) -> Array:
    """The largest cluster is 0; of two as large, the one with the earlier first member is first.

    >>> by_size(np.array([2, 0, 0, 1]), 4)
    array([0, 2, 1, 3])
    """
    sizes = np.bincount(labels, minlength=n_clusters)
    first = np.full(n_clusters, len(labels))
    clusters, at = np.unique(labels, return_index=True)
    first[clusters] = at
    # Clusters without members come last, in their own order: lexsort is stable.
    return _ranks(np.lexsort((first, -sizes)))


def as_before(labels: Array, before: Array, n_clusters: int) -> Array:
    """Clusters keep the numbers they had: as many samples as possible have their old label.

    Clusters that share no sample with an old one take the numbers left over, the largest first.

    >>> as_before(np.array([0, 0, 1, 2]), np.array([1, 1, 0, 0]), 3)
    array([1, 0, 2])
    """
    common = np.zeros((n_clusters, n_clusters))
    np.add.at(common, (labels, before), 1)
    clusters, numbers = linear_sum_assignment(common, maximize=True)
    matched = common[clusters, numbers] > 0
    free_numbers = np.setdiff1d(np.arange(n_clusters), numbers[matched])
    new = np.full(n_clusters, -1)
    new[clusters[matched]] = numbers[matched]
    unmatched = np.flatnonzero(new < 0)
    sizes = np.bincount(labels, minlength=n_clusters)[unmatched]
    new[unmatched[np.argsort(-sizes, kind="stable")]] = free_numbers
    return new


def diagonal(association: Array) -> Array:
    r"""Numbers for the column clusters that make an association as diagonal as it can be.

    The sum of :math:`S_{kl} / \sqrt{s_k s_l}` over the pairs (i, i) is largest, with s the sums of
    absolute values: so pairs count by how much two clusters are each other's, not by their size.
    Column clusters without a partner follow, the heaviest first.

    >>> diagonal(np.array([[0.1, 0.5], [0.3, 0.1]]))
    array([1, 0])
    """
    S = np.abs(association)
    score = association * np.outer(inverse_root(S.sum(axis=1)), inverse_root(S.sum(axis=0)))
    # Rows come back sorted, so partners are in the order of the row clusters.
    partners = linear_sum_assignment(score, maximize=True)[1]
    alone = np.setdiff1d(np.arange(S.shape[1]), partners)
    heaviest = alone[np.argsort(-S.sum(axis=0)[alone], kind="stable")]
    return _ranks(np.concatenate([partners, heaviest]))


def _ranks(order: Array) -> Array:
    """The numbering that puts clusters in this order."""
    ranks = np.empty(len(order), dtype=np.intp)
    ranks[order] = np.arange(len(order))
    return ranks
