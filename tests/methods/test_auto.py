"""The front door: what it chooses, and that it keeps the promises of every method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster import FNMTF, ITCC, CoCluster, Links, star
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, relational
from cocluster.datasets import make_blocks
from cocluster.methods import auto_itcc as module
from cocluster.methods.auto_itcc import ConsensusITCC, ShiftedITCC, consensus_embedding
from cocluster.metrics import accuracy
from tests.methods.every_method import same_partition

K = 3


@pytest.fixture(scope="module")
def planted() -> Any:
    return make_blocks(120, 80, K, random_state=0)


def test_the_rule_is_by_sign_and_storage(planted: Any) -> None:
    X = planted.X.toarray()
    signed = X - X.mean(axis=0)
    chosen = [
        type(CoCluster(K, random_state=0).fit(data).model_)
        for data in (X, sp.csr_array(X), signed, sp.csr_array(signed))
    ]
    assert chosen == [ConsensusITCC, ConsensusITCC, ShiftedITCC, FNMTF]


def test_a_method_chosen_by_name_is_that_method(planted: Any) -> None:
    front = CoCluster(K, "itcc", random_state=0).fit(planted.X)
    assert type(front.model_) is ITCC
    assert np.array_equal(front.labels_, ITCC(K, random_state=0).fit(planted.X).labels_)


def test_feature_clusters_are_finer_than_the_samples_unless_asked_for(planted: Any) -> None:
    assert CoCluster(K, random_state=0).fit(planted.X).association_.shape == (K, 5 * K)
    asked = CoCluster(K, n_column_clusters=4, random_state=0).fit(planted.X)
    assert asked.association_.shape == (K, 4)
    few = CoCluster(K, random_state=0).fit(planted.X[:, :7])
    assert few.association_.shape == (K, 7)
    views = star({"a": planted.X, "b": planted.X})
    mapped = CoCluster(K, n_column_clusters={"a": 4}, random_state=0).fit(views)
    assert [len(np.unique(mapped.labels_by_type_[name])) for name in "ab"] == [4, 5 * K]


@pytest.mark.parametrize("container", [sp.csr_array, lambda X: X.toarray() - 2.0])
def test_planted_blocks_are_found(planted: Any, container: Any) -> None:
    model = CoCluster(K, random_state=0).fit(container(planted.X))
    assert accuracy(planted.row_labels, model.labels_) >= planted.best_accuracy - 0.05
    assert same_partition(model.predict(container(planted.X)), model.labels_)
    assert model.rows_.shape == (5 * K * K, 120)
    assert model.columns_.shape == (5 * K * K, 80)


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
    Z = consensus_embedding(RelationalData((whole, part)), K, 0)
    own = consensus_embedding(relational(planted.X[index]), K, 0)
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


def test_large_data_have_one_embedding(planted: Any, monkeypatch: Any) -> None:
    data = relational(planted.X)
    three = consensus_embedding(data, K, 0)
    monkeypatch.setattr(module, "THREE_UP_TO_ENTRIES", planted.X.nnz - 1)
    one = consensus_embedding(data, K, 0)
    assert three.shape[1] == 3 * one.shape[1]
    assert np.array_equal(three[:, : one.shape[1]], one)
    assert np.allclose(np.linalg.norm(one, axis=1), 1)


def test_the_third_embedding_is_the_normalised_cut_of_cosines() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((12, 9)) * (rng.random((12, 9)) < 0.6) + np.eye(12, 9)
    idf = np.log(13 / (1 + (X > 0).sum(axis=0))) + 1
    Y = X * idf
    Y /= np.linalg.norm(Y, axis=1, keepdims=True)
    cosines = Y @ Y.T
    d = cosines.sum(axis=1)
    values, vectors = np.linalg.eigh(cosines / np.sqrt(np.outer(d, d)))
    expected = vectors[:, -3:-1] * np.sqrt(values[-3:-1])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    found = consensus_embedding(relational(X), 2, 0)[:, -2:]
    assert np.allclose(found @ found.T, expected @ expected.T, atol=1e-3)


def test_labels_given_as_a_start_are_used(planted: Any) -> None:
    truth = np.asarray(planted.row_labels)
    model = CoCluster(K, init=truth, random_state=0).fit(planted.X)
    assert accuracy(truth, model.labels_) >= planted.best_accuracy - 0.05
