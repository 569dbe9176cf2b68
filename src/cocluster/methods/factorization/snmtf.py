"""SNMTF: symmetric tri-factorisation of many types, with a graph of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from cocluster.methods.factorization.graph_base import GraphEstimator


@dataclass(eq=False, repr=False)
class SNMTF(GraphEstimator):
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
    n_neighbors, metric, laplacian, strength_unit
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

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import SNMTF
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((8, 6)))
    >>> labels = SNMTF(2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[7]), bool(labels[0] == labels[8])
    (True, False)
    """

    _: KW_ONLY
    strength: float | Mapping[str, float] = 1.0

    _strengths: ClassVar[tuple[str, ...]] = ("strength",)
