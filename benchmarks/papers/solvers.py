"""The methods of the tables, all called alike: (problem, setting, seed) gives labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.sparse as sp
from sklearn.cluster import KMeans

from benchmarks.baselines.tsvm import tsvm_labels
from benchmarks.papers.protocol import Answer, Problem, Setting
from cocluster.graphs.weights import Weights, knn_graph
from cocluster.methods.catalogue import METHODS

Solver = Callable[[Problem, Setting, int], Answer]

# The papers set the strengths of both sides to the same value.
STRENGTHS = {
    "gnmf": ("row_strength",),
    "drcc": ("row_strength", "column_strength"),
    "lpfnmtf": ("row_strength", "column_strength"),
    "ldcc": ("row_strength", "column_strength"),
}
# Two factors: a cluster of samples is a cluster of features, there is no second number.
SAME_CLUSTERS = ("nmf", "seminmf", "gnmf")


def kmeans(n_init: int) -> Solver:
    """The best of some starts by the objective of k-means."""

    def solve(problem: Problem, setting: Setting, seed: int) -> Answer:
        model = KMeans(problem.n_clusters, n_init=n_init, random_state=seed)
        model.fit(_narrow(problem.data))
        return Answer(model.labels_, int(model.n_iter_))

    return solve


def method(name: str, **fixed: Any) -> Solver:
    """A method of the library with as many feature clusters as classes; the data come scaled."""
    estimator = METHODS[name].estimator

    def solve(problem: Problem, setting: Setting, seed: int) -> Answer:
        parameters = dict(setting)
        strength = parameters.pop("strength", None)
        if strength is not None:
            parameters |= dict.fromkeys(STRENGTHS.get(name, ("strength",)), strength)
        model = estimator(problem.n_clusters, normalize=None, random_state=seed, **fixed)
        takes_number = METHODS[name].feature_clusters and name not in SAME_CLUSTERS
        if takes_number and "n_column_clusters" in model.get_params():
            parameters["n_column_clusters"] = _feature_clusters(problem)
        # Methods with graphs make binary ones by themselves.
        weights = parameters.pop("weights", "binary")
        model.set_params(**parameters)
        told: dict[str, Any] = {"links": problem.links}
        if weights != "binary":
            told["graphs"] = _weighted_graphs(model, problem, weights)
        model.fit(problem.data, **told)
        return Answer(model.labels_, getattr(model, "n_iter_", None))

    return solve


def _weighted_graphs(model: Any, problem: Problem, weights: Weights) -> dict[str, Any]:
    """The graphs a method would find in its data, with other weights than 1 on their edges."""
    X = problem.data
    sides = {"samples": X, "features": X.T.tocsr() if sp.issparse(X) else X.T}
    if "column_strength" not in model.get_params():
        del sides["features"]
    return {
        name: knn_graph(side, model.n_neighbors, metric=model.metric, weights=weights)
        for name, side in sides.items()
    }


def tsvm(problem: Problem, setting: Setting, seed: int) -> Answer:
    """The transductive machine, which is told classes of samples instead of links."""
    assert problem.partial is not None
    return Answer(tsvm_labels(_narrow(problem.data), problem.partial, seed=seed, **setting))


def _feature_clusters(problem: Problem) -> Any:
    """As many as classes for each view, or all features of a view that has fewer."""
    numbers = {name: min(problem.n_clusters, X.shape[1]) for name, X in problem.views.items()}
    return numbers if len(numbers) > 1 else next(iter(numbers.values()))


def _narrow(X: Any) -> Any:
    """Sparse data with 32-bit indices, which scikit-learn insists on."""
    if not sp.issparse(X):
        return X
    return sp.csr_array((X.data, X.indices.astype("i4"), X.indptr.astype("i4")), X.shape)
