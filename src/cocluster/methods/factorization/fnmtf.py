"""FNMTF: fast tri-factorisation with indicator factors."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import row_squares
from cocluster.linalg.types import Array
from cocluster.methods.base import Start, Task
from cocluster.methods.factorization.base import linked_start, new_block
from cocluster.methods.spreading import SpreadingCoclusterer, prior_costs
from cocluster.trifactor import (
    FactorSpec,
    Free,
    Indicator,
    Run,
    TriFactorProblem,
    state_from,
    with_links,
    with_penalties,
)


@dataclass(eq=False, repr=False)
class FNMTF(SpreadingCoclusterer):
    r"""Fast Nonnegative Matrix Tri-Factorization: block k-means on both sides.

    .. math:: \min \sum_r w_r \|R_r - G_{rows} S_r G_{cols}^T\|^2,\quad G \in \Psi, S\ free

    with Ψ the indicator matrices: [1]_, Eq. (5), for any number of types. S holds the block means
    (Eq. 6), each object goes to the nearest prototype (Eq. 8 and 10), always with fresh S.

    Parameters
    ----------
    spread : bool
        Whether links between samples also say something of samples that have none, see
        `cocluster.methods.spreading`: they add a prior, which the objective then includes.
    others
        Those of `Coclusterer`.

    Notes
    -----
    * Guaranteed: the objective never rises; with ``tol=0`` the run ends at labels that no further
      sweep changes. An empty cluster takes the object that gains most by being alone, which
      cannot raise the objective.
    * Cost of a sweep: two passes over the non-zeros, whatever the number of clusters, and
      n·m·k operations on the sums.
    * Data of any sign are taken. The paper does not say how X is scaled; it matters more than the
      algorithm, see ``normalize``.

    References
    ----------
    .. [1] Wang, Nie, Huang, Makedon. Fast Nonnegative Matrix Tri-Factorization for Large-Scale
       Data Co-Clustering. IJCAI 2011.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.kron([[5, 1, 1], [1, 1, 5]], np.ones((3, 2)))
    >>> FNMTF(2, 2, random_state=0).fit(X).row_labels_[[0, 2]].tolist()
    [0, 0]
    """

    _: KW_ONLY
    max_iter: int = 100
    # Labels settle: the run goes on until none changes.
    tol: float = 0.0

    _blockwise: ClassVar[bool] = True
    _additive: ClassVar[bool] = True

    def _finished(self, problem: TriFactorProblem, run: Run) -> Run:
        return run

    def _problem(self, task: Task) -> TriFactorProblem:
        """The problem that defines the method."""
        factors = {name: FactorSpec(k, Indicator()) for name, k in task.clusters.items()}
        return TriFactorProblem(task.data, factors, Free())

    def _linked_problem(self, task: Task) -> TriFactorProblem:
        problem = with_links(self._problem(task), task.links)
        of_sample = problem.data_norm / len(task.data)
        return with_penalties(problem, prior_costs(task.priors, of_sample))

    def _solve(self, task: Task, start: Start) -> Run:
        if task.priors and start is not None:
            # The start follows from the links; sweeps without the prior would lead away from it.
            problem = self._linked_problem(task)
            return self._alternate(problem, state_from(problem, start), task)
        return self._alternate(*linked_start(self._problem(task), task, start), task)

    def _costs_of(self, data: RelationalData) -> Array:
        """Squared distance to every prototype, in the scale and with the weights of the fit."""
        lengths = np.zeros((len(data), 1))
        for r in data.relations:
            if r.rows == data.center:
                present = slice(None) if r.row_index is None else r.row_index
                lengths[present, 0] += r.weight * row_squares(r.matrix)
        return lengths + new_block(data, self._factors, self.associations_).costs()
