"""Leading singular vectors, as precise as the start of a search needs them."""

from __future__ import annotations

from typing import Any

import numpy as np

from cocluster.linalg import passes
from cocluster.linalg.matrices import (
    degree_scaled,
    degree_scales,
    gram,
    inverse_root,
    row_squares,
    scaled,
    single_precision,
)
from cocluster.linalg.rowwise import rowwise
from cocluster.linalg.types import Array, InMemory, Matrix
from cocluster.utils.threads import narrow_products

# From here on single precision, half the memory to read, is worth a copy of the entries.
SINGLE_FROM_ENTRIES = 1_000_000
# Vectors besides the wanted ones: the last of them converge slowest, and these are thrown away.
OVERSAMPLING = 10
# A step weakens a singular direction by the square of its value over the largest, four steps by the
# eighth power: what is half as large has then 4 in 1,000 of its share left.
POWER_STEPS = 4


def start_scaled(X: Any) -> Any:
    """D_r^-1/2 X D_c^-1/2, in single precision where X is large."""
    # Where compiled products read the entries anyway, they can be scaled on the way.
    if passes.is_compiled(X):
        return passes.ScaledMatrix(X, *degree_scales(X))
    if X.size > SINGLE_FROM_ENTRIES:
        X = single_precision(X)
    return degree_scaled(X)


def leading_subspace(X: Matrix, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """U Σ and V Σ for the leading singular vectors, to about two digits.

    That is enough for the start of a search, and takes nine products with X, where an exact
    decomposition takes many. By subspace iteration on the columns.

    Parameters
    ----------
    X : matrix of shape (n, m), in memory or in blocks
    size : int
        Number of singular vectors.
    rng : numpy Generator
        Draws the start of the iteration.

    Returns
    -------
    arrays of shape (n, size) and (m, size); the first is where the rows of X are
    """
    width = min(size + OVERSAMPLING, *X.shape)
    Q = rng.standard_normal((X.shape[1], width)).astype(X.dtype)
    with narrow_products():
        for _ in range(POWER_STEPS):
            Q = np.linalg.qr(X.T @ (X @ Q))[0]
        # Of the rows only the small BᵀB is needed here: they may be spread over a cluster.
        B = X @ Q
        values, W = np.linalg.eigh(gram(B))
    # eigh sorts from small to large. Rounding can leave eigenvalues of zero below zero.
    W = W[:, ::-1][:, :size]
    singular = np.sqrt(np.maximum(values[::-1][:size], 0))
    return B @ W.astype(X.dtype), (Q @ W.astype(X.dtype)) * singular.astype(X.dtype)


def unit_rows(Z: Any) -> Any:
    """Rows scaled to length one; empty rows stay."""
    return rowwise(_over_length, Z)


def _over_length(Z: InMemory) -> InMemory:
    """Rows over their lengths."""
    return scaled(Z, row_scale=inverse_root(row_squares(Z)))
