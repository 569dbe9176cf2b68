"""What an estimator is made of: its parameters, what a fit has found, and nothing else."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

import cocluster
from cocluster import CoCluster, Links, TriFactorization
from cocluster.blocks.rows import Interrupted
from cocluster.data.relational import relational
from cocluster.methods import base
from cocluster.methods import cocluster as front
from cocluster.methods.catalogue import METHODS
from cocluster.methods.default.pipeline import ConsensusITCC, ShiftedITCC

CATALOGUE = [method.estimator for method in METHODS.values()]
OTHERS = [ConsensusITCC, ShiftedITCC, TriFactorization]
every = pytest.mark.parametrize("estimator", CATALOGUE + OTHERS)
X = np.kron([[9.0, 1.0], [1.0, 9.0]], np.ones((6, 4))) + np.eye(12, 8)
LINKS = Links.from_pairs([(0, 1)], [(0, 6)], n_samples=12)
# Of a run that was cut off: what the docstring of `Coclusterer` names, and what predict needs.
INTERRUPTED = {
    "labels_by_type_",
    "column_labels_",
    "associations_",
    "objective_history_",
    "n_iter_",
    "converged_",
    "n_features_in_",
    "_factors",
    "_form",
}


def brief(estimator: Any) -> Any:
    """The estimator for two clusters, in few sweeps: these tests are not about good labels."""
    few = {"max_iter": 20} if "max_iter" in parameters(estimator) else {}
    return estimator(2, random_state=0, **few)


def parameters(estimator: type) -> set[str]:
    """Names of the parameters."""
    return set(inspect.signature(estimator).parameters)


@every
def test_inheritance_is_at_most_four_deep(estimator: type) -> None:
    ours = [c for c in estimator.__mro__ if c.__module__.startswith("cocluster")]
    mixins = [c for c in ours if c.__name__.endswith("Mixin")]
    assert len(ours) - len(mixins) <= 4, ours
    # A mixin adds methods to an estimator and is not another level: it has no parameters.
    assert not any("__dataclass_fields__" in vars(mixin) for mixin in mixins)
    assert len(mixins) <= 4, mixins


@pytest.mark.parametrize("estimator", [*CATALOGUE, *OTHERS, CoCluster])
def test_a_new_estimator_holds_its_parameters_and_nothing_else(estimator: type) -> None:
    kinds = [p.kind for p in inspect.signature(estimator).parameters.values()]
    # At most the two numbers of clusters (of the front door: and the method) go without a name.
    assert 1 <= kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) <= 2
    model = estimator(3)
    assert set(vars(model)) == parameters(estimator) == set(model.get_params(deep=False))
    assert model.n_clusters == 3
    assert clone(model.set_params(n_clusters=4)).n_clusters == 4
    assert "n_clusters=4" in repr(model)
    assert estimator.__name__ in model._repr_html_()


@pytest.mark.parametrize("estimator", [*CATALOGUE, *OTHERS, CoCluster])
def test_a_fitted_estimator_can_be_pickled(estimator: type) -> None:
    model = brief(estimator).fit(X, links=LINKS)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.labels_, model.labels_)
    assert_array_equal(again.predict(X), model.predict(X))


@every
def test_links_and_graphs_leave_no_attributes_of_their_own(estimator: Any) -> None:
    plain = brief(estimator).fit(X)
    assert set(vars(brief(estimator).fit(X, links=LINKS))) == set(vars(plain))
    assert set(vars(plain.fit(X, np.repeat([0, -1, 1], 4)))) == set(vars(plain))
    if "graphs" in inspect.signature(estimator.fit).parameters:
        graphs = {"samples": X @ X.T, "features": X.T @ X}
        given = brief(estimator).fit(X, links=LINKS, graphs=graphs)
        assert set(vars(given)) == set(vars(plain))
        assert not any(value is graph for value in vars(given).values() for graph in graphs)


@every
def test_a_fit_that_fails_leaves_the_estimator_as_it_was(estimator: Any, monkeypatch: Any) -> None:
    new, fitted = (brief(estimator) for _ in range(2))
    states = [dict(vars(new)), dict(vars(fitted.fit(X)))]
    whole_run = estimator._solve

    def broken(self: Any, task: Any) -> Any:
        whole_run(self, task)
        raise RuntimeError("in the middle")

    monkeypatch.setattr(estimator, "_solve", broken)
    for model, before in zip([new, fitted], states, strict=True):
        with pytest.raises(RuntimeError, match="in the middle"):
            model.fit(X + 1.0, links=LINKS)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is value for name, value in before.items())


@every
def test_an_interrupted_run_leaves_what_is_documented(estimator: Any, monkeypatch: Any) -> None:
    model = brief(estimator)
    whole_run = estimator._solve

    def interrupted(self: Any, task: Any) -> Any:
        run = whole_run(self, task)
        lost = Interrupted("the cluster is gone")
        lost.run = replace(run, converged=False)
        raise lost

    monkeypatch.setattr(estimator, "_solve", interrupted)
    for _ in range(2):
        with pytest.raises(Interrupted):
            model.fit(X)
        assert set(vars(model)) - parameters(estimator) <= INTERRUPTED
    assert not model.converged_
    assert len(model.objective_history_) == model.n_iter_


def test_nothing_of_an_earlier_fit_to_other_types_is_left() -> None:
    model = cocluster.FNMTF(2, random_state=0).fit(X)
    assert hasattr(model, "column_labels_")
    assert not hasattr(model.fit({"a": X, "b": X}), "column_labels_")


@pytest.mark.parametrize("name", METHODS)
def test_estimators_say_the_name_that_the_front_door_takes(name: str) -> None:
    model = METHODS[name].estimator(2)
    assert model.method_name == name
    assert CoCluster(2, model.method_name, random_state=0).fit(X).model_.method_name == name


@pytest.mark.parametrize("data", [X, X - 2.0])
def test_the_methods_of_the_front_door_are_named_after_it(data: Any) -> None:
    assert CoCluster(2, random_state=0).fit(data).model_.method_name == "auto"


def test_the_front_door_reads_the_data_once(monkeypatch: Any) -> None:
    read = []

    def counted(data: Any, **options: Any) -> Any:
        read.append(data)
        return relational(data, **options)

    monkeypatch.setattr(front, "relational", counted)
    monkeypatch.setattr(base, "relational", counted)
    for method in ("auto", "fnmtf"):
        read.clear()
        CoCluster(2, method, random_state=0).fit(X)
        assert len(read) == 1


def test_the_front_door_is_as_it_was_after_a_fit_that_fails() -> None:
    model = CoCluster(2, random_state=0)

    def broken(progress: Any) -> None:
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        model.fit(X, callback=broken)
    assert set(vars(model)) == parameters(CoCluster)


def test_two_factors_have_one_number_of_clusters_with_a_graph_too() -> None:
    with pytest.raises(ValueError, match="same clusters for samples and features"):
        cocluster.GNMF(2, 3).fit(X)
