"""The methods by name: a fit that gives labels, and estimators whose sweeps are counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans, MiniBatchKMeans, SpectralCoclustering
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import TfidfTransformer

import cocluster

# Labels of the rows, and of the columns where a method has them.
Found = tuple[np.ndarray, np.ndarray | None]


def fit_ours(name: str, X: Any, k: int, seed: int) -> Found:
    """Labels of one of our methods, at its defaults."""
    model = getattr(cocluster, name)(k, random_state=seed).fit(X)
    return np.asarray(model.labels_), np.asarray(model.column_labels_)


def spectral_coclustering(X: Any, k: int, seed: int) -> Found:
    """Labels by scikit-learn's co-clustering."""
    model = SpectralCoclustering(k, random_state=seed).fit(X)
    return model.row_labels_, model.column_labels_


# Peers that cluster the rows alone.
ROWS_ALONE: dict[str, Callable[[Any, int, int], np.ndarray]] = {
    "MiniBatchKMeans": lambda X, k, seed: MiniBatchKMeans(
        k, n_init="auto", random_state=seed
    ).fit_predict(TfidfTransformer().fit_transform(X)),
    "KMeans": lambda X, k, seed: KMeans(k, n_init=1, random_state=seed).fit_predict(
        TfidfTransformer().fit_transform(X)
    ),
    "NMF (scikit-learn)": lambda X, k, seed: (
        NMF(k, random_state=seed, init="nndsvda").fit_transform(X).argmax(axis=1)
    ),
}


def labels_of(name: str, X: Any, k: int, seed: int) -> Found:
    """Labels of the rows, and of the columns if there are any, by a method of ours or of a peer."""
    if name in ROWS_ALONE:
        return ROWS_ALONE[name](X, k, seed), None
    if name == "SpectralCoclustering":
        return spectral_coclustering(X, k, seed)
    return fit_ours(name, X, k, seed)


def random_graph(n: int, n_neighbors: int = 5) -> sp.csr_array:
    """A graph with as many edges as one of neighbours: its weights matter not for the time."""
    others = np.random.default_rng(0).integers(n, size=(n, n_neighbors))
    others.sort(axis=1)
    indptr = np.arange(0, others.size + 1, n_neighbors)
    graph = sp.csr_array((np.ones(others.size), others.ravel(), indptr), shape=(n, n))
    graph.sum_duplicates()
    return graph


def sweeping(name: str, k: int, n_sweeps: int, start: np.ndarray) -> Any:
    """An estimator that makes so many sweeps from given labels of the rows."""
    return getattr(cocluster, name)(
        k, init=start, normalize=None, max_iter=n_sweeps, tol=0, random_state=0
    )
