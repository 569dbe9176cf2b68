"""OSNTF: orthogonal tri-factorisation of many types with a graph of each, and its fast form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.graphs.weights import Metric
from cocluster.linalg.partitions import as_array, as_partition
from cocluster.linalg.types import Array
from cocluster.methods.factorization.drcc import SmoothFactors
from cocluster.methods.factorization.graph_base import Graphs
from cocluster.methods.factorization.lpfnmtf import anchor
from cocluster.trifactor import (
    FactorSpec,
    Free,
    Indicator,
    NonNegativeAssociation,
    Orthogonal,
    State,
    TriFactorProblem,
)


class OSNTF(SmoothFactors):
    r"""Orthogonal Symmetric Nonnegative Tri-Factorization of any number of types.

    .. math:: \min \sum_r w_r \|R_r - G_{rows} S_r G_{cols}^T\|^2
              + \sum_t \lambda_t\, tr(G_t^T L_t G_t), \quad G, S \ge 0,\ G^T G = I

    [1]_. Its fast form has indicator factors instead, and a spectral anchor for each graph: that is
    `LPFNMTF` for any number of types (`FNMTF` at strength 0).

    Parameters
    ----------
    strength : float, or mapping of type to float
        Strength of the graph of every type, relative to the data: in the unit of `SNMTF`, or with
        ``fast=True`` in that of `LPFNMTF`.
    fast : bool
        Whether to take the indicator form. ``assign`` has no effect there; use ``tol=0`` to run
        until no label changes.
    n_neighbors, metric
        See `GraphEstimator`; graphs of your own are given to `fit`.

    Other parameters are those of `SoftTriFactorEstimator`; ``assign="kmeans"``.

    Notes
    -----
    * The fast form never raises its objective. The orthogonal one is not guaranteed to, see
      `ONMTF`, which it equals at strength 0; it needs data >= 0 and every sample in every view.
    * The rule of the orthogonal form keeps columns near unit length, so the penalty cannot be
      evaded by shrinking.
    * Cost of a sweep: two products of each relation with k columns, and one of each graph; fast:
      two passes over the non-zeros.

    References
    ----------
    .. [1] Wang, Nie, Huang, Ding. Nonnegative Matrix Tri-Factorization Based High-Order
       Co-Clustering and Its Fast Implementation. ICDM 2011.
    """

    _nonnegative = True
    _strengths = ("strength",)

    def __init__(
        self,
        n_clusters: int = 2,
        n_column_clusters: int | Mapping[str, int] | None = None,
        *,
        strength: float | Mapping[str, float] = 0.1,
        fast: bool = False,
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
        self.strength = strength
        self.fast = fast
        self.n_neighbors = n_neighbors
        self.metric = metric

    def _penalty(
        self, data: RelationalData, name: str, k: int, graphs: Graphs, strength: float
    ) -> Any:
        if not self.fast:
            return super()._penalty(data, name, k, graphs, strength)
        (graph,) = graphs.values()
        return anchor(data, name, k, graph, strength)

    def _problem(self, data: RelationalData, clusters: Mapping[str, int]) -> TriFactorProblem:
        constraint = Indicator() if self.fast else Orthogonal()
        factors = {
            name: FactorSpec(k, constraint, self._penalties[name]) for name, k in clusters.items()
        }
        rule = Free() if self.fast else NonNegativeAssociation(exponent=0.5)
        return TriFactorProblem(data, factors, rule)

    def _labels(self, data: RelationalData, state: State) -> dict[str, Array]:
        if not self.fast:
            return super()._labels(data, state)
        self._membership = as_array(self._factors[data.center])
        return {name: G.labels.astype(np.intp) for name, G in self._factors.items()}

    def predict(self, X: Any) -> Array:
        """Cluster of each new sample, with the learned feature side fixed."""
        return self._new_block(X).costs().argmin(axis=1) if self.fast else super().predict(X)

    def transform(self, X: Any) -> Array:
        """Memberships of new samples, rows summing to one; 0 and 1 in the fast form."""
        if not self.fast:
            return super().transform(X)
        return as_partition(self.predict(X), self.n_clusters).dense()
