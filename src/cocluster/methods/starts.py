"""Where the search begins: labels of every type from singular vectors or from k-means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData, row_blocks, stack_relations
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.matrices import times
from cocluster.linalg.partitions import as_partition
from cocluster.linalg.subspace import (
    StartMatrix,
    informative_subspace,
    start_scaled,
    unit_rows,
)
from cocluster.linalg.types import Array
from cocluster.utils.checks import broadcast, check_start

Labels = dict[str, Array]


def spectral_embedding(data: RelationalData, n_clusters: Mapping[str, int], seed: int) -> Labels:
    """Unit rows of the singular vectors of the degree-scaled data that say more than the degrees.

    Vectors are weighted by their singular values, so that those that hold mostly noise count
    little. Without the weights k-means goes wrong on checkerboards (20,000 x 5,000: row accuracy
    of the start .70 to .90, with them .85 to .92, best possible .94 to .96). The types around the
    centre share one decomposition of all views side by side; a type further out has its own.
    """
    rank = max(n_clusters.values())
    X = start_scaled(stack_relations(data, data.center))
    left, right = singular_vectors(X, rank, seed, n_clusters[data.center])
    embedding, first = {data.center: left}, 0
    for relation in data.relations:
        if data.center in (relation.rows, relation.cols):
            # `stack_relations` puts the views side by side in this order, and turns those that hold
            # the centre in their columns: the right vectors are cut accordingly.
            forward = relation.rows == data.center
            width = relation.matrix.shape[1 if forward else 0]
            if forward or relation.row_index is None:
                other = relation.cols if forward else relation.rows
                embedding.setdefault(other, right[first : first + width])
            first += width
    for name in data.types:
        if name not in embedding:
            X = start_scaled(stack_relations(data, name))
            embedding[name] = singular_vectors(X, rank, seed, n_clusters[name])[0]
    # At least two dimensions: on a line, unit length would leave nothing but the sign.
    return {name: unit_rows(Z[:, : max(n_clusters[name], 2)]) for name, Z in embedding.items()}


def singular_vectors(
    X: StartMatrix, rank: int, seed: int, n_clusters: int | None = None
) -> tuple[Any, Array]:
    """Weighted left and right singular vectors that say more than the degrees.

    Parameters
    ----------
    X : StartMatrix
        Scaled data, as `start_scaled` makes them.
    rank : int
        Number of vectors; fewer are found where there are fewer.
    seed : int
        Draws the start of the search.
    n_clusters : int, optional
        Clusters of rows that are looked for; ``rank`` if None. It decides which connected
        components are crumbs, see `informative_subspace`.
    """
    rng = np.random.default_rng(seed)
    return informative_subspace(X, rank, rank if n_clusters is None else n_clusters, rng)


def spectral_labels(
    embedding: Mapping[str, Array], n_clusters: Mapping[str, int], seed: int
) -> Labels:
    """k-means in the embedding of each type."""
    return {name: kmeans_labels(Z, n_clusters[name], seed) for name, Z in embedding.items()}


def kmeans_starts(data: RelationalData, n_clusters: Mapping[str, int], seed: int) -> Labels:
    """k-means on the data of each type."""
    if row_blocks(data) is not None:
        raise ValueError(
            "init='kmeans' needs the data in memory; use init='spectral', 'random' or labels."
        )
    return {
        # One run of k-means: further ones are further starts.
        name: kmeans_labels(stack_relations(data, name), n_clusters[name], seed, n_init=1)
        for name in data.types
    }


def start_name(init: Any) -> str | None:
    """The name of a start that is to be looked for; None if ``init`` is itself the start."""
    return init if isinstance(init, str) else None


def starts(
    data: RelationalData,
    n_clusters: Mapping[str, int],
    init: Any,
    n_init: int,
    rng: np.random.Generator,
) -> Iterator[Labels | None]:
    """One start after another: labels (or memberships) by type, or None for "at random"."""
    if start_name(init) is None:
        yield given_start(data, n_clusters, init)
        return
    # A seed for each start, drawn at once: the start then does not depend on how many random
    # numbers the runs before it have used.
    seeds = rng.integers(2**31 - 1, size=n_init)
    # One embedding for all starts, which differ in the k-means that follows.
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
    given = broadcast(init, [data.center])
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
        # A fixed seed: what is given decides the start, and not chance.
        return kmeans_labels(unit_rows(times(R, G)), k, seed=0)
    # Known only through rows that some objects lack: anything that uses every cluster.
    return np.arange(data.size(name)) % k
