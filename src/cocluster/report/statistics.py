r"""How much a feature says about a cluster: statistics with one face.

All of them compare the samples of a cluster with the others, feature by feature; `scored` computes
one of

``g2``
    Log-likelihood ratio of the table "has the feature or not" by "in the cluster or not", signed.
    It counts samples, not occurrences, so that a word which one document repeats a hundred times
    counts once; and it needs no smoothing, for a rare feature cannot score high.
``ctfidf``
    Term frequency in the cluster times :math:`\log(1 + A / f_j)`, with f_j the occurrences of the
    feature and A those of an average cluster (BERTopic).
``relevance``
    :math:`\lambda \log p(j | c) + (1 - \lambda) \log (p(j | c) / p(j))`, λ = .6 (Sievert and
    Shirley 2014); negative infinity for features that the cluster lacks.
``frex``
    Harmonic mean of the ranks by frequency and by exclusivity within the cluster (Airoldi and
    Bischof 2016).
``wilcoxon``
    z of the rank sum test with ties, by the normal approximation: for values of any sign.
``t``
    Welch's t: the same for means.

Lift, :math:`p(j | c) / p(j)`, is shown beside them and never ranks: it is largest for features that
were seen once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy
from scipy.stats import rankdata

from cocluster.linalg.matrices import (
    as_dense,
    by_rows,
    chunks,
    entrywise,
    is_nonnegative,
    safe_inverse,
    times,
    values_of,
)
from cocluster.linalg.partitions import Partition
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.checks import check_choice

# Weight of the probability against the lift in the relevance: what its authors found in a study.
RELEVANCE = 0.6
# A matrix with a smaller share of zeros says nothing by which features a sample has: it has all.
FEWEST_ZEROS = 0.1
# Entries that are ranked at once: 32 MB, and a few arrays of the same size beside it.
RANKED_AT_ONCE = 4_000_000
# Least number that is divided by: a table without any counts must not become NaN.
TINY = np.finfo(np.float64).tiny

# (number of samples with the feature, number of samples, sum of the feature), by cluster.
Table = tuple[Array, Array, Array]


@dataclass(frozen=True, eq=False)
class Scores:
    """What was found for every cluster (rows) and feature (columns).

    Attributes
    ----------
    by : str
        The statistic, by its name in `STATISTICS`.
    score : array of shape (n_clusters, n_features)
        Larger: more characteristic.
    share : array of the same shape
        Share of the cluster's samples that have the feature: an entry that is not zero, or, for
        "wilcoxon" and "t", one above the median of the feature.
    lift : array of the same shape
        That share over the share among all samples.
    exclusivity : array of the same shape
        That share over the sum of the shares of all clusters: 1 if no other cluster has it.
    above : bool array of the same shape
        Whether the cluster has more of the feature than the other samples.
    """

    by: str
    score: Array
    share: Array
    lift: Array
    exclusivity: Array
    above: Array

    def best(self, cluster: int, n: int) -> Array:
        """The n features with the highest scores that the cluster has more than the others."""
        order = np.argsort(-self.score[cluster], kind="stable")
        return np.asarray(order[self.above[cluster, order]][:n])


def scored(X: InMemory, G: Partition, by: str = "g2") -> Scores:
    """A statistic of every feature in every cluster of samples.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    G : Partition
        Clusters of the samples.
    by : {"g2", "ctfidf", "relevance", "frex", "wilcoxon", "t"}
        See the head of this module. "g2" becomes "wilcoxon" where having a feature says nothing:
        for data with negative values or hardly any zeros.

    Examples
    --------
    >>> from cocluster.linalg.partitions import as_partition
    >>> X = np.array([[2.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 3.0, 1.0], [0.0, 1.0, 0.0]])
    >>> found = scored(X, as_partition(np.array([0, 0, 1, 1]), 2))
    >>> found.score.round(1).tolist(), found.best(0, 3).tolist()
    ([[5.5, -5.5, 1.7], [-5.5, 5.5, -1.7]], [0, 2])
    """
    check_statistic(by)
    if by == "g2" and not tells_by_presence(X):
        by = "wilcoxon"
    if by in BY_VALUE:
        score, having = _by_value(X, G, BY_VALUE[by])
    else:
        if not is_nonnegative(X):
            raise ValueError(
                f"by={by!r} counts features and needs data >= 0; use by='wilcoxon' or by='t'."
            )
        having = times(entrywise(_present, X).T, G).T
        score = BY_COUNTS[by]((having, G.sizes, times(X.T, G).T))
    share = having / np.maximum(G.sizes, 1)[:, None]
    lift = share * safe_inverse(having.sum(axis=0) / max(len(G.labels), 1))
    return Scores(
        by,
        np.asarray(score, dtype=np.float64),
        share,
        lift,
        exclusivity=share * safe_inverse(share.sum(axis=0)),
        # Those that are no tests have no sign. The little more than 1 is for rounding.
        above=score > 0 if by in SIGNED else lift > 1 + 1e-9,
    )


def check_statistic(by: str) -> str:
    """The name of a statistic, checked before any work; lift is refused with the reason."""
    if by == "lift":
        raise ValueError(
            "Features are not ranked by lift, which is largest for those seen once; it is a column "
            f"of what is found. Choose one of {', '.join(map(repr, STATISTICS))}."
        )
    name: str = check_choice(by, "by", STATISTICS)
    return name


def tells_by_presence(X: InMemory) -> bool:
    """Whether it says something which features a sample has: none is negative, some are zero."""
    entries = max(X.shape[0] * X.shape[1], 1)
    return is_nonnegative(X) and np.count_nonzero(values_of(X)) <= (1 - FEWEST_ZEROS) * entries


def _present(values: Array) -> Array:
    """1 where there is something."""
    return np.asarray(values != 0, dtype=np.float64)


def _g2(table: Table) -> Array:
    """Signed log-likelihood ratio of the four cells that each cluster and feature make."""
    having, sizes, _ = table
    n, with_feature = sizes.sum(), having.sum(axis=0)
    inside, outside = sizes[:, None], n - sizes[:, None]
    rest = with_feature - having
    total = np.zeros(having.shape)
    for observed, cluster, feature in (
        (having, inside, with_feature),
        (rest, outside, with_feature),
        (inside - having, inside, n - with_feature),
        (outside - rest, outside, n - with_feature),
    ):
        # What is expected is nowhere zero where something was observed.
        expected = np.maximum(cluster * feature / max(n, 1), TINY)
        total += xlogy(observed, observed / expected)
    # Rounding may leave a table without any difference just below zero.
    return np.asarray(np.sign(having * outside - rest * inside) * 2 * np.maximum(total, 0))


def _ctfidf(table: Table) -> Array:
    """Frequency within the cluster, less for features that are frequent everywhere."""
    sums = table[2]
    average = sums.sum() / len(sums)
    return np.asarray(_profiles(sums) * np.log1p(average * safe_inverse(sums.sum(axis=0))))


def _relevance(table: Table) -> Array:
    """Logarithms of probability and lift, weighted."""
    sums = table[2]
    overall = sums.sum(axis=0) / max(sums.sum(), TINY)
    profile = _profiles(sums)
    with np.errstate(divide="ignore"):
        logs, lifts = np.log(profile), np.log(profile * safe_inverse(overall))
    return np.asarray(RELEVANCE * logs + (1 - RELEVANCE) * lifts)


def _frex(table: Table) -> Array:
    """Harmonic mean of two ranks, as shares of all features."""
    profile = _profiles(table[2])
    exclusive = profile * safe_inverse(profile.sum(axis=0))
    ranks = [rankdata(values, "max", axis=1) / values.shape[1] for values in (profile, exclusive)]
    return np.asarray(2 / (1 / ranks[0] + 1 / ranks[1]))


def _profiles(sums: Array) -> Array:
    """Distribution of each cluster over the features."""
    return np.asarray(sums * safe_inverse(sums.sum(axis=1))[:, None])


def _by_value(
    X: InMemory, G: Partition, statistic: Callable[[Array, Partition], Array]
) -> tuple[Array, Array]:
    """A statistic of values, and how many samples of each cluster lie above the median."""
    parts = [
        (statistic(columns, G), G.inner(columns > np.median(columns, axis=0)))
        for columns in _columns(X)
    ]
    scores, above = zip(*parts, strict=True)
    return np.hstack(scores), np.hstack(above)


def _columns(X: InMemory) -> Iterator[Array]:
    """Some columns of X after the others, dense."""
    rows = by_rows(X.T)
    for part in chunks(X.shape[1], RANKED_AT_ONCE // max(X.shape[0], 1)):
        yield as_dense(rows[part]).T


def _wilcoxon(values: Array, G: Partition) -> Array:
    """Rank sums against their mean, in units of their standard deviation."""
    n, sizes = len(values), G.sizes[:, None].astype(np.float64)
    ranks = rankdata(values, axis=0) - (n + 1) / 2
    # Ties make the spread of the ranks smaller, and the variance of their sums by as much.
    spread = np.einsum("ij,ij->j", ranks, ranks) / max(n * (n - 1), 1)
    return _ratio(G.inner(ranks), np.sqrt(sizes * (n - sizes) * spread))


def _welch(values: Array, G: Partition) -> Array:
    """Difference of the means over its standard error."""
    n, sizes = len(values), G.sizes[:, None].astype(np.float64)
    # From the mean on: squares of values far from zero would lose their digits.
    values = values - values.mean(axis=0)
    sums, squares = G.inner(values), G.inner(values**2)
    means, errors = [], []
    for size, total, square in (
        (sizes, sums, squares),
        (n - sizes, sums.sum(axis=0) - sums, squares.sum(axis=0) - squares),
    ):
        mean = total / np.maximum(size, 1)
        means.append(mean)
        # One sample has no variance: there is no test then, and the score is zero.
        variance = (square - size * mean**2) / np.where(size > 1, size - 1, np.nan)
        errors.append(np.maximum(variance, 0) / np.maximum(size, 1))
    return np.asarray(np.nan_to_num(_ratio(means[0] - means[1], np.sqrt(errors[0] + errors[1]))))


def _ratio(difference: Array, error: Array) -> Array:
    """Difference over error; 0 where nothing varies and where there is nothing to compare."""
    return np.asarray(np.divide(difference, error, out=np.zeros_like(error), where=error > 0))


BY_COUNTS = {"g2": _g2, "ctfidf": _ctfidf, "relevance": _relevance, "frex": _frex}
BY_VALUE = {"wilcoxon": _wilcoxon, "t": _welch}
STATISTICS = (*BY_COUNTS, *BY_VALUE)
# Tests: positive where the cluster has more of the feature, negative where it has less.
SIGNED = ("g2", *BY_VALUE)
