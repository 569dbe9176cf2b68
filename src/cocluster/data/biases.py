r"""Biases of rows and columns: the prediction of an entry without clusters.

.. math:: x_{ij} \approx \mu + b_i + c_j

over the known entries, μ their mean. Rows that rate everything high and columns that everyone
likes are not what a co-clustering is to find; it is fitted to what remains (George and Merugu 2005,
"A Scalable Collaborative Filtering Framework Based on Co-clustering").
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cocluster.linalg.known import KnownEntries, difference, product_at
from cocluster.linalg.matrices import EPS, column_sums, product, row_sums, squared_norm
from cocluster.linalg.types import Array, InMemory

# Rounds of rows and columns in turn. Each leaves a fraction of the error that is small unless the
# rows and columns fall nearly apart into groups that share no known entry.
ROUNDS = 20
# Nearly no shrinkage, for a first look at the variances: with none at all, biases of rows and
# columns that share no entry with the others would be undetermined.
HARDLY = 1e-3


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
        λ and κ. None finds them from the data, see `ratio_of_variances`.

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
    of_rows = ratio_of_variances(noise, first.rows(R, W), rows)
    return _alternate(R, W, of_rows, ratio_of_variances(noise, first.columns, columns))


def ratio_of_variances(noise: float, means: Array, counts: Array) -> float:
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
