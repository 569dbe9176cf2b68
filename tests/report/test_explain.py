"""Explanations tell what is planted, of any container, and refuse what cannot be explained."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from cocluster import FNMTF, CoCluster, KernelKMeans, Relation, RelationalData, explain
from cocluster.datasets import Dataset, make_blocks, make_star
from cocluster.methods.catalogue import METHODS
from cocluster.report.tables import CLUSTER_TABLES

K = 3
SYLLABLES = ("ka", "lo", "mi", "ne", "pu", "ra", "so", "ti", "ve", "zu")


def word(number, size=3):
    """A word for each number, no two of one stem."""
    digits = f"{number:0{size}d}"[::-1]
    return "".join(SYLLABLES[int(digit)] for digit in digits)


@pytest.fixture(scope="module")
def blocks():
    return make_blocks(200, 90, K, contrast=12, row_degree=20, random_state=0)


@pytest.fixture(scope="module")
def dataset(blocks):
    names = np.array([f"{word(j)}" for j in range(90)])
    samples = np.array([f"text {i}" for i in range(200)])
    return Dataset("toy", {"words": blocks.X}, sample_names=samples, feature_names={"words": names})


@pytest.fixture(scope="module")
def model(dataset):
    return CoCluster(K, n_column_clusters=K, random_state=0).fit(dataset.data)


@pytest.fixture(scope="module")
def explanation(model, dataset):
    return explain(model, dataset)


def test_features_are_those_of_the_planted_block(explanation, model, blocks, dataset):
    column = dict(zip(dataset.feature_names["words"], blocks.column_labels, strict=True))
    for cluster in explanation.clusters:
        planted = np.bincount(blocks.row_labels[model.labels_ == cluster.id]).argmax()
        (view,) = cluster.views
        assert (view.name, view.statistic, view.share) == ("words", "g2", 1.0)
        assert len(view.features) == 10
        assert {column[feature.name] for feature in view.features} == {planted}
        scores = [feature.score for feature in view.features]
        assert scores == sorted(scores, reverse=True)
        for feature in view.features:
            assert dataset.feature_names["words"][feature.position] == feature.name
            inside = blocks.X[model.labels_ == cluster.id][:, [feature.position]]
            assert feature.share == pytest.approx(inside.count_nonzero() / cluster.size)


def test_clusters_have_sizes_members_and_names_of_their_own(explanation, model):
    assert [c.size for c in explanation.clusters] == np.bincount(model.labels_).tolist()
    assert len(set(explanation.names.values())) == K
    for cluster in explanation.clusters:
        listed = [*cluster.representative, *cluster.borderline_members]
        assert len({member.position for member in listed}) == 10
        for member in listed:
            assert member.name == f"text {member.position}"
            assert model.labels_[member.position] == cluster.id
            assert member.second in set(range(K)) - {cluster.id}
        assert max(m.margin for m in cluster.borderline_members) < cluster.margin
        words = {feature.name for feature in cluster.views[0].features}
        assert set(cluster.name.split(", ")) <= words


def test_borderline_members_have_the_smallest_margins(dataset, model):
    everyone = explain(model, dataset, n_members=200)
    few = explain(model, dataset, n_members=3)
    for whole, part in zip(everyone.clusters, few.clusters, strict=True):
        rest = [m for m in whole.representative if m not in part.representative]
        assert not whole.borderline_members
        assert list(part.borderline_members) == sorted(rest, key=lambda m: m.margin)[:3]


def test_a_sample_is_not_typical_because_it_is_long(blocks, dataset):
    """A hundred times the same text is no more typical than the text."""
    i, cluster = 0, blocks.row_labels[0]
    X = blocks.X.toarray()
    mixed = X.mean(axis=0) * 100 + X[i] * 5
    found = explain(np.append(blocks.row_labels, cluster), np.vstack([X, mixed]))
    assert 200 not in [m.position for m in found.clusters[cluster].representative]


def test_groups_of_features_are_explained_likewise(explanation, model, blocks, dataset):
    groups = explanation.types["words"]
    assert [group.size for group in groups] == np.bincount(model.column_labels_).tolist()
    names = dataset.feature_names["words"]
    for group in groups:
        own = set(names[model.column_labels_ == group.id])
        assert {member.name for member in group.representative} <= own
        assert set(group.name.split(", ")) <= own
        (view,) = group.views
        assert view.name == "samples"
        where = {int(blocks.row_labels[feature.position]) for feature in view.features}
        assert len(where) == 1


def test_everything_is_plain_and_comes_as_frames(explanation, model):
    found = json.loads(json.dumps(explanation.to_dict()))
    assert found["types"]["samples"][0]["name"] == explanation.clusters[0].name
    for table in CLUSTER_TABLES:
        frame = explanation.to_frame(table)
        assert len(frame) == len(explanation.rows(table))
        assert set(frame["type"]) == {"samples", "words"}
    sizes = explanation.to_frame("clusters").query("type == 'samples'")["size"]
    assert_array_equal(sizes, np.bincount(model.labels_))
    with pytest.raises(ValueError, match="table must be one of 'clusters'"):
        explanation.rows("words")
    for cluster, line in zip(explanation.clusters, str(explanation).split("\n"), strict=True):
        assert line.startswith(f"{cluster.id} {cluster.name} ({cluster.size}): ")


def test_containers_make_no_difference(explanation, dataset, blocks):
    anndata = pytest.importorskip("anndata")
    names, samples = dataset.feature_names["words"], dataset.sample_names
    X = blocks.X.toarray()
    containers = {
        "frame": pd.DataFrame(X, index=samples, columns=names),
        "AnnData": anndata.AnnData(
            blocks.X, pd.DataFrame(index=samples), pd.DataFrame(index=names)
        ),
        "views": {"words": pd.DataFrame(X, index=samples, columns=names)},
        "data": dataset.data,
    }
    for name, data in containers.items():
        fitted = CoCluster(K, n_column_clusters=K, random_state=0).fit(data)
        assert explain(fitted, data).clusters[0].name == explanation.clusters[0].name, name
    # Fitted to the matrix, explained with the names of the data set.
    plain = CoCluster(K, n_column_clusters=K, random_state=0).fit(dataset.X)
    assert explain(plain, dataset).to_dict() == explanation.to_dict()
    assert explain(plain, X).clusters[0].name == "group A"


def test_signed_data_have_rank_tests_with_the_same_face(rng, seed):
    labels = np.arange(60) % K
    X = rng.normal(size=(60, 9))
    X[:, :K] += 4 * np.eye(K)[labels]
    frame = pd.DataFrame(X, columns=[word(j) for j in range(9)])
    found = explain(FNMTF(K, 9, random_state=seed).fit(frame), frame)
    for cluster in found.clusters:
        (view,) = cluster.views
        assert view.statistic == "wilcoxon"
        assert view.features[0].position == labels[cluster.representative[0].position]
    by_t = explain(labels, frame, by="t")
    assert [c.views[0].features[0].position for c in by_t.clusters] == list(range(K))


def test_the_view_with_the_signal_carries_the_clusters(rng):
    planted = make_star(150, {"words": 60, "tags": 40}, K, contrast=15, random_state=0)
    noise = sp.csr_array(rng.permuted(planted.views["tags"].toarray(), axis=0))
    found = explain(planted.labels, {"words": planted.views["words"], "tags": noise})
    for cluster in found.clusters:
        assert [view.name for view in cluster.views] == ["words", "tags"]
        assert cluster.views[0].share > 0.7
        assert sum(view.share for view in cluster.views) == pytest.approx(1)


def test_the_same_view_twice_carries_half_of_each():
    planted = make_blocks(150, 60, K, contrast=10, random_state=0)
    found = explain(planted.row_labels, {"one": planted.X, "two": planted.X})
    for cluster in found.clusters:
        assert [view.share for view in cluster.views] == [0.5, 0.5]


def test_views_may_lack_samples_and_types_may_be_far_from_the_samples(data):
    model = CoCluster(K, random_state=0).fit(data)
    found = explain(model, data)
    assert list(found.types) == list(data.oriented().types)
    for name, clusters in found.types.items():
        assert sum(cluster.size for cluster in clusters) == data.size(name)
        assert len({cluster.name for cluster in clusters}) == len(clusters)
    json.dumps(found.to_dict(), allow_nan=False)


def test_absent_samples_are_neither_with_nor_without_a_feature():
    X = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    whole = Relation(X, "samples", "words")
    part = Relation(X[[0, 2]], "samples", "tags", row_index=np.array([0, 2]))
    found = explain(np.array([0, 0, 1, 1]), RelationalData((whole, part)))
    shares = {v.name: v.features[0].share for v in found.clusters[0].views}
    assert shares == {"words": 1.0, "tags": 1.0}


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_explained(name, blocks):
    X = blocks.X[:60]
    model = METHODS[name].estimator(K, random_state=0).fit(X)
    found = explain(model, X, n_features=3, n_members=2)
    sizes = np.bincount(model.labels_)
    assert [cluster.size for cluster in found.clusters] == sizes[sizes > 0].tolist()
    assert len(found.types) == (2 if METHODS[name].feature_clusters else 1)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("by", ["g2", "ctfidf", "relevance", "frex", "wilcoxon", "t"])
def test_every_statistic_finds_the_planted_features(by, blocks):
    found = explain(blocks.row_labels, blocks.X, by=by, n_features=3)
    for cluster in found.clusters:
        where = {int(blocks.column_labels[f.position]) for f in cluster.views[0].features}
        assert where == {cluster.id}


def test_labels_may_be_texts_and_have_gaps(blocks):
    texts = np.array(["red", "green", "blue"])[blocks.row_labels]
    found = explain(texts, blocks.X)
    assert [cluster.id for cluster in found.clusters] == ["blue", "green", "red"]
    gaps = explain(blocks.row_labels * 5, blocks.X)
    assert [cluster.id for cluster in gaps.clusters] == [0, 5, 10]


def test_one_cluster_is_explained_too(blocks):
    (only,) = explain(np.zeros(200, dtype=int), blocks.X).clusters
    assert only.views[0].features == ()
    assert {member.second for member in only.representative} == {None}


def test_names_given_by_people_are_kept_and_not_used_twice(explanation, model, dataset):
    own = explanation.clusters[0].name
    found = explain(model, dataset, names={1: "sports", 2: own})
    assert found.names[1] == "sports"
    assert found.names[2] == own
    assert found.names[0] not in ("sports", own)
    with pytest.raises(ValueError, match="Clusters 0 and 2 are both named 'Sports'"):
        explain(model, dataset, names={0: "sports", 2: "Sports"})
    with pytest.raises(ValueError, match="There is no cluster 7 to be named 'sports'"):
        explain(model, dataset, names={7: "sports"})


def test_other_data_than_those_of_the_fit_are_refused(model, dataset, blocks):
    for other in (blocks.X[:50], blocks.X[:, :50], {"a": blocks.X, "b": blocks.X[:, :50]}):
        with pytest.raises(ValueError, match="These are not the data of the fit"):
            explain(model, other)
    kernel = KernelKMeans(K, random_state=0).fit(blocks.X)
    with pytest.raises(ValueError, match="These are not the data of the fit"):
        explain(kernel, blocks.X[:, :50])
    frame = pd.DataFrame(blocks.X.toarray(), columns=dataset.feature_names["words"])
    fitted = CoCluster(K, random_state=0).fit(frame)
    with pytest.raises(ValueError, match="a column is named 'zuvekaka' where the fit had") as error:
        explain(fitted, frame.iloc[:, ::-1].rename(columns={word(89): "zuvekaka"}))
    assert "\n" not in str(error.value)


def test_bad_input_is_one_sentence(model, blocks):
    with pytest.raises(ValueError, match="not ranked by lift"):
        explain(model, blocks.X, by="lift")
    with pytest.raises(ValueError, match="n_features must be at least 1"):
        explain(model, blocks.X, n_features=0)
    with pytest.raises(ValueError, match="has found nothing yet; call fit first"):
        explain(CoCluster(K), blocks.X)
    with pytest.raises(ValueError, match="must be one label for each"):
        explain(np.zeros((200, 2)), blocks.X)
