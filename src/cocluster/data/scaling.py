"""Normalisation of a data matrix: diag(r) X diag(c), with c learned and r taken from each row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cocluster.linalg.matrices import (
    Array,
    Matrix,
    column_counts,
    column_degrees,
    is_blocked,
    is_nonnegative,
    row_degrees,
    row_squares,
    safe_inverse,
    scaled,
)

NORMALIZATIONS = (None, "l2", "tfidf", "degree", "auto")


@dataclass(frozen=True, eq=False)
class Scaling:
    """A learned normalisation, to be applied alike to training data and to new rows."""

    how: str | None
    column_scale: Array | None = None

    def apply(self, X: Matrix) -> Matrix:
        """The normalised matrix; sparse index arrays are shared with X."""
        if self.how is None:
            return X
        if is_blocked(X):
            return X.each(self.apply)
        if self.how == "degree":
            return scaled(X, np.sqrt(safe_inverse(row_degrees(X))), self.column_scale)
        if self.column_scale is not None:
            X = scaled(X, column_scale=self.column_scale)
        return scaled(X, row_scale=np.sqrt(safe_inverse(row_squares(X))))


def fit_scaling(X: Matrix, how: str | None) -> Scaling:
    r"""Learn a normalisation from X.

    ``None`` leaves X; ``"l2"`` gives rows unit length; ``"tfidf"`` multiplies column j by
    :math:`\log((1 + n) / (1 + d_j)) + 1`, d_j the rows in which it is not zero, and gives rows
    unit length; ``"degree"`` is :math:`D_r^{-1/2} X D_c^{-1/2}` with D the sums of absolute
    values. ``"auto"`` is ``"degree"`` for data without negative entries and ``None`` for others.
    """
    if how == "auto":
        how = "degree" if is_nonnegative(X) else None
    if how == "degree":
        return Scaling(how, np.sqrt(safe_inverse(column_degrees(X))))
    if how == "tfidf":
        present = X.profile.present if is_blocked(X) else column_counts(X)
        return Scaling(how, np.log((1 + X.shape[0]) / (1 + present)) + 1)
    return Scaling(how)
