"""Clusters are found again as well as anyone could, and what moved is what moved."""

from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocluster import FNMTF, CoCluster, Links, compare
from cocluster.datasets import Dataset
from cocluster.metrics import scores
from cocluster.report.compare import align

pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25)


def most_that_can_stay(before, after):
    """By trying every way to give the clusters after the ids before."""
    ids, found = sorted(set(before)), sorted(set(after))
    choices = [*ids, *(f"new {i}" for i in range(len(found)))]
    best = 0
    for chosen in permutations(choices, len(found)):
        name = dict(zip(found, chosen, strict=True))
        best = max(best, sum(a == name[b] for a, b in zip(before, after, strict=True)))
    return best


@given(pairs)
def test_as_many_objects_stay_as_in_the_best_of_all_namings(both):
    before, after = map(list, zip(*both, strict=True))
    found = align(before, after)
    stay = np.mean(found.labels == before)
    assert stay * len(before) == pytest.approx(most_that_can_stay(before, after))
    assert stay == pytest.approx(found.agreement)
    # The partition is the one after: only its names are others.
    same = np.equal.outer(found.labels, found.labels)
    assert (same == np.equal.outer(after, after)).all()


@given(pairs)
def test_flows_and_moves_add_up(both):
    before, after = map(list, zip(*both, strict=True))
    found = compare(before, after).samples
    assert sum(flow.count for flow in found.flows) == len(before)
    crossing = sum(flow.count for flow in found.flows if flow.source != flow.target)
    assert crossing == len(found.moved) == round((1 - found.agreement) * len(before))
    for moved in found.moved:
        assert moved.source == before[moved.position]
        assert moved.target == found.labels[moved.position] != moved.source
    assert {*found.gone, *(c.id for c in found.clusters)} == set(before)
    assert {*found.new, *(c.id for c in found.clusters)} == set(found.labels.tolist())
    assert not set(found.new) & set(before)
    for cluster in found.clusters:
        inside, now = np.equal(before, cluster.id), np.equal(after, cluster.label)
        assert (cluster.before, cluster.after) == (inside.sum(), now.sum())
        assert cluster.overlap == (inside & now).sum() / (inside | now).sum()


def test_a_permutation_of_the_labels_changes_nothing(rng):
    labels = rng.integers(0, 5, 60)
    found = compare(labels, rng.permutation(5)[labels], names={3: "tea"})
    assert (found.samples.agreement, found.samples.ari, found.samples.moved) == (1, 1, ())
    assert found.names == {3: "tea"}
    assert found.samples.labels.tolist() == labels.tolist()


def test_a_cluster_that_falls_apart_keeps_its_name_in_the_larger_part():
    found = compare([0] * 6 + [1] * 4, [7] * 4 + [8] * 2 + [9] * 4, names={0: "tea", 1: "milk"})
    assert found.names == {0: "tea", 1: "milk"}
    assert found.samples.new == (2,)
    assert found.samples.labels.tolist() == [0] * 4 + [2] * 2 + [1] * 4
    joined = compare([0] * 6 + [1] * 4, [3] * 10, names={0: "tea", 1: "milk"})
    assert joined.names == {0: "tea"}
    assert joined.samples.gone == (1,)


def test_labels_may_be_texts():
    found = compare(["tea", "tea", "milk", "new 1"], ["x", "y", "z", "z"])
    assert sorted(found.samples.labels.tolist()) == ["milk", "milk", "new 2", "tea"]


def test_models_are_compared_with_objectives_links_scores_and_features(planted):
    names = np.array([f"text {i}" for i in range(40)])
    data = Dataset("toy", {"words": planted.X}, labels=planted.row_labels, sample_names=names)
    links = Links.from_pairs([(0, 1)], [(2, 3)], n_samples=40)
    one = FNMTF(3, random_state=0).fit(data.data)
    other = FNMTF(2, 3, random_state=1).fit(data.data, links=links)
    found = compare(one, other, data)
    assert list(found.types) == ["samples", "words"]
    assert found.objective == (one.objective_, other.objective_)
    report = other.links_report_["samples"]
    counts = {"satisfied": report.n_satisfied, "violated": report.n_violated}
    assert found.links == ({}, {"samples": counts})
    assert found.scores == (
        scores(planted.row_labels, one.labels_),
        scores(planted.row_labels, other.labels_),
    )
    assert len(found.samples.gone) == 1
    for moved in found.samples.moved:
        assert moved.name == f"text {moved.position}"
    assert found.types["words"].agreement == pytest.approx(
        np.mean(found.types["words"].labels == one.column_labels_)
    )


def test_samples_of_unknown_class_are_not_scored():
    data = Dataset("toy", {"X": np.eye(4)}, labels=np.array([0, 1, -1, -1]))
    found = compare([0, 1, 1, 1], [0, 0, 1, 1], data)
    assert found.scores[0] == scores([0, 1], [0, 1])
    unknown = Dataset("toy", {"X": np.eye(2)}, labels=np.array([-1, -1]))
    assert compare([0, 1], [0, 1], unknown).scores == (None, None)
    assert compare([0, 1], [0, 1]).scores == (None, None)


def test_everything_is_plain_and_comes_as_frames(planted):
    frame = pd.DataFrame(planted.X, index=[f"row {i}" for i in range(40)])
    one, other = (CoCluster(k, random_state=0).fit(frame) for k in (3, 4))
    found = compare(one, other, frame)
    read = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert read["types"]["samples"]["labels"] == found.samples.labels.tolist()
    for table in ("clusters", "flows", "moved"):
        assert len(found.to_frame(table)) == len(found.rows(table))
    assert found.rows("moved")[0]["name"].startswith("row ")
    said = str(found).splitlines()[0]
    assert said.startswith(f"{len(found.samples.moved)} of 40 samples moved; 3 clusters continue")
    with pytest.raises(ValueError, match="table must be one of"):
        found.rows("names")


def test_bad_input_is_one_sentence(planted):
    with pytest.raises(ValueError, match="The first has 3 samples and the second 2: compare two"):
        compare([0, 1, 1], [0, 1])
    with pytest.raises(ValueError, match="Clusters 0 and 1 are both named 'tea'"):
        compare([0, 1], [0, 1], names={0: "tea", 1: "tea"})
    with pytest.raises(ValueError, match="There is no cluster 5"):
        compare([0, 1], [0, 1], names={5: "tea"})
    with pytest.raises(ValueError, match="call fit first"):
        compare(CoCluster(2), [0, 1])
    names = Dataset("toy", {"X": np.eye(3)}, sample_names=np.array(["a", "b", "c"]))
    with pytest.raises(ValueError, match="The labels are of 2 samples, the data have 3"):
        compare([0, 1], [0, 1], names)
