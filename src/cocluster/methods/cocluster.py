"""CoCluster: co-clustering of any data without choosing a method."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from inspect import signature
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    BiclusterMixin,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from cocluster.data.containers import select_layer
from cocluster.data.relational import RelationalData, relational
from cocluster.linalg.types import Array
from cocluster.links.labelling import label_codes
from cocluster.methods.base import Coclusterer, check_complete, undecided
from cocluster.methods.catalogue import METHODS
from cocluster.methods.default.pipeline import select_method
from cocluster.methods.default.probability import probabilities
from cocluster.methods.default.results import (
    FitResult,
    fine_clusters,
    initial_labels,
    summarise_fit,
    without_groups,
)
from cocluster.methods.factorization.fnmtf import FNMTF
from cocluster.methods.information.itcc import ITCC
from cocluster.methods.mixins import FittedMixin
from cocluster.methods.n_clusters.result import Choice
from cocluster.methods.n_clusters.search import choose_n_clusters
from cocluster.methods.task import clusters_by_type
from cocluster.trifactor import Callback, Interrupted
from cocluster.utils.checks import check_choice

# Parameters that None leaves to the method.
OPTIONAL = ("n_init", "max_iter", "tol")


def _has_probabilities(estimator: CoCluster) -> bool:
    """Whether the costs or memberships of the method imply probabilities of the clusters."""
    if estimator.method not in METHODS:
        return estimator.method == "auto"
    method = METHODS[estimator.method].estimator()
    return bool(method._additive or getattr(method, "assign", None) == "argmax")


@dataclass(eq=False, repr=False)
class CoCluster(
    FittedMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    BiclusterMixin,
    BaseEstimator,
):
    """Group the rows and the columns of data at the same time, without knowing a method's name.

    Parameters
    ----------
    n_clusters : int or "auto"
        Clusters of samples. "auto" asks `choose_n_clusters`, which takes the time of a few
        fits, and keeps its answer in ``choice_``; with classes in ``y`` there are at least as many
        clusters as classes. Data without a stable grouping become one cluster, with a warning.
    method : str
        A name in `cocluster.methods.METHODS`, or "auto", the same rule with links and for many
        views: information-theoretic co-clustering from a consensus of embeddings
        (`ConsensusITCC`). Data with negative values are shifted to begin at zero, feature by
        feature (`ShiftedITCC`). Only sparse ones that would fill more than 50,000,000 entries are
        left to "fnmtf", and those with unknown entries. What is done depends on the numbers, not
        on how they are stored.
    n_column_clusters : int, mapping of type to int, or None
        Groups of features; None means ``n_clusters``, at most one for each feature.
    normalize, random_state
        As in every method, see `Coclusterer`. A method that lacks a parameter refuses a value
        other than the default.
    init : {"spectral", "kmeans", "random"}, arrays, or a fitted model
        As in every method; a model starts from what it predicts for the data. Clusters then keep
        the numbers they have in ``init``, as far as the samples stay together.
    n_init, max_iter, tol : int, int and float, or None
        As in every method; None is the method's own default.
    missing : {"zero", "unobserved"}
        What sparse data do not store is zero, or unknown, as in a matrix of ratings.
    biases : bool
        For data with unknown entries: whether rows and columns have biases, see `FNMTF`.

    Attributes
    ----------
    labels_, row_labels_ : array of shape (n_samples,)
        Numbered by size: 0 is the largest cluster (of two as large, the one whose first member
        comes first), unless ``init`` gives numbers to keep.
    column_labels_ : array of shape (n_features,), for one matrix
        Group of each feature. Where there are as many groups as clusters, group i is the one
        that goes with cluster i: the association is as diagonal as it can be.
    fine_column_labels_ : array of shape (n_features,), "auto" only
        The finer clusters (five for each cluster of samples, or as many as asked for if that is
        more) that tell the samples apart, and that `predict` uses. The groups are merged from
        them with the least loss of information.
    labels_by_type_, fine_labels_by_type_ : dict of type to labels
        The same for many views.
    association_, associations_ : of the only relation; of all
        How much clusters have to do with groups; for "auto" their joint distribution.
    rows_, columns_, biclusters_
        The co-clusters. With as many groups as clusters, co-cluster i is cluster i with group i;
        else every pair of a cluster and a group is one, the groups running faster.
    choice_ : Choice, if ``n_clusters="auto"``
        How many clusters there are, why, and the table behind it.
    temperature_ : float or None
        What `predict_proba` divides the costs by; None if it shows memberships.
    model_ : the fitted method, with its own numbers of clusters
    objective_, n_iter_, links_report_, n_features_in_, feature_names_in_, ...
        Every other fitted attribute of the method.

    Notes
    -----
    * New data are matched with those of the fit by the names of their columns, if both have some
      (frames, AnnData, MuData, views of those), in any order; other columns are refused.
    * A new sample that says nothing about its cluster, such as a row of zeros, is put into the
      largest cluster, with a warning; its probabilities are the shares of the clusters.
    * Merging the features changes no label of a sample and no prediction.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.kron([[5, 0], [1, 5], [1, 5]], np.ones((3, 4)))
    >>> model = CoCluster(2, random_state=0).fit(X)
    >>> model.labels_
    array([1, 1, 1, 0, 0, 0, 0, 0, 0])
    >>> model.column_labels_
    array([1, 1, 1, 1, 0, 0, 0, 0])
    >>> model.get_shape(0), model.predict(X[:1])
    ((6, 4), array([1]))
    """

    n_clusters: int | Literal["auto"] = 2
    method: str = "auto"
    _: KW_ONLY
    n_column_clusters: int | Mapping[str, int] | None = None
    normalize: str | None = "auto"
    init: Any = "spectral"
    n_init: int | None = None
    max_iter: int | None = None
    tol: float | None = None
    random_state: Any = None
    missing: str = "zero"
    biases: bool = False

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        links: Any = None,
        callback: Callback | None = None,
        mask: Any = None,
        prior: Any = None,
        layer: str | None = None,
        graphs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Co-cluster X: a matrix, a mapping or list of views, or `RelationalData`.

        ``links``, ``y``, ``callback`` and ``mask`` are those of every method, see
        `Coclusterer.fit`, and ``prior`` is that of `ITCC.fit`. With "auto", links and ``y``
        are propagated from some samples to all, see `cocluster.methods.default.supervision`.
        ``layer`` is the layer of AnnData (of every modality of MuData) to use instead of ``X``;
        new AnnData are then read alike. ``graphs`` are those of `GraphEstimator`, for methods that
        take some.
        """
        check_choice(self.method, "method", ("auto", *METHODS))
        if graphs is not None and not self.takes_graphs:
            able = ", ".join(repr(name) for name, method in METHODS.items() if method.graphs)
            raise ValueError(
                f"method={self.method!r} takes no graphs; these do: {able}. To others a graph is "
                "one more view of the samples."
            )
        X, auto = select_layer(X, layer), self.method == "auto"
        # Checked before data are read; of all that "auto" may choose, FNMTF has most parameters.
        estimator = FNMTF if auto else METHODS[self.method].estimator
        parameters = self._method_parameters(estimator)
        data = relational(X, mask=mask, missing=self.missing)
        choice = self._choose_n_clusters(data) if self.n_clusters == "auto" else None
        if auto:
            estimator, data = select_method(data)
            parameters = self._method_parameters(estimator)
        if choice is not None:
            parameters["n_clusters"] = max(choice.rows.stable, _n_classes(y))
        n_groups, before = self._set_start(parameters, estimator, data)
        model = estimator(**parameters)
        try:
            task, run = model._run(
                X, y, data=data, links=links, callback=callback, prior=prior, graphs=graphs
            )
        except Interrupted:
            # The method has kept what it had found, see `Coclusterer`.
            self._store(model, None, layer)
            raise
        self._store(model, summarise_fit(model, task, run, n_groups, before), layer)
        if choice is not None:
            self.choice_ = choice
        return self

    @property
    def takes_graphs(self) -> bool:
        """Whether `fit` takes graphs of samples and features; that depends on the method."""
        return self.method in METHODS and METHODS[self.method].graphs

    def _choose_n_clusters(self, data: RelationalData) -> Choice:
        """Estimate the number of clusters of samples; warn if there is no stable grouping."""
        check_complete(data, 'n_clusters="auto"')
        choice = choose_n_clusters(data, features=False, random_state=self.random_state)
        if choice.rows.stable == 1:
            warnings.warn(choice.reason, UserWarning, stacklevel=3)
        return choice

    def _set_start(
        self, parameters: dict[str, Any], estimator: type[Coclusterer], data: RelationalData
    ) -> tuple[dict[str, int] | None, Array | None]:
        """Set the start and the fine feature clusters of a method in its parameters.

        Returns the numbers of groups that features are merged to, and the labels whose numbers the
        clusters keep; None if there are none.
        """
        n_groups, before, n_clusters = None, None, parameters["n_clusters"]
        if "init" in parameters:
            parameters["init"], before = initial_labels(self.init, data, n_clusters)
        if self.method == "auto" and issubclass(estimator, ITCC):
            n_groups = clusters_by_type(data, n_clusters, self.n_column_clusters)
            if self.n_column_clusters is not None:
                parameters["n_column_clusters"] = fine_clusters(n_groups, data, n_clusters)
            parameters["init"] = without_groups(parameters["init"], data, n_groups)
        return n_groups, before

    def _method_parameters(self, estimator: type[Coclusterer]) -> dict[str, Any]:
        """Return the parameters a method accepts; raise if another one differs from its default."""
        accepted = signature(estimator).parameters
        defaults = {name: p.default for name, p in signature(type(self)).parameters.items()}
        del defaults["method"]
        for name, default in defaults.items():
            value = getattr(self, name)
            # Missing entries show in the data: a method that cannot take them says so.
            if name not in (*accepted, "missing") and not np.array_equal(value, default):
                raise ValueError(
                    f"method={self.method!r} has no {name} and would ignore {name}={value!r}; "
                    "leave it out or choose another method."
                )
        unset = {name for name in OPTIONAL if getattr(self, name) is None}
        return {name: getattr(self, name) for name in defaults if name in accepted.keys() - unset}

    def _select_layer(self, X: Any) -> Any:
        """Return the layer of new annotated data that the fit has used; other data unchanged."""
        return select_layer(X, self._layer) if hasattr(X, "obs_names") else X

    def _store(self, model: Coclusterer, result: FitResult | None, layer: str | None) -> None:
        """Keep a fitted method and its result; None if the fit was interrupted."""
        # Nothing of an earlier fit is left, however many types it had.
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        self.model_, self._result, self._layer = model, result, layer
        if result is None:
            return
        self.labels_by_type_, self.associations_ = result.labels, result.associations
        self.links_report_, self.temperature_ = result.links_report, result.temperature
        sample_labels, *feature_labels = result.labels.values()
        self.labels_ = self.row_labels_ = sample_labels
        if len(feature_labels) == 1:
            (self.column_labels_,) = feature_labels
        if self.method == "auto":
            fine = dict(list(model.labels_by_type_.items())[1:])
            self.fine_labels_by_type_ = fine
            if len(fine) == 1:
                (self.fine_column_labels_,) = fine.values()

    def predict(self, X: Any) -> Array:
        """Cluster of each new sample: the one in which it costs least, see `transform`."""
        check_is_fitted(self, "model_")
        return np.asarray(self._numbers[self.model_.predict(self._select_layer(X))])

    def transform(self, X: Any) -> Array:
        """What each sample costs in every cluster: lower is nearer, as in scikit-learn's KMeans.

        The unit is that of the method. "auto", "itcc" and "cmrf": nats by which the profile of
        the cluster codes the sample worse than its own profile would (half its deviance).
        "fnmtf" and "lpfnmtf": squared distance to the prototype. Methods with memberships: one
        minus the membership, or the distance to the mean in the factor where k-means makes the
        labels. Spectral methods and kernel k-means: squared distance to the mean, for the latter
        less a constant of the sample.

        Returns
        -------
        array of shape (n_samples, n_clusters)
        """
        check_is_fitted(self, "model_")
        return np.asarray(self.model_._costs(self._select_layer(X))[:, np.argsort(self._numbers)])

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Probability of every cluster for each sample; rows sum to one.

        Proportional to ``exp(-transform(X) / temperature_)``. The temperature is found in the fit,
        without classes: two halves of the features, each with a label of its own for samples held
        out, agree as often as the probabilities foresee (`cocluster.methods.default.probability`).
        Methods with memberships show these, as they are; those with neither prototypes nor
        memberships ("bsgp", "ncut", ...) have no `predict_proba`. The most probable cluster is the
        one that `predict` gives.

        Returns
        -------
        array of shape (n_samples, n_clusters)
        """
        costs = self.transform(X)
        temperature = getattr(self, "temperature_", None)
        shares = 1 - costs if temperature is None else probabilities(costs, temperature)
        without_evidence = undecided(costs)
        if without_evidence.any() and self._result is not None:
            sizes = np.bincount(self.labels_, minlength=shares.shape[1])
            shares[without_evidence] = sizes / len(self.labels_)
        return shares

    def complete(self, rows: Any = None, columns: Any = None, *, view: str | None = None) -> Array:
        """Predicted entries of the data of the fit, see `UnknownEntries.complete`.

        Of "fnmtf", "nmtf" and "nmf", and of "auto" for data with unknown entries.
        """
        check_is_fitted(self, "model_")
        if not self.model_._unknown:
            able = ", ".join(repr(name) for name, method in METHODS.items() if method.unknown)
            raise ValueError(
                f"method={self.method!r} predicts no entries of these data; fit them with one of "
                f"{able}."
            )
        return np.asarray(self.model_.complete(rows, columns, view=view))

    @property
    def _numbers(self) -> Array:
        """Return the number of each cluster of samples of the method."""
        if self._result is None:
            # An interrupted fit has no labels to number clusters by.
            return np.arange(self.model_.associations_[0].shape[0])
        return self._result.numbers[next(iter(self._result.labels))]

    @property
    def _n_features_out(self) -> int:
        """Columns of `transform`, for scikit-learn's feature names."""
        return len(self._numbers)

    @property
    def factors_(self) -> dict[str, Array]:
        """Factor of every type; 0/1 memberships for hard methods and for merged groups."""
        check_is_fitted(self)
        return self.model_.factors_ if self._result is None else self._result.factors(self.model_)

    @property
    def membership_(self) -> Array:
        """Memberships of the samples, of methods that have them."""
        M = self.model_.membership_
        if self._result is None or not self._result.of_factors:
            return M
        return M[:, np.argsort(self._numbers)]

    @property
    def rows_(self) -> Array:
        """Samples of every co-cluster, shape (n_coclusters, n_samples)."""
        k, m = self.association_.shape
        members = np.arange(k)[:, None] == self.row_labels_
        return members if k == m else np.repeat(members, m, axis=0)

    @property
    def columns_(self) -> Array:
        """Features of every co-cluster, shape (n_coclusters, n_features)."""
        k, m = self.association_.shape
        members = np.arange(m)[:, None] == self.column_labels_
        return members if k == m else np.tile(members, (k, 1))

    def __getattr__(self, name: str) -> Any:
        # All other fitted attributes are those of the method.
        if name.endswith("_") and not name.startswith("_") and "model_" in vars(self):
            return getattr(self.model_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_clone__(self) -> Self:
        # A model to start from is a value: a copy of it that is not fitted would be none.
        twin = super().__sklearn_clone__()
        twin.init = self.init
        return twin

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.method == "auto" or METHODS[self.method].unknown
        # One check of scikit-learn takes everything with predict_proba for a classifier, and looks
        # here for the number of columns to expect.
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


def _n_classes(y: Any) -> int:
    """Count the classes of a partial labelling."""
    return 0 if y is None else int(label_codes(y, -1).max(initial=-1)) + 1
