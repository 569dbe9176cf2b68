"""What every sample costs in every cluster, as a fitted method judges it: lower is nearer."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.partitions import is_hard
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array
from cocluster.methods.base import Coclusterer
from cocluster.methods.factorization.base import SoftTriFactorEstimator, new_block
from cocluster.methods.factorization.fnmtf import FNMTF
from cocluster.methods.information.itcc import ITCC, InformationProblem
from cocluster.methods.kernel_kmeans.estimator import KernelKMeans
from cocluster.methods.one_type import only_matrix
from cocluster.methods.spectral.base import SpectralCoclusterer
from cocluster.methods.spectral.means import squared_distances
from cocluster.trifactor import State


def costs(model: Any, data: RelationalData) -> Array:
    """Cost of each sample in each cluster; `predict` chooses the cheapest.

    The unit is that of the method: nats by which the profile of the cluster codes the sample
    (ITCC, CMRF), squared distances to prototypes (FNMTF, LPFNMTF) or means (spectral methods,
    kernel k-means), and one minus the membership where there are memberships. What is the same
    for all clusters is left out.

    Parameters
    ----------
    model : fitted co-clusterer
        A method of the catalogue, or the `CoCluster` that chose it.
    data : RelationalData
        Samples with the features of the fit; types that are named otherwise are taken in order.

    Returns
    -------
    array of shape (n_samples, n_clusters)
        Infinite for clusters that take no samples.

    Examples
    --------
    >>> from cocluster import FNMTF
    >>> from cocluster.data.relational import bipartite
    >>> X = np.kron([[5, 1, 1], [1, 1, 5]], np.ones((3, 2)))
    >>> model = FNMTF(2, 2, random_state=0).fit(X)
    >>> (costs(model, bipartite(X)).argmin(axis=1) == model.labels_).all()
    np.True_
    """
    # `CoCluster` keeps the method that it chose, and may number its clusters in another way.
    method = getattr(model, "model_", model)
    alike = as_in_the_fit(model, data)
    found = np.asarray(_costs(_without_names(method), alike), dtype=np.float64)
    return found[:, np.argsort(_numbers(method.labels_, model.labels_, found.shape[1]))]


def _numbers(own: Array, shown: Array, n_clusters: int) -> Array:
    """The number under which each cluster is shown; those without samples take what is left."""
    numbers = np.full(n_clusters, -1)
    numbers[own] = shown
    numbers[numbers < 0] = np.setdiff1d(np.arange(n_clusters), shown)
    return numbers


def _without_names(method: Coclusterer) -> Coclusterer:
    """The method with no names of features to compare: relational data show it none."""
    plain = copy.copy(method)
    plain.__dict__.pop("feature_names_in_", None)
    return plain


def as_in_the_fit(model: Any, data: RelationalData) -> RelationalData:
    """The data with their types named as in the fit: a file calls words what a matrix cannot."""
    form = getattr(getattr(model, "model_", model), "_form", None)
    types = list(data.types if form is None else form.sizes)
    if set(types) == set(data.types) or len(types) != len(data.types):
        return data
    name = dict(zip(data.types, types, strict=True))
    relations = tuple(replace(r, rows=name[r.rows], cols=name[r.cols]) for r in data.relations)
    return RelationalData(relations, name[data.center])


def has_costs(model: Any) -> bool:
    """Whether `costs` knows how a model judges samples: not those of other libraries."""
    kind = type(getattr(model, "model_", model))
    return _costs.dispatch(kind) is not _costs.dispatch(object)


@singledispatch
def _costs(method: Any, data: RelationalData) -> Array:
    """The costs of one method, its clusters as it numbers them."""
    raise TypeError(f"{type(method).__name__} has no costs of samples; see its `predict`.")


@_costs.register
def _(method: ITCC, data: RelationalData) -> Array:
    problem = InformationProblem(method._new_data(data))
    scores = problem.scores_given(data.center, State(method._factors), method.associations_)
    # Scores are shares of the information of all data; one count of an average relation weighs
    # as much as this.
    return -scores / np.mean(problem.shares / problem.totals)


@_costs.register
def _(method: FNMTF, data: RelationalData) -> Array:
    return new_block(method._new_data(data), method._factors, method.associations_).costs()


@_costs.register
def _(method: SoftTriFactorEstimator, data: RelationalData) -> Array:
    if is_hard(method._factors[data.center]):
        return method._new_block(data).costs()
    G, membership = method._fold_in(data)
    # Labels of k-means have nothing to do with the columns of the factor.
    return 1 - membership if method._kmeans is None else method._kmeans.transform(unit_rows(G))


@_costs.register
def _(method: SpectralCoclusterer, data: RelationalData) -> Array:
    features = method._projected(method._new_data(data), method._points)
    Z = method._finished(features @ method._projection)
    found = np.full((len(Z), method._factors[data.center].shape[1]), np.inf)
    found[:, method._occupied] = squared_distances(Z, method._means)
    return found


@_costs.register
def _(method: KernelKMeans, data: RelationalData) -> Array:
    new = only_matrix(method, method._new_data(data))
    return method._lengths - 2 * method._kernel(new, method._training) @ method._means
