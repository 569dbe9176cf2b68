"""Where a refit begins: clusters grown from the classes that the answers have found."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from cocluster.interview.knowledge import Geometry
from cocluster.linalg.types import Array


def seeded_labels(geometry: Geometry, groups: list[Array], n_clusters: int) -> Array:
    """k-means from the means of the groups (seeded k-means, Basu et al. 2002).

    Where groups are missing, the current clusters that are farthest from the groups go on.
    Clusters keep their numbers as far as possible.
    """
    centres = geometry.means(groups[:n_clusters])
    present = geometry.centroids[geometry.sizes > 0]
    # Farthest first: the cluster least like the classes found so far is most likely another class.
    while len(centres) < n_clusters:
        gap = cdist(present, centres).min(axis=1)
        # With fewer current clusters than needed all are taken: samples serve instead.
        present = present if gap.max() > 0 else geometry.Z
        farthest = cdist(present, centres).min(axis=1).argmax()
        centres = np.vstack([centres, present[farthest]])
    found = KMeans(n_clusters, init=centres, n_init=1).fit(geometry.Z).labels_
    return _renamed(found, geometry.labels, n_clusters)


def _renamed(found: Array, before: Array, n_clusters: int) -> Array:
    """Labels renumbered to agree with those before as often as possible."""
    # The best matching of found to former clusters is an assignment problem on their overlaps.
    common = np.zeros((n_clusters, n_clusters))
    np.add.at(common, (found, before), 1)
    return np.asarray(linear_sum_assignment(common, maximize=True)[1][found])
