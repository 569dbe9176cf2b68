"""k-means in an embedding, also of rows that are spread over a cluster."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning

from cocluster.linalg.matrices import row_squares
from cocluster.linalg.ordering import by_content
from cocluster.linalg.partitions import gathered, made
from cocluster.linalg.rowwise import rowwise
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.threads import single_blas_thread

# Most objects that k-means sees; the others go to the nearest centroid. It is there to start
# a search, and on millions of objects it would take longer than the search itself.
SAMPLE = 20_000
# Most products of a pass over all objects and clusters, a few seconds of time. Beyond it (from
# thousands of clusters on) rows are projected on as many random directions as stay below it, but
# no fewer than keep distances to some ten per cent.
MOST_WORK, LEAST_WIDTH = 1e10, 64
# Distances between objects and centroids beyond which one start must do, with one candidate for
# each centroid (k-means++ tries some ten, which would take longer than all that follows) and few
# passes: it is there to start a search.
MANY_DISTANCES, FEW_PASSES = 10_000_000, 10
# Starts are tried on so many of these, or on so many for each cluster, and the best one goes on
# with all: the sum of squares differs by less than a thousandth, and it takes half the time.
TRIED, TRIED_PER_CLUSTER = 5_000, 200


def kmeans_labels(Z: Any, k: int, seed: int, n_init: int = 5) -> Array:
    """Labels of the rows of Z by k-means on a sample of at most 20,000 of them.

    Parameters
    ----------
    Z : array of shape (n, d), or a factor that is spread over a cluster
    k : int
        Number of clusters; fewer are found where there are fewer rows.
    seed : int
        Draws the sample and the starts.
    n_init : int
        Starts, of which the best counts.
    """
    n, rng = Z.shape[0], np.random.default_rng(seed)
    width = max(int(MOST_WORK // (min(n, SAMPLE) * k)), LEAST_WIDTH)
    if Z.shape[1] > width:
        # A seed of their own, so that other draws stay as they are.
        directions = np.random.default_rng([seed, width]).normal(size=(Z.shape[1], width))
        Z = Z @ (directions / np.sqrt(width)).astype(Z.dtype)
    if n <= SAMPLE:
        sample = gathered(Z)
    else:
        # Looked at more than once: rows on a cluster are computed once and kept there.
        Z = made(Z)
        # Sorted, because rows that are spread are fetched part by part, and read faster so.
        sample = Z[np.sort(by_content(Z)[rng.choice(n, SAMPLE, replace=False)])]
    # Rows at the origin say nothing (in an embedding they are crumbs, empty rows, or absent ones):
    # they are assigned afterwards and get no cluster of their own.
    telling = row_squares(sample) > 0
    some = telling.sum() >= k and not telling.all()
    points = sample[telling] if some else sample
    model = _kmeans_of_some(points, k, seed, n_init)
    if n <= SAMPLE and not some:
        return np.asarray(model.labels_)
    # Rows on a cluster stay there: centroids travel to them and labels come back.
    return np.asarray(gathered(rowwise(_nearest, Z, model)))


def _kmeans_of_some(Z: InMemory, k: int, seed: int, n_init: int) -> KMeans:
    """k-means from the best of some starts, which is found with fewer rows if there are many."""
    n_tried = max(TRIED, TRIED_PER_CLUSTER * k)
    if n_init == 1 or Z.shape[0] <= 2 * n_tried:
        return kmeans(Z, k, seed, n_init)
    tried = np.sort(np.random.default_rng(seed).choice(Z.shape[0], n_tried, replace=False))
    best = kmeans(Z[tried], k, seed, n_init)
    return kmeans(Z, k, seed, 1, best.cluster_centers_)


def _nearest(Z: Array, model: KMeans) -> Array:
    """Nearest centroid of each row."""
    return np.asarray(model.predict(Z))


def kmeans(Z: InMemory, k: int, seed: int, n_init: int, init: Array | str = "k-means++") -> KMeans:
    """scikit-learn's k-means, silent where there are fewer distinct objects than clusters.

    Its starts are drawn from the rows by their content: rows in another order have the same labels.
    """
    order = by_content(Z)
    # Embeddings are narrow, so threads of scikit-learn would wait for each other most of the time.
    with warnings.catch_warnings(), single_blas_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        k, rows = min(k, Z.shape[0]), Z[order]
        start: dict[str, Any] = {"init": init, "n_init": n_init}
        if rows.shape[0] * k > MANY_DISTANCES and isinstance(init, str):
            centroids, _ = kmeans_plusplus(rows, k, random_state=seed, n_local_trials=1)
            start = {"init": centroids, "n_init": 1, "max_iter": FEW_PASSES}
        model = KMeans(k, random_state=seed, **start).fit(rows)
    model.labels_ = model.labels_[np.argsort(order)]
    return model
