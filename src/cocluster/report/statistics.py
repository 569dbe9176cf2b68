r"""Statistics of how characteristic a feature is of a cluster.

All of them compare the samples of a cluster with the others, feature by feature; `score_features`
computes one of

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

from collections.abc import Callable, Iterator, Sequence
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
from cocluster.linalg.partitions import Partition, as_partition
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.checks import check_choice

# Weight of the probability against the lift in the relevance, from a user study of its authors.
RELEVANCE_WEIGHT = 0.6
# In a matrix with a smaller share of zeros, samples have nearly all features, and presence is not
# informative.
MIN_ZEROS = 0.1
# Entries that are ranked at once: an array of 32 MB, and a few more of the same size.
CHUNK_ENTRIES = 4_000_000
# Least divisor, so that a table without any counts does not become NaN.
TINY = np.finfo(np.float64).tiny

# (number of samples with the feature, number of samples, sum of the feature), by cluster.
Table = tuple[Array, Array, Array]


@dataclass(frozen=True, eq=False)
class Scores:
    """A statistic of every cluster (rows) and feature (columns).

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
        """Return the n best features that are over-represented in a cluster."""
        order = np.argsort(-self.score[cluster], kind="stable")
        return np.asarray(order[self.above[cluster, order]][:n])


def score_features(X: InMemory, G: Partition, by: str = "g2") -> Scores:
    """Compute a statistic of every feature in every cluster of samples.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    G : Partition
        Clusters of the samples.
    by : {"g2", "ctfidf", "relevance", "frex", "wilcoxon", "t"}
        See the head of this module. "g2" becomes "wilcoxon" for data with negative values or
        hardly any zeros.

    Examples
    --------
    >>> from cocluster.linalg.partitions import as_partition
    >>> X = np.array([[2.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 3.0, 1.0], [0.0, 1.0, 0.0]])
    >>> scores = score_features(X, as_partition(np.array([0, 0, 1, 1]), 2))
    >>> scores.score.round(1).tolist(), scores.best(0, 3).tolist()
    ([[5.5, -5.5, 1.7], [-5.5, 5.5, -1.7]], [0, 2])
    """
    check_statistic(by)
    if by == "g2" and not is_presence_informative(X):
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
        # Statistics that are not tests have no sign. The margin above 1 is for rounding.
        above=score > 0 if by in SIGNED else lift > 1 + 1e-9,
    )


def characteristic_features(
    X: InMemory, labels: Array, names: Sequence[str] | Array, n: int = 10, by: str = "g2"
) -> dict[int, list[str]]:
    """Name the features that are most characteristic of each cluster of rows.

    `cocluster.explain` says more: scores, members and names of the clusters.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    labels : array of shape (n_samples,)
        Cluster of each sample.
    names : sequence of n_features names
        What the features are called.
    n : int
        Largest number of features to name; only those that the cluster has more than the other
        samples are named.
    by : str
        The statistic, see `cocluster.report.statistics`: by default the signed log-likelihood
        ratio of having the feature, and the rank sum test where data are negative or never zero.

    Returns
    -------
    dict of int to list of str
        Names by cluster, the most characteristic first.

    Examples
    --------
    >>> X = np.array([[9, 0, 5], [8, 1, 5], [0, 7, 5]])
    >>> characteristic_features(X, np.array([0, 0, 1]), ["ball", "vote", "the"], n=1)
    {0: ['ball'], 1: ['vote']}
    """
    if X.shape != (len(labels), len(names)):
        raise ValueError(
            f"X is {X.shape[0]} x {X.shape[1]}, but there are {len(labels)} labels and "
            f"{len(names)} names: give one label per row and one name per column."
        )
    clusters, codes = np.unique(labels, return_inverse=True)
    scores = score_features(X, as_partition(codes, len(clusters)), by)
    return {
        int(cluster): [str(names[j]) for j in scores.best(c, n)]
        for c, cluster in enumerate(clusters)
    }


def check_statistic(by: str) -> str:
    """Return the name of a statistic; raise if there is no such statistic."""
    if by == "lift":
        raise ValueError(
            "Features are not ranked by lift, which is largest for those seen once; it is a column "
            f"of what is found. Choose one of {', '.join(map(repr, STATISTICS))}."
        )
    name: str = check_choice(by, "by", STATISTICS)
    return name


def is_presence_informative(X: InMemory) -> bool:
    """Return whether the presence of features is informative: no value negative, some zero."""
    entries = max(X.shape[0] * X.shape[1], 1)
    return is_nonnegative(X) and np.count_nonzero(values_of(X)) <= (1 - MIN_ZEROS) * entries


def _present(values: Array) -> Array:
    """Return the indicator of nonzero entries."""
    return np.asarray(values != 0, dtype=np.float64)


def _g2(table: Table) -> Array:
    """Return the signed log-likelihood ratio of the 2 x 2 table of each cluster and feature."""
    having, sizes, _ = table
    n, with_feature = sizes.sum(), having.sum(axis=0)
    inside, outside = sizes[:, None], n - sizes[:, None]
    having_outside = with_feature - having
    total = np.zeros(having.shape)
    for observed, cluster, feature in (
        (having, inside, with_feature),
        (having_outside, outside, with_feature),
        (inside - having, inside, n - with_feature),
        (outside - having_outside, outside, n - with_feature),
    ):
        # An expected count is zero only where the observed count is zero.
        expected = np.maximum(cluster * feature / max(n, 1), TINY)
        total += xlogy(observed, observed / expected)
    # Rounding may yield a small negative number for a table without any difference.
    return np.asarray(
        np.sign(having * outside - having_outside * inside) * 2 * np.maximum(total, 0)
    )


def _ctfidf(table: Table) -> Array:
    """Return the class-based tf-idf: frequency in the cluster, damped by overall frequency."""
    sums = table[2]
    average = sums.sum() / len(sums)
    return np.asarray(_profiles(sums) * np.log1p(average * safe_inverse(sums.sum(axis=0))))


def _relevance(table: Table) -> Array:
    """Return the relevance: weighted logarithms of probability and lift."""
    sums = table[2]
    overall = sums.sum(axis=0) / max(sums.sum(), TINY)
    profile = _profiles(sums)
    with np.errstate(divide="ignore"):
        logs, lifts = np.log(profile), np.log(profile * safe_inverse(overall))
    return np.asarray(RELEVANCE_WEIGHT * logs + (1 - RELEVANCE_WEIGHT) * lifts)


def _frex(table: Table) -> Array:
    """Return the harmonic mean of the ranks by frequency and exclusivity, as shares."""
    profile = _profiles(table[2])
    exclusive = profile * safe_inverse(profile.sum(axis=0))
    ranks = [rankdata(values, "max", axis=1) / values.shape[1] for values in (profile, exclusive)]
    return np.asarray(2 / (1 / ranks[0] + 1 / ranks[1]))


def _profiles(sums: Array) -> Array:
    """Return the distribution of each cluster over the features."""
    return np.asarray(sums * safe_inverse(sums.sum(axis=1))[:, None])


def _by_value(
    X: InMemory, G: Partition, statistic: Callable[[Array, Partition], Array]
) -> tuple[Array, Array]:
    """Return a statistic of values, and how many samples of a cluster exceed the median."""
    results = [
        (statistic(columns, G), G.inner(columns > np.median(columns, axis=0)))
        for columns in _columns(X)
    ]
    scores, above = zip(*results, strict=True)
    return np.hstack(scores), np.hstack(above)


def _columns(X: InMemory) -> Iterator[Array]:
    """Yield the columns of X in dense chunks."""
    rows = by_rows(X.T)
    for chunk in chunks(X.shape[1], CHUNK_ENTRIES // max(X.shape[0], 1)):
        yield as_dense(rows[chunk]).T


def _wilcoxon(values: Array, G: Partition) -> Array:
    """Return the z of the rank sum test with ties."""
    n, sizes = len(values), G.sizes[:, None].astype(np.float64)
    ranks = rankdata(values, axis=0) - (n + 1) / 2
    # Ties make the spread of the ranks smaller, and the variance of their sums by as much.
    spread = np.einsum("ij,ij->j", ranks, ranks) / max(n * (n - 1), 1)
    return _ratio(G.inner(ranks), np.sqrt(sizes * (n - sizes) * spread))


def _welch(values: Array, G: Partition) -> Array:
    """Return Welch's t: the difference of the means over its standard error."""
    n, sizes = len(values), G.sizes[:, None].astype(np.float64)
    # Values are centred, because squares of values far from zero lose digits.
    values = values - values.mean(axis=0)
    sums, squares = G.inner(values), G.inner(values**2)
    means, errors = [], []
    for size, total, square in (
        (sizes, sums, squares),
        (n - sizes, sums.sum(axis=0) - sums, squares.sum(axis=0) - squares),
    ):
        mean = total / np.maximum(size, 1)
        means.append(mean)
        # A single sample has no variance; its score is zero.
        variance = (square - size * mean**2) / np.where(size > 1, size - 1, np.nan)
        errors.append(np.maximum(variance, 0) / np.maximum(size, 1))
    return np.asarray(np.nan_to_num(_ratio(means[0] - means[1], np.sqrt(errors[0] + errors[1]))))


def _ratio(difference: Array, error: Array) -> Array:
    """Return difference over error; 0 where the error is zero."""
    return np.asarray(np.divide(difference, error, out=np.zeros_like(error), where=error > 0))


BY_COUNTS = {"g2": _g2, "ctfidf": _ctfidf, "relevance": _relevance, "frex": _frex}
BY_VALUE = {"wilcoxon": _wilcoxon, "t": _welch}
STATISTICS = (*BY_COUNTS, *BY_VALUE)
# Tests: positive where the cluster has more of the feature, negative where it has less.
SIGNED = ("g2", *BY_VALUE)
