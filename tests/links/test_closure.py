"""What follows from links, each law against listing all pairs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from cocluster.links import Links
from tests.links.helpers import (
    consistent_links,
    known_relations,
    random_labels,
    unhurried,
)


@unhurried
@given(consistent_links())
def test_closure_is_what_both_rules_imply(links):
    known = known_relations(links)
    closure = links.closure()
    M, C = closure.membership(), closure.cannot_matrix()
    assert_array_equal((M @ M.T).toarray() > 0, known > 0)
    assert_array_equal((M @ C @ M.T).toarray() > 0, known < 0)
    assert_array_equal(closure.sizes, np.bincount(closure.component))
    assert (closure.cannot_link[:, 0] < closure.cannot_link[:, 1]).all()
    assert links.n_implied == np.count_nonzero(np.triu(known, k=1))
    assert closure.weights.sum() == pytest.approx(links.cannot_weights.sum())


@unhurried
@given(consistent_links())
def test_consistent_links_pass_the_check(links):
    links.check()
    assert links.conflicts() == ()


@unhurried
@given(consistent_links(), st.integers(0, 99))
def test_violations_are_those_found_pair_by_pair(links, seed):
    labels = random_labels(len(links), 3, seed)
    must = [tuple(p) for p in links.must_link if labels[p[0]] != labels[p[1]]]
    cannot = [tuple(p) for p in links.cannot_link if labels[p[0]] == labels[p[1]]]
    found = links.violations(labels)
    assert (found.n_must, found.n_cannot) == (len(must), len(cannot))
    assert found.n_satisfied + found.n_violated == links.n_must + links.n_cannot
    ends = np.array(must + cannot, dtype=np.int64).ravel()
    assert_array_equal(found.per_sample, np.bincount(ends, minlength=len(links)))
    assert {tuple(p) for p in found.must_link} <= set(must)
    assert {tuple(p) for p in found.cannot_link} <= set(cannot)


def test_cost_adds_the_weights_of_broken_links():
    links = Links.from_pairs([[0, 1]], [[1, 2], [0, 2]], n_samples=3, weights=[2.0, 3.0, 5.0])
    assert links.violations([0, 1, 1]).cost == 2.0 + 3.0


@unhurried
@given(consistent_links())
def test_no_clustering_with_fewer_clusters_satisfies_the_links(links):
    k = links.minimum_clusters()
    graph = links.closure().cannot_matrix().toarray() > 0
    cliques = (
        size
        for size in range(len(graph), 0, -1)
        if any(
            graph[np.ix_(c, c)].sum() == size * (size - 1)
            for c in combinations(range(len(graph)), size)
        )
    )
    assert 1 <= k <= next(cliques)
    links.check(n_clusters=k)
    if k > 1:
        with pytest.raises(ValueError, match=f"use at least {k} clusters"):
            links.check(n_clusters=k - 1)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_clique_of_cannot_links_is_found_beside_a_node_with_more_neighbours(size):
    clique = list(combinations(range(size), 2))
    star = [(size, size + i) for i in range(1, 10)]
    links = Links.from_pairs(None, clique + star, n_samples=size + 10)
    assert links.minimum_clusters() == size


def test_labels_need_as_many_clusters_as_there_are():
    assert Links.from_labels([0, 1, 2, 2, -1]).minimum_clusters() == 3


@unhurried
@given(consistent_links())
def test_edges_join_the_components_with_the_fewest_pairs(links):
    edges = links.must_edges()
    again = Links.from_pairs(edges, n_samples=len(links)).closure()
    assert len(edges) == len(links) - links.closure().n_components
    assert_array_equal(
        again.sizes[again.component], links.closure().sizes[links.closure().component]
    )
    assert again.n_components == links.closure().n_components


@unhurried
@given(consistent_links())
def test_matrices_hold_the_stated_pairs_with_their_weights(links):
    n = len(links)
    for matrix, pairs, weights in (
        (links.must_matrix(), links.must_link, links.must_weights),
        (links.cannot_matrix(), links.cannot_link, links.cannot_weights),
    ):
        dense = np.zeros((n, n))
        for (i, j), weight in zip(pairs, weights, strict=True):
            dense[i, j] += weight
            dense[j, i] += weight
        np.testing.assert_allclose(matrix.toarray(), dense)


def test_a_chain_of_100_000_links_is_closed_and_its_contradiction_told_in_full():
    n = 100_001
    chain = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    links = Links.from_pairs(chain, [[0, n - 1]], n_samples=n)
    assert links.closure().n_components == 1
    (conflict,) = links.conflicts()
    assert conflict.pair == (0, n - 1)
    assert_array_equal(conflict.chain, chain)
    with pytest.raises(ValueError, match=r"0 - 1 - 2 - 3 - \(99,993 more\) - 99997 - ") as error:
        links.check()
    assert len(str(error.value)) < 300


@unhurried
@given(consistent_links(), st.data())
def test_each_conflict_is_a_stated_cannot_link_and_a_path_of_stated_must_links(links, data):
    known = known_relations(links)
    joined = [p for p in combinations(range(len(links)), 2) if known[p] == 1]
    if not joined:
        return
    pair = data.draw(st.sampled_from(joined))
    broken = links | Links.from_pairs(None, [pair], n_samples=len(links))
    (conflict,) = broken.conflicts()
    assert conflict.pair == pair
    must = {frozenset(p) for p in broken.must_link.tolist()}
    assert {frozenset(p) for p in conflict.chain} <= must
    assert conflict.chain[0][0] == pair[0]
    assert conflict.chain[-1][1] == pair[1]
    assert all(a[1] == b[0] for a, b in zip(conflict.chain[:-1], conflict.chain[1:], strict=True))


def test_labellings_that_contradict_each_other():
    links = Links.from_labels([0, 0, 1, -1]) | Links.from_labels([-1, 0, 0, 1])
    (conflict,) = links.conflicts()
    assert set(conflict.pair) == {1, 2}
    assert len(conflict.chain) == 1


def test_messages_use_ids_where_known():
    links = Links(3, [[0, 1], [1, 2], [0, 2]], [1, 1, -1], np.ones(3), ids=["x", "y", "z"])
    with pytest.raises(ValueError, match="'x' - 'y' - 'z'"):
        links.check()
