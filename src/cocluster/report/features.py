"""What a cluster is about, in short: the names of the features that set it apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array, InMemory
from cocluster.report.statistics import scored


def characteristic_features(
    X: InMemory, labels: Array, names: Sequence[str] | Array, n: int = 10, by: str = "g2"
) -> dict[int, list[str]]:
    """Name the features that are most characteristic of each cluster of rows.

    `cocluster.explain` says more: scores, members and names of the clusters.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    labels : array of shape (n_samples,)
        Cluster of each sample.
    names : sequence of n_features names
        What the features are called.
    n : int
        Largest number of features to name; only those that the cluster has more than the other
        samples are named.
    by : str
        The statistic, see `cocluster.report.statistics`: by default the signed log-likelihood
        ratio of having the feature, and the rank sum test where data are negative or never zero.

    Returns
    -------
    dict of int to list of str
        Names by cluster, the most characteristic first.

    Examples
    --------
    >>> X = np.array([[9, 0, 5], [8, 1, 5], [0, 7, 5]])
    >>> characteristic_features(X, np.array([0, 0, 1]), ["ball", "vote", "the"], n=1)
    {0: ['ball'], 1: ['vote']}
    """
    if X.shape != (len(labels), len(names)):
        raise ValueError(
            f"X is {X.shape[0]} x {X.shape[1]}, but there are {len(labels)} labels and "
            f"{len(names)} names: give one label per row and one name per column."
        )
    clusters, codes = np.unique(labels, return_inverse=True)
    found = scored(X, as_partition(codes, len(clusters)), by)
    return {
        int(cluster): [str(names[j]) for j in found.best(c, n)]
        for c, cluster in enumerate(clusters)
    }
