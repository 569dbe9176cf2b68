"""Queries: never about what is known, never redundant, and what each strategy promises."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from cocluster.interview.strategies import ClusterGeometry
from cocluster.links import Links
from tests.interview.helpers import ALL, K, begin, open_pairs, reply, true_answer


def pair_of(query):
    return min(query.i, query.j), max(query.i, query.j)


@pytest.mark.parametrize("strategy", ALL)
def test_no_pair_is_asked_that_is_known(strategy, seed):
    interview, truth = begin(strategy, seed)
    words = np.random.default_rng(seed)
    while queries := interview.next_queries(4):
        assert {pair_of(query) for query in queries} <= open_pairs(interview)
        query = queries[0]
        word = "unsure" if words.random() < 0.2 else true_answer(truth, query)
        interview.answer(query.i, query.j, word)
    assert all(a.answer == "unsure" or a.n_implied > 0 for a in interview.answers)


@pytest.mark.parametrize("strategy", ALL)
def test_unsure_is_final_for_must_linked_samples_too(strategy):
    interview, _ = begin(strategy, 0, links=([[0, 1], [2, 3]], []))
    interview.answer(0, 2, "unsure")
    for _ in range(80):
        for query in interview.next_queries():
            assert {query.i, query.j} not in [{a, b} for a, b in product((0, 1), (2, 3))]
            interview.answer(query.i, query.j, "unsure")
    assert interview.next_queries() == []


@pytest.mark.parametrize("strategy", ALL)
@pytest.mark.parametrize("words", list(product(["same", "different"], repeat=3)), ids="-".join)
def test_no_answer_in_a_batch_implies_another(strategy, words):
    interview, truth = begin(strategy, 0)
    reply(interview, truth, 6)
    batch = interview.next_queries(3)
    assert len(batch) == 3
    for query, word in zip(batch, words, strict=True):
        assert pair_of(query) in open_pairs(interview)
        interview.answer(query.i, query.j, word)


@pytest.mark.parametrize("strategy", ALL)
def test_nothing_is_asked_when_all_is_known(strategy):
    interview, truth = begin(strategy, 0)
    known, _ = begin(strategy, 0, links=Links.from_labels(truth))
    assert interview.next_queries() != []
    assert known.next_queries(5) == []


@pytest.mark.parametrize("strategy", ALL)
def test_the_same_seed_asks_the_same(strategy, seed):
    first, second = (begin(strategy, seed)[0].next_queries(5) for _ in range(2))
    assert first == second
    assert all(0 <= query.score <= 1 and query.reason for query in first)


def test_place_compares_the_cores_of_the_clusters_first(seed):
    interview, _ = begin("place", seed)
    cores = interview._consistent_beliefs().cores
    (query,) = interview.next_queries()
    assert {query.i, query.j} <= set(cores.values())


def test_place_goes_on_until_a_sample_is_placed():
    interview, _ = begin("place", 0, links=([], [[0, 1], [1, 2], [0, 2]]))
    (query,) = interview.next_queries()
    group, x = query.i, query.j
    assert group in (0, 1, 2)
    interview.answer(group, x, "different")
    (again,) = interview.next_queries()
    assert again.j == x
    assert again.i in {0, 1, 2} - {group}


def test_explore_asks_about_the_farthest_sample():
    interview, _ = begin("explore", 0, links=([], [[0, 1]]))
    Z = interview._embedding.Z
    distance = np.minimum(*(np.linalg.norm(Z - Z[i], axis=1) for i in (0, 1)))
    assert interview.next_queries()[0].j == distance.argmax()


def test_uncertain_asks_between_two_clusters_against_a_core():
    interview, _ = begin("uncertain", 0)
    geometry = ClusterGeometry(interview._embedding.Z, interview.labels)
    (query,) = interview.next_queries()
    candidates = np.setdiff1d(np.arange(len(geometry.labels)), geometry.cores)
    assert query.j == candidates[geometry.boundary_ratio[candidates].argmax()]
    assert query.i in geometry.cores[geometry.nearest[query.j]]


def test_geometry_equals_the_loops(rng):
    Z, labels = rng.random((12, 3)), rng.permutation(np.arange(12) % K)
    geometry = ClusterGeometry(Z, labels)
    centroids = [Z[labels == c].mean(axis=0) for c in range(K)]
    distances = np.array([[np.sum((z - m) ** 2) for m in centroids] for z in Z])
    assert_allclose(geometry.distances, distances)
    first, second = np.sort(distances, axis=1)[:, :2].T
    assert_allclose(geometry.boundary_ratio, first / second)
    for c, core in enumerate(geometry.cores):
        assert labels[core] == c
        assert distances[core, c] == distances[labels == c, c].min()


def test_clusters_without_samples_and_a_single_cluster_are_no_trouble(rng):
    Z = rng.random((6, 2))
    assert not ClusterGeometry(Z, np.zeros(6, dtype=int)).boundary_ratio.any()
    gap = ClusterGeometry(Z, np.array([0, 0, 0, 2, 2, 2]))
    assert not (gap.nearest == 1).any()
