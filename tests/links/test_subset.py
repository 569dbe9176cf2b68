"""Slices of links keep what follows, also in cross-validation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, cross_val_score

from cocluster.links import Links
from tests.links.helpers import (
    assert_same_links,
    consistent_links,
    known_relations,
    random_labels,
    unhurried,
)


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
