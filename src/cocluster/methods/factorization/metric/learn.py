r"""Metrics and view weights learned from links: Algorithm 1 of star SS-NMF [1]_, data to data.

For each view the must-links and cannot-links give two scatter matrices,

.. math::
    W = \sum_{(i,j) \in M} (x_i - x_j)(x_i - x_j)^T = X^T P_M X, \qquad B = X^T P_C X,

where :math:`P` is the Laplacian of the graph of the pairs, and the metric L shall raise
:math:`\operatorname{tr}(L B) / \operatorname{tr}(L W)` (Eqs. 4 and 5). With all eigenvectors of
:math:`B v = \lambda (W + \rho I) v`, :math:`V V^T` is :math:`(W + \rho I)^{-1}` whatever B is. We
take this form, scaled by rho: along the eigenvectors u of W the metric is

.. math:: \ell_u = \rho / (\rho + w_u) \text{ in the span of W, and 1 outside.}

Whitening like this lowers the ratio where directions of large w also separate cannot-links best.
So it is compared with shrinking only the directions that separate no better than the average,
:math:`u^T B u / \operatorname{tr} B \le w_u / \operatorname{tr} W`, which can never lower the
ratio, and the one with the larger ratio is kept. In both cases
:math:`\sqrt L = I - U \operatorname{diag}(1 - \sqrt{\ell}) U^T` differs from the identity by a
matrix of rank at most the number of must-links.

References
----------
.. [1] Y. Chen, L. Wang, M. Dong, "Non-negative matrix factorization for semisupervised
   heterogeneous data coclustering", IEEE TKDE 22(10), 2010.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.optimize import lsq_linear
from scipy.sparse.linalg import LinearOperator, eigsh

from cocluster.graphs import laplacian
from cocluster.linalg.matrices import as_dense
from cocluster.linalg.positions import positions_of
from cocluster.linalg.types import Array, InMemory
from cocluster.links.closure import symmetric
from cocluster.links.validate import as_pairs, check_pairs
from cocluster.methods.factorization.metric.operator import MetricOperator, pair_distances
from cocluster.utils.checks import check_number

# Scatter matrices of larger order are represented by their leading directions only: the time for
# all of them grows with the cube of the order, and the last ones are shrunk by next to nothing.
EXACT_ORDER = 2000
LEADING_DIRECTIONS = 500
# Eigenvalues below this share of the largest are zero up to rounding.
NULL_SHARE = 1e-10


@dataclass(frozen=True, eq=False)
class LearnedMetrics:
    """Metric and weight of each view.

    Parameters
    ----------
    metrics : mapping of view name to `MetricOperator`
    modality_weights : mapping of view name to float in [0, 1]
    """

    metrics: Mapping[str, MetricOperator]
    modality_weights: Mapping[str, float]

    def transformed(self, name: str, R: InMemory, clip: bool | None = None) -> InMemory:
        r"""New relation :math:`\tilde R = \alpha R \sqrt L` of the view `name`, see
        `MetricOperator.transformed`.

        Without links this is R itself. R may be the matrix learned from or new samples.
        """
        metric = self.metrics[name]
        return replace(metric, scale=metric.scale * self.modality_weights[name]).transformed(
            R, clip
        )


def learn_metrics(
    views: Mapping[str, InMemory],
    must_link: Array,
    cannot_link: Array,
    *,
    ridge: float = 1.0,
    row_index: Mapping[str, Array | None] | None = None,
) -> LearnedMetrics:
    r"""Learn a metric per view and the weights of the views from links (Algorithm 1).

    The weights solve

    .. math:: \min_{0 \le \alpha \le 1} \sum_{(i,j)} (t_{ij} - \sum_p \alpha_p d^{(p)}_{ij})^2

    with target t = 0 for must-links and 1 for cannot-links, and d the distance of the pair in
    view p under its metric, scaled so that cannot-links are at mean distance 1.

    Parameters
    ----------
    views : mapping of name to matrix of shape (n_samples, n_features)
        The views, sharing their samples.
    must_link, cannot_link : integer arrays of shape (n_pairs, 2)
        Pairs of samples; either may be empty.
    ridge : float
        :math:`\rho` relative to the mean eigenvalue :math:`\operatorname{tr}(W) / n` of W in each
        view, so that no scale of the data matters.
    row_index : mapping of name to the samples in the rows of a view, optional
        For views that lack some samples; by default (or None) row i is sample i.

    Returns
    -------
    LearnedMetrics

    Notes
    -----
    * Step 3d of the paper goes on with the relation as transformed, so that the metrics of its
      rounds compose. Ours is one round: from the same links every further one would shrink the
      same directions again, with no rule in the paper when to stop.
    * No must-links: nothing is known about what to shrink, the metrics are multiples of the
      identity. No cannot-links: all directions of W
      are shrunk. With links of one kind only the
      regression has nothing to tell views apart by, and all weights are 1. No links: the data
      are left exactly as they are.
    * A view that lacks samples learns its metric from the links between those it has. If some
      link is missing in some view, each view is weighed on its own: least squares may give weight
      0 to a view that says what another says, and samples that have only the first are then lost.
    * Cost: one symmetric eigenproblem of order min(must-links, must-linked samples, features);
      above `EXACT_ORDER` only the `LEADING_DIRECTIONS` of W are shrunk.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 3.0], [1.0, 0.0], [2.0, 0.0], [2.0, 3.0]])
    >>> learned = learn_metrics({"words": X}, np.array([[0, 1]]), np.array([[1, 2]]))
    >>> transformed = learned.metrics["words"].apply(X)
    >>> bool(np.ptp(transformed[:, 1]) < 3 * np.ptp(transformed[:, 0]))
    True
    """
    if check_number(ridge, "ridge") == 0:
        raise ValueError("ridge must be positive: use a small number such as 1e-3.")
    index = {name: (row_index or {}).get(name) for name in views}
    n = _common_size(views, index)
    given = {"must_link": must_link, "cannot_link": cannot_link}
    pairs = [_checked(given[name], name, n) for name in given]
    rows = {name: [_rows_of(ends, index[name], n) for ends in pairs] for name, X in views.items()}
    metrics = {
        name: _metric(X, [_known(p) for p in rows[name]], ridge) for name, X in views.items()
    }
    return LearnedMetrics(metrics, _weights(views, metrics, rows))


def _common_size(views: Mapping[str, InMemory], index: Mapping[str, Array | None]) -> int:
    """Number of samples: rows of the complete views, which must agree."""
    sizes = {name: X.shape[0] for name, X in views.items() if index[name] is None}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"The views must share their rows, got numbers of rows {sizes}.")
    lacking = [int(rows.max()) + 1 for rows in index.values() if rows is not None]
    return max([*sizes.values(), *lacking])


def _checked(pairs: Array, name: str, n: int) -> Array:
    """Pairs of positions below n."""
    pairs = as_pairs(pairs, name)
    check_pairs(pairs, n)
    return pairs


def _rows_of(pairs: Array, index: Array | None, n: int) -> Array:
    """Rows of a view that hold the samples of each pair, -1 for samples it lacks."""
    if index is None:
        return pairs
    return positions_of(index, n)[pairs]


def _known(pairs: Array) -> Array:
    """The pairs of rows that a view has."""
    return pairs[(pairs >= 0).all(axis=1)]


def _metric(X: InMemory, pairs: list[Array], ridge: float) -> MetricOperator:
    """Metric of one view, scaled so that cannot-links are at mean distance 1."""
    must, cannot = pairs
    w, U, trace = _scatter_eigen(X, must)
    along = np.asarray(X @ U)
    # uᵀ B u for every direction u, from the Laplacian of the cannot-links.
    b = (along * (_laplacian(cannot, len(along)) @ along)).sum(axis=0)
    rho = ridge * trace / X.shape[1]
    full = rho / (rho + w)
    shrunk = _chosen_directions(full, w, b, trace, float(pair_distances(X, cannot).sum()))
    unscaled = MetricOperator(U[:, shrunk], np.sqrt(full[shrunk]))
    lengths = np.sqrt(unscaled.squared_distances(X, cannot))
    # No cannot-links, or all between equal samples: there is no unit of length.
    if not lengths.any():
        return unscaled
    return replace(unscaled, scale=float(1.0 / lengths.mean()))


def _chosen_directions(full: Array, w: Array, b: Array, trace: float, total: float) -> Array:
    """Directions to shrink: all, or those that separate no better than the average."""
    # Of the two candidates in the head of this file, the one with the larger ratio.
    everything, poor = np.ones(len(w), dtype=bool), b * trace <= w * total

    def parts(shrunk: Array) -> tuple[float, float]:
        """Traces of L B and L W; both lose what the shrunk directions lose."""
        lost = (1.0 - full) * shrunk
        return total - float(lost @ b), trace - float(lost @ w)

    (far, near), (far_poor, near_poor) = parts(everything), parts(poor)
    return everything if far * near_poor >= far_poor * near else poor


def _scatter_eigen(X: InMemory, pairs: Array) -> tuple[Array, Array, float]:
    """Positive eigenvalues and eigenvectors of W = Xᵀ P X, and its trace."""
    trace = float(pair_distances(X, pairs).sum())
    nothing = np.empty(0), np.empty((X.shape[1], 0)), 0.0
    if trace == 0:
        return nothing
    # Only linked samples count: everything below has their number, not that of all samples.
    linked, ends = np.unique(pairs, return_inverse=True)
    rows, pairs = X[linked], ends.reshape(pairs.shape)
    # The rank of W is at most this: the smallest of three forms of the problem is solved.
    order = min(len(pairs), *rows.shape)
    if order > EXACT_ORDER:
        w, U = _leading(rows, pairs)
    elif order == X.shape[1]:
        w, U = np.linalg.eigh(_doubles(rows.T @ (_laplacian(pairs, len(linked)) @ rows)))
    else:
        w, U = _thin(rows, pairs)
    kept = w > max(NULL_SHARE * w.max(), 0.0)
    # Differences in the last digits of large numbers are lost in the products.
    return (w[kept], U[:, kept], trace) if kept.any() else nothing


def _laplacian(pairs: Array, n: int) -> sp.csr_array:
    """P, which has an entry for each pair where its difference would be a whole row."""
    return laplacian(symmetric(pairs, np.ones(len(pairs)), n))


def _differences(pairs: Array, n: int) -> Array:
    """Matrix Q with one row e_i - e_j for each pair, so that Q X are the differences."""
    identity = np.eye(n)
    return identity[pairs[:, 0]] - identity[pairs[:, 1]]


def _thin(rows: InMemory, pairs: Array) -> tuple[Array, Array]:
    """Eigenpairs of Xᵀ P X from the smaller Gram matrix F X Xᵀ Fᵀ, where Fᵀ F = P."""
    n = rows.shape[0]
    few = len(pairs) <= n
    F = _differences(pairs, n) if few else _root(_laplacian(pairs, n).toarray())
    w, V = np.linalg.eigh(F @ _doubles(rows @ rows.T) @ F.T)
    # Null directions are dropped by the caller; the bound only keeps the division finite.
    lengths = np.sqrt(np.maximum(w, max(NULL_SHARE * w.max(), np.finfo(w.dtype).tiny)))
    return w, np.asarray(rows.T @ (F.T @ V / lengths))


def _leading(rows: InMemory, pairs: Array) -> tuple[Array, Array]:
    """Leading eigenpairs of Xᵀ P X by Lanczos; a constant start makes them reproducible."""
    n, m = rows.shape
    P = _laplacian(pairs, n)
    scatter = LinearOperator((m, m), matvec=lambda v: rows.T @ (P @ (rows @ v)), dtype=np.float64)
    w, U = eigsh(scatter, k=LEADING_DIRECTIONS, v0=np.ones(m))
    return w, U


def _root(P: Array) -> Array:
    """Symmetric root of a positive semi-definite matrix."""
    values, vectors = np.linalg.eigh(P)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def _doubles(M: InMemory) -> Array:
    """Small matrix as an array of doubles."""
    return np.asarray(as_dense(M), dtype=np.float64)


def _weights(
    views: Mapping[str, InMemory],
    metrics: Mapping[str, MetricOperator],
    rows: Mapping[str, list[Array]],
) -> dict[str, float]:
    """Bounded least squares of the target distances on the distances in the views."""
    if any((pairs < 0).any() for own in rows.values() for pairs in own):
        # Views can stand in for each other only where all samples have all of them.
        present = {name: [_known(pairs) for pairs in own] for name, own in rows.items()}
        return {
            name: _weights({name: X}, metrics, {name: present[name]})[name]
            for name, X in views.items()
        }
    n_must, n_cannot = (len(pairs) for pairs in next(iter(rows.values())))
    if n_must == 0 or n_cannot == 0:
        return dict.fromkeys(views, 1.0)
    distances = [
        np.sqrt(metrics[name].squared_distances(X, np.vstack(rows[name])))
        for name, X in views.items()
    ]
    target = np.repeat([0.0, 1.0], [n_must, n_cannot])
    fit = lsq_linear(np.column_stack(distances), target, bounds=(0.0, 1.0))
    return dict(zip(views, np.clip(fit.x, 0.0, 1.0).tolist(), strict=True))
