"""Kernels between samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

from cocluster.graphs.distances import mean_squared_distance
from cocluster.linalg.matrices import as_dense
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.checks import check_number

KERNELS = ("linear", "rbf", "polynomial", "cosine", "precomputed")

Kernel = str | Callable[[InMemory, InMemory], Array]


def kernel_matrix(
    X: InMemory,
    kernel: Kernel = "rbf",
    other: InMemory | None = None,
    *,
    gamma: float | None = None,
    degree: int = 3,
    coef0: float = 1.0,
) -> Array:
    r"""Kernel values between the rows of X, or of new rows X with those of `other`.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features), or (n_samples, n_samples) if precomputed
    kernel : {"linear", "rbf", "polynomial", "cosine", "precomputed"} or callable
        A callable is called once with (X, other) and returns the whole matrix.
    other : matrix of shape (n_other, n_features), optional
        The rows to compare with, and to take the default gamma from; by default X.
    gamma : float, optional
        Of ``exp(-gamma d²)`` and ``(gamma xᵀy + coef0) ** degree``; a width σ is
        ``1 / (2 σ²)``. By default the inverse of the mean squared distance of two rows, so that
        the scale of X does not matter.
    degree, coef0 : int, float
        Of the polynomial kernel.

    Returns
    -------
    array of shape (n_samples, n_other), symmetric without `other`
    """
    if other is not None and kernel == "precomputed":
        return _finite(X, (X.shape[0], other.shape[0]))
    base = X if other is None else other
    if callable(kernel):
        K = _finite(kernel(X, base), (X.shape[0], base.shape[0]))
        return K if other is not None else checked_kernel(K, len(K))
    if kernel not in KERNELS:
        raise ValueError(f"kernel must be a callable or one of {', '.join(KERNELS)}: {kernel!r}.")
    if kernel == "precomputed":
        return checked_kernel(X, X.shape[0])
    options: dict[str, Any] = {}
    if kernel in ("rbf", "polynomial"):
        options["gamma"] = _default_gamma(base) if gamma is None else check_number(gamma, "gamma")
    if kernel == "polynomial":
        options |= {"degree": degree, "coef0": coef0}
    return as_dense(pairwise_kernels(X, base, metric=kernel, **options))


def _default_gamma(X: InMemory) -> float:
    """Inverse mean squared distance over all pairs of rows (1 if all rows are equal)."""
    return 1.0 / (mean_squared_distance(X) or 1.0)


def _finite(K: InMemory, shape: tuple[int, int]) -> Array:
    """Check shape and entries of a kernel."""
    dense = as_dense(K)
    if dense.shape != shape:
        raise ValueError(
            f"The kernel must have shape {shape}, samples by samples, got {dense.shape}."
        )
    if not np.isfinite(dense).all():
        raise ValueError("The kernel has entries that are not finite: check the input for NaN.")
    return dense


def checked_kernel(K: Any, n: int) -> Array:
    """Check that a kernel is square, finite and symmetric."""
    kernel = _finite(K, (n, n))
    # Entries near zero are compared on the scale of the largest: a relative tolerance alone would
    # refuse kernels that differ from their mirror image by rounding.
    if not np.allclose(kernel, kernel.T, rtol=1e-5, atol=1e-8 * np.abs(kernel).max(initial=0)):
        raise ValueError("The kernel must be symmetric: pass (K + K.T) / 2 if that is meant.")
    return kernel
