"""Graphs given by the user, and Laplacians."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from cocluster.linalg.checked import in_form


def as_graph(W: Any, n: int, name: str = "graph") -> sp.csr_array:
    """Check a graph given by the user and bring it into the form used here.

    An asymmetric graph is symmetrised by maximum: ``max(W_ij, W_ji)``. The diagonal is dropped, for
    it says nothing about pairs. Objects without edges are fine.

    Parameters
    ----------
    W : array-like or sparse of shape (n, n)
        Non-negative weights.
    n : int
        Number of objects of the type the graph belongs to.
    name : str
        How error messages call the graph.

    Returns
    -------
    csr_array of shape (n, n)
    """
    # First an array or a sparse array: scipy does not take lists and frames.
    graph = sp.csr_array(in_form(W))
    if graph.shape != (n, n):
        raise ValueError(f"The {name} has shape {graph.shape}, but {n} objects need ({n}, {n}).")
    if graph.dtype.kind not in "fiub":
        raise TypeError(f"The {name} must hold real numbers, not {graph.dtype}.")
    if graph.dtype.kind != "f":
        graph = graph.astype(np.float64)
    if not np.isfinite(graph.data).all():
        raise ValueError(f"The {name} holds NaN or infinite weights; drop those edges.")
    if (graph.data < 0).any():
        raise ValueError(f"The {name} holds negative weights; use weights of zero or more.")
    return symmetric(graph)


def symmetric(graph: sp.csr_array) -> sp.csr_array:
    """Symmetrise by maximum, with an empty diagonal."""
    graph = graph.maximum(graph.T).tocsr()
    # setdiag stores zeros, which would count as edges wherever stored entries are counted.
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph


def laplacian(W: sp.csr_array, normalized: bool = False) -> sp.csr_array:
    r"""Laplacian of a graph.

    .. math:: L = D - W, \qquad L_{norm} = D^{-1/2} (D - W) D^{-1/2}, \qquad D_{ii} = \sum_j W_{ij}

    An object without edges has a zero row and column in both.

    Parameters
    ----------
    W : csr_array of shape (n, n)
        Symmetric, non-negative weights.
    normalized : bool
        Whether to take the second form.

    Returns
    -------
    csr_array of shape (n, n)

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster.graphs import knn_graph
    >>> L = laplacian(knn_graph(np.array([[0.0], [0.1], [5.0], [5.1]]), 1))
    >>> bool(abs(L.sum(axis=1)).max() < 1e-12)
    True
    """
    return sp.csr_array(csgraph.laplacian(W, normed=normalized))
