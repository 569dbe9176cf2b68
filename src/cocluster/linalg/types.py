"""What the library means by a matrix and by a factor."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray
Matrix = Any
Factor = Any


def is_operator(R: Any) -> bool:
    """Whether R is known only by its products."""
    return hasattr(R, "squared_norm")


def is_blocked(R: Any) -> bool:
    """Whether R is in blocks of rows that are not together in memory (`cocluster.blocks`)."""
    return hasattr(R, "row_counts")


def is_spread(G: Factor) -> bool:
    """Whether the rows of a factor live on the workers of a cluster (`cocluster.blocks`)."""
    return hasattr(G, "gather")
