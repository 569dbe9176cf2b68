"""Base class of all methods: checks of the input, starts, and the fitted attributes.

`fit` calls `_run`, which calls these hooks in order; a method may override each of them:

    _check_parameters -> _checked (the data) -> _clusters -> _check_blocks -> _scaled
    -> _prepared (graphs, similarities, metrics: once, whatever the number of starts)
    -> _solve (the best run; calls `_solve_from` for each of the `_starts`) -> _store

Nothing is written to the estimator before `_store`: a `Task` carries the results of one hook to
the next. A fit that fails therefore leaves the estimator as it was.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, BiclusterMixin, ClusterMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from cocluster.data.relational import (
    RelationalData,
    match_columns,
    relational,
    row_blocks,
    stack_relations,
    store_zeros_sparse,
)
from cocluster.data.scaling import NORMALIZATIONS, Scaling, fit_scaling
from cocluster.linalg.matrices import column_counts, is_nonnegative
from cocluster.linalg.partitions import as_array, strongest
from cocluster.linalg.types import Array, Matrix
from cocluster.links import Links, links_by_type
from cocluster.methods.catalogue import METHODS
from cocluster.methods.mixins import FittedMixin, by_blocks, in_memory
from cocluster.methods.numbering import by_size
from cocluster.methods.starts import start_name, starts
from cocluster.methods.task import Form, Scale, Start, Task, best_of, clusters_by_type
from cocluster.trifactor import Callback, Interrupted, Problem, Run, State, alternate
from cocluster.utils.checks import check_choice, check_integer, check_number, generator

# Starts by name; anything that is not a string is a start itself.
INITS = ("spectral", "kmeans", "random")


@dataclass(eq=False, repr=False)
class Coclusterer(FittedMixin, ClusterMixin, BiclusterMixin, BaseEstimator):
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
        A run ends after ``max_iter`` sweeps, or with the first sweep that lowers the objective by
        no more than ``tol`` times the objective.
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

    Notes
    -----
    A fit that fails leaves the estimator as it was, but for one case: if a Dask cluster is lost in
    the middle of a run, what was found for the types that do not live there is kept
    (``labels_by_type_``, ``column_labels_``, ``associations_``, ``objective_history_``,
    ``n_iter_``, ``converged_``), and `predict` works with it.
    """

    # scikit-learn reads the parameters from the signature, which dataclass writes. Subclasses
    # repeat KW_ONLY, and state again what they change of the defaults.
    n_clusters: int = 2
    n_column_clusters: int | Mapping[str, int] | None = None
    _: KW_ONLY
    normalize: str | None = "auto"
    init: Any = "spectral"
    n_init: int = 1
    max_iter: int = 200
    tol: float = 1e-5
    random_state: Any = None

    # Whether the method refuses negative data.
    _nonnegative: ClassVar[bool] = False
    # What normalize="auto" means.
    _auto_normalization: ClassVar[str | None] = "auto"
    # Whether all the method does with the data are products and sums, so that row blocks will do.
    _blockwise: ClassVar[bool] = False
    # Whether cluster i of one type is cluster i of all others.
    _together: ClassVar[bool] = False
    # Whether what a sample costs in a cluster is a sum over its features (`_costs_of`).
    _additive: ClassVar[bool] = False
    # Whether `fit` accepts prior probabilities of the clusters, see `PriorMixin`.
    accepts_prior: ClassVar[bool] = False
    # Whether entries may be unknown, see `cocluster.methods.unknown`.
    _unknown: ClassVar[bool] = False

    @property
    def method_name(self) -> str:
        """The name of the method in `CoCluster(method=...)`; of others, that of the class."""
        own = type(self).__name__
        return next((name for name, method in METHODS.items() if method.name == own), own)

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        links: Any = None,
        callback: Callback | None = None,
        mask: Any = None,
    ) -> Self:
        """Co-cluster X: a matrix, a mapping or list of views, or `RelationalData`.

        ``links`` says which samples belong together and which do not: a `Links`, a tuple
        ``(must_link, cannot_link)`` of index pairs, or a mapping of type to either, for links on
        features. ``y`` is a partial labelling of the samples (-1: unknown) and becomes links.
        ``callback`` is called with a `Progress` after each sweep; returning True ends the run.
        ``mask`` is True where an entry of X is known, for the methods that take unknown ones (NaN
        says the same): FNMTF, NMTF and NMF.
        """
        self._run(X, y, links=links, callback=callback, mask=mask)
        return self

    def _run(
        self,
        X: Any,
        y: Any,
        *,
        links: Any = None,
        callback: Callback | None = None,
        graphs: Any = None,
        mask: Any = None,
        prior: Any = None,
        data: RelationalData | None = None,
    ) -> tuple[Task, Run]:
        """Fit the estimator and return the task with its best run.

        ``prior`` holds probabilities of the clusters for the samples; ``data`` is X as relational
        data, if the caller has read it already.
        """
        self._check_parameters()
        data = self._checked(self._read(X, mask) if data is None else data)
        clusters = self._clusters(data)
        self._check_blocks(data, clusters)
        supervision = links_by_type(data, links, y, clusters)
        form = self._learned_form(data)
        data = self._scaled(data, form)
        form = replace(form, weights=[relation.weight for relation in data.relations])
        # One generator for the whole fit: a second start must not repeat the first.
        rng = generator(self.random_state)
        priors = self._priors(prior, data, clusters)
        task = Task(data, clusters, supervision, rng, callback, graphs, priors)
        try:
            task = self._prepared(task)
            run = self._solve(task)
            self._store(task, run)
        except Interrupted as interruption:
            if interruption.run is not None:
                self._remember(form)
                self._keep(interruption.run)
            raise
        self._remember(form)
        # Not to compare new samples with, but to write labels beside names.
        self._sample_names = data.names.get(data.center)
        # Of the links as they were given: a method may have used them up in `_prepared`.
        self.links_report_ = {
            name: own.violations(self.labels_by_type_[name]) for name, own in supervision.items()
        }
        return task, run

    def _priors(
        self, prior: Any, data: RelationalData, clusters: Mapping[str, int]
    ) -> dict[str, Array]:
        """Probabilities of the clusters for the samples, if given, checked."""
        if prior is None:
            return {}
        if not self.accepts_prior:
            raise ValueError(f"{type(self).__name__} takes no prior; ITCC, FNMTF and CoCluster do.")
        P, shape = np.asarray(prior, dtype=np.float64), (len(data), clusters[data.center])
        if P.shape != shape or not (np.isfinite(P) & (P >= 0)).all():
            raise ValueError(
                f"prior must hold a probability for each of {shape[0]} samples and {shape[1]} "
                f"clusters, none negative; got an array of shape {P.shape}."
            )
        return {data.center: P}

    def _check_parameters(self) -> None:
        """Refuse parameters that can be judged without data."""
        check_choice(self.normalize, "normalize", NORMALIZATIONS)
        if start_name(self.init) is not None:
            check_choice(self.init, "init", INITS)
        check_integer(self.n_init, "n_init")
        check_integer(self.max_iter, "max_iter")
        check_number(self.tol, "tol")

    def _read(self, X: Any, mask: Any = None) -> RelationalData:
        """What a user holds as relational data."""
        return relational(X, mask=mask)

    def _needs_nonnegative(self) -> bool:
        """Whether negative data are refused, with the parameters as they are."""
        return self._nonnegative

    def _checked(self, data: RelationalData) -> RelationalData:
        """The data with the samples in rows, checked against the method's needs."""
        data = store_zeros_sparse(data.oriented())
        if not self._unknown:
            check_complete(data, type(self).__name__)
        if self._needs_nonnegative():
            for relation in data.relations:
                if not is_nonnegative(relation.matrix):
                    raise ValueError(
                        f"Negative values in data passed to {type(self).__name__}, relation "
                        f"{relation}; it needs data >= 0. Shift or clip them, or use a method that "
                        "takes any sign, such as FNMTF or SemiNMF."
                    )
        return data

    def _clusters(self, data: RelationalData) -> dict[str, int]:
        """Number of clusters of every type."""
        return clusters_by_type(data, self.n_clusters, self.n_column_clusters)

    def _check_blocks(self, data: RelationalData, clusters: Mapping[str, int]) -> None:
        """Refuse row blocks where the method needs all data at once, before any long work."""
        blocks = row_blocks(data)
        if blocks is None:
            return
        if not self._blockwise:
            able = ", ".join(method.name for method in METHODS.values() if method.blocks)
            raise ValueError(
                f"{type(self).__name__} needs the data in memory; CoCluster, {able} fit row blocks "
                "and Dask collections."
            )
        if len(data.relations) > 1:
            raise ValueError("Row blocks and Dask collections are fitted alone, not as views.")
        # Sums over the clusters must fit into the memory that the blocks were given.
        blocks.fits(max(clusters.values()))

    def _learned_form(self, data: RelationalData) -> Form:
        """What new samples must have in common with these."""
        return Form(
            sizes=data.sizes,
            names={name: own for name, own in data.names.items() if name != data.center},
            ends=[(r.rows, r.cols) for r in data.relations],
            scalings=[self._fit_scaling(r.matrix) for r in data.relations],
            weights=[r.weight for r in data.relations],
            features={"n_features_in_": data.shape[1], **_feature_names(data)},
        )

    def _fit_scaling(self, R: Matrix) -> Scale:
        """The scale of one relation."""
        how = self._auto_normalization if self.normalize == "auto" else self.normalize
        return fit_scaling(R, how)

    def _scaled(self, data: RelationalData, form: Form) -> RelationalData:
        """The data in the scale of the fit."""
        pairs = zip(data.relations, form.scalings, strict=True)
        return data.derive(r.derive(matrix=s.apply(r.matrix)) for r, s in pairs)

    def _prepared(self, task: Task) -> Task:
        """The task with all that the method adds to it before it is solved, for all starts."""
        return task

    def _starts(self, task: Task) -> Iterator[Start]:
        """Where the runs begin, one after the other."""
        yield from starts(task.data, task.clusters, self.init, self.n_init, task.rng)

    def _solve(self, task: Task) -> Run:
        """Return the run with the lowest objective among those from all starts."""
        return best_of(self._solve_from(task, start) for start in self._starts(task))

    def _solve_from(self, task: Task, start: Start) -> Run:
        """Return the run from one start; None means a random start."""
        raise NotImplementedError

    def _sweep(self, problem: Problem, start: State, task: Task) -> Run:
        """Sweep over the types from a state until the estimator's stopping rule holds."""
        return alternate(
            problem, start, max_iter=self.max_iter, tol=self.tol, callback=task.callback
        )

    def _store(self, task: Task, run: Run) -> None:
        """Write what was found to the estimator."""
        self._store_run(task, run)
        self._store_labels({name: strongest(G) for name, G in self._factors.items()})

    def _store_run(self, task: Task, run: Run) -> None:
        """Factors, associations, and how the run went."""
        # In the order of the data, samples first: a problem may move other types before them.
        found = run.state.factors
        self._factors = {name: found[name] for name in task.data.types if name in found}
        self.associations_ = run.state.associations
        self.objective_ = run.objective
        self.objective_history_ = run.history
        self.n_iter_ = len(run.history)
        self.converged_ = run.converged

    def _store_labels(self, labels: dict[str, Array]) -> None:
        """Labels by type, samples first; with two types, those of the features by name."""
        self.labels_by_type_ = labels
        first, *others = labels.values()
        self.labels_ = self.row_labels_ = first
        self.__dict__.pop("column_labels_", None)  # of an earlier fit, to other types
        if len(others) == 1:
            (self.column_labels_,) = others

    def _remember(self, form: Form) -> None:
        """What new samples are checked against."""
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit, to data with names
        self.__dict__.update(form.features)
        self._form = form

    def _keep(self, run: Run) -> None:
        """Of a run that was interrupted: all but the factors that were lost with their workers."""
        self._factors = in_memory(run.state.factors)
        self.associations_ = run.state.associations
        self.objective_history_, self.n_iter_ = run.history, len(run.history)
        self.converged_ = False
        self.labels_by_type_ = {name: strongest(G) for name, G in self._factors.items()}
        # An earlier fit may have left labels of samples: they do not go with what is kept now.
        for stale in ("labels_", "row_labels_", "column_labels_", "objective_"):
            self.__dict__.pop(stale, None)
        _, *others = self._form.sizes
        if len(others) == 1 and others[0] in self.labels_by_type_:
            self.column_labels_ = self.labels_by_type_[others[0]]

    def _matched(self, data: RelationalData) -> RelationalData:
        """New samples with their columns in the order of the fit, matched by name."""
        return match_columns(data, self._form.names, self._form.sizes)

    def _new_data(self, X: Any) -> RelationalData:
        """New samples, checked against the fit and scaled as in it."""
        check_is_fitted(self)
        data, form = self._matched(self._read(X)), self._form
        if data.shape[1] != self.n_features_in_:
            # In the words of scikit-learn, whose tests look for them.
            raise ValueError(
                f"X has {data.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        data = self._checked(data)
        # All sizes but that of the samples, of which there may be any number.
        if {**data.sizes, data.center: form.sizes[data.center]} != form.sizes:
            raise ValueError(
                f"New data must have the features of the fit, {form.sizes}, got {data.sizes}."
            )
        data = self._scaled(data.ordered(form.ends), form)
        pairs = zip(data.relations, form.weights, strict=True)
        return data.derive(r.derive(weight=weight) for r, weight in pairs)

    def _costs_of(self, data: RelationalData) -> Array:
        """What each of some samples costs in each cluster, with all that was learned fixed."""
        raise NotImplementedError

    @by_blocks
    def _costs(self, X: Any) -> Array:
        """What new samples cost in each cluster: they go where it is least."""
        return self._costs_of(self._new_data(X))

    @by_blocks
    def predict(self, X: Any) -> Array:
        """Cluster of each new sample: where it costs least.

        A sample that costs the same everywhere, as a row of zeros does where profiles are
        compared, goes to the largest cluster, with a warning.
        """
        costs = self._costs(X)
        labels = np.asarray(costs.argmin(axis=1), dtype=np.intp)
        open_ones = undecided(costs)
        if open_ones.any():
            warnings.warn(
                f"{open_ones.sum()} of {len(labels)} samples say nothing about their cluster (have "
                "they any entries?); they are put into the largest.",
                UserWarning,
                stacklevel=2,
            )
            # After an interrupted fit there are no labels to count.
            known = getattr(self, "labels_", np.zeros(1, dtype=np.intp))
            labels[open_ones] = by_size(known, costs.shape[1]).argmin()
        return labels

    @property
    def factors_(self) -> dict[str, Array]:
        """Factor of every type; 0/1 memberships for hard methods."""
        check_is_fitted(self)
        return {name: as_array(G) for name, G in self._factors.items()}

    # One co-cluster for each pair of a sample and a feature cluster, made when asked for:
    # as stored arrays they would outweigh the data.
    @property
    def rows_(self) -> Array:
        """Samples of every co-cluster, shape (n_clusters * n_column_clusters, n_samples)."""
        return np.repeat(self._members(self.row_labels_, 0), self.association_.shape[1], axis=0)

    @property
    def columns_(self) -> Array:
        """Features of every co-cluster, shape (n_clusters * n_column_clusters, n_features)."""
        members = self._members(self.column_labels_, 1)
        return np.tile(members, (self.association_.shape[0], 1))

    def _members(self, labels: Array, axis: int) -> Array:
        """Boolean rows, one for each cluster."""
        return np.arange(self.association_.shape[axis])[:, None] == labels

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._unknown
        tags.input_tags.positive_only = self._needs_nonnegative()
        return tags


def undecided(costs: Array) -> Array:
    """Which samples cost the same in all of several clusters."""
    return np.asarray((costs.shape[1] > 1) & (np.ptp(costs, axis=1) == 0))


def check_complete(data: RelationalData, who: str) -> None:
    """Refuse data with unknown entries, for all that would take them for zeros."""
    holes = [f"{relation}" for relation in data.relations if relation.observed is not None]
    if holes:
        able = ", ".join(method.name for method in METHODS.values() if method.unknown)
        raise ValueError(
            f"{who} needs every entry, and some of relation {holes[0]} are unknown (NaN, or left "
            f"out by a mask); {able} and CoCluster fit the known ones, or fill them in first."
        )


def _feature_names(data: RelationalData) -> dict[str, Array]:
    """feature_names_in_ of one matrix whose columns are named by text, as scikit-learn wants it."""
    names = data.names.get(data.relations[0].cols) if len(data.relations) == 1 else None
    if names is None or not all(isinstance(name, str) for name in names):
        return {}
    return {"feature_names_in_": np.asarray(names, dtype=object)}


def only_matrix(method: Coclusterer, data: RelationalData) -> Matrix:
    """Return the only matrix of the data, samples in rows; refuse several, and feature clusters."""
    name = type(method).__name__
    if len(data.relations) > 1:
        raise ValueError(
            f"{name} takes one matrix, got {len(data.relations)} relations; StarSSNMF, NMTF, "
            "FNMTF and ITCC take many."
        )
    if method.n_column_clusters is not None:
        raise ValueError(f"{name} does not cluster features; leave n_column_clusters=None.")
    # As a view, because a matrix that lacks samples must have empty rows for them.
    return stack_relations(data, data.center)


def scaling_of_samples(X: Matrix, normalize: str | None, precomputed: bool) -> Scaling:
    """Learn the scaling of data for a method that compares samples by distances or cosines.

    "auto" is "tfidf" for occurrences (no negative entry, most entries zero) and leaves all others,
    similarities of samples among them, as they are. Raw counts are as far from each other as they
    are long; ``benchmarks/results/scalings.md`` has the evidence.
    """
    if normalize == "auto":
        occurrences = is_nonnegative(X) and 2 * column_counts(X).sum() < X.shape[0] * X.shape[1]
        normalize = "tfidf" if occurrences and not precomputed else None
    return fit_scaling(X, normalize)


def sample_links(
    method: Coclusterer, data: RelationalData, links: Mapping[str, Links]
) -> Links | None:
    """Return the links between samples; refuse links between features."""
    others = [name for name in links if name != data.center]
    if others:
        raise ValueError(
            f"{type(method).__name__} does not cluster {others[0]!r} and has no use for links "
            "between them; give links between samples only."
        )
    return links.get(data.center)
