"""k-means in an embedding, also of rows that are spread over a cluster."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from cocluster.linalg.types import Array, InMemory, is_spread
from cocluster.utils.threads import narrow_products

# k-means sees at most so many objects; the others go to the nearest centroid.
SAMPLE = 20_000


def kmeans_labels(Z: Any, k: int, seed: int, n_init: int = 5) -> Array:
    """Labels by k-means on a sample of at most 20,000 rows."""
    rng = np.random.default_rng(seed)
    n = Z.shape[0]
    rows = np.sort(rng.choice(n, SAMPLE, replace=False)) if n > SAMPLE else slice(None)
    model = kmeans(Z[np.arange(n)[rows]] if is_spread(Z) else Z[rows], k, seed, n_init)
    if is_spread(Z):
        return np.asarray(Z.map(_nearest, model).gather())
    return np.asarray(model.labels_ if n <= SAMPLE else model.predict(Z))


def _nearest(Z: Array, model: KMeans) -> Array:
    """Nearest centroid of each row."""
    return np.asarray(model.predict(Z))


def kmeans(Z: InMemory, k: int, seed: int, n_init: int) -> KMeans:
    """scikit-learn's k-means, silent where there are fewer distinct objects than clusters."""
    with warnings.catch_warnings(), narrow_products():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(min(k, Z.shape[0]), n_init=n_init, random_state=seed).fit(Z)
