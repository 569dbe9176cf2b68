"""TriFactorization: compose the parts yourself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

from cocluster.methods.factorization.base import SoftTriFactorEstimator
from cocluster.methods.task import Task
from cocluster.trifactor import (
    Association,
    Constraint,
    FactorSpec,
    Free,
    NonNegative,
    Penalty,
    TriFactorProblem,
)
from cocluster.utils.checks import broadcast


@dataclass(eq=False, repr=False)
class TriFactorization(SoftTriFactorEstimator):
    r"""A tri-factorisation made of chosen parts.

    .. math:: \min \sum_r w_r \|R_r - G_{rows} S_r G_{cols}^T\|^2 + \sum_t \Omega_t(G_t)

    Parameters
    ----------
    constraint : Constraint, mapping of type to Constraint, or None
        The set every factor lives in; None is ``NonNegative()``, semi-NMTF.
    association : Association or None
        The rule for S; None is ``Free()``, least squares.
    penalties : mapping of type to sequence of Penalty, or None
        What pulls on the factors besides the data.
    unit_columns : bool
        Whether columns of every factor are rescaled to length one after each step.

    Other parameters are those of `SoftTriFactorEstimator`.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster.trifactor import Indicator, Unconstrained
    >>> X = np.kron([[5., 1.], [1., 5.]], np.ones((3, 3)))
    >>> parts = {"samples": NonNegative(0.5), "features": Unconstrained()}
    >>> labels = TriFactorization(2, constraint=parts, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1]), bool(labels[0] == labels[3])
    (True, False)
    """

    _: KW_ONLY
    constraint: Constraint | Mapping[str, Constraint] | None = None
    association: Association | None = None
    penalties: Mapping[str, tuple[Penalty, ...]] | None = None
    unit_columns: bool = False

    def _problem(self, task: Task) -> TriFactorProblem:
        # One constraint is for all types; of a mapping, types it leaves out are non-negative.
        constraints = broadcast({} if self.constraint is None else self.constraint, task.clusters)
        penalties = self.penalties or {}
        unknown = (set(constraints) | set(penalties)) - set(task.clusters)
        if unknown:
            raise ValueError(f"Unknown types {sorted(unknown)}; there are {list(task.clusters)}.")
        factors = {
            name: FactorSpec(
                k,
                constraints.get(name, NonNegative()),
                tuple(penalties.get(name, ())),
                self.unit_columns,
            )
            for name, k in task.clusters.items()
        }
        return TriFactorProblem(task.data, factors, self.association or Free())
