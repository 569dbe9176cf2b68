"""Names are unique, readable and always the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cocluster.report.cluster_names import MAX_WORDS, make_names, make_unique, same_stem

words = st.text(st.sampled_from("abgmsAB19 "), max_size=5)
clusters = st.lists(st.dictionaries(words, st.floats(0, 9), max_size=8), max_size=8)


@given(clusters)
def test_no_two_clusters_have_the_same_name_and_none_is_a_number(candidates):
    names = make_names(candidates)
    assert len({name.casefold() for name in names}) == len(names) == len(candidates)
    for name in names:
        assert any(sign.isalpha() for sign in name)
        parts = name.split(", ")
        assert len(parts) <= MAX_WORDS
        assert not any(same_stem(a, b) for a in parts for b in parts if a is not b)
    assert make_names(candidates) == names


def test_a_word_names_the_cluster_that_it_says_most_about():
    assert make_names([{"game": 5, "puck": 3}, {"game": 9, "pitcher": 8}]) == [
        "puck",
        "game, pitcher",
    ]


def test_words_of_one_stem_and_numbers_are_passed_over():
    words = {"1993": 9, "x86": 8, "game": 7, "games": 6, "ve": 5, "team": 4, "nhl": 3, "goal": 2}
    assert make_names([words]) == ["game, team, nhl"]


def test_features_that_have_digits_as_a_rule_keep_them():
    genes = {"MS4A1": 9, "CD79A": 8, "7": 7, "HLA": 1}
    assert make_names([genes]) == ["MS4A1, CD79A, HLA"]


def test_codes_serve_where_there_is_nothing_else():
    assert make_names([{"x86": 3, "42": 2}, {"game": 3, "team": 2, "play": 1}])[0] == "x86"


def test_clusters_without_words_have_letters():
    assert make_names([{"7": 1.0}, {}, {"group A": 1.0}]) == ["group B", "group C", "group A"]
    assert make_unique([""] * 28)[25:] == ["group Z", "group AA", "group AB"]
