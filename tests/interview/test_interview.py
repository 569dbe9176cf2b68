"""Answers: counted, refused if they contradict, taken back, used by the fit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cocluster import FNMTF, NMTF, CoCluster, bipartite
from cocluster.interview import Interview
from cocluster.interview.beliefs import KnownPairs
from cocluster.links import Links
from cocluster.metrics import accuracy
from tests.interview.helpers import ALL, K, begin, open_pairs, reply
from tests.links.helpers import assert_same_links, known_relations


@pytest.mark.parametrize("strategy", ALL)
def test_each_answer_reports_the_pairs_it_settles(strategy, seed):
    interview, truth = begin(strategy, seed)
    before = 0
    while interview.next_queries():
        reply(interview, truth, 1)
        after = np.count_nonzero(np.triu(known_relations(interview.links), 1))
        assert interview.answers[-1].n_implied == after - before > 0
        before = after


def test_unsure_and_implied_answers_settle_nothing():
    interview, _ = begin("random", 0)
    interview.answer(0, 1, "same")
    interview.answer(1, 2, "same")
    assert interview.answer(0, 2, "same").n_implied == 0
    assert interview.answer(3, 4, "unsure").n_implied == 0


def test_a_contradiction_is_refused_with_its_chain_and_changes_nothing():
    interview, _ = begin("place", 0)
    interview.answer(0, 4, "same")
    interview.answer(4, 7, "same")
    before, log = interview.links, interview.answers
    with pytest.raises(ValueError, match="0 - 4 - 7"):
        interview.answer(0, 7, "different")
    assert interview.links is before
    assert interview.answers is log
    interview.answer(1, 7, "different")
    with pytest.raises(ValueError, match="cannot-linked"):
        interview.answer(1, 0, "same")
    assert len(interview.answers) == 3


def test_contradictions_name_samples_by_id():
    named = bipartite(np.eye(3))
    data = type(named)(named.relations, names={"samples": np.array(["ann", "bob", "eve"])})
    interview = Interview(data, CoCluster(2))
    interview.answer(0, 1, "same")
    with pytest.raises(ValueError, match="'ann' and 'bob'"):
        interview.answer(0, 1, "different")


@pytest.mark.parametrize("strategy", ALL)
def test_undo_restores_links_log_and_queries(strategy, seed):
    interview, truth = begin(strategy, seed, links=([[0, 1]], []) if seed else None)
    past = []
    for _ in range(8):
        past.append((interview.links, interview.answers, interview.next_queries(3)))
        reply(interview, truth, 1)
    for links, answers, queries in reversed(past):
        last = interview.answers[-1]
        assert interview.undo() == last
        assert_same_links(interview.links, links)
        assert interview.answers == answers
        assert interview.next_queries(3) == queries


def test_nothing_to_undo():
    interview, _ = begin("place", 0, links=([[0, 1]], []))
    with pytest.raises(ValueError, match="no answer to undo"):
        interview.undo()
    assert interview.links.n_must == 1


def test_a_perfect_answerer_leads_the_default_to_all_classes(seed):
    interview, truth = begin("place", seed, n=30)
    for _ in range(10):
        reply(interview, truth, 5)
        interview.refit()
    groups = KnownPairs(interview.links).distinct_groups()
    assert sorted(np.unique(truth[group]).tolist() for group in groups) == [[c] for c in range(K)]
    assert interview.model.links_report_["samples"].n_violated == 0


@pytest.mark.parametrize("strategy", ALL)
def test_when_everything_was_asked_the_clusters_are_the_classes(strategy, seed):
    interview, truth = begin(strategy, seed)
    while interview.next_queries():
        reply(interview, truth, 5)
    assert not open_pairs(interview)
    assert accuracy(truth, interview.refit().labels) == 1


@pytest.mark.parametrize("estimator", [CoCluster(K), FNMTF(K), NMTF(K), CoCluster(K, "nmf")])
def test_every_estimator_can_be_asked_for(estimator):
    interview, truth = begin("place", 0)
    other = Interview(interview.data, estimator.set_params(random_state=0), random_state=0)
    reply(other, truth, 12)
    assert len(other.refit().labels) == len(truth)
    assert not hasattr(estimator, "labels_")


def test_views_can_be_asked_about():
    interview, truth = begin("place", 0)
    views = {"words": interview.data, "tags": interview.data[:, :5] + 1}
    other = Interview(views, CoCluster(K, random_state=0), random_state=0)
    reply(other, truth, 6)
    assert set(other.refit().model.labels_by_type_) == {"samples", "words", "tags"}


def test_without_answers_a_refit_changes_nothing():
    interview, _ = begin("place", 1)
    before = interview.labels
    assert_array_equal(interview.refit().labels, before)


def test_clusters_keep_their_numbers(planted):
    interview = Interview(planted.X, CoCluster(K, random_state=0), random_state=0)
    before = interview.labels
    reply(interview, planted.row_labels, 10)
    assert_array_equal(interview.refit().labels, before)


def test_more_clusters_can_be_asked_for_on_the_way():
    interview, truth = begin("place", 0)
    interview.refit()
    while interview.links.minimum_clusters() < K:
        reply(interview, truth, 1)
    interview.estimator.set_params(n_clusters=K + 2)
    assert set(interview.refit().labels) <= set(range(K + 2))
    assert interview.model.links_report_["samples"].n_violated == 0
    assert "join clusters" in interview.advice
    interview.estimator.set_params(n_clusters=K - 1)
    assert f"at least {K} groups, and n_clusters is {K - 1}" in interview.advice
    assert set(interview.refit().labels) == set(range(K - 1))


@pytest.mark.parametrize(
    ("pair", "word", "error", "match"),
    [
        ((0, 1), "perhaps", ValueError, "'same', 'different', 'unsure', got 'perhaps'"),
        ((0, 15), "same", ValueError, "position 15 is out of range"),
        ((-1, 2), "same", ValueError, "at least 0"),
        ((3, 3), "unsure", ValueError, "linked with itself"),
        ((0.5, 2), "same", TypeError, "integer"),
    ],
)
def test_bad_answers_are_refused_and_change_nothing(pair, word, error, match):
    interview, _ = begin("place", 0)
    with pytest.raises(error, match=match):
        interview.answer(*pair, word)
    assert interview.answers == ()
    assert interview.links.n_must == interview.links.n_cannot == 0


def test_bad_beginnings_are_refused():
    X = np.eye(4)
    with pytest.raises(ValueError, match="strategy must be one of"):
        Interview(X, CoCluster(2), "clever")
    with pytest.raises(ValueError, match="both must-linked and cannot-linked"):
        Interview(X, CoCluster(2), links=([[0, 1]], [[1, 0]]))
    with pytest.raises(ValueError, match="describe 5 samples"):
        Interview(X, CoCluster(2), links=Links.from_pairs([[0, 1]], n_samples=5))
    with pytest.raises(ValueError, match="n must be at least 1"):
        Interview(X, CoCluster(2)).next_queries(0)
