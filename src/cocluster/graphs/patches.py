"""The patch Laplacian of LDCC: how well local linear functions can predict a labelling."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from cocluster.graphs.distances import chosen_distances
from cocluster.graphs.neighbours import nearest_neighbours
from cocluster.linalg.matrices import chunks
from cocluster.linalg.types import Array, InMemory

# Entries of local Laplacians that are held at a time (16 MB an array): each batch is added to the
# sum once, which copies the whole sum, so batches must not be small either.
PATCH_ENTRIES = 2_000_000


def patch_laplacian(
    X: InMemory, n_neighbors: int = 5, *, ridge: float = 1.0, seed: int = 0
) -> sp.csr_array:
    r"""Sum of the fitting errors of a ridge regression in the neighbourhood of each row.

    .. math:: L = \sum_i S_i^T L_i S_i, \qquad
              L_i = \lambda \Pi (m \lambda I + \Pi X_i X_i^T \Pi)^{-1} \Pi

    (Eq. 12 and 13 of [1]_), where the m rows of :math:`X_i` are row i and its neighbours,
    :math:`\Pi` centres them, and :math:`S_i` selects them. For a labelling g,
    :math:`g^T L g` is the error left when g is predicted linearly from X in every patch.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        Objects are rows; pass ``X.T`` for the features.
    n_neighbors : int
        Neighbours besides the object itself: a patch has ``n_neighbors + 1`` rows.
    ridge : float
        The :math:`\lambda` of the regression.
    seed : int
        Seed of the approximate search used above 20,000 objects.

    Returns
    -------
    csr_array of shape (n, n), symmetric, positive semi-definite, with zero row sums

    Notes
    -----
    The centred inner products come from squared distances, :math:`\Pi X_i X_i^T \Pi =
    -\tfrac12 \Pi D^2 \Pi`, which loses no digits when the data is far from the origin and is the
    same for dense and sparse X. Cost :math:`O(n m^2 (d + m))`, or the non-zeros instead of d.

    References
    ----------
    .. [1] Zhang et al., "Locally Discriminative Coclustering", IEEE TKDE 24(6), 2012.
    """
    if not ridge > 0:
        raise ValueError(f"ridge={ridge} must be positive: a patch has fewer rows than columns.")
    n = X.shape[0]
    own = np.arange(n)[:, None]
    # 32-bit positions become the indices of the sparse result without a copy.
    patches = np.hstack([own, nearest_neighbours(X, n_neighbors, seed)]).astype(np.int32)
    total = sp.csr_array((n, n), dtype=np.float64)
    for rows in chunks(n, PATCH_ENTRIES // patches.shape[1] ** 2):
        batch = patches[rows]
        total = total + _scattered(batch, _local_laplacians(X, batch, ridge), n)
    return total


def _local_laplacians(X: InMemory, patches: Array, ridge: float) -> Array:
    """The L_i of a batch of patches, shape (batch, m, m)."""
    batch, m = patches.shape
    d2 = np.zeros((batch, m, m))
    for a in range(1, m):
        d2[:, a, :a] = d2[:, :a, a] = chosen_distances(X, patches[:, a], patches[:, :a])
    centre = np.eye(m) - 1.0 / m
    gram = -0.5 * centre @ d2 @ centre
    inverse = np.linalg.inv(m * ridge * np.eye(m) + gram)
    # An inverse is symmetric only up to rounding; the mean with its transpose is so exactly, which
    # eigenvalue solvers rely on.
    result = ridge * centre @ (inverse + inverse.transpose(0, 2, 1)) @ centre
    return np.asarray(0.5 * result)


def _scattered(patches: Array, local: Array, n: int) -> sp.csr_array:
    """Sum of S_iᵀ L_i S_i over a batch."""
    m = patches.shape[1]
    # Every object of a patch with every other, in the order of the entries of ``local``; pairs that
    # are in several patches are added up as the array is made.
    rows = np.repeat(patches, m, axis=1).ravel()
    columns = np.tile(patches, m).ravel()
    return sp.csr_array((local.ravel(), (rows, columns)), shape=(n, n))
