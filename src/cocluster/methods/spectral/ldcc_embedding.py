"""Locally discriminative co-clustering: the joint embedding of samples and features."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from cocluster.graphs import patch_laplacian
from cocluster.linalg.eigen import smallest_eigenvectors
from cocluster.linalg.matrices import by_rows, degree_scaled
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array, InMemory


def joint_operator(
    XN: InMemory, row_penalty: sp.csr_array | None, column_penalty: sp.csr_array | None
) -> LinearOperator:
    r"""The matrix of Eq. 20, as an operator that never joins its blocks.

    .. math:: L = \begin{pmatrix} \alpha L^S & -X^N \\ -(X^N)^T & \beta L^F \end{pmatrix}

    Parameters
    ----------
    XN : ndarray or csr_array of shape (m, n)
        The degree-scaled data.
    row_penalty, column_penalty : csr_array or None
        :math:`\alpha L^S` and :math:`\beta L^F`; None is zero.
    """
    m, n = XN.shape
    transposed = XN.T

    def product(z: Array) -> Array:
        top, bottom = -(XN @ z[m:]), -(transposed @ z[:m])
        if row_penalty is not None:
            top += row_penalty @ z[:m]
        if column_penalty is not None:
            bottom += column_penalty @ z[m:]
        return np.concatenate([top, bottom])

    return LinearOperator((m + n, m + n), matvec=product, matmat=product, dtype=np.float64)


def joint_embedding(
    X: InMemory,
    n_components: int,
    rng: np.random.Generator,
    *,
    n_neighbors: int = 5,
    row_strength: float = 1.0,
    column_strength: float = 1.0,
    ridge: float = 1.0,
    unit_patches: bool = True,
) -> tuple[Array, Array]:
    r"""Embed samples and features in the space of Eq. 21-22 of [1]_.

    The r eigenvectors of the smallest eigenvalues of :func:`joint_operator`, with the patch
    Laplacians of samples and features. With both strengths zero these are the singular vectors of
    the degree-scaled data.

    Parameters
    ----------
    X : ndarray or csr_array of shape (m, n)
    n_components : int
        The r of the paper.
    n_neighbors : int
        Neighbours of a patch besides its centre, for samples and for features; all others where
        there are fewer.
    row_strength, column_strength : float
        :math:`\alpha` and :math:`\beta`.
    ridge : float
        :math:`\lambda` of the local regressions.
    unit_patches : bool
        Whether patches are made of objects of unit length, or of objects as they are.

    Returns
    -------
    row_embedding : ndarray of shape (m, n_components)
    column_embedding : ndarray of shape (n, n_components)

    Notes
    -----
    With patches of objects of unit length strengths and ridge are free of scale. Without this,
    short objects are neighbours of many others (CSTR and oh5, 5 neighbours: the largest diagonal
    entry of the samples' Laplacian falls from 52 and 83 to 2 and 12).
    The number of Lanczos steps grows with the strengths, since they stretch the spectrum.

    References
    ----------
    .. [1] Zhang et al., "Locally Discriminative Coclustering", IEEE TKDE 24(6), 2012.
    """
    # Double precision: the smallest eigenvalues are wanted, which single precision would blur.
    X = X.astype(np.float64, copy=False)
    # For the approximate neighbours of large data, the same for both sides.
    seed = int(rng.integers(2**31 - 1))
    scale = unit_rows if unit_patches else _unscaled
    row_penalty = _penalty(scale(X), row_strength, n_neighbors, ridge, seed)
    column_penalty = _penalty(scale(by_rows(X.T)), column_strength, n_neighbors, ridge, seed)
    operator = joint_operator(degree_scaled(X), row_penalty, column_penalty)
    _, Z = smallest_eigenvectors(operator, n_components, rng)
    return Z[: X.shape[0]], Z[X.shape[0] :]


def _unscaled(objects: InMemory) -> InMemory:
    """The objects."""
    return objects


def _penalty(
    objects: InMemory, strength: float, n_neighbors: int, ridge: float, seed: int
) -> sp.csr_array | None:
    """Patch Laplacian times strength; None, without a neighbour search, for strength zero."""
    if strength < 0:
        raise ValueError(f"strength={strength} must be zero or positive.")
    size = min(n_neighbors, objects.shape[0] - 1)
    if strength == 0 or size == 0:
        return None
    return strength * patch_laplacian(objects, size, ridge=ridge, seed=seed)
