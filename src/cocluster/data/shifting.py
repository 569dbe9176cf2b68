"""Signed data counted from a floor, so that methods for counts and amounts can take them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import as_dense, entrywise
from cocluster.linalg.rowwise import rowwise
from cocluster.linalg.types import Array, InMemory, Matrix, is_blocked

# Entries, zeros included, up to which data may be made dense: 400 MB in double precision.
DENSE_UP_TO_ENTRIES = 50_000_000


@dataclass(frozen=True, eq=False)
class Shifted:
    """A scaling of data whose features are first counted from a floor, value by value.

    Attributes
    ----------
    floor : array of shape (n_columns,)
        Least value of every feature in the fit, or 0 where that is positive.
    scaling : anything with ``apply``
        What is done to the shifted data.
    """

    floor: Array
    scaling: Any

    def apply(self, R: Matrix) -> Any:
        """Shift a matrix, then scale it."""
        return self.scaling.apply(above(R, self.floor))


def floor_of(R: Matrix) -> Array:
    """Least value of every column, or 0 where that is positive; missing entries are zeros.

    >>> floor_of(np.array([[3.0, -1.0], [2.0, 4.0]]))
    array([ 0., -1.])
    """
    least = np.min(R.collect(_column_minima), axis=0) if is_blocked(R) else _column_minima(R)
    return np.asarray(np.minimum(least, 0))


def _column_minima(R: InMemory) -> Array:
    """Least value of every column of a matrix in memory; 0 if it has no rows."""
    return np.ravel(as_dense(R.min(axis=0))) if R.shape[0] else np.zeros(R.shape[1])


def above(R: Matrix, floor: Array) -> Any:
    """R counted from the floor; lower values, which only new data have, count as the floor.

    Any column that is shifted makes the matrix dense: its zeros become numbers.
    """
    return rowwise(_subtract_floor, R, floor)


def _subtract_floor(R: InMemory, floor: Array) -> InMemory:
    """Shift a matrix in memory, or one block of rows."""
    if not floor.any():
        return entrywise(lambda values: np.maximum(values, 0), R)
    return np.maximum(as_dense(R) - floor.astype(R.dtype), 0)


def shifted(data: RelationalData) -> RelationalData:
    """Shift every feature with negative values up, so that its least value is zero."""
    return data.map(lambda R: above(R, floor_of(R)))


def may_be_dense(R: Matrix) -> bool:
    """Whether all entries of a matrix, zeros too, can be held."""
    return prod(R.shape) <= DENSE_UP_TO_ENTRIES
