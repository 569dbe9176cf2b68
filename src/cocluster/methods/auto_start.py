"""Where the default begins: samples placed by several embeddings and by their neighbours there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.data.scaling import fit_scaling
from cocluster.graphs.consensus import core_embedding, neighbour_graph, smoothed
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.matrices import (
    as_dense,
    column_sums,
    entrywise,
    inverse_root,
    row_sums,
    safe_inverse,
    scaled,
    times,
    values_of,
)
from cocluster.linalg.partitions import Ties, as_partition
from cocluster.linalg.subspace import StartMatrix, leading_subspace, start_scaled, unit_rows
from cocluster.linalg.types import Array, InMemory
from cocluster.methods.starts import singular_vectors

# A matrix with more non-zero entries than this share holds measurements (genes, pixels); with
# fewer it holds occurrences (words, purchases). The sets that chose the rule have .06 at most or
# .41 at least, so its exact value was never put to the test.
FILLED = 0.25
# Directions in which neighbours are sought: beyond these lies mostly noise.
DIRECTIONS = 50
# Most directions, however many clusters there are: thousands of clusters lie apart in these, too,
# and thousands of singular vectors would take minutes and gigabytes.
MOST_DIRECTIONS = 500
# Where there are few clusters fewer directions tell them apart, and save time.
DIRECTIONS_PER_CLUSTER = 5
# With more samples the three embeddings side by side are first reduced to as many directions as one
# has: the search for neighbours, whose time grows with the square of the samples, takes a third.
REDUCED_FROM = 5_000
# Singular vectors of measurements: all of them are full of signal, so that fewer do.
FEW = 20
# Occurrences have many neighbours that each say little, measurements few that say much.
NEIGHBOURS_OF_OCCURRENCES, NEIGHBOURS_OF_MEASUREMENTS = 20, 5
# Steps of the random walk that smooths an embedding; two and eight score alike.
STEPS = 4
# With fewer samples neighbours are too few to outline a cluster, and the blocks of the matrix tell
# more: between the largest set that gained from sweeps (203) and the smallest that lost (400).
MANY_SAMPLES = 300
# Counts whose variance is about their mean have the noise that the loss of information assumes.
DISPERSION_OF_COUNTS = (0.7, 1.5)


@dataclass(frozen=True, eq=False)
class Places:
    """Where the samples lie, in an order that follows from what they hold.

    Attributes
    ----------
    Z : ndarray of shape (n, d)
        Rows in that order.
    order : ndarray of shape (n,)
        Which sample each row is.
    by_neighbours : bool
        Whether these places say more than any profile over feature clusters could: measurements
        of many samples.
    """

    Z: Array
    order: Array
    by_neighbours: bool

    def labels(self, k: int, seed: int, ties: Ties | None) -> Array:
        """Clusters of the samples by k-means; tied samples lie at one point."""
        Z = self.Z
        if ties is not None:
            Z = unit_rows(Ties(ties.component[self.order]).pooled(Z))
        labels = np.empty(len(Z), dtype=np.intp)
        labels[self.order] = kmeans_labels(Z, k, seed)
        return labels


def places(data: RelationalData, k: int, seed: int) -> Places:
    """Embed the samples; the order in which they are given does not matter.

    Occurrences (most entries zero): singular vectors of :math:`D_r^{-1/2} X D_c^{-1/2}`, the same
    of :math:`\\log(1 + X)`, and those of :math:`D^{-1/2} Y`, Y the tf-idf rows of unit length and D
    the degrees of :math:`Y Y^T`, side by side, smoothed by a random walk over 20 neighbours.

    Measurements (all views filled): 5 neighbours each among the principal components of the values,
    their logarithms and their ranks, and in the singular vectors of the degree-scaled logarithms;
    then the eigenvectors of the mean of these graphs.
    """
    order, first, copies = _content_order(data)
    # Whatever is drawn or broken by position below is then the same for every order of the rows;
    # and of equal rows there is one, or its nearest neighbours would be none but its copies.
    data = data[first]
    views = [relation for relation in data.relations if relation.rows == data.center]
    if all(is_filled(relation.matrix) for relation in views):
        graphs = [W for relation in views for W in _graphs(relation, len(data), k, seed)]
        W = sum(graphs[1:], start=graphs[0]) / len(graphs)
        Z = core_embedding(W, min(k, len(data), MOST_DIRECTIONS), seed)
        return Places(Z[copies], order, len(order) >= MANY_SAMPLES)
    blocks = [spread(Z, r, len(data)) for r in views for Z in embeddings(r.matrix, k, seed)]
    Z = unit_rows(np.hstack(blocks))
    if len(Z) > REDUCED_FROM:
        size = min(max(DIRECTIONS, k), Z.shape[1], MOST_DIRECTIONS)
        Z = leading_subspace(Z, size, np.random.default_rng(seed))[0]
    W = neighbour_graph(Z, NEIGHBOURS_OF_OCCURRENCES, seed)
    return Places(smoothed(W, Z, STEPS)[copies], order, False)


def far_places(data: RelationalData, k: int, seed: int) -> Any:
    """Unit rows of the singular vectors of all views, for data too large to compare their rows."""
    views = [relation for relation in data.relations if relation.rows == data.center]
    size = min(k, MOST_DIRECTIONS)
    blocks = [unit_rows(singular_vectors(start_scaled(r.matrix), size, seed, k)[0]) for r in views]
    if len(blocks) == 1 and views[0].row_index is None:
        return blocks[0]  # where its rows are, perhaps on a cluster
    return np.hstack([spread(Z, r, len(data)) for Z, r in zip(blocks, views, strict=True)])


def is_filled(X: InMemory) -> bool:
    """Whether X holds measurements: more than a quarter of its entries are not zero."""
    return bool(np.count_nonzero(values_of(X)) > FILLED * X.shape[0] * X.shape[1])


def embeddings(X: InMemory, k: int, seed: int) -> Iterator[Array]:
    """The rows of X scaled in three ways."""
    for Y in (start_scaled(X), start_scaled(entrywise(np.log1p, X)), cosine_scaled(X)):
        yield embedding(Y, k, seed)


def embedding(Y: StartMatrix, k: int, seed: int) -> Array:
    """Unit rows of the left singular vectors of Y, each weighted by the square of its value.

    As the rows of Y Y^T would be weighted, which are the similarities of a row to all others.
    Weighted by the value itself, the many vectors that hold little but noise count for too much.
    """
    n_directions = max(FEW, min(DIRECTIONS, DIRECTIONS_PER_CLUSTER * k))
    Z = singular_vectors(Y, min(max(n_directions, k), MOST_DIRECTIONS), seed, k)[0]
    # They come weighted once: the length of a column is the singular value.
    return np.asarray(unit_rows(Z * np.linalg.norm(Z, axis=0)))


def has_noise_of_counts(X: InMemory, rows: Array, columns: Array) -> bool:
    r"""Whether the values are counts that vary in their blocks as Poisson counts do.

    .. math:: \frac{1}{nm} \sum_{ij} (x_{ij} - \mu_{ij})^2 / \mu_{ij} \approx 1

    with :math:`\mu` the counts that the clusters of the rows and columns lead one to expect.
    """
    values = values_of(X)
    if values.max(initial=0.0) <= 1 or not np.array_equal(values, np.rint(values)):
        return False
    G, F = as_partition(rows, int(rows.max()) + 1), as_partition(columns, int(columns.max()) + 1)
    joint = as_dense(times(times(X, F).T, G)).T
    # Expected counts are r_i c_j times a factor of the block; with it Σ (x - μ)² / μ is Σ x² / μ
    # less the total, which needs the entries alone.
    factor = joint / np.maximum(joint.sum(axis=1)[:, None] * joint.sum(axis=0), 1.0)
    entries = sp.coo_array(X)
    blocks = factor[rows[entries.row], columns[entries.col]]
    expected = row_sums(X)[entries.row] * column_sums(X)[entries.col] * blocks
    surplus = np.sum(entries.data**2 * safe_inverse(expected)) - joint.sum()
    low, high = DISPERSION_OF_COUNTS
    return bool(low <= surplus / (X.shape[0] * X.shape[1]) <= high)


def _content_order(data: RelationalData) -> tuple[Array, Array, Array]:
    """The samples sorted by what they hold, wherever they stand.

    Then the first of each group of equal ones, and for each sample in order the number of its
    group.
    """
    key = np.zeros(len(data))
    for number, relation in enumerate(data.relations):
        if relation.rows == data.center:
            # Any fixed weights that tell rows apart will do.
            weights = np.random.default_rng(number).random(relation.matrix.shape[1])
            sums = row_sums(scaled(relation.matrix, column_scale=weights))
            key[slice(None) if relation.row_index is None else relation.row_index] += sums
    order = np.argsort(key, kind="stable")
    _, first, copies = np.unique(key[order], return_index=True, return_inverse=True)
    return order, order[first], copies


def spread(Z: Array, relation: Relation, n: int) -> Array:
    """Rows for all samples: those that the relation lacks lie at the origin."""
    if relation.row_index is None:
        return Z
    rows = np.zeros((n, Z.shape[1]))
    rows[relation.row_index] = Z
    return rows


def _graphs(relation: Relation, n: int, k: int, seed: int) -> Iterator[sp.csr_array]:
    """Neighbour graphs of all samples, one for each way to look at measurements."""
    X, index = as_dense(relation.matrix), relation.row_index
    logs = np.log1p(np.maximum(X - np.minimum(X.min(axis=0), 0), 0))
    ways: tuple[Callable[[], Array], ...] = (
        lambda: _principal(X, seed),
        lambda: _principal(logs, seed),
        lambda: _principal(_ranks(X), seed),
        lambda: unit_rows(singular_vectors(start_scaled(logs), max(FEW, k), seed, k)[0]),
    )
    for way in ways:
        W = neighbour_graph(way(), NEIGHBOURS_OF_MEASUREMENTS, seed)
        if index is not None:
            edges = W.tocoo()
            ends = (index[edges.row], index[edges.col])
            W = sp.csr_array((edges.data, ends), shape=(n, n))
        yield W


def _principal(X: Array, seed: int) -> Array:
    """Principal components of the rows."""
    Y = X - X.mean(axis=0)
    return np.asarray(leading_subspace(Y, DIRECTIONS, np.random.default_rng(seed))[0])


def _ranks(X: Array) -> Array:
    """Ranks within each feature, with the same spread for all that are not constant."""
    ranks = rankdata(X, axis=0)
    return (ranks - ranks.mean(axis=0)) * safe_inverse(ranks.std(axis=0))


def cosine_scaled(X: InMemory) -> StartMatrix:
    """D^-1/2 Y, with Y the tf-idf rows of X and D the degrees of Y Y^T."""
    Y = fit_scaling(X, "tfidf").apply(X)
    totals = column_sums(Y)
    # D^1/2 1 is its left singular vector of value 1, and the sum of all rows the right one.
    return StartMatrix(scaled(Y, row_scale=inverse_root(Y @ totals)), totals)
