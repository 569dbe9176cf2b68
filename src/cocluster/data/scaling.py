"""Normalisation and shifting of data matrices.

A normalisation is diag(r) X diag(c), with c learned from the training data and r from each row. A
shift makes negative features start at zero, for methods that take only counts and amounts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import (
    as_dense,
    column_counts,
    column_degrees,
    degree_scaled,
    entrywise,
    inverse_root,
    is_nonnegative,
    magnitude,
    scaled,
)
from cocluster.linalg.rowwise import rowwise
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array, InMemory, Matrix, is_blocked

# Powers of two between which the largest entry of data may lie. Similarities are squares of data,
# objectives are squares of similarities: four times these, and room for sums over all entries,
# must fit into the largest exponents (1023, and 127 in single precision). From below, steps add
# 1e-12 to what they divide by, which must stay small.
LEAST, MOST_SINGLE, MOST_DOUBLE = -30, 20, 200
NORMALIZATIONS = (None, "l2", "tfidf", "degree", "auto")


@dataclass(frozen=True, eq=False)
class Scaling:
    """A learned normalisation, to be applied alike to training data and to new rows.

    Attributes
    ----------
    how : one of `NORMALIZATIONS` except "auto"
    column_scale : array of shape (n_columns,) or None
        What the columns are multiplied by, as learned from the training data.
    exponent : int
        All entries are multiplied by two to this power first; 0 but for data of extreme size.
    """

    how: str | None
    column_scale: Array | None = None
    exponent: int = 0

    def apply(self, X: Matrix) -> Any:
        """Normalise a matrix; sparse index arrays are shared with X."""
        # New rows may be far larger than those of the fit; of these the exponent has taken care.
        size, most = _size(X) + self.exponent, _most(X)
        if size > most:
            raise ValueError(
                f"The data hold values of about 2^{_size(X)}, too large to compute with; bring "
                "them to the scale of the data that were fitted."
            )
        X = _multiply_power(X, self.exponent)
        if self.how is None:
            return X
        if self.how == "degree":
            # Columns as in the training data, rows by their own sums: a new row is scaled as if it
            # had been there, without a look at the other new rows.
            return degree_scaled(X, self.column_scale)
        if self.column_scale is not None:
            X = rowwise(scaled, X, None, self.column_scale)
        return unit_rows(X)


def fit_scaling(X: Matrix, how: str | None) -> Scaling:
    r"""Learn a normalisation from X.

    ``None`` leaves X; ``"l2"`` gives rows unit length; ``"tfidf"`` multiplies column j by
    :math:`\log((1 + n) / (1 + d_j)) + 1`, d_j the rows in which it is not zero, and gives rows
    unit length; ``"degree"`` is :math:`D_r^{-1/2} X D_c^{-1/2}` with D the sums of absolute
    values. ``"auto"`` is ``"degree"`` for data without negative entries and ``None`` for others.

    Data whose largest entry is beyond 2^200 (in single precision 2^20) or below 2^-30 are brought
    to a largest entry of about 1 first, by a power of two, which changes no digit: fourth powers
    of them could not be represented, or would count as zero.
    """
    exponent = _exponent(X)
    return replace(_fit(_multiply_power(X, exponent), how), exponent=exponent)


def _exponent(X: Matrix) -> int:
    """The power of two by which X is multiplied: 0 unless its entries are of extreme size."""
    size = _size(X)
    return 0 if LEAST <= size <= _most(X) else -size


def _size(X: Matrix) -> int:
    """The largest entry of X is about two to this power; 0 if all are zero."""
    return int(np.frexp(magnitude(X))[1])


def _most(X: Matrix) -> int:
    """The largest power of two that computations with numbers of this precision bear."""
    return MOST_SINGLE if X.dtype == np.float32 else MOST_DOUBLE


def _multiply_power(X: Matrix, exponent: int) -> Any:
    """Multiply X by a power of two."""
    return rowwise(_ldexp, X, exponent) if exponent else X


def _ldexp(X: InMemory, exponent: int) -> InMemory:
    """Multiply rows in memory by a power of two."""
    # Not a product: the power itself may be too large for a number.
    return entrywise(lambda values: np.ldexp(values, exponent), X)


def _fit(X: Matrix, normalization: str | None) -> Scaling:
    """Learn the normalisation of data of ordinary size."""
    if normalization == "auto":
        # Sums of absolute values measure how much there is of a count, not of a signed number.
        normalization = "degree" if is_nonnegative(X) else None
    if normalization == "degree":
        return Scaling(normalization, inverse_root(column_degrees(X)))
    if normalization == "tfidf":
        # As if one more row had every column: none is divided by zero. The 1 added at the end keeps
        # columns that every row has from vanishing. Both as in scikit-learn's TfidfTransformer.
        return Scaling(normalization, np.log((1 + X.shape[0]) / (1 + column_counts(X))) + 1)
    return Scaling(normalization)


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
        return self.scaling.apply(subtract_floor(R, self.floor))


def column_floor(R: Matrix) -> Array:
    """Least value of every column, or 0 where that is positive; missing entries are zeros.

    >>> column_floor(np.array([[3.0, -1.0], [2.0, 4.0]]))
    array([ 0., -1.])
    """
    least = np.min(R.collect(_column_minima), axis=0) if is_blocked(R) else _column_minima(R)
    return np.asarray(np.minimum(least, 0))


def _column_minima(R: InMemory) -> Array:
    """Least value of every column of a matrix in memory; 0 if it has no rows."""
    return np.ravel(as_dense(R.min(axis=0))) if R.shape[0] else np.zeros(R.shape[1])


def subtract_floor(R: Matrix, floor: Array) -> Any:
    """R counted from the floor; lower values, which only new data have, count as the floor.

    Any column that is shifted makes the matrix dense: its zeros become numbers.
    """
    return rowwise(_subtract_floor_rows, R, floor)


def _subtract_floor_rows(R: InMemory, floor: Array) -> InMemory:
    """Shift a matrix in memory, or one block of rows."""
    if not floor.any():
        return entrywise(lambda values: np.maximum(values, 0), R)
    return np.maximum(as_dense(R) - floor.astype(R.dtype), 0)


def shift_features(data: RelationalData) -> RelationalData:
    """Shift every feature with negative values up, so that its least value is zero."""
    return data.map(lambda R: subtract_floor(R, column_floor(R)))
