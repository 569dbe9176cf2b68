"""An interview goes to a file and comes back complete."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from cocluster import CoCluster, bipartite
from cocluster.data.relational import RelationalData
from cocluster.interview import Interview
from tests.interview.helpers import ALL, K, begin, true_answer
from tests.links.helpers import assert_same_links, consistent_links

WORDS = st.lists(st.sampled_from(["different", "unsure", "undo"]), max_size=8)
unhurried = settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@unhurried
@given(links=consistent_links(), words=WORDS, strategy=st.sampled_from(ALL), fitted=st.booleans())
def test_what_is_saved_is_loaded(tmp_path, links, words, strategy, fitted):
    n = len(links)
    X = np.random.default_rng(n).random((n, 4))
    first = Interview(X, CoCluster(n, random_state=0), strategy, links, random_state=n)
    for word in words:
        if word == "undo" and first.answers:
            first.undo()
        for query in first.next_queries() if word != "undo" else []:
            first.answer(query.i, query.j, word)
    if fitted:
        first.refit()
    first.save(tmp_path / "interview.json")
    second = Interview.load(tmp_path / "interview.json", X, CoCluster(n, random_state=0))
    assert_same_links(second.links, first.links)
    assert second.answers == first.answers
    assert second.strategy == strategy
    assert second.next_queries(3) == first.next_queries(3)
    assert_array_equal(second.labels, first.labels)
    while first.answers:
        assert first.undo() == second.undo()
        assert_same_links(second.links, first.links)


def test_an_interview_goes_on_after_loading_as_if_never_saved(tmp_path, seed):
    first, truth = begin("place", seed)
    path = tmp_path / "interview.json"
    for _ in range(4):
        first.save(path)
        second = Interview.load(path, first.data, first.estimator)
        for interview in (first, second):
            for query in interview.next_queries(3):
                interview.answer(query.i, query.j, true_answer(truth, query))
            interview.refit()
        assert second.answers == first.answers
        assert_array_equal(second.labels, first.labels)


def test_a_failed_save_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    interview, _ = begin("place", 0)
    path = tmp_path / "interview.json"
    interview.save(path)
    old = path.read_bytes()
    interview.answer(0, 1, "same")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        interview.save(path)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


def named(ids):
    data = bipartite(np.eye(len(ids)))
    return RelationalData(data.relations, names={"samples": np.array(ids)})


def test_other_data_are_refused(tmp_path):
    path = tmp_path / "interview.json"
    Interview(named(["a", "b", "c"]), CoCluster(2)).save(path)
    Interview.load(path, named(["a", "b", "c"]), CoCluster(2))
    with pytest.raises(ValueError, match=r"'samples': 3.*'samples': 2"):
        Interview.load(path, named(["a", "b"]), CoCluster(2))
    with pytest.raises(ValueError, match="other ids or in another order"):
        Interview.load(path, named(["b", "a", "c"]), CoCluster(2))
    with pytest.raises(ValueError, match="other ids"):
        Interview.load(path, np.eye(3), CoCluster(2))


@pytest.mark.parametrize("content", ["", "{", "[]", json.dumps({"format": "something else"})])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "interview.json"
    path.write_text(content)
    with pytest.raises(ValueError, match="is not an interview"):
        Interview.load(path, np.eye(3), CoCluster(K))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.pop("links"),
        lambda content: content.pop("answers"),
        lambda content: content["data"].pop("sizes"),
        lambda content: content.update(answers=[[0, 1]]),
        lambda content: content.update(answers=[[0, 1, "perhaps", 1]]),
        lambda content: content.update(answers=[["x", 1, "same", 1]]),
        lambda content: content.update(links=[]),
        lambda content: content.update(data=7),
        lambda content: content["links"].update(more=1),
        lambda content: content["links"].update(labellings=[[0]]),
        lambda content: content.update(labels=[1]),
        lambda content: content.update(labels={"samples": [0, 0, 2_000_000_000]}),
        lambda content: content.update(labels={"samples": [0, 0]}),
        lambda content: content.update(labels={"nobody": [0, 0, 0]}),
        lambda content: content.update(strategy=7),
        lambda content: content.update(strategy="x" * 9000),
        lambda content: content.update(answers=[[0, 99, "same", 1]]),
        lambda content: content["links"].update(n_samples=4),
    ],
)
def test_files_that_were_tampered_with_are_refused_by_name(tmp_path, change):
    path = tmp_path / "interview.json"
    Interview(np.eye(3), CoCluster(2)).save(path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"interview\.json"):
        Interview.load(path, np.eye(3), CoCluster(2))


def test_nested_brackets_are_no_interview(tmp_path):
    path = tmp_path / "interview.json"
    path.write_text("[" * 100_000)
    with pytest.raises(ValueError, match="is not an interview"):
        Interview.load(path, np.eye(3), CoCluster(2))
