"""NMF and Semi-NMF: two-factor models, in which all types share their clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cocluster.data.relational import RelationalData
from cocluster.methods.base import Coclusterer
from cocluster.methods.factorization.base import SoftTriFactorEstimator
from cocluster.methods.task import Task, clusters_by_type
from cocluster.methods.unknown import UnknownEntries
from cocluster.trifactor import (
    FactorSpec,
    Identity,
    NonNegative,
    TriFactorProblem,
    Unconstrained,
)


def shared_clusters(method: Coclusterer, data: RelationalData) -> dict[str, int]:
    """Return the number of clusters by type: in a two-factor model all types share clusters."""
    counts = clusters_by_type(data, method.n_clusters, method.n_column_clusters)
    if method.n_column_clusters is not None:
        raise ValueError(
            f"{type(method).__name__} has the same clusters for samples and features: leave "
            "n_column_clusters=None."
        )
    return dict.fromkeys(data.types, counts[data.center])


@dataclass(eq=False, repr=False)
class NMF(UnknownEntries, SoftTriFactorEstimator):
    r"""Non-negative matrix factorisation.

    .. math:: \min \sum_r w_r \|R_r - G_{rows} G_{cols}^T\|^2,\quad G \ge 0

    by the multiplicative rule of [1]_, for any number of types (views share the factor of the
    samples). Of data with unknown entries the sum is over the known ones, and `complete` predicts
    the others.

    Parameters are those of `SoftTriFactorEstimator` and `UnknownEntries`; ``n_column_clusters``
    must be left None.

    Notes
    -----
    * Guaranteed: the objective never rises; a fixed point satisfies the KKT conditions.
    * Cost of a sweep: two products of each relation with k columns. scikit-learn's NMF takes one
      complete matrix; this one takes several, absent samples, and starts from labels.

    References
    ----------
    .. [1] Lee, Seung. Algorithms for Non-negative Matrix Factorization. NIPS 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import NMF
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((8, 6)))
    >>> labels = NMF(2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[7]), bool(labels[0] == labels[8])
    (True, False)
    """

    _nonnegative: ClassVar[bool] = True
    _together: ClassVar[bool] = True

    def _clusters(self, data: RelationalData) -> dict[str, int]:
        return shared_clusters(self, data)

    def _problem(self, task: Task) -> TriFactorProblem:
        factors = {
            name: FactorSpec(k, NonNegative(exponent=1.0)) for name, k in task.clusters.items()
        }
        return TriFactorProblem(task.data, factors, Identity())


@dataclass(eq=False, repr=False)
class SemiNMF(SoftTriFactorEstimator):
    r"""Semi-NMF: memberships of the samples are non-negative, features are free.

    .. math:: \min \sum_r w_r \|R_r - G_{samples} F_r^T\|^2,\quad G_{samples} \ge 0

    [1]_, Eq. (9) and (10): F by least squares, G by the rule for signed data. A soft k-means.

    Parameters are those of `SoftTriFactorEstimator`; ``n_column_clusters`` must be left None.

    Notes
    -----
    * Guaranteed: the objective never rises. Data of any sign are taken.
    * Cost of a sweep: two products of each relation with k columns.

    References
    ----------
    .. [1] Ding, Li, Jordan. Convex and Semi-Nonnegative Matrix Factorizations. TPAMI 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import SemiNMF
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((8, 6)))
    >>> labels = SemiNMF(2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[7]), bool(labels[0] == labels[8])
    (True, False)
    """

    _together: ClassVar[bool] = True

    def _clusters(self, data: RelationalData) -> dict[str, int]:
        return shared_clusters(self, data)

    def _problem(self, task: Task) -> TriFactorProblem:
        # The free factors move first: their least-squares solution needs no start.
        order = sorted(task.clusters, key=lambda name: name == task.data.center)
        factors = {
            name: FactorSpec(
                task.clusters[name],
                NonNegative() if name == task.data.center else Unconstrained(),
            )
            for name in order
        }
        return TriFactorProblem(task.data, factors, Identity())
