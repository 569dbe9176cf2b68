"""Leading singular vectors of data, as precise as the start of a search needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cocluster.linalg import passes
from cocluster.linalg.components import Components, column_components
from cocluster.linalg.krylov import leading_vectors
from cocluster.linalg.matrices import (
    column_degrees,
    degree_scaled,
    inverse_root,
    is_nonnegative,
    row_degrees,
    row_squares,
    scaled,
    single_precision,
)
from cocluster.linalg.rowwise import rowwise
from cocluster.linalg.types import Array, InMemory, Matrix
from cocluster.utils.threads import single_blas_thread

# From here on single precision, half the memory to read, is worth a copy of the entries.
SINGLE_FROM_ENTRIES = 1_000_000
# Components have the singular value 1. It is found with an error of about the square of the
# residual that is allowed: a largest value with a square below this is no such value.
NEARLY_ONE = 0.99
# A component with fewer rows than this part of an average cluster is a crumb. Where the largest
# cluster is fifty times as large as the smallest, and the others lie between, the smallest has .08
# of the average.
CRUMB = 0.05


@dataclass(frozen=True, eq=False)
class StartMatrix:
    """A scaled matrix, and the direction in which it says nothing of clusters.

    Attributes
    ----------
    matrix : matrix of shape (n, m), in memory or in blocks
    trivial : array of shape (m,) or None
        A right singular vector of value 1 (of any length) that holds degrees and nothing else.
        Its part on a connected component of the data must be such a vector, too. None: there is
        none.
    pattern : matrix or None
        One with the same non-zeros that can be looked at, where ``matrix`` cannot.
    """

    matrix: Any
    trivial: Array | None = None
    pattern: Any = None


def start_scaled(X: Any) -> StartMatrix:
    r"""Degree-scaled data, in single precision where they are large.

    Of :math:`D_r^{-1/2} X D_c^{-1/2}` without negative entries :math:`D_c^{1/2} 1` is a right
    singular vector of value 1. With negative entries, whose degrees are sums of absolute values,
    there is no such vector.
    """
    columns = column_degrees(X)
    trivial = np.sqrt(columns) if is_nonnegative(X) else None
    scale = inverse_root(columns)
    # Where compiled products read the entries anyway, they can be scaled on the way.
    if passes.is_compiled(X):
        rows = inverse_root(row_degrees(X))
        return StartMatrix(passes.ScaledMatrix(X, rows, scale), trivial, X)
    if X.size > SINGLE_FROM_ENTRIES:
        X = single_precision(X)
    return StartMatrix(degree_scaled(X, scale), trivial)


def leading_subspace(X: Matrix, size: int, rng: np.random.Generator) -> tuple[Any, Array]:
    """U Σ and V Σ for the leading singular vectors, to about two digits.

    Parameters
    ----------
    X : matrix of shape (n, m), in memory or in blocks
    size : int
        Number of singular vectors; fewer are found where X has fewer rows or columns.
    rng : numpy Generator
        Draws the start of the search.

    Returns
    -------
    arrays of shape (n, size) and (m, size); the first is where the rows of X are

    Examples
    --------
    >>> left, right = leading_subspace(np.diag([3.0, 2.0, 1.0]), 2, np.random.default_rng(0))
    >>> np.linalg.norm(right, axis=0).round(2)
    array([3., 2.])
    """
    return _both_sides(X, *leading_vectors(X, size, rng))


def informative_subspace(
    Y: StartMatrix, size: int, n_clusters: int, rng: np.random.Generator
) -> tuple[Any, Array]:
    """U Σ and V Σ for the leading singular vectors that say more than the degrees.

    Of connected data these are all but the first pair. Of data in several components, each of
    which has a pair with the value 1, the first vectors say which component a row is in. Those
    that are crumbs, too small for a cluster of their own, are left out: their rows and columns lie
    at the origin.

    Parameters
    ----------
    Y : StartMatrix
    size : int
        Number of vectors; fewer are found where there are fewer.
    n_clusters : int
        Clusters of rows that are looked for. A component is a crumb if it has less than a
        twentieth of the rows of an average cluster. As many vectors are precise to two digits;
        further ones, which hold mostly noise, are as the search for these leaves them.
    rng : numpy Generator
        Draws the start of the search.

    Returns
    -------
    arrays of shape (n, size) and (m, size); the first is where the rows of the matrix are
    """
    return _both_sides(Y.matrix, *informative_vectors(Y, size, n_clusters, rng))


def informative_vectors(
    Y: StartMatrix, size: int, n_clusters: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """V and the diagonal of Σ alone; see `informative_subspace`."""
    if Y.trivial is None:
        return leading_vectors(Y.matrix, size, rng)
    trivial = _unit_columns(Y.trivial[:, None])
    V, values = leading_vectors(Y.matrix, size, rng, trivial, precise=n_clusters)
    if not values.size:
        # The degrees are all there is.
        return trivial, np.ones(trivial.shape[1])
    if values[0] ** 2 > NEARLY_ONE:
        components = column_components(Y.matrix if Y.pattern is None else Y.pattern)
        if len(components.sizes) > 1:
            counted = np.arange(_that_count(components, n_clusters, size))
            own = Y.trivial[:, None] * (components.labels[:, None] == counted)
            return _by_component(Y.matrix, size, own, n_clusters, rng)
    return V, values


def _that_count(components: Components, n_clusters: int, size: int) -> int:
    """How many of the components, largest first, are worth telling apart."""
    sizes = components.sizes
    large = int(np.count_nonzero(sizes >= CRUMB * sizes.sum() / n_clusters))
    # Where there is hardly anything but crumbs, they are what the data consist of.
    if 2 * sizes[:large].sum() < sizes.sum():
        large = len(sizes)
    # So many fill all the directions asked for.
    return min(large, size + 1)


def _by_component(
    X: Matrix, size: int, own: Array, n_clusters: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Right vectors and values of data in components, each of which has a trivial vector."""
    # What tells components apart, the largest first. All have the value 1.
    between = (_unit_columns(own) @ _contrasts(np.linalg.norm(own, axis=0)))[:, :size]
    n_inside, columns = size - between.shape[1], np.asarray(own.any(axis=1))
    trivial = _unit_columns(own)
    inside, values = leading_vectors(X, n_inside, rng, trivial, columns, precise=n_clusters)
    ones = np.ones(between.shape[1], values.dtype)
    return np.hstack([between.astype(inside.dtype), inside]), np.concatenate([ones, values])


def _contrasts(weights: Array) -> Array:
    """Orthonormal columns that are orthogonal to the weights: each weight against those before."""
    c = len(weights)
    contrasts = np.zeros((c, max(c - 1, 0)))
    for i in range(1, c):
        before = np.linalg.norm(weights[:i])
        contrasts[:i, i - 1] = weights[:i] * (weights[i] / before)
        contrasts[i, i - 1] = -before
    return _unit_columns(contrasts)


def _unit_columns(V: Array) -> Array:
    """Columns scaled to length one; those that are zero are left out."""
    lengths = np.linalg.norm(V, axis=0)
    return np.asarray(V[:, lengths > 0] / lengths[lengths > 0])


def _both_sides(X: Matrix, V: Array, values: Array) -> tuple[Any, Array]:
    """U Σ and V Σ from the right vectors V."""
    V = V.astype(np.result_type(X.dtype, np.float32), copy=False)
    with single_blas_thread():
        # V stays as it is: on a cluster the product is made later.
        return X @ V, V * values.astype(V.dtype)


def unit_rows(Z: Any) -> Any:
    """Rows scaled to length one; empty rows stay."""
    return rowwise(_over_length, Z)


def _over_length(Z: InMemory) -> InMemory:
    """Rows over their lengths."""
    return scaled(Z, row_scale=inverse_root(row_squares(Z)))
