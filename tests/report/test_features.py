"""Characteristic features are those over-represented in a cluster."""

from __future__ import annotations

import numpy as np
import pytest

from cocluster.datasets import make_blocks
from cocluster.report.statistics import characteristic_features


def test_features_of_planted_blocks_are_their_own():
    data = make_blocks(400, 60, 3, contrast=8, random_state=0)
    names = np.array([f"{cluster}-{j}" for j, cluster in enumerate(data.column_labels)])
    for cluster, found in characteristic_features(data.X, data.row_labels, names, n=5).items():
        assert len(found) == 5
        assert {name.split("-")[0] for name in found} == {str(cluster)}


def test_sparse_and_dense_agree():
    data = make_blocks(100, 30, 3, random_state=0)
    sparse = characteristic_features(data.X, data.row_labels, range(30))
    assert characteristic_features(data.X.toarray(), data.row_labels, range(30)) == sparse


def test_features_below_expectation_are_not_named():
    X = np.array([[4.0, 1.0], [1.0, 4.0]])
    assert characteristic_features(X, [7, 3], ["a", "b"]) == {3: ["b"], 7: ["a"]}
    assert characteristic_features(np.zeros((2, 2)), [0, 1], ["a", "b"]) == {0: [], 1: []}


def test_features_of_signed_data_are_those_with_larger_values():
    """Scaled data have as much below zero as above: sums by cluster say nothing."""
    rng = np.random.default_rng(0)
    labels = np.arange(40) % 2
    X = rng.normal(size=(40, 4))
    X[:, 1] += 5 * labels
    X[:, 3] -= 5 * labels
    found = characteristic_features(X - X.mean(axis=0), labels, ["a", "up", "b", "down"], n=1)
    assert found == {0: ["down"], 1: ["up"]}


@pytest.mark.parametrize(("labels", "names"), [([0], "ab"), ([0, 1], "abc")])
def test_wrong_lengths_are_refused(labels, names):
    with pytest.raises(ValueError, match="one label per row and one name per column"):
        characteristic_features(np.eye(2), labels, names)
