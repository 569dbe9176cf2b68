"""The peers: what users would run instead, each with the preparation its users would give the data.

Texts (sparse data) become tf-idf rows of unit length. Dense data that span orders of magnitude, as
intensities of genes do, become logarithms; then every feature is standardised. Several views are
prepared one by one and put side by side. k is given; labels are not.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import (
    AgglomerativeClustering,
    KMeans,
    SpectralBiclustering,
    SpectralClustering,
    SpectralCoclustering,
)
from sklearn.decomposition import NMF, LatentDirichletAllocation, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler, normalize

Fit = Callable[[Any, int, int], Any]
REFERENCE = "SpectralCoclustering (scikit-learn)"
TRIMMED = "SpectralCoclustering, trimmed (scikit-learn)"
# Intensities span more than this between their largest value and 1, logarithms never do.
RAW_FROM = 100.0
# Below this the first chips measured noise only; their users set smaller values to it.
FLOOR = 20.0
# Starts of k-means, as many as scikit-learn had by default for years.
STARTS = 10
# As scanpy takes them by default.
NEIGHBOURS, COMPONENTS = 15, 50
# The resolution for k communities is sought between 0 and the highest, by so many halvings.
HALVINGS, HIGHEST = 20, 20.0


def beside(X: Any) -> Any:
    """Views side by side, for methods that know one matrix."""
    if not isinstance(X, Mapping):
        return X
    if any(sp.issparse(view) for view in X.values()):
        return sp.csr_matrix(sp.hstack(list(X.values())))
    return np.hstack(list(X.values()))


def weighted(X: Any) -> Any:
    """Tf-idf of the data."""
    T = TfidfTransformer().fit_transform(beside(X))
    # scikit-learn's k-means takes no other indices.
    T.indices, T.indptr = T.indices.astype(np.int32), T.indptr.astype(np.int32)
    return T


def prepared(X: Any) -> Any:
    """The data as users of these methods would give them."""
    if isinstance(X, Mapping):
        return beside({name: prepared(view) for name, view in X.items()})
    if sp.issparse(X):
        return weighted(X)
    raw = X.max() > RAW_FROM and X.max() / max(X.min(), 1.0) > RAW_FROM
    return StandardScaler().fit_transform(np.log2(np.maximum(X, FLOOR)) if raw else X)


def reduced(X: Any, size: int, seed: int) -> Any:
    """Leading singular vectors of the prepared data; rows of texts at unit length, as in LSA."""
    Y = prepared(X)
    size = min(size, min(Y.shape) - 1)
    if size < 1:
        return Y
    Z = TruncatedSVD(size, random_state=seed).fit_transform(Y)
    return normalize(Z) if sp.issparse(Y) else Z


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
    from sknetwork.clustering import Louvain

    model = Louvain(random_state=seed).fit(sp.csr_matrix(beside(X)), force_bipartite=True)
    return model.labels_row_


def _leiden(X: Any, k: int, seed: int) -> Any:
    """Leiden on a neighbour graph, with the resolution that gives k communities."""
    import igraph
    import leidenalg

    Z = reduced(X, COMPONENTS, seed)
    W = kneighbors_graph(Z, min(NEIGHBOURS, len(Z) - 1))
    W = W.maximum(W.T)
    rows, columns = sp.triu(W, 1).nonzero()
    graph = igraph.Graph(n=len(Z), edges=list(zip(rows.tolist(), columns.tolist(), strict=True)))
    low, high = 0.0, HIGHEST
    best: Any = None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        found = leidenalg.find_partition(
            graph,
            leidenalg.RBConfigurationVertexPartition,
            resolution_parameter=middle,
            seed=seed,
        )
        if best is None or abs(len(found) - k) < abs(len(best) - k):
            best = found
        if len(found) == k:
            break
        low, high = (middle, high) if len(found) < k else (low, middle)
    return np.asarray(best.membership)


def _spectral(X: Any, k: int, seed: int) -> Any:
    """Spectral clustering of a neighbour graph of the prepared data."""
    Z = reduced(X, COMPONENTS, seed)
    model = SpectralClustering(
        k,
        affinity="nearest_neighbors",
        n_neighbors=min(10, len(Z) - 1),
        random_state=seed,
        assign_labels="kmeans",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(Z).labels_


def _kl(X: Any, k: int, seed: int) -> Any:
    """NMF with the loss of counts."""
    model = NMF(k, beta_loss="kullback-leibler", solver="mu", random_state=seed, init="nndsvda")
    return model.fit_transform(beside(X)).argmax(axis=1)


PEERS: dict[str, Fit] = {
    REFERENCE: lambda X, k, s: SpectralCoclustering(k, random_state=s).fit(beside(X)).row_labels_,
    TRIMMED: _trimmed,
    "KMeans (scikit-learn)": lambda X, k, s: KMeans(k, random_state=s).fit(beside(X)).labels_,
    "KMeans on tf-idf (scikit-learn)": lambda X, k, s: (
        KMeans(k, random_state=s).fit(weighted(X)).labels_
    ),
    "KMeans, prepared, 10 starts (scikit-learn)": lambda X, k, s: (
        KMeans(k, n_init=STARTS, random_state=s).fit(prepared(X)).labels_
    ),
    "SVD 100 + KMeans (scikit-learn)": lambda X, k, s: (
        KMeans(k, n_init=STARTS, random_state=s).fit(reduced(X, 100, s)).labels_
    ),
    "Ward on SVD 50 (scikit-learn)": lambda X, k, s: (
        AgglomerativeClustering(k).fit(reduced(X, COMPONENTS, s)).labels_
    ),
    "Spectral clustering of neighbours (scikit-learn)": _spectral,
    "NMF (scikit-learn)": lambda X, k, s: (
        NMF(k, random_state=s).fit_transform(beside(X)).argmax(axis=1)
    ),
    "NMF on tf-idf (scikit-learn)": lambda X, k, s: (
        NMF(k, random_state=s).fit_transform(weighted(X)).argmax(axis=1)
    ),
    "NMF with KL loss (scikit-learn)": _kl,
    "LDA (scikit-learn)": lambda X, k, s: (
        LatentDirichletAllocation(k, random_state=s).fit_transform(beside(X)).argmax(axis=1)
    ),
    "SpectralBiclustering (scikit-learn)": lambda X, k, s: (
        SpectralBiclustering(k, random_state=s).fit(beside(X)).row_labels_
    ),
    "Louvain (scikit-network)": _louvain,
    "Leiden at k (leidenalg)": _leiden,
}
_NEEDS = {"Louvain (scikit-network)": "sknetwork", "Leiden at k (leidenalg)": "leidenalg"}
# Those that can run here; what the others have scored elsewhere stays on the page.
AT_HAND = {name: fit for name, fit in PEERS.items() if find_spec(_NEEDS.get(name, "sklearn"))}
