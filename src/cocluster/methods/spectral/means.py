"""k-means on the points of an embedding, with links: the last step of every spectral method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.assignment import assigned, fill_empty
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.matrices import inner, row_squares, safe_inverse
from cocluster.linalg.partitions import Partition, Ties, as_partition
from cocluster.linalg.types import Array
from cocluster.links import Links
from cocluster.trifactor import PairTerms, State, ties_and_pairs


@dataclass(frozen=True, eq=False)
class PointSet:
    """Points to cluster, with their links: ties and the costs of shared clusters."""

    points: Array
    n_clusters: int
    ties: Ties | None = None
    pairs: PairTerms | None = None

    @property
    def tied_points(self) -> Array:
        """The points, tied ones at the mean of their component."""
        if self.ties is None:
            return self.points
        return self.ties.pooled(self.points) / self.ties.pooled(np.ones((len(self.points), 1)))


def point_set(points: Mapping[str, Array], n_clusters: int, links: Mapping[str, Links]) -> PointSet:
    """The points of some types, to be clustered together."""
    Z = np.vstack(list(points.values()))
    if not any(name in links for name in points):
        return PointSet(Z, n_clusters)
    components, pairs, first = [], [], 0
    for name, type_points in points.items():
        n = len(type_points)
        ties, P = (
            ties_and_pairs(links[name])
            if name in links
            else (Ties(np.arange(n)), sp.csr_array((n, n)))  # every object by itself
        )
        # Numbered on: components of different types stay apart.
        components.append(first + ties.component)
        pairs.append(P)
        first += int(ties.component.max()) + 1
    # The unit of a link: how far an average point lies from the mean of all.
    cost = float(row_squares(Z - Z.mean(axis=0)).mean())
    P = sp.csr_array(sp.block_diag(pairs, format="csr"))
    terms = PairTerms(cost * P) if P.nnz else None
    return PointSet(Z, n_clusters, Ties(np.concatenate(components)), terms)


@dataclass(frozen=True, eq=False)
class NearestMeans:
    r"""Put every point with the nearest mean, tied points as one.

    .. math:: J = \sum_i \|z_i - m_{c_i}\|^2 + \bar v \sum_{(i, j)} w_{ij} [c_i = c_j]

    The second sum is over cannot-links; a violated one of weight 1 costs as much as an average
    point lies from the mean of all, :math:`\bar v = \sum_i \|z_i - \bar z\|^2 / n`. J never rises:
    labels are the best for the means (one after the other where cannot-links couple them), means
    the best for the labels.
    """

    sets: Mapping[str, PointSet]

    def start(self, seed: int) -> State:
        """Labels by plain k-means, tied points at one place."""
        return State(
            {
                name: as_partition(
                    kmeans_labels(point_set.tied_points, point_set.n_clusters, seed, n_init=1),
                    point_set.n_clusters,
                )
                for name, point_set in self.sets.items()
            }
        )

    @property
    def constant(self) -> float:
        """Every part of the objective can be lowered."""
        return 0.0

    def means(self, name: str, state: State) -> Array:
        """Mean of each cluster."""
        G: Partition = state.factors[name]
        return inner(G, self.sets[name].points) * safe_inverse(G.sizes)[:, None]

    def moved(self, name: str, state: State) -> State:
        """Every point to its cheapest cluster."""
        point_set, pairs = self.sets[name], self.sets[name].pairs
        costs = squared_distances(point_set.points, self.means(name, state))
        G = assigned(costs, state.factors[name], point_set.ties, pairs and pairs.matrix)
        # The point that is farthest from its mean gains most by being alone.
        if not G.sizes.all():
            G = fill_empty(G, costs[np.arange(len(costs)), G.labels], point_set.ties)
        return State({**state.factors, name: G})

    def objective(self, state: State) -> float:
        """Squared distances to the means, and the cost of violated cannot-links."""
        total = 0.0
        for name, point_set in self.sets.items():
            G: Partition = state.factors[name]
            total += float(row_squares(point_set.points - self.means(name, state)[G.labels]).sum())
            total += point_set.pairs.value(G) if point_set.pairs is not None else 0.0
        return total


def squared_distances(Z: Array, means: Array) -> Array:
    """Squared distance of every point to every mean."""
    # By the binomial, so that no array of points times means times dimensions is made.
    return row_squares(Z)[:, None] + row_squares(means) - 2.0 * (Z @ means.T)
