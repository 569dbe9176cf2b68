"""Cluster numbers: by size, as in an earlier fit, and along the diagonal of an association.

A numbering is an array that holds the new number of each cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import inverse_root
from cocluster.linalg.partitions import Partition
from cocluster.linalg.types import Array


def by_size(labels: Array, n_clusters: int) -> Array:
    """Number clusters by size, the largest 0; of two as large, the one with the first member.

    >>> by_size(np.array([2, 0, 0, 1]), 4)
    array([0, 2, 1, 3])
    """
    sizes = np.bincount(labels, minlength=n_clusters)
    first = np.full(n_clusters, len(labels))
    clusters, positions = np.unique(labels, return_index=True)
    first[clusters] = positions
    # Clusters without members come last, in their own order: lexsort is stable.
    return _ranks(np.lexsort((first, -sizes)))


def as_before(labels: Array, before: Array, n_clusters: int) -> Array:
    """Number clusters so that as many samples as possible keep their earlier label.

    Clusters that share no sample with an earlier one take the numbers left over, the largest first.

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
    r"""Number the column clusters so that an association is as diagonal as it can be.

    The sum of :math:`S_{kl} / \sqrt{s_k s_l}` over the pairs (i, i) is largest, with s the sums of
    absolute values: so pairs count by how much two clusters belong together, not by their size.
    Column clusters without a partner follow, the heaviest first.

    >>> diagonal(np.array([[0.1, 0.5], [0.3, 0.1]]))
    array([1, 0])
    """
    S = np.abs(association)
    score = association * np.outer(inverse_root(S.sum(axis=1)), inverse_root(S.sum(axis=0)))
    # Rows come back sorted, so partners are in the order of the row clusters.
    partners = linear_sum_assignment(score, maximize=True)[1]
    unpaired = np.setdiff1d(np.arange(S.shape[1]), partners)
    heaviest = unpaired[np.argsort(-S.sum(axis=0)[unpaired], kind="stable")]
    return _ranks(np.concatenate([partners, heaviest]))


def _ranks(order: Array) -> Array:
    """Return the numbering that puts clusters in this order."""
    ranks = np.empty(len(order), dtype=np.intp)
    ranks[order] = np.arange(len(order))
    return ranks


def number_types(
    data: RelationalData,
    partitions: Mapping[str, Partition],
    associations: Sequence[Array],
    before: Array | None,
) -> dict[str, Array]:
    """Number the clusters of every type.

    Samples by size, or as in the labels ``before``; each further type along the diagonal of its
    association with a type that has its numbers.
    """
    center, *unnumbered = partitions
    labels, k = partitions[center].labels, partitions[center].n_clusters
    numbers = {center: by_size(labels, k) if before is None else as_before(labels, before, k)}
    # Nearest types first: each has an association with one that is numbered already.
    while unnumbered:
        tables = {name: _association_with(data, associations, numbers, name) for name in unnumbered}
        for name, S in tables.items():
            if S is not None:
                numbers[name] = diagonal(S)
                unnumbered.remove(name)
    return numbers


def _association_with(
    data: RelationalData, associations: Sequence[Array], numbers: Mapping[str, Array], name: str
) -> Array | None:
    """Return the association of a numbered type (rows, in that order) with a type (columns)."""
    for relation, S in zip(data.relations, associations, strict=False):
        if relation.cols == name and relation.rows in numbers:
            return np.asarray(S[np.argsort(numbers[relation.rows])])
        if relation.rows == name and relation.cols in numbers:
            return np.asarray(S.T[np.argsort(numbers[relation.cols])])
    return None


def renumber_associations(
    data: RelationalData, associations: Sequence[Array], numbers: Mapping[str, Array]
) -> tuple[Array, ...]:
    """Sort the rows and columns of associations by the numbers of their clusters."""
    # Methods of one type may have an association for none of the relations.
    pairs = zip(data.relations, associations, strict=False)
    return tuple(
        S[np.ix_(np.argsort(numbers[r.rows]), np.argsort(numbers[r.cols]))] for r, S in pairs
    )
