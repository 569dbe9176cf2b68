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

SINGLE_FROM_ENTRIES = 1_000_000
OVERSAMPLING = 10
POWER_STEPS = 4


def start_scaled(X: Any) -> Matrix:
    """D_r^-1/2 X D_c^-1/2, in single precision where X is large: a start needs two digits."""
    if passes.is_compiled(X):
        return passes.ScaledMatrix(X, *degree_scales(X))
    if X.size > SINGLE_FROM_ENTRIES:
        X = single_precision(X)
    return degree_scaled(X)


def leading_subspace(X: Matrix, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """U Σ and V Σ for the leading singular vectors, by subspace iteration on the columns.

    A start needs two digits, not ten: a few products do, where an exact decomposition takes many.
    """
    width = min(size + OVERSAMPLING, *X.shape)
    Q = rng.standard_normal((X.shape[1], width)).astype(X.dtype)
    with narrow_products():
        for _ in range(POWER_STEPS):
            Q = np.linalg.qr(X.T @ (X @ Q))[0]
        B = X @ Q
        values, W = np.linalg.eigh(gram(B))
    W = W[:, ::-1][:, :size]
    singular = np.sqrt(np.maximum(values[::-1][:size], 0))
    return B @ W.astype(X.dtype), (Q @ W.astype(X.dtype)) * singular.astype(X.dtype)


def unit_rows(Z: Any) -> Any:
    """Rows scaled to length one; empty rows stay."""
    return rowwise(_over_length, Z)


def _over_length(Z: InMemory) -> InMemory:
    """Rows over their lengths."""
    return scaled(Z, row_scale=inverse_root(row_squares(Z)))
