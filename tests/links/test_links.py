"""Links from all the forms in which users hold them, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from numpy.random import default_rng
from numpy.testing import assert_array_equal

from cocluster.links import Links, as_links
from cocluster.links.labelling import LISTING_LIMIT, draw_pairs, pair_at
from tests.links.helpers import (
    assert_same_links,
    consistent_links,
    known_relations,
    random_labels,
    unhurried,
)


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
        (
            lambda: as_links(Links.from_labels([0, 1, 2]), None, 3, n_clusters=2),
            "2 clusters are too few",
        ),
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


def test_a_labelling_may_have_more_classes_than_there_are_clusters():
    """Scikit-learn passes any y to fit; what cannot be met is reported, not refused."""
    links = as_links(None, [0, 1, 2], 3, n_clusters=2)
    assert links.violations(np.array([0, 1, 1])).n_cannot == 1


@pytest.mark.parametrize(
    "y",
    [
        ["a", -1, "b", "a"],
        np.array(["a", -1, "b", "a"]),
        np.array(["a", -1, "b", "a"], dtype=object),
        ["a", None, "b", "a"],
        ["a", np.nan, "b", "a"],
        [1, None, 0, 1],
        ["a", None, 7, "a"],
        pd.Series(["a", pd.NA, "b", "a"]),
    ],
    ids=repr,
)
def test_labels_of_any_kind_may_be_unknown(y):
    assert_same_links(Links.from_labels(y), Links.from_labels([0, -1, 1, 0]))
    assert_same_links(as_links(None, y, 4), Links.from_labels([0, -1, 1, 0]))


def test_fractions_among_names_are_refused():
    with pytest.raises(ValueError, match="got fractions"):
        Links.from_labels([0.5, None, 1.0])
