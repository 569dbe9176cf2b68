"""How much two clusterings of the same objects agree, beyond chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import entropy
from sklearn.metrics import adjusted_rand_score, mutual_info_score
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

from cocluster.linalg.types import Array


@dataclass(frozen=True)
class Agreement:
    """Agreement of two clusterings.

    Attributes
    ----------
    rand : float
        Adjusted Rand index: 1 for the same clusters, 0 for what chance gives.
    information : float
        Mutual information in nats, less what chance gives: what one clustering says of the other.
    possible : float
        The same of two clusterings that are equal. ``information / possible`` is adjusted mutual
        information.
    chance : float
        Standard deviation of ``information`` between independent clusterings.
    """

    rand: float
    information: float
    possible: float
    chance: float


def agreement(first: Array, second: Array) -> Agreement:
    """Agreement of two labellings of the same objects."""
    table = contingency_matrix(first, second, sparse=True)
    n = len(first)
    expected = float(expected_mutual_information(table, n))
    shared = float(mutual_info_score(None, None, contingency=table)) - expected
    sides = [np.asarray(table.sum(axis=axis)).ravel() for axis in (0, 1)]
    claimed = sum(float(entropy(side)) for side in sides) / 2
    # 2 n times the mutual information of independent labels is chi-square with so many degrees of
    # freedom, whose variance is twice that number.
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    return Agreement(
        float(adjusted_rand_score(first, second)),
        shared,
        max(claimed - expected, 0.0),
        float(np.sqrt(2 * freedom)) / (2 * n),
    )
