"""Readability is what it says: words that occur together, and not always the same ones."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import readability
from cocluster.datasets import Dataset


def test_npmi_is_that_of_counted_pairs():
    X = np.random.default_rng(0).poisson(0.7, size=(40, 6))
    tops = [np.array([0, 2, 3]), np.array([1, 4, 5])]
    values = []
    for top in tops:
        pairs = []
        for i, j in combinations(top, 2):
            a, b = X[:, i] > 0, X[:, j] > 0
            both = (a & b).mean()
            pairs.append(np.log(both / (a.mean() * b.mean())) / -np.log(both))
        values.append(np.mean(pairs))
    assert readability.npmi(tops, sp.csr_array(X)) == pytest.approx(np.mean(values))


def test_words_that_never_or_always_meet_are_at_the_ends():
    X = sp.csr_array(np.array([[1, 0, 1, 1], [0, 1, 1, 1]]))
    assert readability.npmi([np.array([0, 1])], X) == -1
    assert readability.npmi([np.array([2, 3])], X) == 1


def test_the_same_words_everywhere_are_not_diverse():
    assert readability.diversity([np.array([0, 1]), np.array([2, 3])]) == 1
    assert readability.diversity([np.array([0, 1]), np.array([1, 0])]) == 0.5


def test_only_words_are_kept():
    terms = np.array(["game", "the", "x86", "ab", "rare", "everywhere"])
    X = np.zeros((20, 6))
    X[:8, :4], X[0, 4], X[:, 5] = 1, 1, 1
    kept = readability.readable(Dataset("toy", {"words": X}, feature_names={"words": terms}))
    assert kept.feature_names["words"].tolist() == ["game"]


def test_the_page_says_whether_the_target_is_reached():
    row = {"method": "CoCluster, g2", "seed": 0, "npmi": 0.3, "diversity": 1.0, "readability": 0.3}
    page = readability.report([row], [{"statistic": "g2", "seed": 0, "overlap": 0.5}], ["* a b"])
    assert "0.27, reached (0.300)" in page
    assert "| CoCluster, g2 | 0.300 | 1.000 | 0.300 |" in page
