"""What a cluster is about: the features that set it apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cocluster.linalg.matrices import times
from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array, Matrix


def characteristic_features(
    X: Matrix, labels: Array, names: Sequence[str] | Array, n: int = 10
) -> dict[int, list[str]]:
    r"""Name the features that are most over-represented in each cluster of rows.

    Feature j of cluster c is scored by the signed root of the log-likelihood ratio (G squared) of
    its count :math:`X_{cj}` against the count :math:`E_{cj}` expected from the margins,

    .. math:: \operatorname{sign}(X_{cj} - E_{cj})
              \sqrt{2 (X_{cj} \log (X_{cj} / E_{cj}) - X_{cj} + E_{cj})} .

    Unlike a plain ratio it needs no smoothing: a feature seen once cannot score high.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        Nonnegative counts or weights.
    labels : array of shape (n_samples,)
        Cluster of each sample.
    names : sequence of n_features names
        What the features are called.
    n : int
        Largest number of features to name; only those above expectation are named.

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
    score = _signed_deviance(times(X.T, as_partition(codes, len(clusters))).T)
    best = np.argsort(-score, axis=1, kind="stable")[:, :n]
    return {
        int(cluster): [str(names[j]) for j in best[c] if score[c, j] > 0]
        for c, cluster in enumerate(clusters)
    }


def _signed_deviance(observed: Array) -> Array:
    """Signed root of twice the Poisson deviance of each entry from independence."""
    # As if features fell on clusters in proportion to the sizes of both. The tiny number keeps a
    # table without any counts from being divided by zero.
    total = max(observed.sum(), np.finfo(float).tiny)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / total
    ratio = np.divide(observed, expected, out=np.ones_like(expected), where=observed > 0)
    # Where nothing was observed the ratio is 1, and its logarithm 0: 0 log 0 is 0.
    deviance = observed * np.log(ratio) - observed + expected
    return np.asarray(np.sign(observed - expected) * np.sqrt(2 * np.maximum(deviance, 0)))
