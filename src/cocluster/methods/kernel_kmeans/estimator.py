"""KernelKMeans: k-means in the feature space of a kernel, with links or without."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import Tags

from cocluster.data.relational import RelationalData
from cocluster.data.scaling import Scaling
from cocluster.graphs.kernels import KERNELS, Kernel, kernel_matrix
from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array, Matrix
from cocluster.methods.base import Coclusterer, only_matrix, sample_links, scaling_of_samples
from cocluster.methods.kernel_kmeans.algorithm import kernel_kmeans, supervised_kernel
from cocluster.methods.task import Start, Task
from cocluster.trifactor import Run, State
from cocluster.utils.checks import check_choice, check_number


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelTask(Task):
    """Task with the kernel of the samples, without and with links."""

    kernel: Array
    linked: Array


@dataclass(eq=False, repr=False)
class KernelKMeans(Coclusterer):
    r"""Kernel k-means (KK); with links, semi-supervised kernel k-means (SS-KK).

    .. math:: \min \sum_c \sum_{i \in c} \|\phi_i - m_c\|^2

    over labels, with m_c the mean of cluster c in the feature space of the kernel. With links the
    kernel is :math:`K + W + \sigma I`, W holding ``link_weight`` for must-links and its negative
    for cannot-links, [1]_, Eqs. (19) to (21).

    Parameters
    ----------
    n_clusters : int
    n_column_clusters : None
        Features are not clustered.
    kernel : {"rbf", "polynomial", "linear", "cosine", "precomputed"} or callable
        "precomputed": X is the kernel itself, and new samples come as their kernel values with
        those of the fit. A callable takes (X, Y) and returns the values of their rows.
    gamma : float or None
        Of the rbf and polynomial kernels; None is the inverse of the mean squared distance.
    degree, coef0 : int, float
        Of the polynomial kernel.
    link_weight : float or None
        None is the range of the kernel.
    normalize : {"auto", None, "l2", "tfidf", "degree"}
        "auto" is "tfidf" for occurrences (no negative entry, most entries zero) and leaves other
        data as they are; for genes "degree" is better (``benchmarks/results/scalings.md``).
    init : {"random", "spectral", "kmeans"} or array of labels
        "random" is k-means++ in the feature space of the kernel; others as in `Coclusterer`.
    n_init : int
        Starts to try; the run with the lowest objective is kept.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_, objective_, objective_history_, n_iter_, converged_, links_report_
        As in `Coclusterer`.

    Notes
    -----
    * Guaranteed: the objective never rises; no move of a single sample lowers it further.
    * Cost: n² of memory and of time for each pass.
    * New samples have no links: they go to the nearest mean in the feature space of K.

    References
    ----------
    .. [1] Chen, Rege, Dong, Hua. Non-negative matrix factorization for semi-supervised data
       clustering. Knowledge and Information Systems 17, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> model = KernelKMeans(2, random_state=0).fit(X)
    >>> bool((model.predict([[0.2], [4.0]]) == model.labels_[[0, 2]]).all())
    True
    """

    n_column_clusters: None = None
    _: KW_ONLY
    kernel: Kernel = "rbf"
    gamma: float | None = None
    degree: int = 3
    coef0: float = 1.0
    link_weight: float | None = None
    init: Any = "random"
    n_init: int = 10
    # Not parameters here: single moves end by themselves.
    max_iter: int = field(default=100, init=False)
    tol: float = field(default=0.0, init=False)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not callable(self.kernel):
            check_choice(self.kernel, "kernel", KERNELS)
        for name in ("gamma", "link_weight"):
            if getattr(self, name) is not None:
                check_number(getattr(self, name), name)

    def _kernel(self, X: Matrix, Y: Matrix | None = None) -> Array:
        """Return the kernel values between the rows of X and those of Y (by default X)."""
        return kernel_matrix(
            X, self.kernel, Y, gamma=self.gamma, degree=self.degree, coef0=self.coef0
        )

    def _fit_scaling(self, R: Matrix) -> Scaling:
        return scaling_of_samples(R, self.normalize, self.kernel == "precomputed")

    def _prepared(self, task: Task) -> KernelTask:
        links = sample_links(self, task.data, task.links)
        K = linked = self._kernel(only_matrix(self, task.data))
        if links is not None:
            linked = supervised_kernel(K, links.must_link, links.cannot_link, self.link_weight)
        return task.extended(KernelTask, kernel=K, linked=linked)

    def _solve_from(self, task: Any, start: Start) -> Run:
        center = task.data.center
        partition = kernel_kmeans(
            task.linked,
            task.clusters[center],
            task.rng,
            n_init=1,  # starts are counted outside
            start=None if start is None else _as_labels(start[center]),
            callback=task.callback,
        )
        labels = as_partition(partition.labels, task.clusters[center])
        return Run(State({center: labels}), partition.history, partition.converged)

    def _store(self, task: Any, run: Run) -> None:
        super()._store(task, run)
        G = run.state.factors[task.data.center]
        # Mean of each cluster as a combination of the samples, and its squared length.
        self._means = G.dense() / G.sizes
        self._lengths = np.einsum("ic,ic->c", self._means, task.kernel @ self._means)
        self._training = only_matrix(self, task.data)

    def _costs_of(self, data: RelationalData) -> Array:
        """Return squared distances to every mean in feature space, less the sample's length."""
        products = self._kernel(only_matrix(self, data), self._training) @ self._means
        return np.asarray(self._lengths - 2 * products)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def _as_labels(start: Array) -> Array:
    """Return the labels of a start, which may hold memberships."""
    return start if start.ndim == 1 else start.argmax(axis=1)
