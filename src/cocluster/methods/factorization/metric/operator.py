"""A metric as the identity changed along few directions, and a relation transformed by it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from cocluster.graphs.distances import chosen_distances
from cocluster.linalg.matrices import as_dense, squared_norm
from cocluster.linalg.types import Array, InMemory

# Up to this many cells the transformed relation of sparse data is held densely, 400 MB; it cannot
# be sparse, because the metric mixes all features.
DENSE_ENTRIES = 50_000_000
# Columns of the basis multiplied with the data at once, to bound memory.
COLUMNS_AT_ONCE = 32


@dataclass(frozen=True, eq=False)
class MetricOperator:
    r"""Root of a metric, :math:`\sqrt L = s (I - U \operatorname{diag}(1 - g) U^T)`.

    Parameters
    ----------
    basis : array of shape (n_features, r)
        U, orthonormal columns.
    gains : array of shape (r,)
        g in (0, 1]: factor by which lengths along each column of U change.
    scale : float
        s, factor of all lengths.
    """

    basis: Array
    gains: Array
    scale: float = 1.0

    @property
    def is_identity(self) -> bool:
        """Whether the metric leaves the data as they are."""
        return self.gains.size == 0 and self.scale == 1.0

    def apply(self, R: InMemory) -> Array:
        r"""Dense :math:`R \sqrt L`."""
        return self.root_times(as_dense(R).T).T

    def squared_distances(self, X: InMemory, pairs: Array) -> Array:
        r"""Squared distances :math:`\|(x_i - x_j) \sqrt L\|^2`, without forming X √L."""
        along = np.asarray(X @ self.basis) * np.sqrt(1.0 - self.gains**2)
        # √L loses 1 - g² of the square along each direction: d² less what is lost, by Pythagoras.
        kept = pair_distances(X, pairs) - pair_distances(along, pairs)
        return np.asarray(self.scale**2 * np.maximum(kept, 0.0))

    def transformed(self, R: InMemory, clip: bool | None = None) -> InMemory:
        r"""Relation :math:`R \sqrt L` in the form the factorisation takes.

        The identity returns R itself. Otherwise the entries below zero are set to zero
        (``clip=True``), as the multiplicative rules need, which makes the relation dense; or it is
        left as an operator with entries of both signs (``clip=False``), to be factorised with
        free associations. None clips unless R is sparse and has more than
        `DENSE_ENTRIES` cells.
        """
        if self.is_identity:
            return R
        if clip is None:
            clip = not sp.issparse(R) or R.shape[0] * R.shape[1] <= DENSE_ENTRIES
        return np.maximum(self.apply(R), 0) if clip else TransformedRelation(R, self)

    def root_times(self, G: Array) -> Array:
        r"""Product :math:`\sqrt L G` in the precision of G."""
        basis = self.basis.astype(G.dtype, copy=False)
        lost = (1.0 - self.gains).astype(G.dtype)[:, None] * (basis.T @ G)
        return np.asarray(G.dtype.type(self.scale) * (G - basis @ lost))


@dataclass(frozen=True, eq=False)
class TransformedRelation:
    r"""The product :math:`R \sqrt L`, or its transpose, never formed.

    Parameters
    ----------
    matrix : sparse matrix of shape (n_samples, n_features)
        R.
    metric : MetricOperator
    transposed : bool
    """

    matrix: InMemory
    metric: MetricOperator
    transposed: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        n, m = self.matrix.shape
        return (m, n) if self.transposed else (n, m)

    @property
    def dtype(self) -> np.dtype:
        """Type of the entries."""
        return np.dtype(self.matrix.dtype)

    @property
    def T(self) -> TransformedRelation:
        """The transpose."""
        return replace(self, transposed=not self.transposed)

    def __matmul__(self, G: Array) -> Array:
        """Product with a factor."""
        if self.transposed:
            return self.metric.root_times(np.asarray(self.matrix.T @ G))
        return np.asarray(self.matrix @ self.metric.root_times(G))

    def squared_norm(self) -> float:
        r""":math:`\|R\|^2 - \sum_u (1 - g_u^2) \|R u\|^2`, times the squared scale."""
        metric, norm = self.metric, squared_norm(self.matrix)
        for first in range(0, metric.gains.size, COLUMNS_AT_ONCE):
            part = slice(first, first + COLUMNS_AT_ONCE)
            along = (np.asarray(self.matrix @ metric.basis[:, part]) ** 2).sum(axis=0)
            norm -= float(along @ (1.0 - metric.gains[part] ** 2))
        return metric.scale**2 * norm


def pair_distances(X: InMemory, pairs: Array) -> Array:
    """Squared distances between the rows of each pair."""
    return chosen_distances(X, pairs[:, 0], pairs[:, 1:]).ravel()
