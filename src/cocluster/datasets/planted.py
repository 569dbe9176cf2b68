r"""Sparse count data with planted co-clusters, of any size, with a known best-possible accuracy.

Row i of cluster :math:`z_i` and column j of cluster :math:`w_j` meet

.. math:: X_{ij} \sim \mathrm{Poisson}(\theta_i \, \varphi_j \, B_{z_i w_j})

times. The degrees :math:`\theta, \varphi` are lognormal; the rows of :math:`B` are scaled such that
:math:`\theta_i` is the expected sum of row i, so that row sums say nothing about the clusters.
A Poisson total that is split at random stays Poisson: the counts of a row by column cluster are
drawn first, then each count falls on a column of the cluster in proportion to :math:`\varphi`.
The work is proportional to the number of counts, and no dense n x m array is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.types import Array
from cocluster.utils.checks import RandomState, generator
from cocluster.utils.threads import single_blas_thread

Pattern = Literal["diagonal", "checkerboard"]

# With these and ten clusters the best possible accuracy is about .93 at 1,000 columns and .96 at
# 10,000: hard enough to tell methods apart, easy enough that none has to guess.
DEFAULT_CONTRAST: Mapping[str, float] = {"diagonal": 3.0, "checkerboard": 2.6}
# Checkerboards from which the best separated one is taken: a fraction of a second for ten by ten.
PATTERN_DRAWS = 1000
# Counts that are placed at once, so that memory does not grow with the number of rows.
CHUNK_COUNTS = 2_000_000


@dataclass(frozen=True, eq=False)
class Planted:
    """A matrix with planted co-clusters, as :func:`make_blocks` returns it.

    Attributes
    ----------
    X : csr_array of shape (n_rows, n_columns)
        Counts, as float64.
    row_labels, column_labels : int arrays
        The planted clusters; -1 for rows of noise.
    best_accuracy : float
        Share of the rows that could be placed right if all but their cluster were known, of those
        that have one.
    """

    X: sp.csr_array
    row_labels: Array
    column_labels: Array
    best_accuracy: float


@dataclass(frozen=True, eq=False)
class PlantedStar:
    """Matrices that share their rows, with planted co-clusters; :func:`make_star` returns it.

    Attributes
    ----------
    views : dict of name to csr_array of shape (n_samples, n_features)
        Counts, as float64.
    labels : int array of shape (n_samples,)
        The planted clusters of the samples; -1 for noise.
    feature_labels : dict of name to int array
        Those of the features of each view.
    best_accuracy : float
        Share of the samples that could be placed right from all views together if all but their
        cluster were known.
    """

    views: dict[str, sp.csr_array]
    labels: Array
    feature_labels: dict[str, Array]
    best_accuracy: float


def make_blocks(
    n_rows: int = 2000,
    n_columns: int = 1000,
    n_clusters: int = 10,
    n_column_clusters: int | None = None,
    *,
    pattern: Pattern = "diagonal",
    row_degree: float | None = None,
    contrast: float | None = None,
    degree_spread: float = 0.5,
    size_ratio: float | None = None,
    noise: float = 0.0,
    random_state: RandomState = None,
) -> Planted:
    r"""Draw a sparse count matrix with planted row and column clusters.

    Parameters
    ----------
    n_rows, n_columns : int
        Shape of the matrix.
    n_clusters, n_column_clusters : int
        Numbers of row and column clusters; as many column as row clusters if None. The clusters
        are a little unequal (within a factor of about two).
    pattern : {"diagonal", "checkerboard"}
        Which blocks are high: each row cluster meets one column cluster, or its own half of
        them. The checkerboard is the best separated of some random ones; no two rows and no two
        columns of it are alike and its rank is full.
    row_degree : float, optional
        Mean of the row sums; :math:`25 \log_{10} m` for m columns if None, which is 75 for 1,000
        and 100 for 10,000: longer vocabularies come with longer documents.
    contrast : float, optional
        Ratio of high to low blocks, at least 1; 3 for the diagonal, 2.6 for the checkerboard.
    degree_spread : float
        Standard deviation of the logarithm of row and column degrees; 0 makes them equal.
    size_ratio : float, optional
        The largest cluster of rows over the smallest, with equal steps between the others; about
        two if None.
    noise : float
        Share of rows that belong to no cluster: their counts follow the degrees of the columns.
    random_state : None, int, RandomState or Generator
        Seed of the draw.

    Returns
    -------
    Planted
        ``X`` (csr_array of float64), ``row_labels``, ``column_labels`` and ``best_accuracy``:
        the share of the rows with a cluster that the Bayes rule labels right if it is told the
        column clusters, all rates, the proportions of the clusters and which rows are noise. No
        clustering can be expected to do better.

    Examples
    --------
    >>> data = make_blocks(300, 200, n_clusters=3, random_state=0)
    >>> data.X.shape, data.row_labels.shape, data.best_accuracy > 0.9
    ((300, 200), (300,), True)
    """
    star = make_star(
        n_rows,
        {"columns": n_columns},
        n_clusters,
        None if n_column_clusters is None else {"columns": n_column_clusters},
        pattern=pattern,
        row_degree=None if row_degree is None else {"columns": row_degree},
        contrast=contrast,
        degree_spread=degree_spread,
        size_ratio=size_ratio,
        noise=noise,
        random_state=random_state,
    )
    X, column_labels = star.views["columns"], star.feature_labels["columns"]
    return Planted(X, star.labels, column_labels, star.best_accuracy)


def make_star(
    n_samples: int = 2000,
    n_features: Mapping[str, int] | None = None,
    n_clusters: int = 10,
    n_feature_clusters: Mapping[str, int] | None = None,
    *,
    pattern: Pattern = "diagonal",
    row_degree: Mapping[str, float] | None = None,
    contrast: float | None = None,
    degree_spread: float = 0.5,
    size_ratio: float | None = None,
    noise: float = 0.0,
    random_state: RandomState = None,
) -> PlantedStar:
    r"""Draw several sparse count matrices over the same samples, with planted co-clusters.

    Each view is drawn as by :func:`make_blocks`, with the same clusters of samples and its own
    degrees, feature clusters and blocks.

    Parameters
    ----------
    n_samples : int
    n_features : mapping of str to int
        Number of features by view; ``{"words": 1000, "tags": 200}`` if None.
    n_clusters : int
        Number of clusters of samples.
    n_feature_clusters : mapping of str to int, optional
        Number of feature clusters by view; ``n_clusters`` for views not named.
    row_degree : mapping of str to float, optional
        Mean row sum by view; :math:`25 \log_{10}(m) / v` for the views not named, with m features
        and v views: the samples stay about as hard to tell apart with any number of views.
    pattern, contrast, degree_spread, size_ratio, noise, random_state
        As for :func:`make_blocks`, for each view.

    Returns
    -------
    PlantedStar
        ``views`` (csr_array by name), ``labels`` of the samples, ``feature_labels`` by view, and
        ``best_accuracy`` of the Bayes rule that uses all views together.

    Examples
    --------
    >>> planted = make_star(200, {"words": 100, "tags": 30}, 3, random_state=0)
    >>> planted.views["tags"].shape, len(set(planted.labels.tolist()))
    ((200, 30), 3)
    """
    n_features = {"words": 1000, "tags": 200} if n_features is None else n_features
    n_feature_clusters = {name: n_clusters for name in n_features} | dict(n_feature_clusters or {})
    row_degree = {
        name: 25 * np.log10(max(m, 2)) / len(n_features) for name, m in n_features.items()
    } | dict(row_degree or {})
    contrast = DEFAULT_CONTRAST.get(pattern, 1.0) if contrast is None else contrast
    _check_sizes(n_samples, n_features, n_clusters, n_feature_clusters, row_degree)
    _check_blocks(pattern, n_clusters, n_feature_clusters.values(), contrast, degree_spread)
    _check_rows(size_ratio, noise)

    rng = generator(random_state)
    labels = _labels(n_samples, n_clusters, rng, size_ratio)
    log_posterior = np.log(np.bincount(labels) / n_samples) + np.zeros((n_samples, 1))
    if noise:
        labels[rng.random(n_samples) < noise] = -1
    views, feature_labels = {}, {}
    for name, m in n_features.items():
        on = _pattern(pattern, n_clusters, n_feature_clusters[name], rng)
        feature_labels[name] = _labels(m, n_feature_clusters[name], rng)
        weights = _degrees(m, degree_spread, rng)
        blocks = _block_shares(1 + (contrast - 1) * on, feature_labels[name], weights)
        degrees = row_degree[name] * _degrees(n_samples, degree_spread, rng)
        # The last row holds the rates of noise, so that the label -1 indexes it.
        rates = np.vstack(
            [blocks, _block_shares(np.ones_like(on[:1]), feature_labels[name], weights)]
        )
        counts = rng.poisson(degrees[:, None] * rates[labels])
        views[name] = _spread_counts(counts, feature_labels[name], weights, rng)
        # The row totals have the same law in every cluster, so only their split counts.
        log_posterior += counts @ np.log(blocks).T
    planted = labels >= 0
    best_accuracy = float(np.mean(log_posterior[planted].argmax(axis=1) == labels[planted]))
    return PlantedStar(views, labels, feature_labels, best_accuracy)


def _labels(n: int, k: int, rng: np.random.Generator, ratio: float | None = None) -> Array:
    """Labels of n objects in k a little unequal clusters (or with a ratio), none of them empty."""
    shares = rng.uniform(0.7, 1.3, size=k) if ratio is None else np.geomspace(1, ratio, k)
    # One object for each cluster first, so that none is empty.
    drawn = rng.choice(k, size=n - k, p=shares / shares.sum())
    return rng.permutation(np.concatenate([np.arange(k), drawn]))


def _degrees(n: int, spread: float, rng: np.random.Generator) -> Array:
    """Lognormal weights with mean 1."""
    # With this mean of the logarithm the mean of the weights is 1 for every spread.
    return rng.lognormal(-(spread**2) / 2, spread, size=n)


def _pattern(pattern: Pattern, k: int, l: int, rng: np.random.Generator) -> Array:
    """Return the 0/1 matrix (k, l) of the high blocks."""
    if pattern == "diagonal":
        return np.eye(k)
    draws = [_half_on(k, l, rng) for _ in range(PATTERN_DRAWS)]
    # The singular values of many small matrices, for which one thread is fastest.
    with single_blas_thread():
        clearest_first = sorted(draws, key=_separation, reverse=True)
        for on in clearest_first:
            # The clearest may have rows that are sums of others.
            if _separation(on)[0] > 0 and np.linalg.matrix_rank(on) == min(k, l):
                return on
    raise ValueError(
        f"No checkerboard of {k} x {l} blocks with distinct rows and columns was found: "
        "choose numbers of row and column clusters that are closer to each other."
    )


def _half_on(k: int, l: int, rng: np.random.Generator) -> Array:
    """A random matrix of zeros and ones, l // 2 ones in each row."""
    return rng.permuted(np.tile(np.arange(l) < l // 2, (k, 1)), axis=1).astype(float)


def _separation(on: Array) -> tuple[float, float]:
    """Least number of entries in which two rows or two columns differ; least singular value."""
    # Rows of zeros and ones differ in |a| + |b| - 2 ab places; a row is not compared with itself.
    distances = [
        A.sum(1)[:, None] + A.sum(1) - 2 * A @ A.T + np.diag(np.full(len(A), np.inf))
        for A in (on, on.T)
    ]
    return min(float(d.min()) for d in distances), float(np.linalg.svd(on, compute_uv=False)[-1])


def _block_shares(rates: Array, column_labels: Array, weights: Array) -> Array:
    """Share of a row's counts that falls on each column cluster, by row cluster; rows sum to 1."""
    shares = rates * np.bincount(column_labels, weights)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _spread_counts(
    counts: Array, column_labels: Array, weights: Array, rng: np.random.Generator
) -> sp.csr_array:
    """Let each count of a row by column cluster fall on a column of that cluster."""
    n, l = counts.shape
    members = [np.flatnonzero(column_labels == w).astype(np.int32) for w in range(l)]
    shares = [weights[columns] / weights[columns].sum() for columns in members]
    n_chunks = int(counts.sum() // CHUNK_COUNTS) + 1
    chunks = []
    for chunk in np.array_split(counts, min(n_chunks, n)):
        rows = np.arange(len(chunk), dtype=np.int32)
        i = np.concatenate([np.repeat(rows, chunk[:, w]) for w in range(l)])
        j = np.concatenate(
            [rng.choice(members[w], size=chunk[:, w].sum(), p=shares[w]) for w in range(l)]
        )
        shape = (len(chunk), len(column_labels))
        # The conversion to csr adds up the counts that fell on the same column.
        chunks.append(sp.coo_array((np.ones(len(i)), (i, j)), shape=shape).tocsr())
    return sp.csr_array(sp.vstack(chunks, format="csr"))


def _check_sizes(
    n_samples: int,
    n_features: Mapping[str, int],
    n_clusters: int,
    n_feature_clusters: Mapping[str, int],
    row_degree: Mapping[str, float],
) -> None:
    """Refuse impossible sizes before drawing anything."""
    if not n_features:
        raise ValueError('n_features is empty: name at least one view, as in {"words": 1000}.')
    for option, by_view in (("n_feature_clusters", n_feature_clusters), ("row_degree", row_degree)):
        if unknown := sorted(set(by_view) - set(n_features)):
            raise ValueError(f"{option} names {unknown}, but the views are {list(n_features)}.")
    sizes = [("samples", n_samples, n_clusters)]
    sizes += [(name, n_features[name], n_feature_clusters[name]) for name in n_features]
    for name, n, k in sizes:
        if not 1 <= k <= n:
            raise ValueError(f"{k} clusters of {n} {name}: choose at least 1 and at most {n}.")
    for name, degree in row_degree.items():
        if not 0 < degree < np.inf:
            raise ValueError(f"row_degree of {name} is {degree}: it must be positive and finite.")


def _check_blocks(
    pattern: str, k: int, ls: Iterable[int], contrast: float, degree_spread: float
) -> None:
    """Refuse unknown patterns, patterns that do not fit, and numbers out of range."""
    if pattern not in DEFAULT_CONTRAST:
        raise ValueError(f'pattern is {pattern!r}: choose "diagonal" or "checkerboard".')
    if pattern == "diagonal" and any(l != k for l in ls):
        raise ValueError(
            "The diagonal pattern needs as many column clusters as row clusters: "
            'leave their number out, or use pattern="checkerboard".'
        )
    if not 1 <= contrast < np.inf:
        raise ValueError(f"contrast is {contrast}: the ratio of high to low must be at least 1.")
    if not 0 <= degree_spread < np.inf:
        raise ValueError(f"degree_spread is {degree_spread}: it must not be negative.")


def _check_rows(size_ratio: float | None, noise: float) -> None:
    """Refuse impossible cluster size ratios and noise shares."""
    if size_ratio is not None and not 1 <= size_ratio < np.inf:
        raise ValueError(
            f"size_ratio is {size_ratio}: the largest over the smallest is at least 1."
        )
    if not 0 <= noise < 1:
        raise ValueError(f"noise is {noise}: it must be a share from 0 to less than 1.")
