"""Answers are used for samples nobody asked about; people err, name samples, and bring more."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from cocluster import CoCluster, bipartite
from cocluster.data.relational import RelationalData
from cocluster.interview import Interview
from cocluster.interview.contradictions import credible_links, drop_contradictions
from cocluster.links import Links
from cocluster.metrics import accuracy
from tests.conftest import plant
from tests.interview.helpers import K, begin, reply


def named(n: int = 12) -> Interview:
    """An interview on samples with ids and titles."""
    X = np.kron(np.eye(K), np.ones((n // K, 4))) + 0.1
    data = RelationalData(bipartite(X).relations, names={"samples": [f"s{i}" for i in range(n)]})
    titles = [f"about {i}" for i in range(n)]
    return Interview(data, CoCluster(K, random_state=0), random_state=0, titles=titles)


def loose(seed: int, errors: float = 0.0) -> tuple[Interview, np.ndarray]:
    """An interview on 90 samples in blocks that are hard to tell apart."""
    rng = np.random.default_rng([seed, 5])
    drawn = plant(rng, rng.permutation(np.arange(90) % K), 40, K, contrast=0.9)
    asked = Interview(drawn.X, CoCluster(K, random_state=0), random_state=seed, errors=errors)
    return asked, drawn.row_labels


def test_samples_nobody_asked_about_follow_the_answers():
    gains = []
    for seed in range(3):
        interview, truth = loose(seed)
        before = accuracy(truth, interview.refit().labels)
        reply(interview, truth, 25)
        gains.append(accuracy(truth, interview.refit().labels) - before)
    assert np.mean(gains) > 0


def test_questions_and_answers_have_names():
    interview = named()
    (query,) = interview.next_queries()
    assert query.ids == (f"s{query.i}", f"s{query.j}")
    assert query.titles == (f"about {query.i}", f"about {query.j}")
    assert query.reason
    assert query.changes
    interview.answer(*query.ids, "same")
    assert (interview.answers[-1].i, interview.answers[-1].j) == (query.i, query.j)
    with pytest.raises(ValueError, match="no sample with the id 'nobody'"):
        interview.answer("nobody", "s1", "same")


def test_a_placement_is_as_many_links_as_it_says():
    interview = named()
    (query,) = interview.next_queries(kind="place")
    assert query.options[0] == query.i
    interview.place(query.j, None)
    assert interview.links.n_cannot == len(query.options)
    (other,) = interview.next_queries(kind="place")
    assert query.j in other.options
    interview.place(other.ids[1], f"s{query.j}")
    assert interview.links.n_must == 1
    assert {query.j, other.j} in [set(group.tolist()) for group in interview.groups]


def test_placements_of_all_samples_are_the_classes(seed):
    interview, truth = begin("place", seed)
    while queries := interview.next_queries(kind="place"):
        query = queries[0]
        fitting = [i for i in query.options if truth[i] == truth[query.j]]
        interview.place(query.j, fitting[0] if fitting else None)
    assert accuracy(truth, interview.refit().labels) == 1


def test_more_samples_can_join_and_answers_stay():
    interview, truth = loose(0)
    X = interview.data
    few = Interview(X[:60], CoCluster(K, random_state=0), random_state=0)
    reply(few, truth[:60], 10)
    answers = few.answers
    few.extend(X)
    assert few.answers == answers
    assert few.links.n_samples == len(X)
    assert len(few.refit().labels) == len(X)
    with pytest.raises(ValueError, match=r"There were 90 samples.*60"):
        few.extend(X[:60])


def test_what_moved_is_told_with_what_it_followed():
    interview, truth = loose(1)
    old = interview.refit().labels.copy()
    assert interview.moved == ()
    reply(interview, truth, 12)
    new = interview.refit().labels
    assert [m.sample for m in interview.moved] == np.flatnonzero(old != new).tolist()
    known = np.concatenate(interview.groups)
    for m in interview.moved:
        assert (m.before, m.after) == (old[m.sample], new[m.sample])
        assert m.follows in known


def test_a_refit_without_a_new_answer_moves_nothing():
    interview, truth = loose(2)
    reply(interview, truth, 12)
    first = interview.refit().labels.copy()
    assert_array_equal(interview.refit().labels, first)
    assert interview.moved == ()


def test_the_weakest_link_of_a_contradiction_is_left_out():
    interview = named()
    interview.refit()
    interview.answer(0, 1, "same")
    interview.answer(4, 5, "same")
    interview.answer(0, 4, "different")
    interview.answer(8, 0, "different")
    with pytest.raises(ValueError, match="'s0' - 's1' - 's5' - 's4'"):
        interview.answer(1, 5, "same")
    interview.answer(1, 5, "same", drop=True)
    # Samples 1 and 5 lie in different blocks, and nothing else does not fit.
    assert interview.dropped == ((1, 5, "same"),)
    assert interview.refit().labels[1] != interview.labels[5]


def test_nothing_is_left_out_where_nothing_contradicts(seed):
    interview, truth = loose(seed)
    reply(interview, truth, 15)
    links, dropped = drop_contradictions(interview.links, interview._consistent_beliefs())
    assert len(dropped) == 0
    assert_array_equal(links.pairs, interview.links.pairs)


def test_a_surprising_answer_is_asked_for_again():
    interview = named()
    interview.errors = 0.1
    interview.refit()
    for j in (1, 2, 3):
        interview.answer(0, j, "same")
    for j in (5, 6, 7):
        interview.answer(4, j, "same")
    interview.answer(0, 4, "different")
    interview.answer(0, 9, "different")
    interview.answer(4, 10, "same")
    (query,) = interview.next_queries()
    assert query.j == 10
    assert query.i in (5, 6, 7)
    assert "surprise" in query.reason


def test_probable_answers_are_all_believed(seed):
    interview, truth = loose(seed)
    reply(interview, truth, 15)
    links = interview.links
    found = credible_links(links, np.ones(len(links.pairs)), 0.1).closure()
    assert_array_equal(found.component, links.closure().component)
    assert_array_equal(found.cannot_link, links.closure().cannot_link)


def test_an_improbable_answer_needs_a_second_one():
    group, likely = [[0, 1], [1, 2]], [1.0, 1.0]
    once = Links.from_pairs([*group, [0, 3]], n_samples=4)
    assert credible_links(once, np.array([*likely, 0.05]), 0.1).closure().component[3] != 0
    twice = Links.from_pairs([*group, [0, 3], [1, 3]], n_samples=4)
    found = credible_links(twice, np.array([*likely, 0.2, 0.2]), 0.1).closure()
    assert len(set(found.component.tolist())) == 1


def test_most_votes_count():
    pairs = np.array([[0, 1], [1, 2], [0, 3], [1, 3], [2, 3]])
    signs, chances = np.array([1, 1, 1, -1, -1]), np.array([1.0, 1.0, 0.5, 0.5, 0.5])
    # The first vote puts 3 into the group; what is said against it then is outvoted by the rest.
    for order in ([0, 1, 2, 3, 4], [0, 1, 4, 3, 2]):
        links = Links(4, pairs[order], signs[order], np.ones(5))
        found = credible_links(links, chances[order], 0.1)
        assert found.conflicts() == ()
    assert found.closure().component[3] != found.closure().component[0]


def test_errors_and_titles_are_checked():
    with pytest.raises(ValueError, match=r"below 0\.5"):
        Interview(np.eye(4), CoCluster(2), errors=0.5)
    with pytest.raises(ValueError, match="3 titles for 4 samples"):
        Interview(np.eye(4), CoCluster(2), titles=["a", "b", "c"])


def test_each_answer_says_how_many_samples_it_decides():
    interview, truth = loose(0)
    interview.refit()
    reply(interview, truth, 10)
    assert any(answer.n_decided > 0 for answer in interview.answers)
    beliefs = interview._consistent_beliefs()
    assert beliefs.count_changes(beliefs) == 0
    assert_allclose(beliefs.posterior.sum(axis=1), 1)


def test_answers_that_confirm_the_clusters_move_nothing():
    interview, _ = loose(0)
    first = interview.refit().labels.copy()
    # Someone for whom the clusters are the classes.
    reply(interview, first, 2 * K)
    assert_array_equal(interview.refit().labels, first)


def test_a_placement_may_join_two_groups():
    interview = named(24)
    interview.refit()
    # Two groups in the first block, of which nobody has said that they are one.
    interview.answer(0, 1, "same")
    interview.answer(2, 3, "same")
    for _ in range(K - 1):
        (query,) = interview.next_queries(kind="place")
        assert query.j >= 24 // K
        interview.place(query.j, None)
    (query,) = interview.next_queries(kind="place")
    groups = [{0, 1}, {2, 3}]
    (own,) = [group for group in groups if query.j in group]
    (other,) = [group for group in groups if query.j not in group]
    assert query.options[0] in other
    assert not own & set(query.options)
    interview.place(query.j, query.options[0])
    assert own | other in [set(group.tolist()) for group in interview.groups]
