"""Selection of words and genes, and the document x category matrix, by their laws."""

from __future__ import annotations

import os

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_selection import mutual_info_classif
from sklearn.metrics import mutual_info_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from cocluster.datasets import fetch
from cocluster.preprocessing import (
    DocumentCategory,
    GeneScreen,
    TopByVariance,
    TopGenesByFirstComponent,
    TopWordsByMutualInformation,
)

SELECTORS = [TopWordsByMutualInformation, TopByVariance, TopGenesByFirstComponent]


@parametrize_with_checks(
    [
        *(selector(n_features=0.5) for selector in SELECTORS),
        GeneScreen(min_ratio=1, min_range=0),
        DocumentCategory(5),
    ]
)
def test_scikit_learn_accepts_them(estimator, check):
    check(estimator)


@pytest.fixture
def counts(rng):
    """Counts of 12 words in 30 documents of 3 classes, and the classes."""
    y = rng.permutation(np.arange(30) % 3)
    return rng.poisson(1 + 3 * (y[:, None] == np.arange(12) % 4)).astype(float), y


@pytest.mark.parametrize("selector", SELECTORS)
def test_sparse_data_give_the_same_words_and_stay_sparse(selector, counts):
    X, y = counts
    dense, sparse = selector(5).fit(X, y), selector(5).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.scores_, dense.scores_, rtol=1e-8, atol=1e-12)
    chosen = sparse.transform(sp.csr_array(X))
    assert sp.issparse(chosen)
    assert np.array_equal(chosen.toarray(), dense.transform(X))


@pytest.mark.parametrize("selector", SELECTORS)
def test_the_largest_scores_are_kept_in_order(selector, counts):
    X, y = counts
    found = selector(4).fit(X, y)
    kept = found.get_support()
    assert kept.sum() == 4
    assert found.scores_[kept].min() >= found.scores_[~kept].max()
    assert selector(100).fit(X, y).get_support().all()
    assert selector(0.25).fit(X, y).get_support().sum() == 3
    names = [f"w{j}" for j in np.flatnonzero(kept)]
    assert clone(found).fit(X, y).get_feature_names_out([f"w{j}" for j in range(12)]).tolist() == (
        names
    )


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("n_features", [0, -1, 0.0, 1.5, True, "all"])
def test_impossible_numbers_of_features_are_refused(selector, n_features):
    with pytest.raises(ValueError, match="n_features is"):
        selector(n_features).fit(np.ones((3, 4)), [0, 1, 1])


def test_scores_of_words_sum_to_the_mutual_information(counts):
    """Occurrence by occurrence, counted out."""
    X, y = counts
    word = np.repeat(np.tile(np.arange(12), 30), X.ravel().astype(int))
    document = np.repeat(np.repeat(np.arange(30), 12), X.ravel().astype(int))
    labelled, unlabelled = (TopWordsByMutualInformation().fit(X, t).scores_ for t in (y, None))
    assert labelled.sum() == pytest.approx(mutual_info_score(word, y[document]))
    assert unlabelled.sum() == pytest.approx(mutual_info_score(word, document))


def test_a_word_that_marks_a_class_beats_one_that_is_everywhere(rng):
    y = np.arange(40) % 2
    X = np.stack([np.ones(40), y, rng.permutation(y)], axis=1)
    scores = TopWordsByMutualInformation().fit(X, y).scores_
    assert scores.argmax() == 1 == mutual_info_classif(X, y, discrete_features=True).argmax()


def test_words_need_counts():
    with pytest.raises(ValueError, match="Negative values"):
        TopWordsByMutualInformation().fit([[1.0, -1.0]], [0])


def test_variance_is_that_of_numpy(counts):
    np.testing.assert_allclose(TopByVariance().fit(counts[0]).scores_, counts[0].var(axis=0))


def test_the_first_component_is_the_first_eigenvector(rng):
    X = rng.normal(size=(20, 6)) * np.array([1, 5, 2, 1, 1, 3]) + 10
    first = np.linalg.eigh(np.cov(X.T))[1][:, -1]
    np.testing.assert_allclose(
        TopGenesByFirstComponent().fit(X).scores_, np.abs(first), rtol=1e-8, atol=1e-10
    )


def test_screening_clips_first_and_asks_for_both_conditions(rng):
    X = rng.normal(300, 400 * rng.random(50), size=(12, 50))
    screen = GeneScreen(min_ratio=5, min_range=300, floor=20, ceiling=900).fit(X)
    clipped = np.minimum(np.maximum(X, 20), 900)
    keep = [g.max() / g.min() >= 5 and g.max() - g.min() >= 300 for g in clipped.T]
    assert screen.get_support().tolist() == keep
    assert 0 < sum(keep) < 50
    assert np.array_equal(screen.transform(X), clipped[:, keep])


@pytest.mark.parametrize(
    ("parameters", "values", "message"),
    [
        ({}, [-1.0, 2000.0], "Negative values.*floor"),
        ({}, [100.0, 200.0], "No gene has"),
        ({"floor": 5, "ceiling": 5}, [1.0, 9.0], "not below"),
    ],
)
def test_screening_refuses_what_it_cannot_judge(parameters, values, message):
    with pytest.raises(ValueError, match=message):
        GeneScreen(**parameters).fit(np.array(values)[:, None])


def test_document_category_counts_typical_words(counts):
    X, y = counts
    found = DocumentCategory(4).fit(X, y)
    Z = found.transform(X)
    for d in range(30):
        for c in range(3):
            words = np.flatnonzero(found.typical_.toarray()[:, c])
            assert Z[d, c] == np.mean([*(X[d, words] > 0), *[0] * (4 - len(words))])
    assert np.array_equal(found.transform(sp.csr_array(X)), Z)
    assert found.get_feature_names_out().tolist() == ["0", "1", "2"]


def test_typical_words_are_more_frequent_inside_than_outside(counts):
    X, y = counts
    typical = DocumentCategory(3).fit(X, y).typical_.toarray()
    share = X.sum(axis=0) / X.sum()
    for c in range(3):
        inside = X[y == c].sum(axis=0) / X[y == c].sum()
        assert (inside > share)[typical[:, c]].all()


def test_document_category_refuses_no_words(counts):
    with pytest.raises(ValueError, match="n_words is 0"):
        DocumentCategory(0).fit(*counts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "mask"),
    [("all_aml_brunet_38", "keep1999"), ("medulloblastoma_brunet_34", "keep1710")],
)
def test_screening_keeps_as_many_genes_as_paper_002_says(name, mask):
    if not os.environ.get("COCLUSTER_DATA"):
        pytest.skip("COCLUSTER_DATA names no folder of data sets.")
    dataset = fetch(name)
    kept = GeneScreen().fit(dataset.X).get_support()
    assert kept.sum() == int(mask.removeprefix("keep"))
    assert np.array_equal(kept, dataset.masks[mask])
