"""OSNTF: orthogonal tri-factorisation of many types with a graph of each, and its fast form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from cocluster.data.relational import RelationalData
from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array
from cocluster.methods.base import Coclusterer
from cocluster.methods.factorization.graph_base import (
    GraphEstimator,
    Graphs,
    anchor,
    anchor_weight,
)
from cocluster.methods.task import Task
from cocluster.trifactor import (
    FactorSpec,
    Free,
    Indicator,
    NonNegativeAssociation,
    Orthogonal,
    Penalty,
    Run,
    TriFactorProblem,
)


@dataclass(eq=False, repr=False)
class OSNTF(GraphEstimator):
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
    n_neighbors, metric, laplacian, strength_unit
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

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import OSNTF
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((8, 6)))
    >>> labels = OSNTF(2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[7]), bool(labels[0] == labels[8])
    (True, False)
    """

    _: KW_ONLY
    strength: float | Mapping[str, float] = 0.1
    fast: bool = False
    max_iter: int = 200
    tol: float = 1e-5

    _nonnegative: ClassVar[bool] = True
    _strengths: ClassVar[tuple[str, ...]] = ("strength",)

    def _weight(self, data: RelationalData, name: str, k: int, strength: float) -> float:
        weigh = anchor_weight if self.fast else super()._weight
        return weigh(data, name, k, strength)

    def _penalty(
        self, data: RelationalData, name: str, k: int, graphs: Graphs, weight: float
    ) -> Penalty:
        # tr(Gᵀ L G) couples the rows of an indicator factor; an anchor does not.
        make = anchor if self.fast else super()._penalty
        return make(data, name, k, graphs, weight)

    def _problem(self, task: Any) -> TriFactorProblem:
        # Indicator factors are orthogonal by themselves, and so the fast form of the same model.
        constraint = Indicator() if self.fast else Orthogonal()
        factors = {
            name: FactorSpec(k, constraint, task.penalties[name])
            for name, k in task.clusters.items()
        }
        rule = Free() if self.fast else NonNegativeAssociation(exponent=0.5)
        return TriFactorProblem(task.data, factors, rule)

    def _store(self, task: Task, run: Run) -> None:
        if not self.fast:
            super()._store(task, run)
            return
        # Indicator factors are their own memberships, whatever `assign` says.
        Coclusterer._store(self, task, run)
        self._membership, self._kmeans = self._factors[task.data.center], None

    def _costs_of(self, data: RelationalData) -> Array:
        return self._new_block(data).costs() if self.fast else super()._costs_of(data)

    def transform(self, X: Any) -> Array:
        """Memberships of new samples, rows summing to one; 0 and 1 in the fast form."""
        if not self.fast:
            return super().transform(X)
        return as_partition(self.predict(X), self.n_clusters).dense()
