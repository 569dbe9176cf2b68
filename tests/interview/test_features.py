"""Words for topics: samples that have them lean to the group."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cocluster import CoCluster, bipartite
from cocluster.data.relational import RelationalData
from cocluster.interview import Interview
from cocluster.interview.strategies import top_samples

WORDS = ["cat", "dog", "moon", "orbit", "bread", "oven"]


@pytest.fixture
def interview():
    """Three topics of two words each, twelve samples of each."""
    rng = np.random.default_rng(0)
    X = np.kron(np.eye(3), np.ones((12, 2))) * rng.integers(1, 5, size=(36, 6))
    X += rng.integers(0, 2, size=X.shape)
    relations = bipartite(X.astype(float), columns="words").relations
    data = RelationalData(relations, names={"words": np.array(WORDS)})
    return Interview(data, CoCluster(3, random_state=0), random_state=0)


def test_top_samples_have_most_of_a_feature(interview):
    found = top_samples(interview._relational, np.array([WORDS.index("moon")]))
    assert set(found[:5]) <= set(range(12, 24))


def test_seed_words_make_groups_of_their_topics(interview):
    cores = [interview.seed(WORDS[i : i + 2]) for i in (0, 2, 4)]
    assert [core // 12 for core in cores] == [0, 1, 2]
    labels = interview.refit().labels
    for topic, core in enumerate(cores):
        own = labels[12 * topic : 12 * topic + 12]
        assert np.mean(own == labels[core]) > 2 / 3


def test_a_hint_raises_the_group_for_samples_with_the_word(interview):
    interview.refit()
    core = interview.seed(["cat"])
    before = interview._consistent_beliefs().posterior
    leaning = top_samples(interview._relational, np.array([1]))
    assert interview.hint("dog", core) == len(leaning)
    beliefs = interview._consistent_beliefs()
    group = next(g for g, own in enumerate(beliefs.groups) if core in own)
    free = np.setdiff1d(leaning, beliefs.grouped_samples)
    assert beliefs.posterior[free, group].sum() > before[free, group].sum()


def test_features_are_asked_for_once(interview):
    interview.refit()
    interview.answer(0, 14, "different")
    asked = set()
    for _ in range(len(WORDS)):
        queries = interview.next_queries(kind="feature")
        if not queries:
            break
        query = queries[0]
        assert query.about_feature
        assert query.ids[1] == WORDS[query.j]
        assert query.j not in asked
        asked.add(query.j)
        interview.hint(query.ids[1], query.i, "unsure")
    assert asked


def test_hints_go_to_the_file_and_back(interview, tmp_path):
    interview.seed(["moon", "orbit"])
    interview.refit()
    interview.save(tmp_path / "interview.json")
    again = Interview.load(tmp_path / "interview.json", interview.data, interview.estimator)
    assert again.hints == interview.hints
    assert_array_equal(again.refit().labels, interview.refit().labels)


def test_words_that_nobody_uses_are_refused(interview):
    with pytest.raises(ValueError, match="no feature called 'sun' among the words"):
        interview.hint("sun", 0)
    with pytest.raises(ValueError, match="feature 6 is out of range, there are 6 words"):
        interview.seed([6])
