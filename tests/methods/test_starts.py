"""Starts are labels of every type that find planted clusters, whatever the structure."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer

from cocluster import CoCluster
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, bipartite, stack_relations
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.subspace import unit_rows
from cocluster.methods.catalogue import METHODS
from cocluster.methods.starts import starts
from cocluster.metrics import accuracy
from tests.conftest import plant
from tests.reference import dense

K = 3


def clusters_of(data: RelationalData) -> dict[str, int]:
    return dict.fromkeys(data.types, K)


def begin(data: RelationalData, init: object, n_init: int = 1, seed: int = 0) -> list:
    return list(starts(data, clusters_of(data), init, n_init, np.random.default_rng(seed)))


@pytest.mark.parametrize("init", ["spectral", "kmeans"])
def test_starts_label_every_object_of_every_type(data, init):
    first, second = begin(data, init, n_init=2)
    for start in (first, second):
        assert set(start) == set(data.types)
        for name, labels in start.items():
            assert labels.shape == (data.size(name),)
            assert set(labels) <= set(range(K))


@pytest.mark.parametrize("init", ["spectral", "kmeans"])
def test_same_seed_same_start(data, init):
    for one, other in zip(begin(data, init, 2), begin(data, init, 2), strict=True):
        for name in data.types:
            assert_array_equal(one[name], other[name])


def test_random_starts_are_left_to_the_method(data):
    assert begin(data, "random", n_init=3) == [None] * 3


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("init", ["spectral", "kmeans"])
def test_planted_blocks_are_found(planted, init, hold):
    (start,) = begin(bipartite(hold(planted.X)), init)
    assert accuracy(planted.row_labels, start["samples"]) == 1
    assert accuracy(planted.column_labels, start["features"]) == 1


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_spectral_start_finds_every_type_wherever_the_centre_stands(rng, order):
    """Centre in rows of two relations and in columns of a third, in any order."""
    labels = rng.permutation(np.arange(40) % K)
    truth, relations = {"samples": labels}, []
    for name, m in (("words", 25), ("tags", 19), ("venues", 22)):
        blocks = plant(rng, labels, m, K)
        truth[name] = blocks.column_labels
        turned = name == "venues"
        relations.append(
            Relation(blocks.X.T, name, "samples") if turned else Relation(blocks.X, "samples", name)
        )
    data = RelationalData(tuple(relations[i] for i in order), "samples")
    (start,) = begin(data, "spectral")
    scores = {name: accuracy(truth[name], start[name]) for name in truth}
    assert scores == dict.fromkeys(truth, 1.0)


def test_spectral_start_finds_types_far_from_the_centre(rng):
    words = plant(rng, rng.permutation(np.arange(40) % K), 25, K)
    topics = plant(rng, words.column_labels, 20, K)
    data = RelationalData(
        (Relation(words.X, "samples", "words"), Relation(topics.X, "words", "topics"))
    )
    (start,) = begin(data, "spectral")
    assert accuracy(topics.column_labels, start["topics"]) == 1


def test_view_holds_all_data_of_a_type(data):
    for name in data.types:
        blocks = []
        for relation in data.relations:
            matrix = dense(relation.matrix)
            if relation.rows == name:
                full = np.zeros((data.size(name), matrix.shape[1]))
                full[slice(None) if relation.row_index is None else relation.row_index] = matrix
                blocks.append(full)
            elif relation.cols == name:
                blocks.append(matrix.T)
        assert_array_equal(dense(stack_relations(data, name)), np.hstack(blocks))


def test_missing_types_follow_the_samples(planted):
    (start,) = begin(bipartite(planted.X), planted.row_labels)
    assert_array_equal(start["samples"], planted.row_labels)
    assert accuracy(planted.column_labels, start["features"]) == 1


def test_given_starts_are_taken_as_they_are(data, rng):
    labels = {name: rng.integers(K, size=data.size(name)) for name in data.types}
    for init in (labels, tuple(labels.values())):
        (start,) = begin(data, init, n_init=5)
        for name in data.types:
            assert_array_equal(start[name], labels[name])


def test_large_samples_are_clustered_by_a_part(planted, monkeypatch):
    monkeypatch.setattr("cocluster.linalg.kmeans.SAMPLE", 20)
    labels = kmeans_labels(planted.X, K, seed=0)
    assert accuracy(planted.row_labels, labels) == 1


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_unit_rows(rng, hold):
    Z = rng.normal(size=(6, 3))
    Z[2] = 0
    lengths = np.linalg.norm(dense(unit_rows(hold(Z))), axis=1)
    assert_allclose(lengths, [1, 1, 0, 1, 1, 1])


DOCUMENTS = ["cat dog mouse pet", "space orbit rocket moon", "cat pet food", "moon orbit launch"]
# Every method that begins with singular vectors.
SPECTRAL = [
    name
    for name, method in METHODS.items()
    if getattr(signature(method.estimator).parameters.get("init"), "default", None) == "spectral"
]


@pytest.mark.parametrize("method", ["auto", *SPECTRAL])
def test_groups_that_share_no_word_are_found(method):
    X = CountVectorizer().fit_transform(DOCUMENTS * 10)
    for seed in range(20):
        model = (
            CoCluster(2, random_state=seed)
            if method == "auto"
            # A few sweeps: from a right start, all keep what they have.
            else METHODS[method].estimator(2, max_iter=5, random_state=seed)
        )
        assert accuracy(np.arange(40) % 2, model.fit(X).labels_) == 1


@pytest.mark.parametrize("method", ["auto", "itcc", "fnmtf"])
def test_crumbs_eat_no_clusters(method, rng):
    blocks = plant(rng, rng.permutation(np.arange(300) % K), 60, K)
    crumbs = [sp.csr_array(np.full((2, 2), 5.0))] * (2 * K)
    X = sp.csr_array(sp.block_diag([blocks.X, *crumbs]))
    labels = CoCluster(K, method, random_state=0).fit(X).labels_
    assert accuracy(blocks.row_labels, labels[:300]) == 1
