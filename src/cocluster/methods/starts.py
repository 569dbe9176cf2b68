"""Where the search begins: labels of every type from singular vectors or from k-means."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from cocluster.data.relational import RelationalData
from cocluster.data.scaling import fit_scaling
from cocluster.linalg import passes
from cocluster.linalg.matrices import (
    Array,
    Matrix,
    column_degrees,
    gram,
    is_blocked,
    row_degrees,
    row_squares,
    safe_inverse,
    scaled,
    single_precision,
    times,
)
from cocluster.linalg.partitions import as_partition, is_spread
from cocluster.utils.checks import check_start
from cocluster.utils.threads import narrow_products

Labels = dict[str, Array]
# k-means sees at most so many objects; the others go to the nearest centroid.
SAMPLE = 20_000
SINGLE_FROM_ENTRIES = 1_000_000
OVERSAMPLING = 10
POWER_STEPS = 4


def view_of(data: RelationalData, name: str) -> Matrix:
    """All matrices of a type side by side, its objects in rows; absent rows are empty."""
    blocks = []
    for relation in data.relations:
        if relation.rows == name:
            blocks.append(_placed(relation.matrix, relation.row_index, data.size(name)))
        if relation.cols == name and relation.rows != name:
            blocks.append(relation.matrix.T)
    if len(blocks) == 1:
        return blocks[0].tocsr() if sp.issparse(blocks[0]) else blocks[0]
    if any(sp.issparse(block) for block in blocks):
        return sp.csr_array(sp.hstack(blocks, format="csr"))
    return np.hstack(blocks)


def _placed(R: Matrix, row_index: Array | None, n: int) -> Matrix:
    """The rows of R at their places among n."""
    if row_index is None:
        return R
    present = len(row_index)
    # 32-bit indices: scikit-learn's k-means takes no others.
    ends = (row_index.astype(np.int32), np.arange(present, dtype=np.int32))
    return sp.csr_array((np.ones(present, R.dtype), ends), shape=(n, present)) @ R


def spectral_embedding(data: RelationalData, n_clusters: Mapping[str, int], seed: int) -> Labels:
    """Unit rows of the singular vectors of the degree-scaled data, the first one dropped.

    Vectors are weighted by their singular values, so that those that hold mostly noise count
    little. Without the weights k-means goes wrong on checkerboards (20,000 x 5,000: row accuracy
    of the start .70 to .90, with them .85 to .92, best possible .94 to .96). The types around the
    centre share one decomposition of all views side by side; a type further out has its own.
    """
    rank = max(n_clusters.values())
    left, right = _singular_vectors(view_of(data, data.center), rank, seed)
    embedding, first = {data.center: left}, 0
    for relation in data.relations:
        if data.center in (relation.rows, relation.cols):
            forward = relation.rows == data.center
            width = relation.matrix.shape[1 if forward else 0]
            if forward or relation.row_index is None:
                other = relation.cols if forward else relation.rows
                embedding.setdefault(other, right[first : first + width])
            first += width
    for name in data.types:
        if name not in embedding:
            embedding[name] = _singular_vectors(view_of(data, name), rank, seed)[0]
    return {name: unit_rows(Z[:, : max(n_clusters[name], 2)]) for name, Z in embedding.items()}


def _singular_vectors(X: Matrix, rank: int, seed: int) -> tuple[Array, Array]:
    """Weighted singular vectors of D_r^-1/2 X D_c^-1/2 after the first, which holds the degrees."""
    size = min(rank + 1, *X.shape)
    X = degree_scaled(X)
    wide = X.shape[0] < X.shape[1] and not is_blocked(X)
    vectors = leading_subspace(X.T if wide else X, size, np.random.default_rng(seed))
    left, right = (V[:, min(1, size - 1) :] for V in vectors)
    return (right, left) if wide else (left, right)


def degree_scaled(X: Matrix) -> Matrix:
    """D_r^-1/2 X D_c^-1/2, in single precision where X is large: a start needs two digits."""
    if passes.is_compiled(X):
        rows, columns = (np.sqrt(safe_inverse(d)) for d in (row_degrees(X), column_degrees(X)))
        return passes.ScaledMatrix(X, rows, columns)
    if X.size > SINGLE_FROM_ENTRIES:
        X = single_precision(X)
    return fit_scaling(X, "degree").apply(X)


def leading_subspace(X: Matrix, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """U Σ and V Σ for the leading singular vectors, by subspace iteration on the columns.

    A start needs two digits, not ten: a few products do, where an exact decomposition takes many.
    """
    width = min(size + OVERSAMPLING, *X.shape)
    Q = rng.standard_normal((X.shape[1], width)).astype(X.dtype)
    with narrow_products():
        for _ in range(POWER_STEPS):
            Q = np.linalg.qr(X.T @ (X @ Q))[0]
        B = X @ Q
        values, W = np.linalg.eigh(gram(B))
    W = W[:, ::-1][:, :size]
    singular = np.sqrt(np.maximum(values[::-1][:size], 0))
    return B @ W.astype(X.dtype), (Q @ W.astype(X.dtype)) * singular.astype(X.dtype)


def unit_rows(Z: Matrix) -> Matrix:
    """Rows scaled to length one; empty rows stay."""
    if is_spread(Z):
        return Z.map(unit_rows)
    if is_blocked(Z):
        return Z.each(unit_rows)
    return scaled(Z, row_scale=np.sqrt(safe_inverse(row_squares(Z))))


def spectral_labels(
    embedding: Mapping[str, Array], n_clusters: Mapping[str, int], seed: int
) -> Labels:
    """k-means in the embedding of each type."""
    return {name: kmeans_labels(Z, n_clusters[name], seed) for name, Z in embedding.items()}


def kmeans_starts(data: RelationalData, n_clusters: Mapping[str, int], seed: int) -> Labels:
    """k-means on the data of each type."""
    if any(is_blocked(relation.matrix) for relation in data.relations):
        raise ValueError(
            "init='kmeans' needs the data in memory; use init='spectral', 'random' or labels."
        )
    return {
        name: kmeans_labels(view_of(data, name), n_clusters[name], seed, n_init=1)
        for name in data.types
    }


def kmeans_labels(Z: Matrix, k: int, seed: int, n_init: int = 5) -> Array:
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


def kmeans(Z: Matrix, k: int, seed: int, n_init: int) -> KMeans:
    """scikit-learn's k-means, silent where there are fewer distinct objects than clusters."""
    with warnings.catch_warnings(), narrow_products():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(min(k, Z.shape[0]), n_init=n_init, random_state=seed).fit(Z)


def starts(
    data: RelationalData,
    n_clusters: Mapping[str, int],
    init: Any,
    n_init: int,
    rng: np.random.Generator,
) -> Iterator[Labels | None]:
    """One start after another: labels (or memberships) by type, or None for "at random"."""
    if not isinstance(init, str):
        yield given_start(data, n_clusters, init)
        return
    seeds = rng.integers(2**31 - 1, size=n_init)
    embedding = spectral_embedding(data, n_clusters, int(seeds[0])) if init == "spectral" else {}
    for seed in seeds.tolist():
        if init == "random":
            yield None
        elif init == "kmeans":
            yield kmeans_starts(data, n_clusters, seed)
        else:
            yield spectral_labels(embedding, n_clusters, seed)


def given_start(data: RelationalData, n_clusters: Mapping[str, int], init: Any) -> Labels:
    """Labels (1-D) or memberships (2-D) by type; one array is for the samples.

    Types that are not given are clustered by k-means on their profile over the samples' clusters.
    """
    if isinstance(init, tuple):
        if len(init) > len(data.types):
            raise ValueError(f"init gives {len(init)} arrays for the types {list(data.types)}.")
        init = dict(zip(data.types, init, strict=False))
    given = init if isinstance(init, Mapping) else {data.center: init}
    unknown = set(given) - set(data.types)
    if unknown or data.center not in given:
        raise ValueError(
            f"init must give {data.center!r} and may give other types of {list(data.types)}, got "
            f"{list(given)}."
        )
    start = {
        name: check_start(values, data.size(name), n_clusters[name], name)
        for name, values in given.items()
    }
    for name in data.types:
        if name not in start:
            start[name] = _labels_by_profile(data, name, n_clusters[name], start)
    return start


def _labels_by_profile(data: RelationalData, name: str, k: int, start: Labels) -> Array:
    """Objects grouped by how they spread over the clusters of a type they are related to."""
    for relation in data.relations:
        if name == relation.cols and relation.rows in start:
            known, R, index = start[relation.rows], relation.matrix.T, relation.row_index
            known = known if index is None else known[index]
        elif name == relation.rows and relation.cols in start and relation.row_index is None:
            known, R = start[relation.cols], relation.matrix
        else:
            continue
        G = known if known.ndim == 2 else as_partition(known, int(known.max()) + 1)
        return kmeans_labels(unit_rows(times(R, G)), k, seed=0)
    return np.arange(data.size(name)) % k
