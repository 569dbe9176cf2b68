"""Counts of occurrences: which matrices hold them, and which of those vary as Poisson counts do.

Of such counts the loss of information is a likelihood: the sizes of the clusters have a place in
it, and less of it is better. Words come in bursts, so that for texts neither is true.
"""

from __future__ import annotations

import numpy as np

from cocluster.linalg.matrices import values_of
from cocluster.linalg.types import Array, InMemory
from cocluster.methods.auto_start import is_filled

# Counts that were scaled by a constant are whole multiples of it up to rounding, of single
# precision too.
WHOLE = 1e-5
# Of the variance assumed: planted counts have .95 to 1.06, or 1.6 where sweeps ended with two clear
# clusters put together; texts on the leaderboard's half for choosing have 2.8 to 14.
DISPERSION = (0.8, 2.0)


def unit_of(X: InMemory) -> float:
    """The entry that stands for one occurrence, of which all others are multiples; 0 if none does.

    Measurements have none, nor has data of yes and no: it cannot show how counts vary.

    >>> unit_of(np.array([[0, 0, 0, 0, 0.5], [0, 0, 0, 1.5, 0]]))
    0.5
    """
    values = values_of(X)
    positive = values[values > 0]
    if is_filled(X) or not positive.size or positive.min() == positive.max():
        return 0.0
    unit = float(positive.min())
    counts = values / unit
    return unit if np.allclose(counts, np.rint(counts), rtol=WHOLE, atol=0) else 0.0


def vary_as_counts(counts: Array, profiles: Array) -> bool:
    r"""Whether counts vary as those of a multinomial distribution with these shares in each row.

    .. math:: \sum_{ij} (x_{ij} - n_i p_{ij})^2 \approx \sum_{ij} n_i p_{ij} (1 - p_{ij})

    >>> counts = np.random.default_rng(0).poisson(3.0, (500, 4)).astype(float)
    >>> [vary_as_counts(times * counts, np.full((500, 4), 0.25)) for times in (1, 4)]
    [True, False]
    """
    expected = counts.sum(axis=1)[:, None] * profiles
    assumed = np.sum(expected * (1 - profiles))
    low, high = DISPERSION
    return bool(low * assumed <= np.sum((counts - expected) ** 2) <= high * assumed)
