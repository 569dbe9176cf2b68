"""Who takes part: the front door, the peers, our methods; each gives labels from data and k."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans, SpectralBiclustering, SpectralCoclustering
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import TfidfTransformer

from cocluster import CoCluster
from cocluster.methods.catalogue import METHODS

FRONT = "CoCluster"
REFERENCE = "SpectralCoclustering (scikit-learn)"
TRIMMED = "SpectralCoclustering, trimmed (scikit-learn)"
Fit = Callable[[Any, int, int], Any]


def beside(X: Any) -> Any:
    """Views side by side, for methods that know one matrix."""
    if not isinstance(X, Mapping):
        return X
    if any(sp.issparse(view) for view in X.values()):
        return sp.csr_matrix(sp.hstack(list(X.values())))
    return np.hstack(list(X.values()))


def _weighted(X: Any) -> Any:
    """Tf-idf of the data."""
    T = TfidfTransformer().fit_transform(beside(X))
    # scikit-learn's k-means takes no other indices.
    T.indices, T.indptr = T.indices.astype(np.int32), T.indptr.astype(np.int32)
    return T


def _trimmed(X: Any, k: int, seed: int) -> Any:
    """SpectralCoclustering, which fails on empty rows and columns, without them."""
    X = beside(X)
    rows, columns = (np.flatnonzero(np.asarray(abs(X).sum(axis=axis))) for axis in (1, 0))
    labels = np.zeros(X.shape[0], dtype=int)
    model = SpectralCoclustering(k, random_state=seed).fit(X[rows][:, columns])
    labels[rows] = model.row_labels_
    return labels


def _louvain(X: Any, k: int, seed: int) -> Any:
    """scikit-network's Louvain on the bipartite graph; it chooses k itself."""
    from sknetwork.clustering import Louvain  # type: ignore[import-untyped]

    model = Louvain(random_state=seed).fit(sp.csr_matrix(beside(X)), force_bipartite=True)
    return model.labels_row_


PEERS: dict[str, Fit] = {
    REFERENCE: lambda X, k, s: SpectralCoclustering(k, random_state=s).fit(beside(X)).row_labels_,
    TRIMMED: _trimmed,
    "KMeans (scikit-learn)": lambda X, k, s: KMeans(k, random_state=s).fit(beside(X)).labels_,
    "KMeans on tf-idf (scikit-learn)": lambda X, k, s: (
        KMeans(k, random_state=s).fit(_weighted(X)).labels_
    ),
    "NMF (scikit-learn)": lambda X, k, s: (
        NMF(k, random_state=s).fit_transform(beside(X)).argmax(axis=1)
    ),
    "NMF on tf-idf (scikit-learn)": lambda X, k, s: (
        NMF(k, random_state=s).fit_transform(_weighted(X)).argmax(axis=1)
    ),
    "SpectralBiclustering (scikit-learn)": lambda X, k, s: (
        SpectralBiclustering(k, random_state=s).fit(beside(X)).row_labels_
    ),
}
if find_spec("sknetwork"):
    PEERS["Louvain (scikit-network)"] = _louvain


def _ours(name: str) -> Fit:
    """A method of ours, on the views themselves where it takes many."""

    def fit(X: Any, k: int, seed: int) -> Any:
        data = X if METHODS[name].many_types else beside(X)
        return CoCluster(k, name, random_state=seed).fit(data).labels_

    return fit


COMPARED = (FRONT, *PEERS)
PARTICIPANTS: dict[str, Fit] = {
    FRONT: lambda X, k, seed: CoCluster(k, random_state=seed).fit(X).labels_,
    **PEERS,
    **{name: _ours(name) for name in METHODS},
}
