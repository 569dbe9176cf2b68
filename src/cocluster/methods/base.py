"""What every co-clusterer shares: validation in, restarts, attributes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, BiclusterMixin, ClusterMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from cocluster.data.relational import RelationalData, relational
from cocluster.data.scaling import NORMALIZATIONS, fit_scaling
from cocluster.linalg.matrices import is_nonnegative
from cocluster.linalg.partitions import strongest
from cocluster.linalg.types import Array, is_blocked, is_spread
from cocluster.links import Links, links_by_type
from cocluster.methods.fitted import Fitted
from cocluster.methods.starts import starts
from cocluster.trifactor import Callback, Interrupted, Problem, Run, State, alternate
from cocluster.utils.checks import check_choice, check_integer, check_number
from cocluster.utils.randomness import generator

INITS = ("spectral", "kmeans", "random")


@dataclass(frozen=True, eq=False)
class Task:
    """What a fit has to solve: the data as scaled, and all that was asked."""

    data: RelationalData
    clusters: dict[str, int]
    links: dict[str, Links]
    rng: np.random.Generator
    callback: Callback | None


# Labels or memberships by type; None: at random.
Start = Mapping[str, Array] | None


class Coclusterer(Fitted, ClusterMixin, BiclusterMixin, BaseEstimator):
    """Base of all methods.

    Parameters
    ----------
    n_clusters : int
        Clusters of samples.
    n_column_clusters : int, mapping of type to int, or None
        Clusters of features; None means ``n_clusters``.
    normalize : {"auto", None, "l2", "tfidf", "degree"}
        How the data are scaled first, see `cocluster.data.scaling.fit_scaling`.
    init : {"spectral", "kmeans", "random"} or arrays
        Where to begin: singular vectors of the degree-scaled data, k-means, chance, or given
        labels (memberships): of the samples, ``(samples, features)``, or a mapping by type.
    n_init : int
        Starts to try; the run with the lowest objective is kept.
    max_iter, tol : int, float
        At most so many sweeps; stop when a sweep lowers the objective by no more than ``tol``
        times the objective at the start.
    random_state : int, RandomState or None
        The same seed gives the same labels.

    Attributes
    ----------
    labels_, row_labels_ : array of shape (n_samples,)
    column_labels_ : array of shape (n_features,), for one matrix
    labels_by_type_ : dict of type to labels
    associations_, association_ : S of every relation; of the only one
    links_report_ : dict of type to `Violations`: which links are satisfied, which are not
    objective_, objective_history_, n_iter_, converged_ : how the best run went
    """

    _nonnegative = False
    _auto_normalization: str | None = "auto"
    # Whether all the method does with the data are products and sums.
    _blockwise = False

    def __init__(
        self,
        n_clusters: int = 2,
        n_column_clusters: int | Mapping[str, int] | None = None,
        *,
        normalize: str | None = "auto",
        init: Any = "spectral",
        n_init: int = 1,
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_column_clusters = n_column_clusters
        self.normalize = normalize
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any = None, *, links: Any = None, callback: Callback | None = None
    ) -> Self:
        """Co-cluster X: a matrix, a mapping or list of views, or `RelationalData`.

        ``links`` says which samples belong together and which do not: a `Links`, a tuple
        ``(must_link, cannot_link)`` of index pairs, or a mapping of type to either, for links on
        features. ``y`` is a partial labelling of the samples (-1: unknown) and becomes links.
        ``callback`` is called with a `Progress` after each sweep; returning True ends the run.
        """
        self._check_parameters()
        data = self._read(X, reset=True)
        clusters = self._clusters(data)
        self._check_blocks(data, clusters)
        supervision = links_by_type(data, links, y, clusters)
        how = self._auto_normalization if self.normalize == "auto" else self.normalize
        self._scalings = [fit_scaling(r.matrix, how) for r in data.relations]
        data = self._scaled(data)
        task = Task(data, clusters, supervision, generator(self.random_state), callback)
        try:
            self._store(data, self._best_run(task))
        except Interrupted as interruption:
            if interruption.run is not None:
                self._keep(data, interruption.run)
            raise
        self.links_report_ = {
            name: own.violations(self.labels_by_type_[name]) for name, own in supervision.items()
        }
        return self

    def _check_blocks(self, data: RelationalData, clusters: Mapping[str, int]) -> None:
        """Whether the method can work on row blocks, if the data are in such."""
        blocked = [r.matrix for r in data.relations if is_blocked(r.matrix)]
        if not blocked:
            return
        if not self._blockwise:
            from cocluster.methods.catalogue import METHODS

            able = ", ".join(method.name for method in METHODS.values() if method.blocks)
            raise ValueError(
                f"{type(self).__name__} needs the data in memory; CoCluster, {able} fit row blocks "
                "and Dask collections."
            )
        if len(data.relations) > 1:
            raise ValueError("Row blocks and Dask collections are fitted alone, not as views.")
        blocked[0].fits(max(clusters.values()))

    def _clusters(self, data: RelationalData) -> dict[str, int]:
        """Number of clusters of every type."""
        return clusters_by_type(data, self.n_clusters, self.n_column_clusters)

    def _best_run(self, task: Task) -> Run:
        """The run with the lowest objective among those from all starts."""
        runs = (
            self._solve(task, start)
            for start in starts(task.data, task.clusters, self.init, self.n_init, task.rng)
        )
        return min(runs, key=lambda run: run.objective)

    def _alternate(self, problem: Problem, start: State, task: Task) -> Run:
        """The loop, with the parameters of the estimator."""
        return alternate(
            problem, start, max_iter=self.max_iter, tol=self.tol, callback=task.callback
        )

    def _solve(self, task: Task, start: Start) -> Run:
        """One run from one start (None: at random)."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        """Parameters that can be judged without data."""
        check_choice(self.normalize, "normalize", NORMALIZATIONS)
        if isinstance(self.init, str):
            check_choice(self.init, "init", INITS)
        check_integer(self.n_init, "n_init")
        check_integer(self.max_iter, "max_iter")
        check_number(self.tol, "tol")

    def _read(self, X: Any, *, reset: bool) -> RelationalData:
        """The data, checked against the method's needs and, for new rows, against the fit."""
        data = relational(X).oriented()
        plain = len(data.relations) == 1 and not isinstance(X, Mapping | list | RelationalData)
        validate_data(self, X if plain else data, reset=reset, skip_check_array=True)
        if self._nonnegative:
            for relation in data.relations:
                if not is_nonnegative(relation.matrix):
                    raise ValueError(
                        f"Negative values in data passed to {type(self).__name__}, relation "
                        f"{relation}; it needs data >= 0. Shift or clip them, or use a method that "
                        "takes any sign, such as FNMTF or SemiNMF."
                    )
        if reset:
            self._sizes = data.sizes
            self._ends = [(r.rows, r.cols) for r in data.relations]
            return data
        if {**data.sizes, data.center: self._sizes[data.center]} != self._sizes:
            raise ValueError(
                f"New data must have the features of the fit, {self._sizes}, got {data.sizes}."
            )
        return data.ordered(self._ends)

    def _scaled(self, data: RelationalData) -> RelationalData:
        """The data in the scale of the fit."""
        pairs = zip(data.relations, self._scalings, strict=True)
        return replace(
            data, relations=tuple(replace(r, matrix=s.apply(r.matrix)) for r, s in pairs)
        )

    def _store(self, data: RelationalData, run: Run) -> None:
        """Fitted attributes."""
        self._factors = {name: run.state.factors[name] for name in data.types}
        self.associations_ = run.state.associations
        self.objective_ = run.objective
        self.objective_history_ = run.history
        self.n_iter_ = len(run.history)
        self.converged_ = run.converged
        labels = self._labels(data, run.state)
        self.labels_by_type_ = {name: labels[name] for name in data.types}
        self.labels_ = self.row_labels_ = labels[data.center]
        if len(data.types) == 2:
            self.column_labels_ = labels[data.types[1]]

    def _keep(self, data: RelationalData, run: Run) -> None:
        """Of a run that was interrupted: all but the factors that were lost with their workers."""
        kept = {n: G for n, G in run.state.factors.items() if not is_spread(G)}
        self._factors, self.associations_ = kept, run.state.associations
        self.objective_history_, self.n_iter_, self.converged_ = (
            run.history,
            len(run.history),
            False,
        )
        self.labels_by_type_ = {n: strongest(G) for n, G in kept.items()}
        if len(data.types) == 2 and data.types[1] in kept:
            self.column_labels_ = self.labels_by_type_[data.types[1]]

    def _labels(self, data: RelationalData, state: State) -> dict[str, Array]:
        """Labels of every type: those of the partitions."""
        return {name: strongest(G) for name, G in self._factors.items()}

    def _new_data(self, X: Any) -> RelationalData:
        """New samples, checked and scaled as in the fit."""
        check_is_fitted(self)
        return self._scaled(self._read(X, reset=False))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._nonnegative
        return tags


class HardCoclusterer(Coclusterer):
    """Base of the methods that move labels: they run until no label changes.

    Parameters are those of `Coclusterer`, with ``tol=0``.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        n_column_clusters: int | Mapping[str, int] | None = None,
        *,
        normalize: str | None = "auto",
        init: Any = "spectral",
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 0.0,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_clusters,
            n_column_clusters,
            normalize=normalize,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )


def clusters_by_type(
    data: RelationalData, n_clusters: Any, n_column_clusters: Any
) -> dict[str, int]:
    """Number of clusters of every type; None means as many as the samples have, where they fit."""
    k = check_integer(n_clusters, "n_clusters")
    if k > len(data):
        raise ValueError(
            f"n_clusters={k} is more than n_samples={len(data)}; ask for at most {len(data)}."
        )
    others = [name for name in data.types if name != data.center]
    counts = {data.center: k}
    if not isinstance(n_column_clusters, Mapping):
        n_column_clusters = dict.fromkeys(others, n_column_clusters)
    unknown = set(n_column_clusters) - set(others)
    if unknown:
        raise ValueError(
            f"n_column_clusters names unknown types {sorted(unknown)}; there are {others}."
        )
    for name in others:
        counts[name] = _clusters_of(name, n_column_clusters.get(name), data.size(name), k)
    return counts


def _clusters_of(name: str, wanted: Any, size: int, default: int) -> int:
    """Number of clusters of one type that is not the centre."""
    if wanted is None:
        return min(default, size)
    wanted = check_integer(wanted, f"n_column_clusters of {name}")
    if wanted > size:
        raise ValueError(
            f"n_column_clusters={wanted} is more than the {size} objects of type {name!r}; "
            f"ask for at most {size}."
        )
    return wanted
