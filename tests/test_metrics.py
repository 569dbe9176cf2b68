"""Scores agree with brute force and scikit-learn, and do not depend on names or order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from cocluster import metrics

ALL = [metrics.accuracy, metrics.nmi, metrics.purity, metrics.ari]
labelled = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30).map(
    lambda pairs: tuple(map(list, zip(*pairs, strict=True)))
)


def brute_force_accuracy(y, labels):
    """Try every assignment of distinct class names to clusters; unmatched ones get no name."""
    clusters = sorted(set(labels))
    names = sorted(set(y)) + [None] * len(clusters)
    best = 0
    for chosen in set(permutations(names, len(clusters))):
        name = dict(zip(clusters, chosen, strict=True))
        best = max(best, sum(name[c] == t for t, c in zip(y, labels, strict=True)))
    return best / len(y)


@given(labelled)
def test_accuracy_is_the_best_over_all_matchings(sample):
    y, labels = sample
    assert metrics.accuracy(y, labels) == pytest.approx(brute_force_accuracy(y, labels))


@given(labelled)
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_agrees_with_scikit_learn(sample):
    y, labels = sample
    expected = normalized_mutual_info_score(y, labels, average_method="max")
    assert metrics.nmi(y, labels) == pytest.approx(expected, abs=1e-9)
    assert metrics.ari(y, labels) == pytest.approx(adjusted_rand_score(y, labels), abs=1e-9)
    np.testing.assert_array_equal(
        metrics.confusion_matrix(y, labels)[0], contingency_matrix(y, labels)
    )


@given(labelled)
def test_purity_counts_the_majority_of_each_cluster(sample):
    y, labels = (np.array(part) for part in sample)
    majorities = [np.bincount(y[labels == c]).max() for c in set(labels.tolist())]
    assert metrics.purity(y, labels) == pytest.approx(sum(majorities) / len(y))


@pytest.mark.parametrize("score", ALL)
@given(sample=labelled, seed=st.integers(0, 99))
def test_names_and_order_do_not_matter(score, sample, seed):
    y, labels = sample
    order = np.random.default_rng(seed).permutation(len(y))
    renamed = ["klmn"[-1 - labels[i]] for i in order]
    assert score([(y[i], "class") for i in order], renamed) == pytest.approx(score(y, labels))


@pytest.mark.parametrize("score", ALL)
@given(sample=labelled)
def test_a_clustering_agrees_with_itself(score, sample):
    y, _ = sample
    assert score(y, y) == pytest.approx(1)


@pytest.mark.parametrize("score", [metrics.accuracy, metrics.nmi, metrics.ari])
@given(sample=labelled)
def test_symmetric_scores(score, sample):
    y, labels = sample
    assert score(y, labels) == pytest.approx(score(labels, y))


@given(labelled)
def test_scores_collects_all_even_from_iterators(sample):
    y, labels = sample
    expected = {score.__name__: score(y, labels) for score in ALL}
    assert metrics.scores(iter(y), iter(labels)) == expected


def test_labels_of_mixed_types_are_kept_apart():
    table, classes, clusters = metrics.confusion_matrix([1, "1", None], ["x", "x", 2])
    assert classes == [1, "1", None]
    assert clusters == ["x", 2]
    assert table.tolist() == [[1, 0], [1, 0], [0, 1]]


@pytest.mark.parametrize("score", [*ALL, metrics.confusion_matrix, metrics.scores])
def test_bad_labels_are_refused(score):
    with pytest.raises(ValueError, match=r"3 entries and labels 2"):
        score([0, 1, 1], [0, 1])
    with pytest.raises(ValueError, match="y_true is empty"):
        score([], [])
    with pytest.raises(ValueError, match="labels contains NaN"):
        score([0, 1], np.array([0.0, np.nan]))
    with pytest.raises(TypeError, match="labels must hold one hashable label"):
        score([0, 1], np.zeros((2, 2)))
