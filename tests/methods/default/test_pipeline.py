"""The front door: what it chooses, and that it keeps the promises of every method."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster import ITCC, CoCluster, Links, choose_n_clusters, star
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, relational
from cocluster.datasets import make_blocks
from cocluster.methods.default.embedding import singular_embedding
from cocluster.methods.default.pipeline import ConsensusITCC
from cocluster.metrics import accuracy
from tests.methods.every_method import same_partition

K = 3


@pytest.fixture(scope="module")
def planted() -> Any:
    return make_blocks(120, 80, K, random_state=0)


def test_a_method_chosen_by_name_is_that_method(planted: Any) -> None:
    front = CoCluster(K, "itcc", random_state=0).fit(planted.X)
    assert type(front.model_) is ITCC
    alone = ITCC(K, random_state=0).fit(planted.X)
    assert np.array_equal(front.model_.labels_, alone.labels_)
    assert same_partition(front.labels_, alone.labels_)


def test_parameters_left_out_are_those_of_the_method(planted: Any) -> None:
    left, given = CoCluster(K, random_state=0), CoCluster(K, max_iter=1, tol=0.5, n_init=2)
    own = ConsensusITCC().get_params()
    for name in ("n_init", "max_iter", "tol"):
        assert getattr(left.fit(planted.X).model_, name) == own[name]
        assert getattr(given.fit(planted.X).model_, name) == getattr(given, name)
    with pytest.raises(ValueError, match="has no max_iter and would ignore max_iter=3"):
        CoCluster(K, "bsgp", max_iter=3).fit(planted.X)


@pytest.mark.parametrize("container", [sp.csr_array, lambda X: X.toarray() - 2.0])
def test_planted_blocks_are_found(planted: Any, container: Any) -> None:
    model = CoCluster(K, random_state=0).fit(container(planted.X))
    assert accuracy(planted.row_labels, model.labels_) >= planted.best_accuracy - 0.05
    assert same_partition(model.predict(container(planted.X)), model.labels_)


def test_dense_and_sparse_data_give_the_same_labels(planted: Any) -> None:
    sparse = CoCluster(K, random_state=0).fit(planted.X)
    dense = CoCluster(K, random_state=0).fit(planted.X.toarray())
    assert np.array_equal(sparse.labels_, dense.labels_)


def test_moving_a_signed_feature_changes_nothing(planted: Any) -> None:
    X = planted.X.toarray() - 1.0
    X[0] = -1  # so that every feature has a least value below zero
    moved = X - np.arange(X.shape[1])
    one, other = (CoCluster(K, random_state=0).fit(Y) for Y in (X, moved))
    assert np.array_equal(one.labels_, other.labels_)


def test_a_new_value_below_all_of_the_fit_counts_as_the_least(planted: Any) -> None:
    X = planted.X.toarray() - 1.0
    model = CoCluster(K, random_state=0).fit(X)
    lower = np.where(X.min(axis=0) == X, X - 100, X)
    assert np.array_equal(model.predict(lower), model.predict(X))


def test_new_values_below_zero_are_refused_where_the_fit_had_none(planted: Any) -> None:
    model = CoCluster(K, random_state=0).fit(planted.X.toarray())
    with pytest.raises(ValueError, match="Negative values"):
        model.predict(planted.X.toarray() - 5)


def test_views_count_alike_whatever_their_units(planted: Any) -> None:
    other = make_blocks(120, 60, K, random_state=1).X
    views = [star({"a": planted.X, "b": other * unit}) for unit in (1.0, 1024.0)]
    # A given start: the logarithms in that of the consensus do depend on units.
    start = np.arange(120) % K
    one, two = (CoCluster(K, init=start, random_state=0).fit(v) for v in views)
    assert np.array_equal(one.labels_, two.labels_)
    assert np.array_equal(one.predict(views[0]), two.predict(views[1]))


def test_samples_absent_from_a_view_lie_at_the_origin_there(planted: Any) -> None:
    index = np.arange(0, 120, 2)
    whole = Relation(planted.X, "samples", "a")
    part = Relation(planted.X[index], "samples", "b", row_index=index)
    Z = singular_embedding(RelationalData((whole, part)), K, 0)
    own = singular_embedding(relational(planted.X[index]), K, 0)
    width = own.shape[1]
    assert not Z[1::2, width:].any()
    assert np.array_equal(Z[index, width:], own)
    assert (
        len(np.unique(CoCluster(K, random_state=0).fit(RelationalData((whole, part))).labels_)) == K
    )


def test_links_are_heard(planted: Any) -> None:
    y = planted.row_labels
    links = Links.from_labels(np.where(np.arange(120) < 60, y, -1))
    model = CoCluster(K, random_state=0).fit(planted.X, links=links)
    must = links.must_link
    assert (model.labels_[must[:, 0]] == model.labels_[must[:, 1]]).all()


def test_the_start_puts_linked_samples_together(planted: Any) -> None:
    noise = np.random.default_rng(0).random((120, 80))
    links = Links.from_labels(planted.row_labels)
    # No sweep is left to mend a start that ignored the links.
    model = ConsensusITCC(K, max_iter=1, random_state=0).fit(noise, links=links)
    assert accuracy(planted.row_labels, model.labels_) == 1


def test_rows_too_many_to_compare_are_placed_by_singular_vectors(
    planted: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("cocluster.methods.default.pipeline.EXACT_LIMIT", 100)
    monkeypatch.setattr("cocluster.methods.default.pipeline.consensus_embedding", None)
    model = CoCluster(K, random_state=0).fit(planted.X)
    assert accuracy(planted.row_labels, model.labels_) >= planted.best_accuracy - 0.05


def test_labels_given_as_a_start_are_used(planted: Any) -> None:
    truth = np.asarray(planted.row_labels)
    model = CoCluster(K, init=truth, random_state=0).fit(planted.X)
    assert accuracy(truth, model.labels_) >= planted.best_accuracy - 0.05


def test_the_number_of_clusters_is_chosen_as_by_choose_n_clusters():
    X = make_blocks(200, 120, 3, random_state=0).X
    model = CoCluster("auto", random_state=0).fit(X)
    assert model.choice_ == choose_n_clusters(X, features=False, random_state=0)
    assert model.choice_.rows == choose_n_clusters(X, random_state=0).rows
    expected = CoCluster(model.choice_.rows.stable, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    classes = np.full(200, -1)
    classes[:5] = range(5)
    more = CoCluster("auto", random_state=0).fit(X, classes)
    assert len(np.unique(more.labels_)) == max(5, more.choice_.rows.stable)
    # A number that is given is not chosen.
    assert not hasattr(model.set_params(n_clusters=2).fit(X), "choice_")


def test_noise_is_one_cluster():
    noise = make_blocks(200, 120, 1, random_state=0).X
    with pytest.warns(UserWarning, match="no stable grouping of the samples"):
        model = CoCluster("auto", random_state=0).fit(noise)
    np.testing.assert_array_equal(model.labels_, 0)


def test_two_samples_are_too_few_to_choose_from():
    with pytest.raises(ValueError, match="too few to choose a number of clusters"):
        CoCluster("auto").fit(np.eye(2))


def test_a_fit_calls_through_few_levels_of_the_package(planted: Any) -> None:
    """A reader follows a fit through the package without losing the thread."""
    root = str(Path(sys.modules["cocluster"].__file__ or "").parent)
    stack: list[Any] = []
    depths, names = [0], set()

    def trace(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(root):
            stack.append(frame)
            depths.append(len(stack))
            names.add((Path(frame.f_code.co_filename).parent.name, frame.f_code.co_name))
        elif event == "return" and stack and stack[-1] is frame:
            stack.pop()

    model = CoCluster(K, random_state=0)
    sys.setprofile(trace)
    try:
        model.fit(planted.X)
    finally:
        sys.setprofile(None)
    assert max(depths) <= 19
    assert ("default", "_solve") in names
    assert len(list(Path(root, "methods", "default").glob("*.py"))) <= 9
