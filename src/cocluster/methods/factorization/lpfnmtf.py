"""LP-FNMTF: fast tri-factorisation that keeps neighbours together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.graphs.weights import Metric
from cocluster.methods.factorization.base import HardTriFactorEstimator
from cocluster.methods.factorization.graph_base import (
    GraphEstimator,
    Graphs,
    scale_of,
    spectral_basis,
)
from cocluster.trifactor import (
    FactorSpec,
    Free,
    Indicator,
    SpectralAnchor,
    TriFactorProblem,
)


class LPFNMTF(GraphEstimator, HardTriFactorEstimator):
    r"""Locality Preserved FNMTF: indicator factors, drawn to the spectral bases of two graphs.

    .. math:: J_7 = \|X - G S F^T\|^2 + \alpha \|G - B_d Q_d\|^2 + \beta \|F - B_f Q_f\|^2,
              \quad G, F \in \Psi,\ Q^T Q = I

    [1]_, Eq. (16), for any number of types. Ψ are the indicator matrices; B holds the k leading
    eigenvectors of the normalised adjacency times the root of their eigenvalues (Eq. 15), Q is the
    best rotation (Eq. 18), labels follow Eq. (20) and (21), always with fresh S and Q.

    Parameters
    ----------
    row_strength, column_strength : float
        Strength of the anchor of the samples, and of the features (with many types: of every other
        type). Relative to the data: α is ``row_strength`` · ‖X‖² / √(n k), with n objects of the
        type in k clusters. A graph that shows k equal clusters perfectly has B = G √(k/n), so at
        strength 1 it offers each object twice the mean square of an object for staying with its
        neighbours. With both at 0 the method is `FNMTF`.
    n_neighbors, metric
        See `GraphEstimator`; graphs of your own are given to `fit`.

    Other parameters are those of `Coclusterer`, with ``tol=0``.

    Notes
    -----
    * Guaranteed: J_7 never rises, and J_7 is what ``objective_`` reports. (It replaces the J_6 of
      the paper, which has tr(Gᵀ L G), by Proposition 1, an approximation.)
    * Negative eigenvalues count as zero. New samples go to the nearest prototype.
    * Cost of a sweep: that of `FNMTF` and n k² for each basis; once, k eigenvectors of each graph.

    References
    ----------
    .. [1] Wang, Nie, Huang, Makedon. Fast Nonnegative Matrix Tri-Factorization for Large-Scale
       Data Co-Clustering. IJCAI 2011.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        n_column_clusters: int | Mapping[str, int] | None = None,
        *,
        row_strength: float = 0.1,
        column_strength: float = 0.1,
        n_neighbors: int = 5,
        metric: Metric = "cosine",
        normalize: str | None = "auto",
        init: Any = "spectral",
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 0.0,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_clusters,
            n_column_clusters,
            normalize=normalize,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        self.row_strength = row_strength
        self.column_strength = column_strength
        self.n_neighbors = n_neighbors
        self.metric = metric

    def _penalty(
        self, data: RelationalData, name: str, k: int, graphs: Graphs, strength: float
    ) -> Any:
        (graph,) = graphs.values()
        return anchor(data, name, k, graph, strength)

    def _problem(self, data: RelationalData, clusters: Mapping[str, int]) -> TriFactorProblem:
        factors = {
            name: FactorSpec(k, Indicator(), self._penalties[name]) for name, k in clusters.items()
        }
        return TriFactorProblem(data, factors, Free())


def anchor(data: RelationalData, name: str, k: int, graph: Any, strength: float) -> SpectralAnchor:
    """The anchor of one type, in the precision of the data."""
    dtype = np.result_type(*(r.matrix.dtype for r in data.relations))
    unit = scale_of(data, name) / np.sqrt(data.size(name) * k)
    basis = data.placed(name, spectral_basis(graph, k).astype(dtype))
    return SpectralAnchor(basis, float(strength * unit))
