"""Edits are what a person sees, are kept by the next fit, and can be undone."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cocluster import BSGP, FNMTF, CoCluster, explain
from cocluster.datasets import Dataset, make_blocks
from cocluster.metrics import accuracy
from cocluster.report.edits import CORE_SIZE, Edits

K = 3


@pytest.fixture(scope="module")
def planted():
    return make_blocks(180, 90, K, contrast=8, random_state=0)


@pytest.fixture(scope="module")
def dataset(planted):
    names = np.array([f"text {i}" for i in range(180)])
    return Dataset("toy", {"words": planted.X}, sample_names=names)


def model_of(dataset, k, seed=0):
    return CoCluster(k, random_state=seed).fit(dataset.data)


def split_class(model, planted):
    """A class that a model with one cluster too many has parted, and its clusters."""
    table = np.zeros((K, K + 1))
    np.add.at(table, (planted.row_labels, model.labels_), 1)
    (parted,) = np.flatnonzero((table > table.sum(axis=0) / 2).sum(axis=1) > 1)
    return parted, np.flatnonzero(table.argmax(axis=0) == parted).tolist()


def test_merged_clusters_stay_one_in_the_next_fit(planted, dataset):
    model = model_of(dataset, K + 1)
    _, parts = split_class(model, planted)
    edits = Edits.of(model, dataset).merge(parts)
    assert edits.n_clusters == K
    assert set(edits.labels[np.isin(model.labels_, parts)]) == {parts[0]}
    assert_array_equal(
        edits.labels[~np.isin(model.labels_, parts)], model.labels_[~np.isin(model.labels_, parts)]
    )
    better = edits.refit(model)
    assert better.n_clusters == K
    assert better.links_report_["samples"].n_violated == 0
    assert accuracy(planted.row_labels, better.labels_) > 0.95


def test_a_split_cluster_stays_parted_in_the_next_fit(planted, dataset):
    model = model_of(dataset, K)
    joined = np.where(model.labels_ == 2, 1, model.labels_)
    edits = Edits.of(joined, dataset).split(1)
    assert edits.n_clusters == K
    sizes = np.bincount(edits.labels)
    # The largest part keeps the number, others take the next ones.
    assert sizes[1] >= sizes[2] > 0
    better = edits.refit(model)
    assert better.links_report_["samples"].n_violated == 0
    assert accuracy(planted.row_labels, better.labels_) > 0.95
    three = Edits.of(np.zeros(180, dtype=int), dataset).split(0, 3)
    assert accuracy(planted.row_labels, three.labels) > 0.95


def test_to_part_all_samples_of_a_cluster_is_to_split_it(planted, dataset):
    model = model_of(dataset, K)
    edits = Edits.of(np.where(model.labels_ == 2, 1, model.labels_), dataset, names={1: "tea"})
    members = np.flatnonzero(edits.labels == 1)
    split, part = edits.split(1, 3), edits.part(members[::-1].tolist(), 3)
    assert_array_equal(part.labels, split.labels)
    assert_array_equal(part.state.pinned, split.state.pinned)
    assert part.names == split.names == {1: "tea"}


def test_samples_of_several_clusters_become_clusters_of_their_own(planted, dataset):
    model = model_of(dataset, K)
    # Two planted classes, each of which was cut across by another border.
    mixed = np.where(model.labels_ == 0, 0, 1)
    mixed[np.flatnonzero(model.labels_ == 0)[:10]] = 1
    chosen = np.flatnonzero(model.labels_ > 0)[5:]
    edits = Edits.of(mixed, dataset, names={0: "tea", 1: "rest"})
    parted = edits.part(chosen.tolist(), K - 1)
    others = np.delete(np.arange(len(mixed)), chosen)
    assert_array_equal(parted.labels[others], mixed[others])
    assert not set(parted.labels[chosen]) & set(mixed[others])
    assert accuracy(planted.row_labels[chosen], parted.labels[chosen]) > 0.95
    # What is left of a cluster is held apart from what was taken out of it.
    assert parted.state.pinned[others].any()
    whole = edits.part([*np.flatnonzero(mixed == 1).tolist(), 0], 2)
    assert whole.names.get(1) == "rest"
    assert 0 not in np.setdiff1d(whole.labels, mixed)


def test_moved_samples_stay_where_they_were_put(planted, dataset):
    model = model_of(dataset, K)
    wrong = np.flatnonzero(model.labels_ == 0)[:2]
    edits = Edits.of(model, dataset).move(wrong.tolist(), 1)
    assert (edits.labels[wrong] == 1).all()
    for method in (model, FNMTF(K, random_state=0)):
        better = edits.refit(method)
        after = edits.after(better)
        assert (after.labels[wrong] == 1).all()
        # All others are free, and stay because nothing else changed.
        assert np.mean(after.labels == edits.labels) > 0.95


def test_only_cores_and_moved_samples_are_pinned(dataset):
    model = model_of(dataset, K)
    begun = Edits.of(model, dataset)
    assert not begun.state.pinned.any()
    assert begun.links.n_must == begun.links.n_cannot == 0
    assert begun.merge([0, 1]).state.pinned.sum() == 2 * CORE_SIZE
    assert begun.rename(0, "tea").state.pinned.sum() == 0
    sample = int(np.argmin(begun.state.margins))
    target = (model.labels_[sample] + 1) % K
    assert begun.move([sample], target).state.pinned.sum() == 2 * CORE_SIZE + 1
    # Cores are the clearest of their cluster.
    pinned = begun.merge([0, 1]).state.pinned & (model.labels_ == 0)
    others = ~pinned & (model.labels_ == 0)
    assert begun.state.margins[pinned].min() >= begun.state.margins[others].max()


def test_without_data_everyone_stands_for_their_cluster():
    edits = Edits.of([0, 0, 1, 1, 2, 2]).merge([0, 1])
    assert edits.state.pinned.tolist() == [True] * 4 + [False] * 2
    assert edits.start.tolist() == [0, 0, 0, 0, 1, 1]
    assert edits.links.n_must == 6


def test_undo_restores_what_was_before(dataset):
    begun = Edits.of(model_of(dataset, K), dataset, names={0: "tea"})
    edits, seen = begun, [begun]
    for change in (
        lambda e: e.merge([0, 1]),
        lambda e: e.rename(2, "milk"),
        lambda e: e.split("tea"),
        lambda e: e.move([5], "milk"),
        lambda e: e.after(e.refit(CoCluster(2, random_state=1))),
    ):
        edits = change(edits)
        seen.append(edits)
    assert [step.what for step in edits.steps] == ["merge", "rename", "split", "move", "refit"]
    for before in reversed(seen[:-1]):
        edits = edits.undo()
        assert edits.to_dict() == before.to_dict()
        assert edits.state is before.state
    with pytest.raises(ValueError, match="There is no edit to undo"):
        edits.undo()


def test_names_and_numbers_persist_over_refits(planted, dataset):
    model = model_of(dataset, K)
    names = {i: cluster.name for i, cluster in enumerate(explain(model, dataset).clusters)}
    edits = Edits.of(model, dataset, names=names).rename(1, "sports")
    # A fit that numbers its clusters in another way.
    other = CoCluster(K, init=np.array([2, 0, 1])[model.labels_], random_state=0).fit(dataset.data)
    after = edits.after(other)
    assert_array_equal(after.labels, np.array([1, 2, 0])[other.labels_])
    assert after.names == edits.names
    again = explain(after.labels, dataset, names=after.names)
    assert again.names[1] == "sports"


def test_edits_stay_in_force_over_several_refits(dataset):
    model = model_of(dataset, K)
    wrong = int(np.flatnonzero(model.labels_ == 0)[0])
    edits = Edits.of(model, dataset).move([wrong], 2)
    for _ in range(2):
        model = edits.refit(model)
        edits = edits.after(model)
        assert edits.labels[wrong] == 2
    assert edits.state.pinned[wrong]


def test_a_merged_cluster_keeps_the_first_name_that_there_is():
    begun = Edits.of([0, 1, 2])
    assert begun.rename(1, "tea").merge([0, 1]).names == {0: "tea"}
    assert begun.rename(1, "tea").rename(0, "milk").merge([0, 1]).names == {0: "milk"}
    assert begun.rename(1, "tea").merge([2, "Tea"]).labels.tolist() == [0, 2, 2]


def test_samples_and_clusters_go_by_name(dataset):
    edits = Edits.of(model_of(dataset, K), dataset, names={0: "tea"})
    sample = int(np.flatnonzero(edits.labels != 0)[0])
    assert edits.move([f"text {sample}"], "TEA").labels[sample] == 0


def test_methods_without_a_start_keep_the_links(dataset):
    model = BSGP(K, random_state=0).fit(dataset.data)
    wrong = int(np.flatnonzero(model.labels_ == 0)[0])
    edits = Edits.of(model, dataset).move([wrong], 1)
    assert edits.after(edits.refit(model)).labels[wrong] == 1


def test_a_value_is_never_changed_and_is_plain(dataset):
    begun = Edits.of(model_of(dataset, K), dataset)
    before = begun.to_dict()
    edits = begun.merge([0, 1]).split(2).rename(2, "tea")
    assert begun.to_dict() == before
    found = json.loads(json.dumps(edits.to_dict()))
    assert [step["what"] for step in found["steps"]] == ["merge", "split", "rename"]
    assert repr(edits).startswith("Edits(180 samples in 3 clusters; merge(clusters=[0, 1]); ")


def test_bad_input_is_one_sentence(dataset):
    edits = Edits.of([0, 0, 1, 2, 2], names={1: "tea"})
    for clusters, said in (([0, 0], "0 and 0"), ([1], "1"), ([], "none"), ([1, "tea"], "1 and 1")):
        with pytest.raises(ValueError, match=f"two or more different clusters, got {said}"):
            edits.merge(clusters)
    with pytest.raises(ValueError, match="Cluster 1 has 1 sample and cannot be split in 2"):
        edits.split("tea")
    with pytest.raises(ValueError, match="Cluster 0 has 2 samples and cannot be split in 3"):
        edits.split(0, 3)
    with pytest.raises(ValueError, match="k must be at least 2"):
        edits.split(0, 1)
    with pytest.raises(ValueError, match=r"begin with Edits\.of"):
        edits.split(0)
    with pytest.raises(ValueError, match="1 sample cannot be parted in 2; choose more"):
        edits.part([4])
    with pytest.raises(ValueError, match="Clusters 1 and 0 are both named 'Tea'"):
        edits.rename(0, "Tea")
    with pytest.raises(ValueError, match="is empty; give it a word"):
        edits.rename(0, " ")
    with pytest.raises(ValueError, match="There is no cluster 7; the clusters are 0, 1, 2"):
        edits.merge([0, 7])
    with pytest.raises(ValueError, match="There is no cluster 'milk'"):
        edits.move([0], "milk")
    with pytest.raises(ValueError, match="There is no sample 9; give positions from 0 to 4"):
        edits.move([9], 0)
    with pytest.raises(ValueError, match="No samples are chosen"):
        edits.move([], 0)
    with pytest.raises(ValueError, match="all samples of cluster 1: merge it with 0 instead"):
        edits.move([2], 0)
    with pytest.raises(ValueError, match="There are no data to fit"):
        edits.refit(CoCluster(3))
    with pytest.raises(ValueError, match="The fit has 2 samples and the edits 5"):
        edits.after([0, 1])
    with pytest.raises(TypeError, match="whole numbers as labels"):
        Edits.of(["a", "b"])
    with pytest.raises(ValueError, match="These are not the data of the fit"):
        Edits.of([0, 1], dataset)
