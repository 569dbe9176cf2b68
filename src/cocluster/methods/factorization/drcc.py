"""DRCC: tri-factorisation with graphs of samples and features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cocluster.data.relational import RelationalData
from cocluster.graphs.weights import Metric
from cocluster.methods.factorization.base import SoftTriFactorEstimator
from cocluster.methods.factorization.graph_base import GraphEstimator, Graphs, scale_of, smoothing
from cocluster.trifactor import FactorSpec, Free, NonNegative, PairTerms, TriFactorProblem


class SmoothFactors(GraphEstimator, SoftTriFactorEstimator):
    """Semi-NMTF with columns of unit length, each factor smooth on a graph of its objects."""

    def _penalty(
        self, data: RelationalData, name: str, k: int, graphs: Graphs, strength: float
    ) -> Any:
        (graph,) = graphs.values()
        return PairTerms(smoothing(data, graph, strength * scale_of(data, name) / k))

    def _problem(self, data: RelationalData, clusters: Mapping[str, int]) -> TriFactorProblem:
        factors = {
            name: FactorSpec(k, NonNegative(), self._penalties[name], unit_columns=True)
            for name, k in clusters.items()
        }
        return TriFactorProblem(data, factors, Free())


class DRCC(SmoothFactors):
    r"""Dual Regularized Co-Clustering.

    .. math:: \min \|X - G S F^T\|^2 + \lambda\, tr(G^T L_G G) + \mu\, tr(F^T L_F F),
              \quad G, F \ge 0,\ S\ free

    [1]_, Eq. (9) and the rules (15) and (16): S by least squares, factors by multiplicative steps
    with exponent 1/2, columns of G and F at unit length, L the normalised Laplacians of the graphs
    of samples and features.

    Parameters
    ----------
    row_strength, column_strength : float
        Strength of the graph of the samples, and of the graph of the features (with many types:
        of every other type). Relative to the data: λ is ``row_strength`` · ‖X‖² / k. As the
        columns have unit length, tr(Gᵀ L G) lies between 0 and 2 k, so at strength 1 a factor
        without any smoothness costs as much as the data weigh. 0 leaves the graph out.
    n_neighbors, metric
        See `GraphEstimator`; graphs of your own are given to `fit`.

    Other parameters are those of `SoftTriFactorEstimator`; ``assign="kmeans"``, because the
    literature clusters the rows of the factor.

    Notes
    -----
    * The objective, measured after the columns are rescaled, was never seen to rise, but no proof
      covers the rescaling, and where the steps end the KKT conditions hold up to a factor for each
      column only. Without it the penalty is evaded: G shrinks while S grows.
    * Steps are small where a graph is strong, hence ``max_iter=1000`` and ``tol=1e-6``.
    * Data of any sign are taken. Cost of a sweep: two products of the data with k columns, and one
      of each graph.
    * The paper has the plain Laplacian D - W and columns normalised at an unstated time; with the
      normalised one the strength does not depend on the weights of the graph.

    References
    ----------
    .. [1] Gu, Zhou. Co-clustering on Manifolds. KDD 2009.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.kron([[5., 1.], [1., 5.]], np.ones((4, 3)))
    >>> DRCC(2, n_neighbors=3, random_state=0).fit(X).labels_.tolist() in ([0] * 4 + [1] * 4,
    ...                                                                   [1] * 4 + [0] * 4)
    True
    """

    def __init__(
        self,
        n_clusters: int = 2,
        n_column_clusters: int | Mapping[str, int] | None = None,
        *,
        row_strength: float = 1.0,
        column_strength: float = 1.0,
        n_neighbors: int = 5,
        metric: Metric = "cosine",
        normalize: str | None = "auto",
        init: Any = "spectral",
        n_init: int = 1,
        assign: str = "kmeans",
        max_iter: int = 1000,
        tol: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_clusters,
            n_column_clusters,
            normalize=normalize,
            init=init,
            n_init=n_init,
            assign=assign,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        self.row_strength = row_strength
        self.column_strength = column_strength
        self.n_neighbors = n_neighbors
        self.metric = metric
