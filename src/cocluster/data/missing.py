r"""Missing entries: masks that mark known entries, and the biases that predict an entry.

An entry is missing if it is NaN, if a mask leaves it out, or if sparse data do not store it and the
user says that such entries are unobserved.

Without clusters an entry is predicted by the biases of its row and column, over the known entries
with mean μ,

.. math:: x_{ij} \approx \mu + b_i + c_j .

Rows that rate everything high and columns that everyone likes are not what a co-clustering is to
find; it is fitted to the residuals (George and Merugu 2005, "A Scalable Collaborative Filtering
Framework Based on Co-clustering").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.checked import in_form
from cocluster.linalg.known import KnownEntries, difference, ones_like, product_at
from cocluster.linalg.matrices import (
    DENSE_FROM_SHARE,
    DENSE_UP_TO_ENTRIES,
    EPS,
    as_dense,
    column_sums,
    product,
    row_sums,
    squared_norm,
)
from cocluster.linalg.types import Array, InMemory, is_operator
from cocluster.utils.checks import check_choice

# What it means that sparse data do not store an entry.
MISSING = ("zero", "unobserved")
# Rounds of rows and columns in turn. Each leaves a fraction of the error that is small unless the
# rows and columns fall nearly apart into groups that share no known entry.
ROUNDS = 20
# Nearly no shrinkage, for a first look at the variances: with none at all, biases of rows and
# columns that share no entry with the others would be undetermined.
HARDLY = 1e-3


def known_entries(
    matrix: Any, name: str = "X", *, mask: Any = None, missing: str = "zero"
) -> tuple[Any, InMemory | None]:
    """Split a matrix into values, zero where unknown, and a mask, 1 where known.

    Parameters
    ----------
    matrix : array with NaN where values are unknown, csr_array, or an operator
        See `cocluster.linalg.types`.
    name : str
        What error messages call it.
    mask : boolean array or sparse array of the same shape, optional
        True where an entry is known.
    missing : {"zero", "unobserved"}
        What a sparse matrix does not store is zero, or unknown.

    Returns
    -------
    matrix, observed : matrices of one form (see `cocluster.linalg.known`)
        ``observed`` is None if every entry is known.

    Examples
    --------
    >>> known_entries(np.array([[1.0, np.nan], [3.0, 4.0]]))
    (array([[1., 0.],
           [3., 4.]]), array([[1., 0.],
           [1., 1.]]))
    """
    check_choice(missing, "missing", MISSING)
    if is_operator(matrix):
        if mask is not None or missing != "zero":
            raise ValueError(
                f"{name} is in row blocks or on a cluster, where every entry must be known; "
                "load it into memory as one sparse matrix."
            )
        return matrix, None
    mask = None if mask is None else _check_mask(mask, matrix, name)
    if sp.issparse(matrix):
        return _known_sparse_entries(matrix, name, mask, missing)
    is_known = ~np.isnan(matrix)
    if mask is not None:
        is_known &= mask.toarray() if sp.issparse(mask) else mask
    if is_known.all():
        return matrix, None
    return np.where(is_known, matrix, 0).astype(matrix.dtype), is_known.astype(matrix.dtype)


def _check_mask(raw_mask: Any, matrix: InMemory, name: str) -> Any:
    """Check a boolean mask, dense or sparse, of the shape of the matrix."""
    mask = raw_mask if sp.issparse(raw_mask) else np.asarray(raw_mask)
    if mask.shape != matrix.shape:
        raise ValueError(
            f"The mask of {name} has shape {mask.shape}, but the data have {matrix.shape}; "
            "give one True or False for each entry."
        )
    values = mask.data if sp.issparse(mask) else mask
    # Zeros and ones are what a mask is kept as.
    if mask.dtype != bool and not np.isin(values, (0, 1)).all():
        raise ValueError(f"The mask of {name} must be boolean: True where an entry is known.")
    return mask.astype(bool)


def _known_sparse_entries(
    matrix: sp.csr_array, name: str, mask: Any, missing: str
) -> tuple[InMemory, InMemory | None]:
    """Split sparse data into values and mask; as dense arrays, if many are known."""
    nan = np.isnan(matrix.data)
    if missing == "zero" and nan.any():
        raise ValueError(
            f"{name} is sparse and stores NaN; say missing='unobserved' if all that is not "
            "stored is unknown, too, or pass a dense array if it is zero."
        )
    if missing == "unobserved":
        stored = sp.csr_array((~nan, matrix.indices, matrix.indptr), shape=matrix.shape)
        mask = stored if mask is None else stored.multiply(mask)
    if mask is None:
        return matrix, None
    values, size = _read_at(sp.csr_array(mask), matrix), prod(matrix.shape)
    if values.nnz == size:
        return values, None
    observed = ones_like(values)
    if DENSE_FROM_SHARE * size < values.nnz and size <= DENSE_UP_TO_ENTRIES:
        return as_dense(values), as_dense(observed)
    return values, observed


def _read_at(mask: sp.csr_array, matrix: sp.csr_array) -> sp.csr_array:
    """Read the values of a matrix where a mask is True; zeros are stored as well."""
    if (
        mask.nnz == matrix.nnz
        and mask.data.all()
        and np.shares_memory(mask.indices, matrix.indices)
    ):
        return matrix  # the mask is what the matrix stores
    mask = mask.copy()
    mask.eliminate_zeros()
    coordinates = in_form(mask).tocoo()
    values = np.asarray(matrix[coordinates.row, coordinates.col], dtype=matrix.dtype).ravel()
    return in_form(sp.csr_array((values, (coordinates.row, coordinates.col)), shape=matrix.shape))


@dataclass(frozen=True, eq=False)
class Biases:
    """Biases learned from known entries.

    Attributes
    ----------
    mean : float
        μ.
    columns : array of shape (n_columns,)
        c.
    shrinkage : float
        As if each row had this number of further entries without a bias.
    """

    mean: float
    columns: Array
    shrinkage: float

    def rows(self, R: InMemory, W: InMemory) -> Array:
        """Estimate the row biases b, of fitted or new rows, from the column biases."""
        expected = product(W, (self.mean + self.columns)[:, None]).ravel()
        return _shrunken_means(row_sums(R) - expected, row_sums(W), self.shrinkage)

    def residuals(self, R: InMemory, W: InMemory) -> InMemory:
        """Subtract the biases from the known entries; zeros elsewhere."""
        b = self.rows(R, W)
        # As a product of two columns each, so that it is made at the known entries only.
        row_factor = np.column_stack([self.mean + b, np.ones(len(b))])
        column_factor = np.column_stack([np.ones(len(self.columns)), self.columns])
        return difference(R, product_at(W, row_factor, column_factor))


def fit_biases(R: InMemory, W: InMemory, shrinkage: float | None = None) -> Biases:
    r"""Penalised least squares over the known entries.

    .. math:: \min \sum w_{ij} (x_{ij} - \mu - b_i - c_j)^2 + \lambda \|b\|^2 + \kappa \|c\|^2

    Parameters
    ----------
    R, W : matrices
        Values, and where they are known; see `cocluster.linalg.known`.
    shrinkage : float, optional
        λ and κ. None finds them from the data, see `estimate_shrinkage`.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> fit_biases(X, np.ones((2, 2)), shrinkage=0).columns
    array([-0.5,  0.5])
    """
    if shrinkage is not None:
        return _alternate(R, W, shrinkage, shrinkage)
    first = _alternate(R, W, HARDLY, HARDLY)
    rows, columns = row_sums(W), column_sums(W)
    freedom = rows.sum() - len(rows) - len(columns) + 1
    noise = squared_norm(first.residuals(R, W)) / max(freedom, 1)
    of_rows = estimate_shrinkage(noise, first.rows(R, W), rows)
    return _alternate(R, W, of_rows, estimate_shrinkage(noise, first.columns, columns))


def estimate_shrinkage(noise: float, means: Array, counts: Array) -> float:
    """Estimate the shrinkage σ²/τ² that makes shrunken means most accurate.

    Means of n entries with a variance σ² around true values, which have a variance τ² themselves,
    are best multiplied by n / (n + σ²/τ²). Their own variance is τ² + σ²/n, which gives τ².

    Parameters
    ----------
    noise : float
        σ².
    means, counts : arrays
        Means, and the number of entries of each; those of none are left out.
    """
    seen = counts > 0
    spread = float(np.mean(means[seen] ** 2 - noise / counts[seen])) if seen.any() else 0.0
    # Where the means differ by no more than noise they are drawn to zero altogether.
    return noise / max(spread, EPS * max(noise, EPS)) if noise > 0 else 0.0


def _alternate(R: InMemory, W: InMemory, of_rows: float, of_columns: float) -> Biases:
    """Fit row and column biases in turn, each exact given the other."""
    biases = Biases(KnownEntries(R, W).mean(), np.zeros(R.shape[1]), of_rows)
    sums, counts = column_sums(R), column_sums(W)
    for _ in range(ROUNDS):
        b = biases.rows(R, W)
        expected = product(W.T, (biases.mean + b)[:, None]).ravel()
        columns = _shrunken_means(sums - expected, counts, of_columns)
        # A constant can move from all row biases to all column biases without changing the fit, and
        # rounds move it slowly. It is put at once where the sum of both penalties is least.
        excess = of_columns * columns.sum() - of_rows * b.sum()
        columns -= excess / max(of_rows * len(b) + of_columns * len(columns), EPS)
        biases = replace(biases, columns=columns)
    return biases


def _shrunken_means(sums: Array, counts: Array, shrinkage: float) -> Array:
    """Divide sums by counts plus shrinkage: means drawn towards zero."""
    return np.asarray(sums / np.maximum(counts + shrinkage, EPS))
