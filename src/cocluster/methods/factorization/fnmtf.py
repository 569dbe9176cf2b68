"""FNMTF: fast tri-factorisation with indicator factors."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from cocluster.linalg.types import Array
from cocluster.methods.default.supervision import PriorMixin, prior_costs
from cocluster.methods.factorization.base import HardTriFactorEstimator
from cocluster.methods.streams import HardPartialFitMixin
from cocluster.methods.task import Start, Task
from cocluster.methods.unknown import UnknownEntries
from cocluster.trifactor import (
    FactorSpec,
    Free,
    Indicator,
    Run,
    State,
    TriFactorProblem,
    state_from,
    with_penalties,
)


@dataclass(eq=False, repr=False)
class FNMTF(PriorMixin, HardPartialFitMixin, UnknownEntries, HardTriFactorEstimator):
    r"""Fast Nonnegative Matrix Tri-Factorization: block k-means on both sides.

    .. math:: \min \sum_r w_r \|R_r - G_{rows} S_r G_{cols}^T\|^2,\quad G \in \Psi, S\ free

    with Ψ the indicator matrices: [1]_, Eq. (5), for any number of types. S holds the block means
    (Eq. 6), each object goes to the nearest prototype (Eq. 8 and 10), always with fresh S. Of data
    with unknown entries the sum is over the known ones, and `complete` predicts the others.

    Parameters
    ----------
    biases : bool
        Whether biases of rows and columns are taken off the data first, and added to what
        `complete` predicts [2]_: people who rate everything high, things that everyone likes.
    missing
        See `UnknownEntries`.
    spread : bool
        Whether links between samples are propagated to samples that have none, see
        `cocluster.methods.default.supervision`: they add a prior to the objective.

    Other parameters are those of `Coclusterer`.

    Notes
    -----
    * Guaranteed: the objective never rises; with ``tol=0`` the run ends at labels that no further
      sweep changes. An empty cluster takes the object that gains most by being alone, which
      cannot raise the objective.
    * Cost of a sweep: two passes over the non-zeros, whatever the number of clusters, and
      n·m·k operations on the sums. Known values and their numbers are summed in the same pass.
    * Data of any sign are taken. The paper does not say how X is scaled; it matters more than the
      algorithm, see ``normalize``.

    References
    ----------
    .. [1] Wang, Nie, Huang, Makedon. Fast Nonnegative Matrix Tri-Factorization for Large-Scale
       Data Co-Clustering. IJCAI 2011.
    .. [2] George, Merugu. A Scalable Collaborative Filtering Framework Based on Co-clustering.
       ICDM 2005.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.kron([[5, 1, 1], [1, 1, 5]], np.ones((3, 2)))
    >>> FNMTF(2, 2, random_state=0).fit(X).row_labels_[[0, 2]].tolist()
    [0, 0]
    >>> X[0, 0] = np.nan
    >>> FNMTF(2, 3, random_state=0).fit(X).complete(0, 0).round(1).tolist()
    5.0
    """

    _: KW_ONLY
    biases: bool = False
    spread: bool = False
    # As in `HardTriFactorEstimator`: dataclasses take the defaults of the first base.
    max_iter: int = 100
    tol: float = 0.0

    def _has_biases(self) -> bool:
        return self.biases

    def _problem(self, task: Task) -> TriFactorProblem:
        factors = {name: FactorSpec(k, Indicator()) for name, k in task.clusters.items()}
        return TriFactorProblem(task.data, factors, Free())

    def _linked_problem(self, task: Task) -> TriFactorProblem:
        problem = super()._linked_problem(task)
        return with_penalties(problem, prior_costs(task, problem.data_norm))

    def _solve_from(self, task: Task, start: Start) -> Run:
        if task.priors and start is not None:
            # The start follows from the links; sweeps without the prior would lead away from it.
            problem = self._linked_problem(task)
            return self._sweep(problem, state_from(problem, start), task)
        return super()._solve_from(task, start)

    def _predicting_associations(self, task: Task, run: Run) -> tuple[Array, ...]:
        # Means of few entries say little: they are drawn to the mean of all.
        return self._problem(task).shrunk(run.state)

    def _streamed_columns(self, task: Task, state: State) -> State:
        return self._problem(task).moved(task.data.relations[0].cols, state)
