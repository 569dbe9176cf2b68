"""Normalisation of a data matrix: diag(r) X diag(c), with c learned and r taken from each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cocluster.linalg.matrices import (
    column_counts,
    column_degrees,
    degree_scaled,
    inverse_root,
    is_nonnegative,
    scaled,
)
from cocluster.linalg.rowwise import rowwise
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array, Matrix

NORMALIZATIONS = (None, "l2", "tfidf", "degree", "auto")


@dataclass(frozen=True, eq=False)
class Scaling:
    """A learned normalisation, to be applied alike to training data and to new rows.

    Attributes
    ----------
    how : one of `NORMALIZATIONS` except "auto"
    column_scale : array of shape (n_columns,) or None
        What the columns are multiplied by, as learned from the training data.
    """

    how: str | None
    column_scale: Array | None = None

    def apply(self, X: Matrix) -> Any:
        """The normalised matrix; sparse index arrays are shared with X."""
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
    """
    if how == "auto":
        # Sums of absolute values measure how much there is of a count, not of a signed number.
        how = "degree" if is_nonnegative(X) else None
    if how == "degree":
        return Scaling(how, inverse_root(column_degrees(X)))
    if how == "tfidf":
        # As if one more row had every column: none is divided by zero. The 1 added at the end keeps
        # columns that every row has from vanishing. Both as in scikit-learn's TfidfTransformer.
        return Scaling(how, np.log((1 + X.shape[0]) / (1 + column_counts(X))) + 1)
    return Scaling(how)
