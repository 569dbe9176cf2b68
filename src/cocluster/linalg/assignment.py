"""Labels that lower a cost: of rows, of rows in one pass with the data, and of empty clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.linalg import passes
from cocluster.linalg.delegating import delegating
from cocluster.linalg.matrices import times
from cocluster.linalg.partitions import Partition, Ties
from cocluster.linalg.types import Array


def assigned(
    costs: Array,
    G: Partition,
    ties: Ties | None = None,
    pairwise: Array | sp.csr_array | None = None,
) -> Partition:
    r"""Lower :math:`\sum_i costs_{i, z_i} + \sum_{ij} P_{ij} [z_i = z_j]` over the labels z.

    Without pairwise terms each row takes its cheapest cluster, which is exact; rows with pairwise
    terms follow one after the other, each exact given the rest. Tied rows move as one.

    Parameters
    ----------
    costs : array of shape (n, k)
        Cost of each row in each cluster.
    G : Partition
        The labels so far.
    ties : Ties, optional
        Rows that share a label; G must give them one.
    pairwise : ndarray or csr_array of shape (n, n), optional
        P, symmetric: what it costs two rows to share a cluster.
    """
    if ties is not None:
        # A component is one row whose costs are the sums over its members.
        tied = Partition(G.labels[ties.representative], G.n_clusters)
        between = None if pairwise is None else ties.between(pairwise)
        found = assigned(ties.sums(costs), tied, pairwise=between)
        return Partition(found.labels[ties.component], G.n_clusters)
    best, rows = costs.argmin(axis=1), np.arange(len(costs))
    # A row stays where it is if that is as good: otherwise rows between two clusters of equal cost
    # would go to and fro, and the labels would never settle.
    stay = costs[rows, G.labels] <= costs[rows, best]
    labels = np.where(stay, G.labels, best).astype(np.int32)
    if pairwise is not None:
        # Of a matrix that is sparse already, this makes no copy.
        _follow_pairs(labels, G.labels, costs, sp.csr_array(pairwise))
    return Partition(labels, G.n_clusters)


def _follow_pairs(labels: Array, before: Array, costs: Array, pairwise: sp.csr_array) -> None:
    """Move the rows with pairwise terms one after the other, in place."""
    # They start from their old labels: from there each move lowers the whole sum. The cheapest
    # clusters of several rows, taken together, could raise it.
    linked = np.flatnonzero(np.diff(pairwise.indptr))
    labels[linked] = before[linked]
    for i in linked.tolist():
        cost = costs[i] + pair_costs(pairwise, i, labels, costs.shape[1])
        if cost.min() < cost[labels[i]]:
            labels[i] = cost.argmin()


def pair_costs(pairwise: sp.csr_array, i: int, labels: Array, n_clusters: int) -> Array:
    r"""Pairwise cost of row i in each cluster, :math:`2 \sum_{j \ne i} P_{ij} [z_j = k]`."""
    part = slice(pairwise.indptr[i], pairwise.indptr[i + 1])
    others = pairwise.indices[part]
    # Each pair stands twice in the symmetric matrix; the entry of a row with itself is fixed.
    weights = np.where(others == i, 0.0, 2 * pairwise.data[part])
    return np.bincount(labels[others], weights, minlength=n_clusters)


def fill_empty(partition: Partition, gain: Array, ties: Ties | None = None) -> Partition:
    """Each empty cluster takes the object (tied objects as one) that gains most by being alone."""
    if ties is not None:
        tied = Partition(partition.labels[ties.representative], partition.n_clusters)
        filled = fill_empty(tied, ties.sums(gain))
        return Partition(filled.labels[ties.component], partition.n_clusters)
    labels, sizes = partition.labels.copy(), partition.sizes.copy()
    # A stable order: objects that gain the same are taken by position, on every machine.
    best_first = iter(np.argsort(-gain, kind="stable"))
    for empty in np.flatnonzero(sizes == 0):
        # An object that is alone in its cluster would only leave another one empty.
        i = next((i for i in best_first if sizes[labels[i]] > 1), None)
        if i is None:  # there are fewer objects than clusters
            break
        sizes[labels[i]] -= 1
        sizes[empty] += 1
        labels[i] = empty
    return Partition(labels, partition.n_clusters)


@delegating
def assigns(R: Any) -> bool:
    """Whether labels of the rows of R come from one pass over it (`reassigned`)."""
    # Entries must be stored row by row, which in a csc array they are not.
    return passes.is_compiled(R) and R.format == "csr"


@delegating
def reassigned(R: Any, G: Any, H: Any, codes: Array, bias: Array) -> tuple[Any, Array]:
    r"""Labels of the rows that minimise :math:`bias_k + codes_k \cdot (R H)_i`, from one pass.

    A row keeps its label if that is as good. The second result is what the new labels change in
    Rᵀ G: rows that move are few after the first sweeps, so this is cheaper than Rᵀ G itself.

    Parameters
    ----------
    R : matrix of shape (n, m)
    G : partition of the n rows into k clusters, the labels so far
    H : partition of the m columns into l clusters
    codes : array of shape (k, l)
    bias : array of shape (k,)
    """
    if not assigns(R):
        return _reassigned_plainly(R, G, H, codes, bias)
    return passes.assign(R, G, H, codes, bias)


def _reassigned_plainly(
    R: Any, G: Partition, H: Partition, codes: Array, bias: Array
) -> tuple[Partition, Array]:
    """The same for any matrix: rows that move are picked out."""
    costs = times(R, H) @ codes.T.astype(R.dtype) + bias.astype(R.dtype)
    after = assigned(costs, G)
    rows = np.flatnonzero(after.labels != G.labels)
    change = after[rows].dense(R.dtype) - G[rows].dense(R.dtype)
    return after, R[rows].T @ change
