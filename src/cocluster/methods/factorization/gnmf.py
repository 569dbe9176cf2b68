"""GNMF: NMF with a graph of the samples."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from cocluster.data.relational import RelationalData
from cocluster.methods.factorization.graph_base import GraphEstimator, scale_of
from cocluster.methods.factorization.nmf import shared_clusters
from cocluster.trifactor import FactorSpec, Identity, NonNegative, TriFactorProblem


@dataclass(eq=False, repr=False)
class GNMF(GraphEstimator):
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
    n_neighbors, metric, laplacian, strength_unit
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
    * The paper has the plain Laplacian D - W (``laplacian="plain"``); with the normalised one the
      strength does not depend on the weights of the graph.

    References
    ----------
    .. [1] Cai, He, Han, Huang. Graph Regularized Nonnegative Matrix Factorization for Data
       Representation. TPAMI 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import GNMF
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((8, 6)))
    >>> labels = GNMF(2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[7]), bool(labels[0] == labels[8])
    (True, False)
    """

    _: KW_ONLY
    row_strength: float = 1.0
    column_strength: float = 0.0
    max_iter: int = 200
    tol: float = 1e-5

    _nonnegative: ClassVar[bool] = True
    _together: ClassVar[bool] = True

    def _clusters(self, data: RelationalData) -> dict[str, int]:
        return shared_clusters(self, data)

    def _weight(self, data: RelationalData, name: str, k: int, strength: float) -> float:
        # Per object, not per cluster as in `GraphEstimator`: here rows start at length one, there
        # columns are kept at it.
        return strength * scale_of(data, name) / data.size(name)

    def _problem(self, task: Any) -> TriFactorProblem:
        # Exponent 1: the rule of Lee and Seung, which descends for data >= 0.
        factors = {
            name: FactorSpec(k, NonNegative(exponent=1.0), task.penalties[name])
            for name, k in task.clusters.items()
        }
        return TriFactorProblem(task.data, factors, Identity())
