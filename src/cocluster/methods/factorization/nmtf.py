"""NMTF: non-negative tri-factorisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cocluster.data.relational import RelationalData
from cocluster.linalg.partitions import strongest
from cocluster.linalg.types import Array, Factor
from cocluster.methods.factorization.base import SoftTriFactorEstimator
from cocluster.methods.streams import PartialFitMixin
from cocluster.methods.task import Task
from cocluster.methods.unknown import UnknownEntries
from cocluster.trifactor import (
    FactorSpec,
    NonNegative,
    NonNegativeAssociation,
    State,
    TriFactorProblem,
    memberships,
)


@dataclass(eq=False, repr=False)
class NMTF(PartialFitMixin, UnknownEntries, SoftTriFactorEstimator):
    r"""Non-negative matrix tri-factorisation (block value decomposition, BVD).

    .. math:: \min \sum_r w_r \|R_r - G_{rows} S_r G_{cols}^T\|^2,\quad G, S \ge 0

    [1]_, Eq. (5) to (7), for any number of types: multiplicative steps with exponent 1.

    Of data with unknown entries the sum is over the known ones, and `complete` predicts the others.

    Parameters are those of `SoftTriFactorEstimator` and `UnknownEntries`.

    Notes
    -----
    * Guaranteed: the objective never rises; a fixed point satisfies the KKT conditions.
    * Cost of a sweep: two products of each relation with k columns.
    * Labels: strongest membership, each column of the factor scaled by its prototype's length, so
      that they do not depend on how scale is split between G and S.

    References
    ----------
    .. [1] Long, Zhang, Yu. Co-clustering by Block Value Decomposition. KDD 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import NMTF
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((8, 6)))
    >>> labels = NMTF(2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[7]), bool(labels[0] == labels[8])
    (True, False)
    """

    _nonnegative: ClassVar[bool] = True

    def _problem(self, task: Task) -> TriFactorProblem:
        factors = {
            name: FactorSpec(k, NonNegative(exponent=1.0)) for name, k in task.clusters.items()
        }
        return TriFactorProblem(task.data, factors, NonNegativeAssociation())

    def _streamed_rows(self, data: RelationalData) -> Factor:
        return self._fold_in(data)[0]

    def _streamed_columns(self, task: Task, state: State) -> State:
        return self._problem(task).moved(task.data.relations[0].cols, state)

    def _streamed_labels(self, data: RelationalData, state: State) -> tuple[Array, Array]:
        (relation,) = data.relations
        self._membership = memberships(self._factors[relation.rows], self._new_block(data))
        block = TriFactorProblem(data, {}).data_block(relation.cols, state)
        columns = memberships(state.factors[relation.cols], block)
        return strongest(self._membership), strongest(columns)
