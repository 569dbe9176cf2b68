"""k-means in an embedding, also of rows that are spread over a cluster."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from cocluster.linalg.partitions import gathered
from cocluster.linalg.rowwise import rowwise
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.threads import narrow_products

# Most objects that k-means sees; the others go to the nearest centroid. It is there to start
# a search, and on millions of objects it would take longer than the search itself.
SAMPLE = 20_000


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
    # Sorted, because rows that are spread are fetched part by part, and read faster so in memory.
    sample = gathered(Z) if n <= SAMPLE else Z[np.sort(rng.choice(n, SAMPLE, replace=False))]
    model = kmeans(sample, k, seed, n_init)
    if n <= SAMPLE:
        return np.asarray(model.labels_)
    # Rows on a cluster stay there: centroids travel to them and labels come back.
    return np.asarray(gathered(rowwise(_nearest, Z, model)))


def _nearest(Z: Array, model: KMeans) -> Array:
    """Nearest centroid of each row."""
    return np.asarray(model.predict(Z))


def kmeans(Z: InMemory, k: int, seed: int, n_init: int) -> KMeans:
    """scikit-learn's k-means, silent where there are fewer distinct objects than clusters."""
    # Embeddings are narrow, so threads of scikit-learn would wait for each other most of the time.
    with warnings.catch_warnings(), narrow_products():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(min(k, Z.shape[0]), n_init=n_init, random_state=seed).fit(Z)
