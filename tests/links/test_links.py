"""Laws of links, each against listing all pairs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, cross_val_score

from cocluster.links import Links, as_links
from cocluster.links._labelling import LISTING_LIMIT, draw_pairs, pair_at
from tests.links.helpers import assert_same_links, consistent_links, known_relations, unhurried


def random_labels(n, k, seed, unknown=0.0):
    rng = default_rng(seed)
    return np.where(rng.random(n) < unknown, -1, rng.integers(k, size=n))


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
@given(consistent_links(), st.data())
def test_slicing_keeps_what_follows_through_dropped_samples(links, data):
    kept = data.draw(st.permutations(range(len(links))))
    kept = np.array(kept[: data.draw(st.integers(0, len(links)))], dtype=np.int64)
    part = links[kept]
    assert part.shape == (len(part),) == (len(kept),)
    assert_array_equal(known_relations(part), known_relations(links)[np.ix_(kept, kept)])


@unhurried
@given(consistent_links(), st.data())
def test_copies_of_a_sample_are_one_object(links, data):
    drawn = st.lists(st.integers(0, len(links) - 1), min_size=1, max_size=12)
    kept = np.array(data.draw(drawn))
    known, part = known_relations(links), known_relations(links[kept])
    distinct = kept[:, None] != kept
    assert_array_equal(part[distinct], known[np.ix_(kept, kept)][distinct])


@unhurried
@given(consistent_links())
def test_slicing_by_everything_changes_nothing(links):
    assert_same_links(links[:], links)


@unhurried
@given(consistent_links(), st.data())
def test_all_keys_that_mean_the_same_rows_agree(links, data):
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(links), max_size=len(links))))
    rows = np.flatnonzero(mask)
    for key in (mask, mask.tolist(), rows.tolist(), (rows, ...), (mask, Ellipsis)):
        assert_same_links(links[key], links[rows])
    assert_same_links(links[1:], links[np.arange(1, len(links))])


def test_new_links_of_a_slice_take_the_weakest_weight_and_cannot_links_keep_theirs():
    links = Links.from_pairs([[0, 1], [1, 2]], [[1, 3]], n_samples=4, weights=[2.0, 0.5, 3.0])
    part = links[[0, 2, 3]]
    assert part.must_weights.tolist() == [0.5]
    assert part.cannot_weights.tolist() == [3.0]


class Recorder(BaseEstimator):
    """Checks in `fit` that its links are those of its rows; X holds the row numbers."""

    truth = None

    def fit(self, X, y=None, links=None):
        rows = X[:, 0]
        assert len(links) == len(rows)
        assert_array_equal(known_relations(links), self.truth[np.ix_(rows, rows)])
        self.n_known_ = links.n_implied
        return self

    def score(self, X, y=None):
        return self.n_known_


@pytest.mark.parametrize("labelled", [True, False])
def test_cross_validation_hands_over_the_links_of_each_fold(labelled):
    n, seed = 20, 0
    labels = random_labels(n, 3, seed, unknown=0.5)
    chain = np.stack([np.arange(9), np.arange(1, 10)], axis=1)
    links = Links.from_labels(labels) if labelled else Links.from_pairs(chain, n_samples=n)
    Recorder.truth = known_relations(links)
    folds = KFold(4, shuffle=True, random_state=seed)
    X = np.arange(n)[:, None]
    scores = cross_val_score(Recorder(), X, cv=folds, params={"links": links}, error_score="raise")
    expected = [
        np.count_nonzero(np.triu(Recorder.truth[np.ix_(r, r)], 1)) for r, _ in folds.split(X)
    ]
    assert_array_equal(scores, expected)


def test_one_position_is_no_key():
    with pytest.raises(TypeError, match="a slice, a mask or an array"):
        Links.from_labels([0, 1])[0]


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


@unhurried
@given(consistent_links(), consistent_links())
def test_merging_states_both(one, other):
    n = min(len(one), len(other))
    one, other = one[:n], other[:n]
    both = one | other
    assert (both.n_must, both.n_cannot) == (
        one.n_must + other.n_must,
        one.n_cannot + other.n_cannot,
    )
    swapped = other | one
    assert_array_equal(known_relations(both), known_relations(swapped))


@pytest.mark.parametrize("how", ["pairs", "samples"])
def test_drawn_links_agree_with_the_labels_and_depend_only_on_the_seed(how):
    y = random_labels(60, 3, 0, unknown=0.2)
    links = Links.from_labels(y, fraction=0.3, how=how, random_state=5)
    assert links.violations(y).n_violated == 0
    assert links.n_must + links.n_cannot > 0
    assert (y[np.concatenate([links.must_link, links.cannot_link])] >= 0).all()
    assert_same_links(links, Links.from_labels(y, fraction=0.3, how=how, random_state=5))


@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.9])
def test_a_draw_has_the_asked_number_of_different_pairs(fraction):
    n = 40
    pairs = draw_pairs(n, fraction, default_rng(0))
    assert len(np.unique(pairs, axis=0)) == len(pairs) == round(fraction * n * (n - 1) / 2)
    assert (pairs[:, 0] < pairs[:, 1]).all()


def test_all_pairs_are_drawn_alike():
    n, draws = 6, 3000
    counts = np.zeros((n, n))
    for seed in range(draws):
        i, j = draw_pairs(n, 0.2, default_rng(seed)).T
        counts[i, j] += 1
    frequency = counts[np.triu_indices(n, 1)] / draws
    # Four standard deviations of a frequency of 1/5.
    assert np.abs(frequency - 0.2).max() < 4 * np.sqrt(0.2 * 0.8 / draws)


@pytest.mark.parametrize("n", [7, 10**6, 3 * 10**9])
def test_pair_numbers_are_decoded_exactly(n):
    j = np.array([1, 2, n // 2, n - 1])
    for i in (np.zeros_like(j), j - 1):
        assert_array_equal(pair_at(j * (j - 1) // 2 + i), np.stack([i, j], axis=1))


def test_labels_are_never_listed():
    n = 200_000
    y = random_labels(n, 5, 0)
    links = Links.from_labels(y)
    assert links.n_must + links.n_cannot == n * (n - 1) // 2
    assert links.violations(y).n_violated == 0
    assert links[::2].minimum_clusters() == 5
    assert len(links.must_edges()) == n - 5
    assert n * (n - 1) // 2 > LISTING_LIMIT
    with pytest.raises(ValueError, match="too many to list"):
        _ = links.must_link
    with pytest.raises(ValueError, match="too many to list"):
        Links.from_labels(y, fraction=0.5)


def test_a_part_of_the_labels_is_the_same_as_its_listed_pairs():
    implicit = Links.from_labels(
        random_labels(30, 4, 1), fraction=0.5, how="samples", random_state=0
    )
    listed = Links.from_pairs(implicit.must_link, implicit.cannot_link, n_samples=30)
    for name in ("component", "cannot_link", "weights"):
        assert_array_equal(getattr(implicit.closure(), name), getattr(listed.closure(), name))


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


@pytest.mark.parametrize("must", [[], np.empty((0, 2)), None])
def test_links_of_one_kind_or_none(must):
    cannot = Links.from_pairs(must, [[0, 1]], n_samples=3)
    assert (cannot.n_must, cannot.n_cannot, cannot.n_implied) == (0, 1, 1)
    only_must = Links.from_pairs([[0, 1]], must, n_samples=3)
    assert (only_must.n_must, only_must.n_cannot, only_must.n_implied) == (1, 0, 1)
    none = Links.from_pairs(must, must, n_samples=3)
    none.check(n_clusters=1)
    assert none.violations([0, 1, 2]).n_stated == none.n_implied == len(none.must_edges()) == 0


def test_signed_pairs_are_the_two_lists():
    signed = Links.from_signed([[0, 1], [1, 2], [2, 3]], [1, -1, 1], 4)
    assert_array_equal(signed.must_link, [[0, 1], [2, 3]])
    assert_array_equal(signed.cannot_link, [[1, 2]])


def test_groups_that_share_a_sample_belong_together():
    links = Links.from_groups([[0, 1], [1, 2], [4, 5]], n_samples=6)
    assert_array_equal(known_relations(links)[0], [1, 1, 1, 0, 0, 0])
    assert links.n_cannot == 0
    apart = Links.from_groups([[0, 1], [4, 5]], n_samples=6, distinct=True)
    assert_array_equal(known_relations(apart)[0], [1, 1, 0, 0, -1, -1])


def test_names_and_missing_values_are_labels():
    named = Links.from_labels(np.array(["a", "b", "", "a"]), unlabeled="")
    numbered = Links.from_labels([1.0, 2.0, np.nan, 1.0])
    assert_same_links(named, Links.from_labels([0, 1, -1, 0]))
    assert_same_links(numbered, named)


def test_links_cannot_be_changed_from_outside():
    weights = np.ones(1)
    links = Links.from_pairs([[0, 1]], n_samples=2, weights=weights)
    weights[0] = 5
    assert links.weights[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        links.pairs[0] = 3
    with pytest.raises(AttributeError):
        links.n_samples = 4


def test_estimators_take_links_tuples_and_labels_alike():
    y, n = np.array([0, 0, 1, -1]), 4
    plain = Links.from_labels(y)
    as_tuple = (plain.must_link, plain.cannot_link)
    for given_links, given_y in ((plain, None), (as_tuple, None), (None, y), (plain, y)):
        links = as_links(given_links, given_y, n)
        assert_array_equal(known_relations(links), known_relations(plain))
    assert as_links(None, None, n) is None
    assert as_links(([], None), np.full(n, -1), n) is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Links.from_pairs([[0, 9]], n_samples=4), "position 9 is out of range"),
        (lambda: Links.from_pairs([[-1, 2]], n_samples=4), "position -1 is out of range"),
        (lambda: Links.from_pairs([[2, 2]], n_samples=4), "sample 2 is linked with itself"),
        (lambda: Links.from_pairs([[0, 1, 2]], n_samples=4), r"shape \(n_pairs, 2\)"),
        (lambda: Links.from_pairs([[0, 1]], n_samples=4, weights=[-1]), "positive and finite"),
        (lambda: Links.from_pairs([[0, 1]], n_samples=4, weights=[np.nan]), "positive and finite"),
        (lambda: Links.from_pairs([[0, 1]], n_samples=4, weights=[1, 1]), r"shape \(1,\)"),
        (lambda: Links.from_signed([[0, 1]], [2], 4), r"must be \+1 .* got 2"),
        (lambda: Links.from_signed([[0, 1]], [1, 1], 4), r"shape \(1,\)"),
        (lambda: Links.from_labels([[0], [1]]), "one-dimensional"),
        (lambda: Links.from_labels([0.5, 1.0]), "fractions"),
        (lambda: Links.from_labels([0, 1], fraction=1.5), r"in \(0, 1\]"),
        (lambda: Links.from_labels([0, 1], how="rows"), 'must be "pairs" or "samples"'),
        (lambda: Links.from_groups([[0, 4]], n_samples=4), "4 in a group is not a position"),
        (
            lambda: Links.from_groups([[0, 1], [1, 2]], n_samples=4, distinct=True),
            "sample 1 is in two groups",
        ),
        (lambda: Links.from_labels([0, 1]).violations([0]), "one entry per sample"),
        (lambda: Links.from_labels([0, 1]) | Links.from_labels([0]), "one entry per sample"),
        (lambda: as_links(([[0, 1]], [[1, 0]]), None, 4), "both must-linked and cannot-linked"),
        (lambda: as_links(([[0, 1], [1, 2]], [[2, 0]]), None, 4), "2 - 1 - 0; remove one"),
        (
            lambda: as_links(Links.from_labels([0, 1]), None, 4),
            "describe 2 samples, the data has 4",
        ),
        (lambda: as_links(None, [0, 1], 4), "describe 2 samples, the data has 4"),
        (lambda: as_links(None, [0, 1, 2], 3, n_clusters=2), "2 clusters are too few"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("links", [np.zeros((3, 2)), [[0, 1]], {"must": []}])
def test_other_kinds_of_links_are_refused(links):
    with pytest.raises(TypeError, match="Links or a tuple"):
        as_links(links, None, 3)


def test_names_are_not_positions():
    with pytest.raises(TypeError, match=r"Links.read with ids="):
        Links.from_pairs([["a", "b"]], n_samples=2)


def test_messages_use_ids_where_known():
    links = Links(3, [[0, 1], [1, 2], [0, 2]], [1, 1, -1], np.ones(3), ids=["x", "y", "z"])
    with pytest.raises(ValueError, match="'x' - 'y' - 'z'"):
        links.check()
