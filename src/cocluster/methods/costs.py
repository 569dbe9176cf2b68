"""What every sample costs in every cluster, as a fitted method judges it: lower is nearer."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.types import Array
from cocluster.methods.base import Coclusterer


def costs(model: Any, data: RelationalData) -> Array:
    """Cost of each sample in each cluster; `predict` chooses the cheapest.

    The unit is that of the method, see `CoCluster.transform`.

    Parameters
    ----------
    model : fitted co-clusterer
        A method of the catalogue, or the `CoCluster` that chose it.
    data : RelationalData
        Samples with the features of the fit; types that are named otherwise are taken in order.

    Returns
    -------
    array of shape (n_samples, n_clusters)
        Columns in the order in which the model numbers its clusters.

    Examples
    --------
    >>> from cocluster import FNMTF
    >>> from cocluster.data.relational import bipartite
    >>> X = np.kron([[5, 1, 1], [1, 1, 5]], np.ones((3, 2)))
    >>> model = FNMTF(2, 2, random_state=0).fit(X)
    >>> (costs(model, bipartite(X)).argmin(axis=1) == model.labels_).all()
    np.True_
    """
    if not has_costs(model):
        raise TypeError(f"{type(model).__name__} has no costs of samples; see its `predict`.")
    # `CoCluster` keeps the method that it chose, and may number its clusters in another way.
    method = getattr(model, "model_", model)
    alike = as_in_the_fit(model, data)
    found = np.asarray(_without_names(method)._costs(alike), dtype=np.float64)
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
    relations = tuple(r.derive(rows=name[r.rows], cols=name[r.cols]) for r in data.relations)
    return RelationalData(relations, name[data.center])


def has_costs(model: Any) -> bool:
    """Whether a model says what samples cost: those of other libraries do not."""
    return isinstance(getattr(model, "model_", model), Coclusterer)
