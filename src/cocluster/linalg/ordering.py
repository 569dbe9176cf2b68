"""An order of rows that follows from their values, so that chance does not depend on positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from cocluster.linalg.matrices import entrywise
from cocluster.linalg.partitions import gathered
from cocluster.linalg.rowwise import rowwise
from cocluster.linalg.types import Array, InMemory


def by_content(Z: Any) -> Array:
    """Positions of the rows of Z, sorted by a sum of their squares with fixed random weights.

    Who draws rows by their rank in this order draws the same rows however they are arranged. Rows
    that are equal keep their order; any of them will do. Squares, because the columns of an
    embedding are known up to their signs only.

    >>> Z = np.array([[3.0, 1.0], [0.0, 2.0], [1.0, 1.0]])
    >>> bool((Z[by_content(Z)] == Z[::-1][by_content(Z[::-1])]).all())
    True
    """
    # A fixed seed: the weights must be the same for all arrangements of the same rows.
    weights = np.random.default_rng(0).random(Z.shape[1])
    return np.argsort(gathered(rowwise(_weighted_squares, Z, weights)), kind="stable")


def _weighted_squares(Z: InMemory, weights: Array) -> Array:
    """Sum over the columns of weight times square, of each row."""
    return np.asarray(entrywise(np.square, Z) @ weights)
