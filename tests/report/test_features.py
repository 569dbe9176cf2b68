"""Characteristic features are those over-represented in a cluster."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster.datasets import make_blocks
from cocluster.report.features import _signed_deviance, characteristic_features


def test_features_of_planted_blocks_are_their_own():
    data = make_blocks(400, 60, 3, contrast=8, random_state=0)
    names = np.array([f"{cluster}-{j}" for j, cluster in enumerate(data.column_labels)])
    for cluster, found in characteristic_features(data.X, data.row_labels, names, n=5).items():
        assert len(found) == 5
        assert {name.split("-")[0] for name in found} == {str(cluster)}


def test_score_is_the_deviance_of_a_poisson_count():
    observed = np.random.default_rng(0).poisson(3, size=(4, 5)).astype(float)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / observed.sum()
    score = _signed_deviance(observed)
    for x, e, s in zip(observed.ravel(), expected.ravel(), score.ravel(), strict=True):
        likelihood_ratio = (x * np.log(x / e) if x else 0) - (x - e)
        assert s == pytest.approx(np.sign(x - e) * np.sqrt(2 * likelihood_ratio))


def test_sparse_and_dense_agree():
    data = make_blocks(100, 30, 3, random_state=0)
    sparse = characteristic_features(data.X, data.row_labels, range(30))
    assert characteristic_features(data.X.toarray(), data.row_labels, range(30)) == sparse


def test_features_below_expectation_are_not_named():
    X = np.array([[4.0, 1.0], [1.0, 4.0]])
    assert characteristic_features(X, [7, 3], ["a", "b"]) == {3: ["b"], 7: ["a"]}
    assert characteristic_features(np.zeros((2, 2)), [0, 1], ["a", "b"]) == {0: [], 1: []}


def test_a_feature_seen_once_does_not_beat_one_seen_often():
    X = sp.csr_array(np.array([[20.0, 1.0, 10.0], [2.0, 0.0, 30.0]]))
    assert characteristic_features(X, [0, 1], ["often", "once", "other"], n=1)[0] == ["often"]


@pytest.mark.parametrize(("labels", "names"), [([0], "ab"), ([0, 1], "abc")])
def test_wrong_lengths_are_refused(labels, names):
    with pytest.raises(ValueError, match="one label per row and one name per column"):
        characteristic_features(np.eye(2), labels, names)
