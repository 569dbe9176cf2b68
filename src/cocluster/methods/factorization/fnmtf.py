"""FNMTF: fast tri-factorisation with indicator factors."""

from __future__ import annotations

from collections.abc import Mapping

from cocluster.data.relational import RelationalData
from cocluster.methods.factorization.base import HardTriFactorEstimator
from cocluster.trifactor import FactorSpec, Free, Indicator, TriFactorProblem


class FNMTF(HardTriFactorEstimator):
    r"""Fast Nonnegative Matrix Tri-Factorization: block k-means on both sides.

    .. math:: \min \sum_r w_r \|R_r - G_{rows} S_r G_{cols}^T\|^2,\quad G \in \Psi, S\ free

    with Ψ the indicator matrices: [1]_, Eq. (5), for any number of types. S holds the block means
    (Eq. 6), each object goes to the nearest prototype (Eq. 8 and 10), always with fresh S.

    Parameters are those of `Coclusterer`.

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

    def _problem(self, data: RelationalData, clusters: Mapping[str, int]) -> TriFactorProblem:
        factors = {name: FactorSpec(k, Indicator()) for name, k in clusters.items()}
        return TriFactorProblem(data, factors, Free())
