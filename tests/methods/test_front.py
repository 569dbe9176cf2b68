"""What `CoCluster` offers for every method: numbers, costs, probabilities, co-clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from cocluster import CoCluster, open_blocks, write_blocks
from cocluster.datasets import make_blocks, make_star
from cocluster.methods.catalogue import METHODS
from cocluster.methods.numbering import diagonal
from tests.methods.every_method import same_partition

K = 3
NAMES = ["auto", *METHODS]
every = pytest.mark.parametrize("method", NAMES)
with_columns = pytest.mark.parametrize(
    "method", ["auto", *(name for name, m in METHODS.items() if m.feature_clusters)]
)


@pytest.fixture(scope="module")
def planted() -> Any:
    # Clusters of 40, 25 and 15 rows.
    rng = np.random.default_rng(0)
    rows = rng.permutation(np.repeat([0, 1, 2], [15, 40, 25]))
    columns = rng.permutation(np.arange(36) % K)
    return rng.poisson(1 + 7 * (rows[:, None] == columns)).astype(float)


@pytest.fixture(scope="module")
def models(planted: Any) -> dict[str, CoCluster]:
    return {name: CoCluster(K, name, random_state=0).fit(planted) for name in NAMES}


@every
def test_clusters_are_numbered_by_size(method: str, models: Any) -> None:
    model = models[method]
    assert_array_equal(np.bincount(model.labels_), [40, 25, 15])
    assert same_partition(model.labels_, model.model_.labels_)


@every
def test_predictions_have_the_numbers_of_the_fit(method: str, models: Any, planted: Any) -> None:
    model = models[method]
    assert_array_equal(model.predict(planted), model.labels_)


@with_columns
def test_cocluster_i_is_cluster_i_with_group_i(method: str, models: Any, planted: Any) -> None:
    model = models[method]
    assert model.rows_.shape == (K, 80)
    assert model.columns_.shape == (K, 36)
    means = [planted[np.ix_(*model.get_indices(i))].mean() for i in range(K)]
    assert min(means) > planted.mean() + 2
    for i in range(K):
        assert_array_equal(model.get_submatrix(i, planted), planted[np.ix_(*model.get_indices(i))])
    # Every sample and every feature is in one co-cluster.
    assert (model.rows_.sum(axis=0) == 1).all()
    assert (model.columns_.sum(axis=0) == 1).all()
    if getattr(model.model_, "assign", "argmax") == "argmax":
        assert_array_equal(diagonal(model.association_), np.arange(K))


def test_unequal_numbers_give_all_pairs(planted: Any) -> None:
    model = CoCluster(K, n_column_clusters=4, random_state=0).fit(planted)
    assert model.rows_.shape == (K * 4, 80)
    for i in range(K * 4):
        rows, columns = model.get_indices(i)
        assert_array_equal(rows, np.flatnonzero(model.labels_ == i // 4))
        assert_array_equal(columns, np.flatnonzero(model.column_labels_ == i % 4))


@with_columns
def test_factors_go_with_labels_and_association(method: str, models: Any, planted: Any) -> None:
    model = models[method]
    order = np.argsort([np.flatnonzero(model.model_.labels_ == c)[0] for c in range(K)])
    assert sorted(order) == [0, 1, 2]
    own, shown = model.model_.associations_, model.associations_
    if method != "auto":
        assert_allclose(np.sort(shown[0], axis=None), np.sort(own[0], axis=None))
        fitted = (
            model.model_.row_factor_ @ model.model_.association_ @ model.model_.column_factor_.T
        )
        assert_allclose(model.row_factor_ @ model.association_ @ model.column_factor_.T, fitted)
    else:
        assert_array_equal(model.row_factor_.argmax(axis=1), model.labels_)


@every
def test_costs_are_least_where_predict_puts_a_sample(
    method: str, models: Any, planted: Any
) -> None:
    model = models[method]
    costs = model.transform(planted)
    assert costs.shape == (80, K)
    assert_array_equal(costs.argmin(axis=1), model.predict(planted))
    # Each sample by itself.
    assert_allclose(model.transform(planted[7:9]), costs[7:9], atol=1e-8)


@every
def test_probabilities_sum_to_one_and_agree_with_predict(
    method: str, models: Any, planted: Any
) -> None:
    model = models[method]
    if not hasattr(model, "predict_proba"):
        assert not METHODS[method].estimator._additive
        return
    P = model.predict_proba(planted)
    assert (P >= 0).all()
    assert_allclose(P.sum(axis=1), 1)
    assert_array_equal(P.argmax(axis=1), model.predict(planted))
    if model.temperature_ is not None:
        ratio = np.log(np.maximum(P, 1e-300)) + model.transform(planted) / model.temperature_
        sure = P.min(axis=1) > 1e-300
        assert_allclose(np.ptp(ratio[sure], axis=1), 0, atol=1e-6)


def test_probabilities_are_offered_by_prototypes_and_memberships(models: Any) -> None:
    having = {name for name, model in models.items() if hasattr(model, "predict_proba")}
    assert {"auto", "itcc", "cmrf", "fnmtf", "lpfnmtf", "nmtf", "nmf"} <= having
    assert not {"ncut", "bsgp", "kernelkmeans"} & having


def test_views_are_weighed_as_in_the_fit_whatever_comes_with_a_sample() -> None:
    views = make_star(200, {"a": 100, "b": 40}, K, random_state=0).views
    model = CoCluster(K, random_state=0).fit(views)
    costs = model.transform(views)
    for i in (3, 77):
        alone = model.transform({name: X[[i]] for name, X in views.items()})
        assert_allclose(alone, costs[[i]], rtol=1e-9)


@pytest.mark.parametrize("method", ["auto", "itcc", "cmrf"])
def test_deviance_is_what_costs_are(method: str, models: Any, planted: Any) -> None:
    """Nats between the sample and its own profile, the cluster's with one average sample more."""
    model = models[method].model_
    H = np.asarray(model.column_factor_)
    sums = planted @ H
    joint = model.association_ + model.association_.sum(axis=0) / 80
    profile = joint / joint.sum(axis=1, keepdims=True)
    own = sums / sums.sum(axis=1, keepdims=True)
    ratio = own[:, None, :] / profile
    expected = np.einsum("il,ikl->ik", sums, np.log(np.where(ratio > 0, ratio, 1.0)))
    assert_allclose(model._costs(planted), expected, atol=1e-8)


def test_costs_are_squared_distances_for_fnmtf(models: Any, planted: Any) -> None:
    model = models["fnmtf"].model_
    X = model._new_data(planted).relations[0].matrix
    prototypes = model.association_ @ model.column_factor_.T
    expected = ((X[:, None, :] - prototypes) ** 2).sum(axis=2)
    assert_allclose(model._costs(planted), expected, atol=1e-10)


@pytest.mark.parametrize("method", ["auto", "itcc", "cmrf", "nmtf"])
def test_a_row_of_zeros_is_told_apart(method: str, models: Any, planted: Any) -> None:
    model = models[method]
    new = np.vstack([planted[:2], np.zeros((1, 36))])
    with pytest.warns(UserWarning, match="1 of 3 samples say nothing about their cluster"):
        labels = model.predict(new)
    assert_array_equal(labels, [*model.labels_[:2], 0])
    assert_allclose(model.predict_proba(new)[2], np.array([40, 25, 15]) / 80)


def test_the_largest_cluster_takes_rows_of_zeros_whatever_its_number(planted: Any) -> None:
    first = CoCluster(K, random_state=0).fit(planted)
    renamed = np.array([2, 0, 1])[first.labels_]
    model = CoCluster(K, init=renamed, random_state=0).fit(planted)
    with pytest.warns(UserWarning, match="say nothing"):
        assert_array_equal(model.predict(np.zeros((1, 36))), [2])


def test_clusters_keep_the_numbers_of_a_start(planted: Any) -> None:
    first = CoCluster(K, random_state=0).fit(planted)
    names = np.array([1, 2, 0])
    start = names[first.labels_]
    for init in (start, (start, first.column_labels_), {"samples": start}, np.eye(K)[start]):
        again = CoCluster(K, init=init, random_state=0).fit(planted)
        assert_array_equal(again.labels_, start)
        assert_array_equal(again.column_labels_, names[first.column_labels_])


@pytest.mark.parametrize("method", ["auto", "fnmtf", "nmtf"])
def test_a_model_is_a_start_and_its_numbers_stay(method: str, planted: Any) -> None:
    first = CoCluster(K, method, init=np.arange(80) % K, random_state=0).fit(planted)
    # The second cluster grows: by size it would be the first.
    more = np.vstack([planted, planted[first.labels_ == 1], planted[first.labels_ == 1]])
    again = CoCluster(K, method, init=first, random_state=0).fit(more)
    assert_array_equal(again.labels_, first.predict(more))
    assert_array_equal(again.labels_[:80], first.labels_)


def test_a_model_with_more_clusters_is_no_start(planted: Any) -> None:
    first = CoCluster(4, random_state=0).fit(planted)
    with pytest.raises(ValueError, match="more clusters than n_clusters=3"):
        CoCluster(3, init=first).fit(planted)
    with pytest.raises(NotFittedError):
        CoCluster(3, init=CoCluster(3)).fit(planted)


def test_the_model_to_start_from_survives_a_clone(planted: Any) -> None:
    first = CoCluster(K, random_state=0).fit(planted)
    model = clone(CoCluster(K, init=first, random_state=0))
    assert_array_equal(model.fit(planted).labels_, first.labels_)


def test_a_model_of_blocks_is_a_start(planted: Any, tmp_path: Any) -> None:
    blocks = open_blocks(write_blocks((planted[:50], planted[50:]), tmp_path / "x"))
    first = CoCluster(K, random_state=0).fit(blocks)
    assert_array_equal(CoCluster(K, init=first, random_state=0).fit(blocks).labels_, first.labels_)
    assert_allclose(first.predict_proba(blocks), first.predict_proba(planted), atol=1e-9)
    assert_allclose(first.transform(blocks), first.transform(planted), atol=1e-9)


def test_output_is_named_for_pipelines(planted: Any) -> None:
    frame = pd.DataFrame(planted, index=[f"s{i}" for i in range(80)])
    model = CoCluster(K, random_state=0).set_output(transform="pandas")
    costs = model.fit_transform(frame)
    assert list(costs.columns) == ["cocluster0", "cocluster1", "cocluster2"]
    assert list(costs.index) == list(frame.index)
    assert_array_equal(model.get_feature_names_out(), costs.columns)
    assert_array_equal(costs.to_numpy().argmin(axis=1), model.predict(frame))
    pipe = make_pipeline(FunctionTransformer(), CoCluster(K, random_state=0))
    assert_array_equal(pipe.fit_predict(planted), model.labels_)


def test_fit_predict_hears_what_is_known(planted: Any) -> None:
    known = np.full(80, -1)
    known[:10] = 0
    labels = CoCluster(K, random_state=0).fit_predict(planted, known)
    assert len(np.unique(labels[:10])) == 1


@every
def test_asking_for_any_attribute_is_safe(method: str, models: Any) -> None:
    """hasattr lets only AttributeError pass."""
    asked = ("association_", "column_labels_", "column_factor_", "rows_", "columns_", "membership_")
    asked += ("biclusters_", "fine_column_labels_", "factors_", "nothing_", "predict_proba")
    for name in asked:
        hasattr(models[method], name)
        hasattr(models[method].model_, name)
        hasattr(CoCluster(K, method), name)
    assert hasattr(models[method], "column_labels_") == (
        method == "auto" or METHODS[method].feature_clusters
    )


def test_nothing_of_an_earlier_fit_is_left(planted: Any) -> None:
    model = CoCluster(K, random_state=0).fit(planted)
    model.fit({"a": planted[:, :20], "b": planted[:, 20:]})
    assert not hasattr(model, "column_labels_")
    assert not hasattr(model, "fine_column_labels_")
    model.set_params(method="fnmtf").fit(planted)
    assert not hasattr(model, "fine_labels_by_type_")


def test_large_clusters_of_planted_blocks_come_first() -> None:
    data = make_blocks(500, 200, 5, random_state=0)
    sizes = np.bincount(CoCluster(5, random_state=0).fit(data.X).labels_)
    assert (np.diff(sizes) <= 0).all()
