"""Where answers spread: shares of classes for every sample, from those of a few."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.data.relational import bipartite
from cocluster.linalg.matrices import as_dense
from cocluster.methods.default import embedding as module
from cocluster.methods.default.embedding import NeighbourEmbedding, neighbour_embedding
from tests.conftest import STRUCTURES, plant, structured

K = 3


@pytest.fixture
def planted(rng):
    return plant(rng, rng.permutation(np.arange(30) % K), 24, K)


@pytest.mark.parametrize("kind", STRUCTURES)
def test_every_structure_has_a_ground(kind):
    data = structured(kind, 0).oriented()
    ground = neighbour_embedding(data, K, 0)
    P = ground.posterior(np.array([0, 1]), np.eye(2))
    assert P.shape == (len(data), 2)
    assert_allclose(P.sum(axis=1), 1)


def test_one_sample_of_each_class_tells_all_of_them(planted):
    ground = neighbour_embedding(bipartite(planted.X), K, 0)
    chosen = np.unique(planted.row_labels, return_index=True)[1]
    assert_array_equal(ground.posterior(chosen, np.eye(K)).argmax(axis=1), planted.row_labels)


def test_signed_data_have_the_ground_of_shifted_ones(planted):
    X = planted.X
    low = neighbour_embedding(bipartite(X - X.min(axis=0) - 1.0), K, 0)
    high = neighbour_embedding(bipartite(X - X.min(axis=0)), K, 0)
    assert_allclose(low.Z, high.Z, atol=1e-8)


def test_the_order_of_the_samples_does_not_matter(planted, rng):
    order = rng.permutation(len(planted.X))
    one, other = (neighbour_embedding(bipartite(X), K, 0) for X in (planted.X, planted.X[order]))
    assert_allclose(other.Z, one.Z[order], atol=1e-8)
    assert_allclose(as_dense(other.walk), as_dense(one.walk)[np.ix_(order, order)], atol=1e-8)


def test_ways_that_are_kept_lead_where_new_ones_do(planted, monkeypatch):
    data = bipartite(planted.X)
    chosen, targets = np.array([0, 5, 9, 2]), np.eye(2)[[0, 1, 1, 0]]
    kept = neighbour_embedding(data, K, 0)
    kept.posterior(chosen[:2], targets[:2])
    expected = kept.posterior(chosen, targets)
    monkeypatch.setattr(module, "KEPT_PROPAGATIONS", 0)
    assert_allclose(
        neighbour_embedding(data, K, 0).posterior(chosen, targets), expected, atol=1e-12
    )


def test_the_core_of_a_group_is_next_to_its_mean():
    ground = NeighbourEmbedding(np.array([[0.0], [1.0], [2.0], [9.0]]), None)
    assert ground.core(np.array([0, 1, 2])) == 1
    assert ground.core(np.array([0, 1, 2, 3])) == 2
    assert ground.core(np.array([0, 1, 2, 3]), nth=3) == 3
