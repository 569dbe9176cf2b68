"""Embeddings of the samples: consensus of several scalings, smoothed over nearest neighbours.

`consensus_embedding` is where k-means looks for the initial clusters. `NeighbourEmbedding` keeps
the embedding together with its nearest-neighbour graph, over which labels are propagated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, may_be_dense
from cocluster.data.scaling import fit_scaling, shift_features
from cocluster.graphs.consensus import common_graph, core_embedding, neighbour_graph, smoothed
from cocluster.graphs.neighbours import EXACT_LIMIT
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.logistic import logistic_probabilities
from cocluster.linalg.matrices import (
    as_dense,
    column_sums,
    degree_scaled,
    entrywise,
    inverse_root,
    is_nonnegative,
    row_sums,
    safe_inverse,
    scaled,
    values_of,
)
from cocluster.linalg.partitions import Ties
from cocluster.linalg.rowwise import rows_in_memory
from cocluster.linalg.subspace import StartMatrix, leading_subspace, start_scaled, unit_rows
from cocluster.linalg.types import Array, InMemory
from cocluster.methods.starts import singular_vectors

# A matrix with more non-zero entries than this share holds measurements (genes, pixels); with
# fewer it holds occurrences (words, purchases). The sets that chose the rule have at most .06 or
# at least .41, so the exact value was never tested.
FILLED = 0.25
# Directions in which neighbours are searched: further ones are mostly noise.
DIRECTIONS = 50
# Most directions, whatever the number of clusters: thousands of clusters lie apart in these, too,
# and thousands of singular vectors would take minutes and gigabytes.
MOST_DIRECTIONS = 500
# Few clusters are told apart by fewer directions, which saves time.
DIRECTIONS_PER_CLUSTER = 5
# With more samples the three embeddings side by side are first reduced to as many directions as one
# has: the neighbour search, quadratic in the samples, then takes a third of the time.
REDUCED_FROM = 5_000
# Singular vectors of measurements: all of them are full of signal, so fewer are enough.
FEW = 20
# Occurrences have many neighbours that each say little, measurements few that say much.
NEIGHBOURS_OF_OCCURRENCES, NEIGHBOURS_OF_MEASUREMENTS = 20, 5
# Steps of the random walk that smooths an embedding; two and eight score alike.
STEPS = 4
# With fewer samples neighbours are too few to outline a cluster, and the blocks of the matrix tell
# more: between the largest set that gained from sweeps (203) and the smallest that lost (400).
MANY_SAMPLES = 300
# Directions of each embedding per cluster for label propagation. Clusters span one each; as many
# again separate classes that the clusters have mixed (eight sets, 100 answers: .80 with one, .82).
PROPAGATION_DIRECTIONS = 2
# Weight of the smoothed embedding beside the embeddings it was made from: it shows the dense
# regions and has lost what lies between two of them.
SMOOTHED = 0.5
# Neighbours of a sample, in each of the two embeddings, for label propagation.
NEIGHBOURS = 10
# Power of the graph's weights: near neighbours, and those of both embeddings, then count more (four
# sets, 50 answers: .79, and .82 with it).
SHARPNESS = 3
# Share of a sample's values that come from its neighbours (label spreading, Zhou et al. 2004), and
# the steps after which the remainder is below about a tenth: .95 ** 40 = .13.
FROM_NEIGHBOURS, PROPAGATION_STEPS = 0.95, 40
# Inverse regularisation of the logistic regression: rows of Z have unit length, so smaller values
# leave it almost flat.
STRENGTH = 30.0
# The propagation from each of this many samples is kept: it is needed again for every answer.
KEPT_PROPAGATIONS = 600


@dataclass(frozen=True, eq=False)
class SampleEmbedding:
    """Coordinates of the samples for k-means.

    Attributes
    ----------
    Z : array of shape (n, d)
        One row per sample; perhaps on Dask workers if there is no ``order``.
    order : int array of shape (n,), or None
        The sample of each row, if the rows are sorted by content; None if they are not.
    outlines_clusters : bool
        Whether the embedding tells more than profiles over feature clusters: it does for
        measurements of many samples.
    """

    Z: Any
    order: Array | None = None
    outlines_clusters: bool = False

    def kmeans(self, k: int, seed: int, ties: Ties | None) -> Array:
        """Cluster the samples by k-means; tied samples lie at one point."""
        Z = self.Z
        if ties is not None:
            rows = ties if self.order is None else Ties(ties.component[self.order])
            Z = unit_rows(rows.pooled(Z))
        labels: Array = kmeans_labels(Z, k, seed)
        if self.order is None:
            return labels
        unsorted = np.empty(len(labels), dtype=np.intp)
        unsorted[self.order] = labels
        return unsorted


def consensus_embedding(data: RelationalData, k: int, seed: int) -> SampleEmbedding:
    """Embed samples that can all be compared; the order in which they come does not matter.

    Occurrences (most entries zero): singular vectors of :math:`D_r^{-1/2} X D_c^{-1/2}`, the same
    of :math:`\\log(1 + X)`, and those of :math:`D^{-1/2} Y`, Y the tf-idf rows of unit length and D
    the degrees of :math:`Y Y^T`, side by side, smoothed by a random walk over 20 neighbours.

    Measurements (all views filled): 5 neighbours each among the principal components of the values,
    their logarithms and their ranks, and in the singular vectors of the degree-scaled logarithms;
    then the eigenvectors of the mean of these graphs.
    """
    order, unique_samples, copies = _content_order(data)
    # Random draws and ties by position below are then the same for every order of the rows; and
    # equal rows are embedded once, or their nearest neighbours would be their copies.
    data = data[unique_samples]
    views = [relation for relation in data.relations if relation.rows == data.center]
    if all(holds_measurements(relation.matrix) for relation in views):
        graphs = [W for view in views for W in _measurement_graphs(view, len(data), k, seed)]
        W = sum(graphs[1:], start=graphs[0]) / len(graphs)
        Z = core_embedding(W, min(k, len(data), MOST_DIRECTIONS), seed)
        return SampleEmbedding(Z[copies], order, len(order) >= MANY_SAMPLES)
    blocks = []
    for view in views:
        for scale in SCALINGS:
            Z = _weighted_embedding(scale(view.matrix), k, seed)
            blocks.append(rows_of_all_samples(Z, view, len(data)))
    Z = unit_rows(np.hstack(blocks))
    if len(Z) > REDUCED_FROM:
        size = min(max(DIRECTIONS, k), Z.shape[1], MOST_DIRECTIONS)
        Z = leading_subspace(Z, size, np.random.default_rng(seed))[0]
    W = neighbour_graph(Z, NEIGHBOURS_OF_OCCURRENCES, seed)
    return SampleEmbedding(smoothed(W, Z, STEPS)[copies], order)


def singular_embedding(data: RelationalData, k: int, seed: int) -> Any:
    """Return unit rows of the singular vectors of all views, for samples too many to compare."""
    views = [relation for relation in data.relations if relation.rows == data.center]
    size = min(k, MOST_DIRECTIONS)
    blocks = [unit_rows(singular_vectors(start_scaled(r.matrix), size, seed, k)[0]) for r in views]
    if len(blocks) == 1 and views[0].row_index is None:
        return blocks[0]  # stays where its rows are, perhaps on a Dask cluster
    return np.hstack(
        [rows_of_all_samples(Z, r, len(data)) for Z, r in zip(blocks, views, strict=True)]
    )


def holds_measurements(X: InMemory) -> bool:
    """Whether X holds measurements: more than a quarter of its entries are not zero."""
    return bool(np.count_nonzero(values_of(X)) > FILLED * X.shape[0] * X.shape[1])


def scale_logarithms(X: InMemory) -> StartMatrix:
    """Scale log(1 + X) by its degrees."""
    return start_scaled(entrywise(np.log1p, X))


def scale_by_cosines(X: InMemory) -> StartMatrix:
    """Return D^-1/2 Y, with Y the tf-idf rows of X and D the degrees of Y Y^T."""
    Y = fit_scaling(X, "tfidf").apply(X)
    totals = column_sums(Y)
    # D^1/2 1 is its left singular vector of value 1, and the sum of all rows the right one.
    return StartMatrix(scaled(Y, row_scale=inverse_root(Y @ totals)), totals)


# The three scalings of occurrences whose singular vectors make the consensus embedding.
SCALINGS: tuple[Callable[[InMemory], StartMatrix], ...] = (
    start_scaled,
    scale_logarithms,
    scale_by_cosines,
)


def _weighted_embedding(Y: StartMatrix, k: int, seed: int) -> Array:
    """Return unit rows of the left singular vectors of Y, weighted by their squared values.

    As the rows of Y Y^T would be weighted, which are the similarities of a row to all others.
    Weighted by the value itself, the many vectors that hold little but noise count for too much.
    """
    n_directions = max(FEW, min(DIRECTIONS, DIRECTIONS_PER_CLUSTER * k))
    Z = singular_vectors(Y, min(max(n_directions, k), MOST_DIRECTIONS), seed, k)[0]
    # The vectors come weighted once: the length of a column is the singular value.
    return np.asarray(unit_rows(Z * np.linalg.norm(Z, axis=0)))


def _content_order(data: RelationalData) -> tuple[Array, Array, Array]:
    """Sort the samples by content, whatever their positions.

    Returns the order, the first sample of each group of equal samples, and for each sample in that
    order the number of its group.
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


def rows_of_all_samples(Z: Array, relation: Relation, n: int) -> Array:
    """Return one row per sample; samples that the relation lacks lie at the origin."""
    if relation.row_index is None:
        return Z
    rows = np.zeros((n, Z.shape[1]))
    rows[relation.row_index] = Z
    return rows


def _measurement_graphs(relation: Relation, n: int, k: int, seed: int) -> Iterator[sp.csr_array]:
    """Yield a neighbour graph of all samples for each of four embeddings of measurements."""
    X, index = as_dense(relation.matrix), relation.row_index
    logs = np.log1p(np.maximum(X - np.minimum(X.min(axis=0), 0), 0))
    embeddings: tuple[Callable[[], Array], ...] = (
        lambda: _principal_components(X, seed),
        lambda: _principal_components(logs, seed),
        lambda: _principal_components(_standardised_ranks(X), seed),
        lambda: unit_rows(singular_vectors(start_scaled(logs), max(FEW, k), seed, k)[0]),
    )
    for embed in embeddings:
        W = neighbour_graph(embed(), NEIGHBOURS_OF_MEASUREMENTS, seed)
        if index is not None:
            edges = W.tocoo()
            ends = (index[edges.row], index[edges.col])
            W = sp.csr_array((edges.data, ends), shape=(n, n))
        yield W


def _principal_components(X: Array, seed: int) -> Array:
    """Return the principal components of the rows."""
    Y = X - X.mean(axis=0)
    return np.asarray(leading_subspace(Y, DIRECTIONS, np.random.default_rng(seed))[0])


def _standardised_ranks(X: Array) -> Array:
    """Rank the values of each feature, with mean 0 and, unless constant, deviation 1."""
    ranks = rankdata(X, axis=0)
    return (ranks - ranks.mean(axis=0)) * safe_inverse(ranks.std(axis=0))


@dataclass(frozen=True, eq=False)
class NeighbourEmbedding:
    """Embedding of the samples with the random walk over their nearest-neighbour graph.

    Attributes
    ----------
    Z : ndarray of shape (n, d)
        Rows of about unit length.
    walk : csr_array of shape (n, n), or None
        :math:`D^{-1/2} W D^{-1/2}` of the neighbour graph; None if there are too many samples to
        compare.
    """

    Z: Array
    walk: sp.csr_array | None
    _propagated: dict[int, Array] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.Z)

    def posterior(self, samples: Array, targets: Array, weights: Array | None = None) -> Array:
        """Propagate the classes of some samples to all, as probabilities.

        The mean of two: a logistic regression on the embedding, which sees directions, and label
        spreading on the graph, which follows chains of neighbours.

        Parameters
        ----------
        samples : int array of shape (m,)
            Labelled samples.
        targets : ndarray of shape (m, c)
            Their classes, as shares.
        weights : ndarray of shape (m,), optional
            How much each of them counts.

        Returns
        -------
        ndarray of shape (n, c), rows sum to one

        Examples
        --------
        >>> Z = np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8], [0.0, 1.0]])
        >>> P = NeighbourEmbedding(Z, None).posterior(np.array([0, 3]), np.eye(2))
        >>> P.argmax(axis=1)
        array([0, 0, 1, 1])
        """
        weights = np.ones(len(samples)) if weights is None else weights
        if targets.shape[1] == 1:
            return np.ones((len(self), 1))
        P = logistic_probabilities(self.Z, samples, targets, weights, STRENGTH)
        if self.walk is None:
            return P
        mass = targets * weights[:, None]
        # Every class sends out the same mass: otherwise the largest would flood the others.
        mass = mass / np.maximum(mass.sum(axis=0), np.finfo(float).tiny)
        # Samples that no walk reaches get equal shares of all classes.
        F = self._propagate(samples, mass) + np.finfo(float).tiny
        return np.asarray((P + F / F.sum(axis=1, keepdims=True)) / 2)

    def smooth(self, values: Array, from_neighbours: float, steps: int) -> Array:
        """Mix values with those of the neighbours, step by step; unchanged without a graph."""
        if self.walk is None:
            return values
        F = values
        for _ in range(steps):
            F = from_neighbours * (self.walk @ F) + (1 - from_neighbours) * values
        return F

    def _propagate(self, samples: Array, mass: Array) -> Array:
        """Return the mass that reaches every sample from the labelled ones."""
        if len(samples) > KEPT_PROPAGATIONS:
            sent = np.zeros((len(self), mass.shape[1]))
            np.add.at(sent, samples, mass)
            return self.smooth(sent, FROM_NEIGHBOURS, PROPAGATION_STEPS)
        new = [i for i in dict.fromkeys(samples.tolist()) if i not in self._propagated]
        sent = np.zeros((len(self), len(new)))
        sent[new, np.arange(len(new))] = 1
        columns = self.smooth(sent, FROM_NEIGHBOURS, PROPAGATION_STEPS).T
        self._propagated.update(zip(new, columns, strict=True))
        return np.stack([self._propagated[i] for i in samples.tolist()], axis=1) @ mass

    def by_distance(self, members: Array) -> Array:
        """Sort the members of a group by their distance from its mean, the nearest first."""
        distances = np.square(self.Z[members] - self.Z[members].mean(axis=0)).sum(axis=1)
        return np.asarray(members[np.argsort(distances, kind="stable")])

    def core(self, members: Array, nth: int = 0) -> int:
        """Return the member of a group nearest to its mean, or the nth nearest."""
        return int(self.by_distance(members)[nth % len(members)])


def neighbour_embedding(data: RelationalData, k: int, seed: int) -> NeighbourEmbedding | None:
    """Embed the samples of data for label propagation.

    None if the data do not fit into memory, or some entries are missing.

    Singular vectors of the data scaled in three ways (see `consensus_embedding`, two per cluster),
    beside the consensus embedding itself; the graph is the mean of the neighbour graphs of both.
    Above 20,000 samples the singular vectors of the degree-scaled data, and no graph.
    """
    n = len(data)
    matrices = [relation.matrix for relation in data.relations]
    if not all(rows_in_memory(R) >= R.shape[0] for R in matrices):
        return None
    # Neighbours would be found by which entries are observed.
    if any(relation.observed is not None for relation in data.relations):
        return None
    if not all(is_nonnegative(R) for R in matrices):
        if not all(map(may_be_dense, matrices)):
            return None
        data = shift_features(data)
    if n > EXACT_LIMIT:
        Z = singular_embedding(data, PROPAGATION_DIRECTIONS * k, seed)
        return NeighbourEmbedding(np.asarray(Z), None)
    data = data[np.arange(n)]
    consensus = consensus_embedding(data, k, seed)
    order = np.asarray(consensus.order)
    blocks = []
    # Sorted by content, so that nothing here depends on the order of the rows either.
    for view in data[order].relations:
        if view.rows == data.center:
            for scale in SCALINGS:
                Y = scale(view.matrix)
                vectors = singular_vectors(Y, PROPAGATION_DIRECTIONS * k, seed, k)[0]
                blocks.append(rows_of_all_samples(unit_rows(vectors), view, n))
    fine = np.hstack(blocks) / np.sqrt(len(blocks))
    W = common_graph([fine, consensus.Z], NEIGHBOURS, seed).power(SHARPNESS)
    positions = np.argsort(order)
    Z = np.hstack([fine, SMOOTHED * consensus.Z])[positions]
    return NeighbourEmbedding(Z, sp.csr_array(degree_scaled(W)[positions][:, positions]))
