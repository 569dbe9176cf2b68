"""SRC: spectral relational clustering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.types import Array
from cocluster.methods.spectral.base import Points, SpectralCoclusterer
from cocluster.methods.spectral.src_embedding import relational_embedding, side_by_side
from cocluster.trifactor import Run
from cocluster.utils.checks import check_integer, check_number


@dataclass(eq=False, repr=False)
class SRC(SpectralCoclusterer):
    r"""Spectral relational clustering.

    .. math:: \min_{C_i^T C_i = I,\, A} \sum_{ij} w_{ij} \|R_{ij} - C_i A_{ij} C_j^T\|^2

    over one orthonormal basis per type, type after type [1]_; then k-means on the rows of each
    basis at unit length.

    Parameters
    ----------
    n_clusters : int
        Clusters of samples, and columns of their basis.
    n_column_clusters : int, mapping of type to int, or None
        The same for the other types; None means ``n_clusters``.
    max_iter, tol : int, float
        It ends after ``max_iter`` sweeps over the types, or with the first that lowers the
        objective above by less than ``tol`` times its value after the first.
    normalize : {"auto", None, "l2", "tfidf", "degree"}
        "auto": "degree" for data without negative values, None for others.
    n_init : int
        Starts of k-means; the one with the lowest objective is kept.
    random_state : int, RandomState or None

    Attributes
    ----------
    relational_history_ : array, the objective above after each sweep
    embedding_, labels_, ... : as in `SpectralCoclusterer`

    Notes
    -----
    * Guaranteed: the objective above never rises. With two types it is solved exactly, by the
      singular vectors.
    * Objects joined by must-links share a row of their basis. Cannot-links cost in k-means.
    * A new sample x has the features :math:`P = [\sqrt{w_j} x_j C_j]_j`, mapped by least squares.
    * Cost of a sweep: two products with each relation and k columns.

    References
    ----------
    .. [1] Long, Zhang, Wu, Yu, "Spectral clustering for multi-type relational data", ICML 2006.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((3, 4)))
    >>> model = SRC(2, random_state=0).fit({"words": X, "people": X[:, ::2]})
    >>> sorted(model.labels_by_type_)
    ['people', 'samples', 'words']
    """

    n_column_clusters: int | Mapping[str, int] | None = None
    _: KW_ONLY
    max_iter: int = 100
    tol: float = 1e-6

    _auto_normalization: ClassVar[str | None] = "auto"
    _together: ClassVar[bool] = False
    _tie_power: ClassVar[float] = 0.5

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer(self.max_iter, "max_iter")
        check_number(self.tol, "tol")

    def _embed(
        self, data: RelationalData, clusters: Mapping[str, int], rng: np.random.Generator
    ) -> tuple[Points, Array]:
        bases, history = relational_embedding(
            data, clusters, rng, max_iter=self.max_iter, tol=self.tol
        )
        return {name: bases[name] for name in data.types}, history

    def _store(self, task: Any, run: Run) -> None:
        super()._store(task, run)
        self.relational_history_ = task.extras

    def _projected(self, data: RelationalData, points: Points) -> Array:
        return side_by_side(data, data.center, points)
