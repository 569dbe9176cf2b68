"""NCut: normalised cut of a graph of samples."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel
from sklearn.utils import Tags

from cocluster.data.relational import RelationalData
from cocluster.data.scaling import Scaling
from cocluster.graphs import knn_graph
from cocluster.graphs.distances import mean_squared_distance, row_chunks
from cocluster.graphs.similarity import Gram, checked_similarity, linked_similarity
from cocluster.graphs.weights import Metric, Weights
from cocluster.linalg.matrices import is_nonnegative, safe_inverse
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array, InMemory, Matrix
from cocluster.methods.base import only_matrix, sample_links, scaling_of_samples
from cocluster.methods.spectral.base import Points, SpectralCoclusterer, SpectralTask
from cocluster.methods.spectral.embedding import ncut_embedding
from cocluster.methods.task import Task
from cocluster.trifactor import Run, State
from cocluster.utils.checks import check_choice, check_integer, check_number

AFFINITIES = ("heat", "cosine", "precomputed")


@dataclass(frozen=True, eq=False)
class Affinity:
    """How much a cut between two samples costs, for those of a fit and for new ones.

    Parameters
    ----------
    kind : {"heat", "cosine", "precomputed"}
    n_neighbors : int or None
        Number of nearest samples that each is joined with; None: all.
    width : float
        The t of the heat.
    training : matrix or None
        The samples of the fit, for the affinities of new ones.
    """

    kind: str
    n_neighbors: int | None
    width: float
    training: InMemory = None

    @property
    def implicit(self) -> bool:
        """Whether the graph is known by its products only: all cosines."""
        return self.kind == "cosine" and self.n_neighbors is None

    def trained(self, X: InMemory) -> Affinity:
        """The same with the samples of the fit."""
        return replace(self, training=unit_rows(X) if self.implicit else X)

    def graph(self, X: InMemory) -> InMemory:
        """Affinities between the samples of the fit."""
        if self.kind != "heat" and self.n_neighbors is None and not is_nonnegative(X):
            raise ValueError(
                f"Negative values in data passed to NCut with affinity={self.kind!r}; a cut "
                "needs weights >= 0: use affinity='heat', or n_neighbors with cosines."
            )
        if self.kind == "precomputed":
            return checked_similarity(X)
        if self.implicit:
            return Gram(unit_rows(X))
        if self.n_neighbors is None:
            return self._between(X, X)
        metric: Metric = "cosine" if self.kind == "cosine" else "euclidean"
        weights: Weights = "cosine" if self.kind == "cosine" else "heat"
        return knn_graph(X, self.n_neighbors, metric=metric, weights=weights, bandwidth=self.width)

    def product(self, X: InMemory, Z: Array) -> Array:
        """The affinities of new samples with those of the fit, times Z."""
        if self.implicit:
            return np.asarray(unit_rows(X) @ (self.training.T @ Z))
        # In parts: all affinities at once would be as many as new samples times old ones.
        return np.vstack([self._new_affinities(X[rows]) @ Z for rows in row_chunks(X.shape[0])])

    def _new_affinities(self, X: InMemory) -> Array:
        """Affinities of new samples with those of the fit, the nearest only if so asked."""
        if self.kind == "precomputed":
            return X
        W = self._between(X, self.training)
        if self.n_neighbors is not None:
            last = W.shape[1] - min(self.n_neighbors, W.shape[1])
            # Ties with the last of the nearest stay: all of them, or the order of rows would count.
            W[np.partition(W, last)[:, [last]] > W] = 0.0
        return W

    def _between(self, X: InMemory, Y: InMemory) -> Array:
        """Affinities between all rows."""
        if self.kind == "heat":
            return np.asarray(rbf_kernel(X, Y, gamma=1.0 / self.width))
        return np.asarray(cosine_similarity(X, Y, dense_output=True).clip(min=0.0))


@dataclass(eq=False, repr=False)
class NCut(SpectralCoclusterer):
    r"""Normalised cut of a graph of samples; with links, its semi-supervised form (SS-SNC).

    .. math:: \min \sum_c \frac{cut(V_c, \bar V_c)}{weight(V_c)}

    over clusters V_c of samples, relaxed: the leading eigenvectors of
    :math:`D^{-1/2} W D^{-1/2}`, rows at unit length, k-means [1]_. With links, W has its largest
    entry at must-links and 0 at cannot-links first ([2]_, section 5); must-linked samples then
    move as one in k-means, where cannot-links cost.

    Parameters
    ----------
    n_clusters : int
    affinity : {"heat", "cosine", "precomputed"}
        :math:`\exp(-\|x_i - x_j\|^2 / t)`, the cosine, or X itself: symmetric and non-negative,
        and for `predict` the affinities of new samples with those of the fit.
    n_neighbors : int or None
        Number of nearest samples that each is joined with; None: all. A precomputed graph has its
        own neighbours.
    bandwidth : float or None
        The t of the heat; None is the mean squared distance of two samples.
    link_weight : float or None
        How far the affinity of a linked pair goes to the largest one, or to 0; 1 is the paper's.
        None is 1 for pairs drawn from all samples, and less where few samples have many links
        each, as a partial labelling gives them.
    ties : bool
        Whether links act in k-means, too. With False and ``link_weight=1`` the method is the
        paper's own.
    normalize : {"auto", None, "l2", "tfidf", "degree"}
        "auto" is "tfidf" for occurrences (no negative entry, most entries zero) and leaves other
        data as they are.
    n_init : int
        Starts of k-means; the one with the lowest objective is kept.
    random_state : int, RandomState or None

    Attributes are those of `SpectralCoclusterer`, without those of features.

    Notes
    -----
    * Memory: n² numbers for the full heat graph. The graph of all cosines is never formed (its
      products are two products with X), and a neighbour graph has n times ``n_neighbors`` edges:
      these serve large data. All cosines need data without negative values.
    * `predict` keeps the samples of the fit and looks at them all: a new sample lies at the mean
      of their points, weighted by its affinities (to the ``n_neighbors`` nearest), divided by
      the eigenvalues (the Nyström step).

    References
    ----------
    .. [1] Shi, Malik, "Normalized cuts and image segmentation", TPAMI 22(8), 2000.
    .. [2] Chen, Rege, Dong, Hua, "Non-negative matrix factorization for semi-supervised data
       clustering", Knowledge and Information Systems 17, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> model = NCut(2, random_state=0).fit(X)
    >>> (model.predict([[0.3], [4.0]]) == model.labels_[[0, 5]]).tolist()
    [True, True]
    """

    _: KW_ONLY
    affinity: str = "heat"
    n_neighbors: int | None = None
    bandwidth: float | None = None
    link_weight: float | None = None
    ties: bool = True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.affinity, "affinity", AFFINITIES)
        if self.n_neighbors is not None:
            check_integer(self.n_neighbors, "n_neighbors")
            if self.affinity == "precomputed":
                raise ValueError("A precomputed graph has its own neighbours; n_neighbors=None.")
        if self.bandwidth is not None and check_number(self.bandwidth, "bandwidth") == 0:
            raise ValueError("bandwidth must be positive; None takes it from the data.")
        if self.link_weight is not None:
            check_number(self.link_weight, "link_weight")

    def _fit_scaling(self, R: Matrix) -> Scaling:
        return scaling_of_samples(R, self.normalize, self.affinity == "precomputed")

    def _prepared(self, task: Task) -> SpectralTask:
        X, center = only_matrix(self, task.data), task.data.center
        # 1 where all samples are equal: any width will do.
        width = self.bandwidth or mean_squared_distance(X) or 1.0
        affinity = Affinity(self.affinity, self.n_neighbors, width)
        W = affinity.graph(X)
        links = sample_links(self, task.data, task.links)
        W = linked_similarity(W, links, "replace", self.link_weight)
        Z = ncut_embedding(W, task.clusters[center], task.rng)
        B = np.linalg.lstsq(_weighted_means(W @ _with_ones(Z)), Z)[0]
        return task.extended(
            SpectralTask,
            points={center: Z},
            projection=B,
            # P B = Z exactly, so the samples of the fit stay where they are.
            landed=self._finished(Z),
            extras=affinity.trained(X),
            links=task.links if self.ties else {},
        )

    def _store(self, task: Any, run: Run) -> None:
        super()._store(task, run)
        self._affinity = task.extras

    def _projected(self, data: RelationalData, points: Points) -> Array:
        sums = self._affinity.product(only_matrix(self, data), _with_ones(points[data.center]))
        return _weighted_means(sums)

    def _by_type(self, data: RelationalData, groups: list[list[str]], state: State) -> State:
        return State({data.center: state.factors[data.center]})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags


def _with_ones(Z: Array) -> Array:
    """Z and a column of ones: one product gives sums and their weights."""
    return np.column_stack([Z, np.ones(len(Z))])


def _weighted_means(sums: Array) -> Array:
    """Sums divided by the weights in the last column."""
    return np.asarray(sums[:, :-1] * safe_inverse(sums[:, -1])[:, None])
