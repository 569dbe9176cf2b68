r"""Weighted kernel k-means, with or without links.

Weighted kernel k-means minimises, over labels,

.. math::
    J = \sum_c \sum_{i \in c} a_i \|\phi_i - m_c\|^2
      = \sum_i a_i K_{ii} - \sum_c q_c / s_c, \qquad
    s_c = \sum_{i \in c} a_i, \quad q_c = \sum_{i, j \in c} a_i a_j K_{ij},

with :math:`m_c` the weighted mean of cluster c. On :math:`K = A + W` with W holding the weights
of links (must-link positive, cannot-link negative) it is the semi-supervised kernel k-means
SS-KK ([1]_, Eqs. 19 to 21).

References
----------
.. [1] Y. Chen, M. Rege, M. Dong, J. Hua, "Non-negative matrix factorization for semi-supervised
   data clustering", Knowledge and Information Systems 17, 2008.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la

from cocluster.graphs.kernels import checked_kernel
from cocluster.linalg.assignment import fill_empty
from cocluster.linalg.partitions import Partition
from cocluster.linalg.types import Array
from cocluster.links.closure import link_share, symmetric
from cocluster.links.validate import as_pairs, check_pairs
from cocluster.trifactor import Callback, Progress
from cocluster.utils.checks import check_integer, check_number, check_start

# Smaller gains, relative to the trace of the kernel, are rounding: without this floor samples
# could be moved to and fro for ever.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class KernelPartition:
    """Labels found, their objective J, its value after each pass, whether no move is left."""

    labels: Array
    objective: float
    history: Array
    converged: bool = True


def supervised_kernel(
    K: Array, must_link: Array, cannot_link: Array, weight: float | None = None
) -> Array:
    r"""Kernel of SS-KK, :math:`K + W + \sigma I` ([1]_, below Eq. 21).

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
    must_link, cannot_link : integer arrays of shape (n_pairs, 2)
        W is `weight` for must-links and ``-weight`` for cannot-links.
    weight : float, optional
        By default the range of K: every must-link then is at least as similar as the most
        similar pair of K and every cannot-link at most as the least similar, as in the paper's
        experiments. Where samples have many links each, as a partial labelling gives them, it is
        less, see `cocluster.links.closure.link_share`.

    Returns
    -------
    array of shape (n_samples, n_samples)
        Positive semi-definite: σ is minus the smallest eigenvalue if that is negative. It adds
        the constant σ (n - k) to the unweighted objective and so changes no optimum. Without
        links K is returned as it is.
    """
    n = K.shape[0]
    must, cannot = as_pairs(must_link, "must_link"), as_pairs(cannot_link, "cannot_link")
    for pairs in (must, cannot):
        check_pairs(pairs, n)
    if len(must) + len(cannot) == 0:
        return K
    if weight is None:
        weight = float(np.ptp(K)) * link_share(np.vstack([must, cannot]))
    weight = check_number(weight, "weight")
    weights = np.repeat([weight, -weight], [len(must), len(cannot)])
    linked = K + symmetric(np.vstack([must, cannot]), weights, n).toarray()
    # The smallest eigenvalue alone: σ needs no others.
    smallest = float(la.eigh(linked, eigvals_only=True, subset_by_index=[0, 0])[0])
    return np.asarray(linked + max(0.0, -smallest) * np.eye(n))


def kernel_kmeans(
    K: Array,
    k: int,
    rng: np.random.Generator,
    n_init: int = 10,
    weights: Array | None = None,
    start: Array | None = None,
    callback: Callback | None = None,
) -> KernelPartition:
    """Weighted kernel k-means: the best of several starts by the objective J.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
        Symmetric; J falls in every pass even if K is not positive semi-definite.
    k : int
        Number of clusters, none of which is empty in the result.
    rng : numpy Generator
    n_init : int
        Number of starts (k-means++ in the feature space); one if `start` is given.
    weights : array of shape (n_samples,), optional
        Positive weights a of the samples.
    start : array of shape (n_samples,), optional
        Labels to start from.
    callback : callable, optional
        Called with a `Progress` after each batch pass; returning True ends the run.

    Returns
    -------
    KernelPartition

    Notes
    -----
    Each run makes batch passes (every sample to its nearest mean, an empty cluster takes the
    worst fitted sample) while J falls, and then moves single samples, the best first, until no
    move of one sample lowers J. A pass costs O(n²), a move O(n k).
    """
    K = checked_kernel(K, len(K))
    n, k = len(K), check_integer(k, "k")
    if k > n:
        raise ValueError(f"k = {k} clusters need at least as many samples, got {n}.")
    a = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    if a.shape != (n,) or not (a > 0).all():
        raise ValueError(f"weights must be {n} positive numbers, one per sample.")
    if start is not None:
        return _run(K, check_start(start, n, k, "start"), k, a, callback)
    starts = (_plus_plus(K, k, a, rng) for _ in range(check_integer(n_init, "n_init")))
    runs = (_run(K, labels, k, a, callback) for labels in starts)
    return min(runs, key=lambda run: run.objective)


def _plus_plus(K: Array, k: int, a: Array, rng: np.random.Generator) -> Array:
    """Label samples by the nearest of k centres, drawn one by one with probability a d²."""
    diagonal = np.diag(K)
    centers = [int(rng.choice(len(K), p=a / a.sum()))]
    for _ in range(k - 1):
        mass = a * np.maximum(_distances_to_samples(K, diagonal, centers).min(axis=1), 0.0)
        # If every sample equals one of the centres, draw the next by weight alone.
        mass = mass if mass.sum() > 0 else a
        centers.append(int(rng.choice(len(K), p=mass / mass.sum())))
    return np.asarray(_distances_to_samples(K, diagonal, centers).argmin(axis=1))


def _distances_to_samples(K: Array, diagonal: Array, centers: list[int]) -> Array:
    """Return the squared distances of all samples to the samples that are centres."""
    return np.asarray(diagonal[:, None] - 2.0 * K[:, centers] + diagonal[centers])


def _run(K: Array, labels: Array, k: int, a: Array, callback: Callback | None) -> KernelPartition:
    """Run batch passes, then single moves, from one start."""
    diagonal, floor = np.diag(K), ROUNDING * float(np.abs(np.diag(K)) @ a)
    labels = _fill_clusters(labels, k, np.zeros(len(K)))
    # Distances to the means follow from these: ‖φ_i - m_c‖² = K_ii - 2 u_ic / s_c + q_c / s_c².
    u, s, q = _sums(K, labels, k, a)
    history = [_value(diagonal, a, s, q)]
    while True:
        distances = diagonal[:, None] - 2.0 * u / s + q / s**2
        nearest = distances.argmin(axis=1)
        proposal = _fill_clusters(nearest, k, distances[np.arange(len(K)), nearest])
        sums = _sums(K, proposal, k, a)
        value = _value(diagonal, a, *sums[1:])
        # A batch pass may raise J if K is not positive semi-definite; it is then rejected.
        if not value < history[-1] - floor:
            break
        labels, (u, s, q) = proposal, sums
        history.append(value)
        if callback is not None and callback(Progress(len(history) - 1, value)):
            return KernelPartition(labels, value, np.array(history), converged=False)
    labels, moves = _move_singly(K, labels, u, a, floor)
    values = np.concatenate([history, history[-1] - np.cumsum(moves)])
    return KernelPartition(labels, _value(diagonal, a, *_sums(K, labels, k, a)[1:]), values)


def _sums(K: Array, labels: Array, k: int, a: Array) -> tuple[Array, Array, Array]:
    """Return u_ic = Σ_{j in c} a_j K_ij, with s and q of the clusters."""
    members = (labels[:, None] == np.arange(k)) * a[:, None]
    u = K @ members
    return u, members.sum(axis=0), (members * u).sum(axis=0)


def _value(diagonal: Array, a: Array, s: Array, q: Array) -> float:
    """Return J from the sums of the clusters."""
    return float(a @ diagonal - (q / s).sum())


def _fill_clusters(labels: Array, k: int, misfit: Array) -> Array:
    """Give each empty cluster the worst fitted sample of another cluster; return the labels."""
    return fill_empty(Partition(labels, k), misfit).labels


def _move_singly(
    K: Array, labels: Array, u: Array, a: Array, floor: float
) -> tuple[Array, list[float]]:
    """Make the best single move until none lowers J; return the labels and the falls of J."""
    labels, u, samples = labels.copy(), u.copy(), np.arange(len(K))
    k, falls = u.shape[1], list[float]()
    own_square = a**2 * np.diag(K)
    while True:
        members = labels[:, None] == np.arange(k)
        s, sizes = a @ members, members.sum(axis=0)
        q = np.where(members, a[:, None] * u, 0.0).sum(axis=0)
        # The gain in J if a sample leaves its cluster and if it joins another: each is the change
        # of q_c / s_c.
        change = 2.0 * a[:, None] * u
        joining_gain = (q + change + own_square[:, None]) / (s + a[:, None]) - q / s
        # The last sample of a cluster stays: its cluster would be empty.
        remaining_weight = np.where(sizes[labels] > 1, s[labels] - a, np.inf)
        leaving_gain = (q[labels] - change[samples, labels] + own_square) / remaining_weight - q[
            labels
        ] / s[labels]
        gain = np.where(members, -np.inf, joining_gain + leaving_gain[:, None])
        gain[sizes[labels] == 1] = -np.inf
        sample, target = np.unravel_index(gain.argmax(), gain.shape)
        if not gain[sample, target] > floor:
            return labels, falls
        falls.append(float(gain[sample, target]))
        # Only the sums of two clusters change: O(n), where `_sums` would cost O(n²).
        step = a[sample] * K[:, sample]
        u[:, labels[sample]] -= step
        u[:, target] += step
        labels[sample] = target
