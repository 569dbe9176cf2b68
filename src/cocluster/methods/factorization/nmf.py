"""NMF and Semi-NMF: two-factor models, in which all types share their clusters."""

from __future__ import annotations

from collections.abc import Mapping

from cocluster.data.relational import RelationalData
from cocluster.methods.factorization.base import SoftTriFactorEstimator
from cocluster.trifactor import (
    FactorSpec,
    Identity,
    NonNegative,
    TriFactorProblem,
    Unconstrained,
)


class TwoFactorEstimator(SoftTriFactorEstimator):
    """Base of the models in which all types have the same clusters."""

    def _clusters(self, data: RelationalData) -> dict[str, int]:
        clusters = super()._clusters(data)
        if self.n_column_clusters is not None:
            raise ValueError(
                f"{type(self).__name__} has the same clusters for samples and features: leave "
                "n_column_clusters=None."
            )
        return dict.fromkeys(data.types, clusters[data.center])


class NMF(TwoFactorEstimator):
    r"""Non-negative matrix factorisation.

    .. math:: \min \sum_r w_r \|R_r - G_{rows} G_{cols}^T\|^2,\quad G \ge 0

    by the multiplicative rule of [1]_, for any number of types (views share the factor of the
    samples).

    Parameters are those of `SoftTriFactorEstimator`; ``n_column_clusters`` must be left None.

    Notes
    -----
    * Guaranteed: the objective never rises; a fixed point satisfies the KKT conditions.
    * Cost of a sweep: two products of each relation with k columns. scikit-learn's NMF takes one
      complete matrix; this one takes several, absent samples, and starts from labels.

    References
    ----------
    .. [1] Lee, Seung. Algorithms for Non-negative Matrix Factorization. NIPS 2000.
    """

    _nonnegative = True

    def _problem(self, data: RelationalData, clusters: Mapping[str, int]) -> TriFactorProblem:
        factors = {name: FactorSpec(k, NonNegative(exponent=1.0)) for name, k in clusters.items()}
        return TriFactorProblem(data, factors, Identity())


class SemiNMF(TwoFactorEstimator):
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
    """

    def _problem(self, data: RelationalData, clusters: Mapping[str, int]) -> TriFactorProblem:
        # The free factors move first: their least-squares solution needs no start.
        order = sorted(clusters, key=lambda name: name == data.center)
        factors = {
            name: FactorSpec(
                clusters[name],
                NonNegative() if name == data.center else Unconstrained(),
            )
            for name in order
        }
        return TriFactorProblem(data, factors, Identity())
