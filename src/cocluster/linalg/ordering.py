"""An order of rows that follows from their values, so that chance does not depend on positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from cocluster.linalg.partitions import gathered
from cocluster.linalg.rowwise import rowwise
from cocluster.linalg.types import Array, InMemory


def by_content(Z: Any) -> Array:
    """Positions of the rows of Z, sorted by their product with a fixed random direction.

    Who draws rows by their rank in this order draws the same rows however they are arranged. Rows
    that are equal keep their order; any of them will do.

    >>> Z = np.array([[3.0, 1.0], [0.0, 2.0], [1.0, 1.0]])
    >>> bool((Z[by_content(Z)] == Z[::-1][by_content(Z[::-1])]).all())
    True
    """
    # A fixed seed: the direction must be the same for all arrangements of the same rows.
    direction = np.random.default_rng(0).standard_normal(Z.shape[1])
    return np.argsort(gathered(rowwise(_along, Z, direction)), kind="stable")


def _along(Z: InMemory, direction: Array) -> Array:
    """Product of each row with a direction."""
    return np.asarray(Z @ direction)
