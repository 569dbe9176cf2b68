"""LP-FNMTF: fast tri-factorisation that keeps neighbours together."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from cocluster.data.relational import stack_relations
from cocluster.graphs.weights import Metric
from cocluster.linalg.types import Array
from cocluster.methods.factorization.base import HardTriFactorEstimator
from cocluster.methods.factorization.graph_base import (
    GraphFitMixin,
    GraphTask,
    anchor,
    anchor_weight,
    check_graph_parameters,
    neighbours_of,
    with_penalties,
)
from cocluster.methods.factorization.newcomers import nearest_samples, points_of
from cocluster.methods.mixins import by_blocks
from cocluster.methods.task import Task
from cocluster.trifactor import FactorSpec, Free, Indicator, Run, TriFactorProblem


@dataclass(eq=False, repr=False)
class LPFNMTF(GraphFitMixin, HardTriFactorEstimator):
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
    n_neighbors, metric, strength_unit
        See `GraphEstimator`; graphs of your own are given to `fit`.

    Other parameters are those of `Coclusterer`, with ``tol=0``.

    Notes
    -----
    * Guaranteed: J_7 never rises, and J_7 is what ``objective_`` reports. (It replaces the J_6 of
      the paper, which has tr(Gᵀ L G), by Proposition 1, an approximation.)
    * Negative eigenvalues count as zero.
    * New samples are drawn to where the ``n_neighbors`` nearest samples of the fit were drawn to
      on the average, or their equals if they have any; after a fit of row blocks, or with a graph
      that was given, they go to the nearest prototype.
    * Cost of a sweep: that of `FNMTF` and n k² for each basis; once, k eigenvectors of each graph.

    References
    ----------
    .. [1] Wang, Nie, Huang, Makedon. Fast Nonnegative Matrix Tri-Factorization for Large-Scale
       Data Co-Clustering. IJCAI 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import LPFNMTF
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((8, 6)))
    >>> labels = LPFNMTF(2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[7]), bool(labels[0] == labels[8])
    (True, False)
    """

    _: KW_ONLY
    row_strength: float = 0.1
    column_strength: float = 0.1
    n_neighbors: int = 5
    metric: Metric = "cosine"
    strength_unit: str = "relative"

    # The parameters with the strengths: of the samples, and of all other types.
    _strengths: ClassVar[tuple[str, ...]] = ("row_strength", "column_strength")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_graph_parameters(self)

    def _prepared(self, task: Task) -> GraphTask:
        return with_penalties(task, self, neighbours_of(self).graphs, anchor_weight, anchor)

    def _store(self, task: Any, run: Run) -> None:
        super()._store(task, run)
        center, self._anchored = task.data.center, None
        points = points_of(task.data, task.graphs)
        for penalty in task.penalties[center] if points is not None else ():
            self._anchored = points, penalty.majorizer(run.state.factors[center]).linear

    @by_blocks
    def _costs(self, X: Any) -> Array:
        data = self._new_data(X)
        costs = self._costs_of(data)
        if self._anchored is None:
            return costs
        # What the anchor of a sample takes off its costs, see `BlockQuadratic.costs`.
        points, pull = self._anchored
        new = stack_relations(data, data.center)
        nearest, weights = nearest_samples(points, new, self.n_neighbors, self.metric)
        return np.asarray(costs - 2 * np.einsum("ij,ijk->ik", weights, pull[nearest]))

    def _problem(self, task: Any) -> TriFactorProblem:
        factors = {
            name: FactorSpec(k, Indicator(), task.penalties[name])
            for name, k in task.clusters.items()
        }
        return TriFactorProblem(task.data, factors, Free())
