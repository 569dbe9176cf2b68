"""GNMF: NMF with a graph of the samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cocluster.data.relational import RelationalData
from cocluster.graphs.weights import Metric
from cocluster.methods.factorization.base import SoftTriFactorEstimator
from cocluster.methods.factorization.graph_base import GraphEstimator, Graphs, scale_of, smoothing
from cocluster.trifactor import FactorSpec, Identity, NonNegative, PairTerms, TriFactorProblem


class GNMF(GraphEstimator, SoftTriFactorEstimator):
    r"""Graph regularized Nonnegative Matrix Factorization.

    .. math:: \min \sum_r w_r \|R_r - G_{rows} G_{cols}^T\|^2
              + \sum_t \lambda_t\, tr(G_t^T L_t G_t), \quad G \ge 0

    [1]_, Eq. (9), with its rules (14) and (15): multiplicative steps with exponent 1. The paper has
    one relation and a graph of the samples only.

    Parameters
    ----------
    row_strength, column_strength : float
        Strength of the graph of the samples, and of every other type. Relative to the data: λ is
        the strength times Σ w_r ‖R_r‖² / n over the relations of the type, that is, times the mean
        square of an object, because the rows of the factor start at length about one.
    n_neighbors, metric
        See `GraphEstimator`; graphs of your own are given to `fit`.

    Other parameters are those of `SoftTriFactorEstimator`; ``n_column_clusters`` must be left
    None; ``assign="kmeans"``, as in the paper.

    Notes
    -----
    * Guaranteed: the objective never rises; a fixed point satisfies the KKT conditions. If one side
      only has a graph there is no minimum: its factor can shrink while the other grows. As in the
      paper nothing prevents that but the start, from which steps depart slowly in this direction;
      `DRCC` is the method in which the scale is fixed.
    * Cost of a sweep: two products of each relation with k columns, and one of each graph.
    * The paper has the plain Laplacian D - W; the normalised one is used here, so that the
      strength does not depend on the weights of the graph.

    References
    ----------
    .. [1] Cai, He, Han, Huang. Graph Regularized Nonnegative Matrix Factorization for Data
       Representation. TPAMI 2011.
    """

    _nonnegative = True

    def __init__(
        self,
        n_clusters: int = 2,
        n_column_clusters: int | Mapping[str, int] | None = None,
        *,
        row_strength: float = 1.0,
        column_strength: float = 0.0,
        n_neighbors: int = 5,
        metric: Metric = "cosine",
        normalize: str | None = "auto",
        init: Any = "spectral",
        n_init: int = 1,
        assign: str = "kmeans",
        max_iter: int = 200,
        tol: float = 1e-5,
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

    def _penalty(
        self, data: RelationalData, name: str, k: int, graphs: Graphs, strength: float
    ) -> Any:
        (graph,) = graphs.values()
        return PairTerms(smoothing(data, graph, strength * scale_of(data, name) / data.size(name)))

    def _problem(self, data: RelationalData, clusters: Mapping[str, int]) -> TriFactorProblem:
        factors = {
            name: FactorSpec(k, NonNegative(exponent=1.0), self._penalties[name])
            for name, k in clusters.items()
        }
        return TriFactorProblem(data, factors, Identity())
