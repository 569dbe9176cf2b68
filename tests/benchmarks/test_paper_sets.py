"""The papers' data sets: the table, and how sets are put together, drawn and prepared."""

from __future__ import annotations

import doctest
import os

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.papers import sets
from benchmarks.papers.sets import PaperSet, list_paper_sets, paper_set
from cocluster.datasets import dataset_info
from cocluster.io.dataset import Dataset

ENTRIES = list_paper_sets()


def corpus(name: str, words: list[str], classes: list[str], seed: int = 0) -> Dataset:
    """Twenty documents a class; the last word never occurs."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(len(classes)), 20))
    X = rng.poisson(1.0, (len(labels), len(words))) + (labels[:, None] == np.arange(len(words)))
    X[:, -1] = 0
    return Dataset(
        name,
        {"words": sp.csr_array(X.astype(float))},
        labels=labels,
        class_names=np.array(classes),
        sample_names=np.array([f"{name}{i}" for i in range(len(labels))]),
        feature_names={"words": np.array(words)},
        info={"origin": name},
    )


@pytest.fixture
def entry(monkeypatch):
    """Put an entry into the table, made of two small corpora that share two words."""
    known = {
        "zoo": corpus("zoo", ["fur", "milk", "egg", "tail"], ["cat", "dog", "hen"]),
        "farm": corpus("farm", ["egg", "hay", "milk", "none"], ["cow", "pig"], seed=1),
    }
    monkeypatch.setattr(sets, "fetch", lambda name, mirror: known[name])

    def put(**fields: object) -> dict[str, Dataset]:
        made = PaperSet("chen2010", "mix", **fields)
        monkeypatch.setattr(sets, "_table", lambda: {"chen2010": {"mix": made}})
        return known

    return put


@pytest.mark.parametrize("item", ENTRIES, ids=lambda e: f"{e.paper}-{e.name}")
def test_every_entry_leads_to_known_data_or_says_why_not(item):
    assert bool(item.parts) != bool(item.missing)
    for part in item.parts:
        info = dataset_info(part["set"])
        assert len(part.get("classes", [])) <= info.classes
        assert len(set(part.get("classes", []))) == len(part.get("classes", []))
    if "per_class" in item.draw and item.samples:
        n_classes = item.draw.get("classes") or sum(len(part["classes"]) for part in item.parts)
        assert n_classes * item.draw["per_class"] == item.samples


def test_words_of_different_sets_are_matched_by_name(entry):
    known = entry(parts=({"set": "zoo", "classes": ["hen", "cat"]}, {"set": "farm"}))
    made = paper_set("chen2010", "mix", prepared=False)
    assert made.class_names.tolist() == ["hen", "cat", "cow", "pig"]
    assert made.feature_names["words"].tolist() == ["egg", "fur", "hay", "milk"]
    assert made.extras["categories"].tolist() == [0] * 40 + [1] * 40
    zoo, farm = known["zoo"], known["farm"]
    chosen = zoo.X.toarray()[np.isin(zoo.labels, [0, 2])]
    X = made.X.toarray()
    assert np.array_equal(X[:40, [1, 3, 0]], chosen[:, :3])
    assert np.array_equal(X[40:, [0, 2, 3]], farm.X.toarray()[:, :3])
    assert not X[:40, 2].any()
    assert np.array_equal(made.labels[40:], farm.labels + 2)


def test_two_parts_of_one_set_keep_its_words(entry):
    known = entry(parts=({"set": "zoo", "classes": ["dog"]}, {"set": "zoo", "classes": ["cat"]}))
    made = paper_set("chen2010", "mix", prepared=False)
    zoo = known["zoo"]
    assert made.feature_names["words"].tolist() == ["fur", "milk", "egg"]
    rows = np.concatenate([np.flatnonzero(zoo.labels == 1), np.flatnonzero(zoo.labels == 0)])
    assert np.array_equal(made.X.toarray(), zoo.X.toarray()[rows, :3])


def test_draws_take_equal_numbers_and_follow_the_seed(entry):
    entry(parts=({"set": "zoo"},), draw={"classes": 2, "per_class": 5})
    first, again, other = (paper_set("chen2010", "mix", random_state=s) for s in (0, 0, 1))
    assert np.bincount(first.labels).tolist() == [5, 5]
    assert first.sample_names.tolist() == again.sample_names.tolist()
    assert first.sample_names.tolist() != other.sample_names.tolist()
    assert len(set(first.sample_names)) == 10


def test_a_share_is_drawn_of_each_class(entry):
    entry(parts=({"set": "zoo"},), draw={"classes": 3, "share": 0.25})
    assert np.bincount(paper_set("chen2010", "mix").labels).tolist() == [5, 5, 5]


def test_preparation_is_done_only_if_wished(entry):
    parts = ({"set": "zoo"}, {"set": "farm"})
    entry(parts=parts, prepare={"words": 2, "categories": 3}, note="Not the same.")
    made, raw = (paper_set("chen2010", "mix", prepared=flag) for flag in (True, False))
    assert {view: X.shape for view, X in made.views.items()} == {
        "words": (100, 2),
        "categories": (100, 2),
    }
    assert raw.X.shape == (100, 4)
    assert len(made.feature_names["words"]) == 2
    assert made.notes[0] == "Not the same."
    assert len(made.data) == 100


def test_words_are_selected_on_the_whole_corpus_where_the_paper_does_so(entry):
    known = entry(
        parts=({"set": "zoo", "classes": ["cat"]},), corpus={"words": 1, "by": "documents"}
    )
    made = paper_set("chen2010", "mix")
    column = known["zoo"].feature_names["words"].tolist().index(made.feature_names["words"][0])
    of_cats = known["zoo"].X.toarray()[known["zoo"].labels == 0, column]
    assert made.X.toarray().ravel().tolist() == of_cats[of_cats > 0].tolist()


def test_labels_reach_only_selections_by_label(entry):
    parts = ({"set": "zoo"},)
    known = entry(parts=parts, prepare={"words": 2, "by": "documents"})
    before = paper_set("chen2010", "mix")
    shuffled = np.random.default_rng(0).permutation(known["zoo"].labels)
    object.__setattr__(known["zoo"], "labels", shuffled)
    after = paper_set("chen2010", "mix")
    assert np.array_equal(after.X.toarray(), before.X.toarray())


@pytest.mark.parametrize(
    ("paper", "name", "message"),
    [
        ("nobody1999", "CT1", "no paper 'nobody1999'.*chen2010, chen2008"),
        ("chen2010", "CT9", "no data set 'CT9'.*CT"),
        ("chen2008", "graft", "did you mean Graft-Phos"),
        ("chen2010", "BT6", "cannot be made.*ovarian"),
    ],
)
def test_sets_that_cannot_be_made_are_refused(paper, name, message):
    with pytest.raises(ValueError, match=message):
        paper_set(paper, name)


def test_the_documented_examples_give_what_they_print():
    assert doctest.testmod(sets).attempted
    assert not doctest.testmod(sets).failed


@pytest.mark.slow
@pytest.mark.parametrize("item", [e for e in ENTRIES if not e.missing], ids=lambda e: e.name)
def test_sizes_are_the_printed_ones_or_the_note_says_so(item):
    if not os.environ.get("COCLUSTER_DATA"):
        pytest.skip("COCLUSTER_DATA names no folder of data sets.")
    made = paper_set(item.paper, item.name)
    assert len(made) == item.samples or item.samples is None or item.note
    assert np.bincount(made.labels).min() > 0
    assert made.data.types[0] == "samples"
