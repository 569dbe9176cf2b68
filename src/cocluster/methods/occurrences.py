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
# Bounds for the variance of counts over their mean. Planted ones have .96 to 1.00, or .86 where
# there are few samples for many clusters; texts on the leaderboard's half for choosing have 2 to 13,
# lists of keywords 1.07.
DISPERSION = (0.7, 1.06)


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


def vary_as_counts(counts: Array, expected: Array) -> bool:
    r"""Whether :math:`\sum_{ij} (x_{ij} - \mu_{ij})^2 / \sum_{ij} \mu_{ij}` is about 1.

    >>> counts = np.random.default_rng(0).poisson(3.0, (500, 4)).astype(float)
    >>> vary_as_counts(counts, np.full((500, 4), 3.0))
    True
    >>> vary_as_counts(2 * counts, np.full((500, 4), 6.0))
    False
    """
    low, high = DISPERSION
    total = expected.sum()
    return bool(low * total <= np.sum((counts - expected) ** 2) <= high * total)
