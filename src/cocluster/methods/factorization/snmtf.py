"""SNMTF: symmetric tri-factorisation of many types, with a graph of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cocluster.graphs.weights import Metric
from cocluster.methods.factorization.drcc import SmoothFactors


class SNMTF(SmoothFactors):
    r"""Symmetric Nonnegative Matrix Tri-Factorization of any number of types.

    .. math:: \min \sum_r w_r \|R_r - G_{rows} S_r G_{cols}^T\|^2
              + \sum_t \lambda_t\, tr(G_t^T L_t G_t), \quad G \ge 0,\ S\ free

    [1]_, also Eq. (2) of [2]_. The papers stack all types into one symmetric matrix, in which each
    relation stands twice: hence their factor 2 before λ. One type moves after the other. With two
    types it is `DRCC` with equal strengths.

    Parameters
    ----------
    strength : float, or mapping of type to float
        Strength of the graph of every type, relative to the data as in `DRCC`: λ_t is
        ``strength`` · Σ w_r ‖R_r‖² / k_t, over the relations of the type. A mapping gives each type
        its own; types it leaves out have no graph. Strong graphs of very many features can turn
        the columns of their factor parallel; give those types less.
    n_neighbors, metric
        See `GraphEstimator`; graphs of your own are given to `fit`.

    Other parameters are those of `SoftTriFactorEstimator`; ``assign="kmeans"``.

    Notes
    -----
    Guarantees and costs are those of `DRCC`.

    References
    ----------
    .. [1] Wang, Huang, Ding. Simultaneous Clustering of Multi-type Relational Data via Symmetric
       Nonnegative Matrix Tri-Factorization. CIKM 2011.
    .. [2] Li, Bu, Chen, He. Relational Co-Clustering via Manifold Ensemble Learning. CIKM 2012.
    """

    _strengths = ("strength",)

    def __init__(
        self,
        n_clusters: int = 2,
        n_column_clusters: int | Mapping[str, int] | None = None,
        *,
        strength: float | Mapping[str, float] = 1.0,
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
        self.strength = strength
        self.n_neighbors = n_neighbors
        self.metric = metric
