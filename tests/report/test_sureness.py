"""Probabilities say how often a label is right, and stability what is found again."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linear_sum_assignment

from cocluster import ITCC, CoCluster, KernelKMeans, Links
from cocluster.datasets import Dataset, make_blocks, make_star
from cocluster.metrics import confusion_matrix
from cocluster.report.sureness import BORDERLINE, sureness

K = 4


def right(truth, labels):
    """Which samples are in the cluster that stands for their class."""
    table, classes, clusters = confusion_matrix(truth, labels)
    rows, columns = linear_sum_assignment(table, maximize=True)
    stands = {clusters[c]: classes[r] for r, c in zip(rows, columns, strict=True)}
    return np.array([stands.get(c) == t for c, t in zip(labels, truth, strict=True)])


def calibration_error(certainty, correct, bins=10):
    """Mean difference between certainty and share of right labels, in bins of certainty."""
    place = np.minimum((certainty * bins).astype(int), bins - 1)
    return sum(
        (place == b).mean() * abs(certainty[place == b].mean() - correct[place == b].mean())
        for b in np.unique(place)
    )


@pytest.fixture(scope="module", params=[12, 25, 60])
def planted(request):
    """From hard to easy: the best accuracy that is possible is about .88, .96 and 1."""
    return make_blocks(500, 150, K, contrast=4, row_degree=request.param, random_state=0)


@pytest.fixture(scope="module")
def model(planted):
    return CoCluster(K, n_column_clusters=K, random_state=0).fit(planted.X)


@pytest.fixture(scope="module")
def found(model, planted):
    return sureness(model, planted.X)


def test_probabilities_are_calibrated(found, model, planted):
    correct = right(planted.row_labels, model.labels_)
    assert calibration_error(found.certainty, correct) <= 0.08


def test_borderline_samples_are_wrong_three_times_as_often(found, model, planted):
    wrong = ~right(planted.row_labels, model.labels_)
    others = np.setdiff1d(np.arange(len(wrong)), found.borderline)
    if len(found.borderline):
        assert wrong[found.borderline].mean() >= 3 * wrong[others].mean()
    assert (found.certainty[found.borderline] <= BORDERLINE).all()
    assert (found.certainty[others] > BORDERLINE).all()


def test_everything_has_its_shape_and_is_plain(found, model):
    assert_allclose(found.probability.sum(axis=1), 1)
    assert_array_equal(found.ids, np.arange(K))
    assert_array_equal(found.certainty, found.probability[np.arange(500), model.labels_])
    assert [len(found.margins[name]) for name in ("samples", "features")] == [500, 150]
    assert (found.seconds["samples"] != model.labels_).all()
    assert (found.seconds["features"] != model.column_labels_).all()
    for name in ("samples", "features"):
        assert set(found.stability[name]) == set(range(K))
        assert all(0 <= value <= 1 for value in found.stability[name].values())
    json.dumps(found.to_dict(), allow_nan=False)
    assert len(found.to_frame("samples")) == 500
    assert found.to_frame("samples")["borderline"].sum() == len(found.borderline)
    assert len(found.to_frame("clusters")) == 2 * K
    with pytest.raises(ValueError, match="table must be one of"):
        found.rows("words")


def test_the_same_seed_gives_the_same(model, planted, found):
    again = sureness(model, planted.X)
    assert_array_equal(again.probability, found.probability)
    assert again.stability == found.stability


def test_noise_is_not_sure():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, size=(300, 100)).astype(float)
    found = sureness(CoCluster(K, random_state=0).fit(X), X)
    assert found.certainty.mean() < 0.5
    assert max(found.stability["samples"].values()) < 0.5
    assert not len(found.outliers)


def test_a_cluster_that_is_split_at_random_is_less_stable_than_a_real_one(seed):
    blocks = make_blocks(400, 150, 3, contrast=10, random_state=seed)
    model = CoCluster(4, random_state=seed).fit(blocks.X)
    overlap = confusion_matrix(blocks.row_labels, model.labels_)[0]
    whole = {
        c for c in range(4) if overlap[:, c].max() > 0.9 * np.bincount(blocks.row_labels).min()
    }
    stability = sureness(model, blocks.X).stability["samples"]
    parts = set(range(4)) - whole
    assert whole
    assert parts
    assert min(stability[c] for c in whole) > max(stability[c] for c in parts)


def test_values_of_any_sign_and_several_views_are_judged(seed):
    rng = np.random.default_rng(seed)
    star = make_star(300, {"words": 80, "tags": 40}, 3, contrast=4, random_state=seed)
    values = np.kron(np.eye(3), np.ones(8))[star.labels] + rng.normal(size=(300, 24))
    for data in (values, star.views, {**star.views, "x": values}):
        model = CoCluster(3, random_state=0).fit(data)
        found = sureness(model, data)
        correct = right(star.labels, model.labels_)
        assert calibration_error(found.certainty, correct) <= 0.08
        assert list(found.temperature) == (["features"] if data is values else list(data))


@pytest.mark.parametrize("method", [ITCC, KernelKMeans])
def test_methods_with_and_without_groups_of_features(method, rng):
    blocks = make_blocks(200, 80, 3, contrast=10, random_state=0)
    model = method(3, random_state=0).fit(blocks.X)
    found = sureness(model, blocks.X, n_refits=2)
    assert calibration_error(found.certainty, right(blocks.row_labels, model.labels_)) <= 0.08


def test_names_types_and_starts_of_the_fit_make_no_difference(planted):
    names = np.array([f"text {i}" for i in range(500)])
    dataset = Dataset("toy", {"words": planted.X}, sample_names=names)
    plain = CoCluster(K, n_column_clusters={"features": K}, random_state=0).fit(planted.X)
    found = sureness(plain, dataset, n_refits=2)
    assert found.names[:2] == ["text 0", "text 1"]
    assert list(found.margins) == ["samples", "words"]
    started = CoCluster(K, init=plain.labels_, random_state=0).fit(planted.X)
    assert sureness(started, planted.X, n_refits=1).agreement > 0.5


def test_links_of_the_fit_go_with_the_refits(planted):
    """Samples held together by links are found together again."""
    first, second = (np.flatnonzero(planted.row_labels == c) for c in (0, 1))
    links = Links.from_groups([np.append(first, second)], n_samples=500)
    model = CoCluster(3, random_state=0).fit(planted.X, links=links)
    joined = model.labels_[first[0]]
    with_links = sureness(model, planted.X, links=links).stability["samples"][joined]
    assert with_links > 0.9


def test_bad_input_is_one_sentence(planted, model):
    with pytest.raises(TypeError, match="needs a method of this library"):
        sureness(planted.row_labels, planted.X)
    with pytest.raises(ValueError, match="These are not the data of the fit"):
        sureness(model, planted.X[:100])
    with pytest.raises(ValueError, match="4 samples in 3 clusters are too few"):
        sureness(ITCC(3, random_state=0).fit(np.eye(4)), np.eye(4))
    kernel = KernelKMeans(2, kernel="precomputed", random_state=0).fit(np.eye(20))
    with pytest.raises(ValueError, match="a matrix of similarities does not allow"):
        sureness(kernel, np.eye(20))
    with pytest.raises(ValueError, match="n_refits must be at least 1"):
        sureness(model, planted.X, n_refits=0)
