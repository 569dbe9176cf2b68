r"""Probabilities from costs, with a temperature that needs no classes.

An object that costs :math:`c_k` in cluster k belongs to it with probability
:math:`p_k \propto \exp(-c_k / T)`. T = 1 would be right if costs were log-likelihoods and features
independent of each other. They are not: words come in bursts, genes in pathways, and there seems to
be more evidence than there is. So T is found by asking twice: the features are split at random, and
each half has a label of its own for objects that took no part in the fit. From the probabilities of
both halves follows how often the two labels should agree, if the probabilities are right; T is
such that this is how often they do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array

# Groups of objects by how much evidence there is. Only among objects alike in this are two labels
# of one object independent given its cluster; all together, long texts would seem too certain.
STRATA = 5
# T is looked for within this range, in units of the median difference between the costs of the
# dearest and the cheapest cluster: from all but certain to all but equal.
RANGE = (1e-4, 1e3)
# Digits of log T: no probability depends on more.
PRECISION = 1e-3

Halves = tuple[Array, Array]


def probabilities(costs: Array, temperature: float) -> Array:
    """Rows proportional to exp(-costs / temperature), which sum to one.

    >>> probabilities(np.array([[0.0, np.log(3)]]), 1.0)
    array([[0.75, 0.25]])
    """
    return np.asarray(softmax(-costs / temperature, axis=1))


def temperature(judged: Sequence[Halves]) -> float:
    """The temperature at which two halves of the features agree as often as they should.

    Parameters
    ----------
    judged : sequence of pairs of arrays of shape (n, k)
        What the objects held out from one fit cost by one half of the features, and by the other.
    """
    pairs = [stratum for one, other in judged for stratum in _strata(one, other)]
    n = sum(len(one) for one, _ in pairs)
    if not n or pairs[0][0].shape[1] == 1:
        return 1.0
    same = sum(int((one.argmin(axis=1) == other.argmin(axis=1)).sum()) for one, other in pairs)
    # As if half of one more object agreed: without any disagreement T would be zero.
    observed = (same + 0.5) / (n + 1)

    def excess(log_t: float) -> float:
        heat = float(np.exp(log_t))
        expected = sum(_expected(*(probabilities(c, heat) for c in pair)) for pair in pairs)
        return expected / n - observed

    unit = np.median(np.concatenate([np.ptp(one, axis=1) for one, _ in pairs]))
    low, high = (float(np.log(unit * bound)) for bound in RANGE)
    # Labels that agree more often than any certainty explains, or less than by chance: the end of
    # the range is as near as one can get.
    if excess(low) <= 0:
        return float(np.exp(low))
    if excess(high) >= 0:
        return float(np.exp(high))
    return float(np.exp(brentq(excess, low, high, xtol=PRECISION)))


def _strata(one: Array, other: Array) -> list[Halves]:
    """The objects in groups of about equal size, those with little evidence first."""
    # A half that knows nothing of an object has no label for it.
    known = (np.ptp(one, axis=1) > 0) & (np.ptp(other, axis=1) > 0)
    one, other = one[known], other[known]
    parts = np.array_split(np.argsort(np.ptp(one + other, axis=1), kind="stable"), STRATA)
    return [(one[part], other[part]) for part in parts if len(part)]


def _expected(p: Array, q: Array) -> float:
    """Number of objects for which the labels of two halves should agree, if p and q are right.

    An object of cluster k has the label l by one half as often as C_kl: Σ q_k over the objects
    with that label, over Σ q_k. So its label by the other half, m, is met in Σ_k p_k C_km.
    """
    total = 0.0
    for own, others in ((p, q), (q, p)):
        called = as_partition(others.argmax(axis=1), own.shape[1])
        C = called.inner(others).T
        # The tiny number keeps a cluster that no object seems to be in from 0 / 0.
        C /= np.maximum(C.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        total += float((own * C[:, own.argmax(axis=1)].T).sum())
    return total / 2
