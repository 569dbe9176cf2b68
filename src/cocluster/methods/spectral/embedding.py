"""Embeddings of one matrix or graph: bipartite partitioning and normalised cut."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import LinearOperator

from cocluster.linalg.eigen import smallest_eigenvectors, truncated_svd
from cocluster.linalg.matrices import (
    degree_scales,
    safe_inverse,
    scaled,
)
from cocluster.linalg.types import Array, Matrix

# Singular values this close to 1 are 1 but for rounding.
REPEATED = 1e-6


def bsgp_embedding(
    X: Matrix, n_clusters: int, rng: np.random.Generator, n_components: int | None = None
) -> tuple[Array, Array]:
    r"""Rows and columns of X in one space, for the normalised cut of their bipartite graph [1]_.

    The singular vectors 2 to :math:`1 + \lceil \log_2 k \rceil` of :math:`D_r^{-1/2} X D_c^{-1/2}`,
    the left ones times :math:`D_r^{-1/2}`, the right ones times :math:`D_c^{-1/2}`. The first pair
    holds the degrees only. In a graph of several components the singular value 1 is repeated, its
    vectors tell the components apart and none is trivial: then the k leading pairs are all kept.
    ``n_components`` takes the place of :math:`\lceil \log_2 k \rceil`.

    References
    ----------
    .. [1] Dhillon, "Co-clustering documents and words using bipartite spectral graph
       partitioning", KDD 2001, section 4.3.
    """
    # k clusters can be told apart by their signs in log2(k) vectors, and the first says nothing.
    n_vectors = 1 + (n_components or max(1, int(np.ceil(np.log2(n_clusters)))))
    row_scale, column_scale = degree_scales(X)
    XN = scaled(X, row_scale, column_scale)
    U, s, V = truncated_svd(XN, min(n_vectors, *X.shape), rng)
    if (s > 1.0 - REPEATED).sum() > 1:
        U, _, V = truncated_svd(XN, min(max(n_clusters, n_vectors), *X.shape), rng)
    elif len(s) > 1:
        U, V = U[:, 1:], V[:, 1:]
    return row_scale[:, None] * U, column_scale[:, None] * V


def ncut_embedding(W: Matrix, n_components: int, rng: np.random.Generator) -> Array:
    r"""Objects of a graph in the space of its relaxed normalised cut.

    :math:`D^{-1/2} U` with U the leading eigenvectors of :math:`D^{-1/2} W D^{-1/2}`. An object
    without edges has a zero row.

    Parameters
    ----------
    W : array, csr_array or anything with ``shape`` and ``@``, of shape (n, n)
        Symmetric, non-negative.
    """
    n = W.shape[0]
    scale = np.sqrt(safe_inverse(np.asarray(W @ np.ones(n), dtype=np.float64)))

    def product(z: Array) -> Array:
        weights = scale if z.ndim == 1 else scale[:, None]
        return -(weights * np.asarray(W @ (weights * z), dtype=np.float64))

    # Negative, because the solver looks for the smallest eigenvalues; in double precision, because
    # leading ones of a graph with good clusters lie close together.
    negative = LinearOperator((n, n), matvec=product, matmat=product, dtype=np.float64)
    _, vectors = smallest_eigenvectors(negative, n_components, rng)
    return scale[:, None] * vectors
