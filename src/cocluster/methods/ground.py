"""Where answers spread: the samples as points with neighbours, computed once and kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.data.shifting import may_be_dense, shifted
from cocluster.graphs.consensus import common_graph
from cocluster.graphs.neighbours import EXACT_LIMIT
from cocluster.linalg.logistic import logistic_probabilities
from cocluster.linalg.matrices import degree_scaled, entrywise, is_nonnegative
from cocluster.linalg.rowwise import rows_in_memory
from cocluster.linalg.subspace import start_scaled, unit_rows
from cocluster.linalg.types import Array
from cocluster.methods.auto_start import cosine_scaled, far_places, places, spread
from cocluster.methods.starts import singular_vectors

# Directions of each embedding for each cluster. Clusters span one each; as many again hold what
# tells classes apart that the clusters have mixed (eight sets, 100 answers: .80 with one, .82).
DIRECTIONS_PER_CLUSTER = 2
# What the smoothed places count beside the embeddings they were made from. They say where the dense
# regions are, and have lost what lies between two of them.
SMOOTHED = 0.5
# Neighbours of a sample, in each of the two pictures.
NEIGHBOURS = 10
# Weights of the graph are taken to this power: near neighbours, and those of both pictures, then
# count more (four sets, 50 answers: .79, .82 with it).
SHARPNESS = 3
# How much of what a sample knows it has from its neighbours (label spreading, Zhou et al. 2004),
# and steps after which the rest is below a tenth: .95 ** 40 = .13.
FROM_NEIGHBOURS, STEPS = 0.95, 40
# How closely the regression follows its few samples: rows of Z have unit length, so that smaller
# values leave it all but flat.
STRENGTH = 30.0
# From each of so many samples the way over the graph is kept; it is needed for every answer again.
WAYS_KEPT = 600


@dataclass(frozen=True, eq=False)
class Ground:
    """The samples as points, and the walk over their neighbours.

    Attributes
    ----------
    Z : ndarray of shape (n, d)
        Rows of about unit length.
    walk : csr_array of shape (n, n), or None
        :math:`D^{-1/2} W D^{-1/2}` of the neighbour graph; None where the samples are too many to
        compare.
    """

    Z: Array
    walk: sp.csr_array | None
    _ways: dict[int, Array] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.Z)

    def posterior(self, chosen: Array, targets: Array, weights: Array | None = None) -> Array:
        """Probabilities of classes for all samples, from what is known of some.

        The mean of two: a logistic regression on the points, which sees directions, and label
        spreading on the graph, which follows chains of neighbours.

        Parameters
        ----------
        chosen : int array of shape (m,)
            Samples of which something is known.
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
        >>> P = Ground(Z, None).posterior(np.array([0, 3]), np.eye(2))
        >>> P.argmax(axis=1)
        array([0, 0, 1, 1])
        """
        weights = np.ones(len(chosen)) if weights is None else weights
        if targets.shape[1] == 1:
            return np.ones((len(self), 1))
        P = logistic_probabilities(self.Z, chosen, targets, weights, STRENGTH)
        if self.walk is None:
            return P
        mass = targets * weights[:, None]
        # Every class sends out as much: otherwise the one with most samples would flood the rest.
        mass = mass / np.maximum(mass.sum(axis=0), np.finfo(float).tiny)
        # Samples that no walk reaches get all classes alike.
        F = self._arrived(chosen, mass) + np.finfo(float).tiny
        return np.asarray((P + F / F.sum(axis=1, keepdims=True)) / 2)

    def smoothed(self, values: Array, from_neighbours: float, steps: int) -> Array:
        """Values mixed with those of the neighbours, step by step; as they are without a graph."""
        if self.walk is None:
            return values
        F = values
        for _ in range(steps):
            F = from_neighbours * (self.walk @ F) + (1 - from_neighbours) * values
        return F

    def _arrived(self, chosen: Array, mass: Array) -> Array:
        """What reaches every sample of the mass that some send out."""
        if len(chosen) > WAYS_KEPT:
            sent = np.zeros((len(self), mass.shape[1]))
            np.add.at(sent, chosen, mass)
            return self.smoothed(sent, FROM_NEIGHBOURS, STEPS)
        new = [i for i in dict.fromkeys(chosen.tolist()) if i not in self._ways]
        sent = np.zeros((len(self), len(new)))
        sent[new, np.arange(len(new))] = 1
        self._ways.update(zip(new, self.smoothed(sent, FROM_NEIGHBOURS, STEPS).T, strict=True))
        return np.stack([self._ways[i] for i in chosen.tolist()], axis=1) @ mass

    def core(self, members: Array, nth: int = 0) -> int:
        """The member of a group nearest to its mean, or the nth nearest."""
        gap = np.square(self.Z[members] - self.Z[members].mean(axis=0)).sum(axis=1)
        return int(members[np.argsort(gap, kind="stable")[nth % len(members)]])


def ground_of(data: RelationalData, k: int, seed: int) -> Ground | None:
    """The ground of data with the samples in rows.

    None if they cannot be held in memory, or some entries are unknown.

    Singular vectors of the data scaled in three ways (as `places` has them, two for each cluster),
    beside the places themselves; the graph is the mean of the neighbour graphs of the two. Above
    20,000 samples the singular vectors of the degree-scaled data, and no graph.
    """
    n = len(data)
    matrices = [relation.matrix for relation in data.relations]
    if not all(rows_in_memory(R) >= R.shape[0] for R in matrices):
        return None
    # Neighbours would be found by which entries are known.
    if any(relation.observed is not None for relation in data.relations):
        return None
    if not all(is_nonnegative(R) for R in matrices):
        if not all(map(may_be_dense, matrices)):
            return None
        data = shifted(data)
    if n > EXACT_LIMIT:
        return Ground(np.asarray(far_places(data, DIRECTIONS_PER_CLUSTER * k, seed)), None)
    data = data[np.arange(n)]
    found = places(data, k, seed)
    # In the order of `places`, so that nothing here depends on that of the rows either.
    views = [r for r in data[found.order].relations if r.rows == data.center]
    parts = [spread(Z, r, n) for r in views for Z in _pictures(r, k, seed)]
    fine = np.hstack(parts) / np.sqrt(len(parts))
    W = common_graph([fine, found.Z], NEIGHBOURS, seed).power(SHARPNESS)
    back = np.argsort(found.order)
    Z = np.hstack([fine, SMOOTHED * found.Z])[back]
    return Ground(Z, sp.csr_array(degree_scaled(W)[back][:, back]))


def _pictures(relation: Relation, k: int, seed: int) -> Iterator[Array]:
    """Unit rows of the singular vectors of a view, scaled in three ways."""
    X = relation.matrix
    for Y in (start_scaled(X), start_scaled(entrywise(np.log1p, X)), cosine_scaled(X)):
        yield unit_rows(singular_vectors(Y, DIRECTIONS_PER_CLUSTER * k, seed, k)[0])
