"""Lists of positions turned inside out."""

from __future__ import annotations

import numpy as np

from cocluster.linalg.types import Array


def positions_of(values: Array, size: int) -> Array:
    """Where each of the numbers 0 to size - 1 stands in a list, -1 if it does not.

    Of a number that stands there several times the last place counts.

    >>> positions_of(np.array([3, 0]), 5).tolist()
    [1, -1, -1, 0, -1]
    """
    positions = np.full(size, -1, dtype=np.int64)
    positions[values] = np.arange(len(values))
    return positions
