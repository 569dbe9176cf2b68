"""Statistics are those of scipy, feature by feature, and agree where they must."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from cocluster.linalg.partitions import as_partition
from cocluster.report import statistics
from cocluster.report.statistics import STATISTICS, is_presence_informative, score_features

K = 3


@pytest.fixture
def counts(rng):
    return rng.poisson(0.8, size=(30, 12)).astype(float)


@pytest.fixture
def signed(rng):
    """Values with many ties."""
    return rng.normal(size=(30, 12)).round(1)


@pytest.fixture
def labels(rng):
    return rng.permutation(np.arange(30) % K)


def each(labels, X):
    """Every cluster and feature: the values inside and outside."""
    for c in range(K):
        for j in range(X.shape[1]):
            yield c, j, X[labels == c, j], X[labels != c, j]


def test_g2_is_the_log_likelihood_ratio_of_scipy(counts, labels):
    found = score_features(counts, as_partition(labels, K))
    assert found.by == "g2"
    for c, j, inside, outside in each(labels, counts != 0):
        table = [[inside.sum(), (~inside).sum()], [outside.sum(), (~outside).sum()]]
        expected = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")[0]
        sign = np.sign(inside.mean() - outside.mean())
        assert found.score[c, j] == pytest.approx(sign * expected, abs=1e-9)


def test_wilcoxon_is_the_rank_sum_test_with_ties(signed, labels):
    found = score_features(signed, as_partition(labels, K), "wilcoxon")
    for c, j, inside, outside in each(labels, signed):
        test = stats.mannwhitneyu(
            inside, outside, alternative="greater", method="asymptotic", use_continuity=False
        )
        assert found.score[c, j] == pytest.approx(stats.norm.isf(test.pvalue))


def test_without_ties_wilcoxon_is_ranksums(rng, labels):
    X = rng.normal(size=(30, 5))
    found = score_features(X, as_partition(labels, K), "wilcoxon")
    for c, j, inside, outside in each(labels, X):
        assert found.score[c, j] == pytest.approx(stats.ranksums(inside, outside).statistic)


def test_t_is_that_of_welch_also_far_from_zero(signed, labels):
    for far in (0.0, 1e6):
        found = score_features(signed + far, as_partition(labels, K), "t")
        for c, j, inside, outside in each(labels, signed):
            expected = stats.ttest_ind(inside, outside, equal_var=False).statistic
            assert found.score[c, j] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_ctfidf_relevance_and_frex_are_their_formulas(counts, labels):
    G = as_partition(labels, K)
    sums = np.array([counts[labels == c].sum(axis=0) for c in range(K)])
    profile, overall = sums / sums.sum(axis=1, keepdims=True), sums.sum(axis=0) / sums.sum()
    expected = profile * np.log(1 + sums.sum() / K / sums.sum(axis=0))
    assert_allclose(score_features(counts, G, "ctfidf").score, expected)
    with np.errstate(divide="ignore"):
        expected = 0.6 * np.log(profile) + 0.4 * np.log(profile / overall)
    assert_allclose(score_features(counts, G, "relevance").score, expected)
    exclusive = profile / profile.sum(axis=0)
    for c in range(K):
        for j in range(counts.shape[1]):
            frequent = np.mean(profile[c] <= profile[c, j])
            alone = np.mean(exclusive[c] <= exclusive[c, j])
            mean = stats.hmean([frequent, alone])
            assert score_features(counts, G, "frex").score[c, j] == pytest.approx(mean)


@pytest.mark.parametrize("by", STATISTICS)
def test_sparse_and_dense_agree_and_parts_make_the_whole(by, counts, labels, monkeypatch):
    G = as_partition(labels, K)
    whole = score_features(counts, G, by)
    # Two columns at a time.
    monkeypatch.setattr(statistics, "CHUNK_ENTRIES", 2 * len(counts))
    for X in (counts, sp.csr_array(counts)):
        found = score_features(X, G, by)
        for name in ("score", "share", "lift", "exclusivity"):
            assert_allclose(getattr(found, name), getattr(whole, name))


def test_columns_say_how_common_and_how_exclusive_a_feature_is(counts, labels):
    found = score_features(counts, as_partition(labels, K))
    for c, j, inside, outside in each(labels, counts != 0):
        assert found.share[c, j] == inside.mean()
        everyone = np.concatenate([inside, outside]).mean()
        assert found.lift[c, j] == pytest.approx(inside.mean() / everyone)
    assert_allclose(found.exclusivity.sum(axis=0), 1)


def test_stored_zeros_are_not_there(counts, labels):
    X = sp.csr_array(counts)
    X.data[:20] = 0
    G = as_partition(labels, K)
    assert_array_equal(score_features(X, G).score, score_features(X.toarray(), G).score)


@pytest.mark.parametrize("by", STATISTICS)
def test_what_says_nothing_scores_nothing(by):
    """A feature that all have, one that none has, and a cluster without samples."""
    X = np.array([[1.0, 0.0, 2.0], [1.0, 0.0, 0.0], [1.0, 0.0, 3.0], [1.0, 0.0, 0.0]])
    found = score_features(X, as_partition(np.array([0, 1, 0, 1]), 3), by)
    assert not np.isnan(found.score).any()
    assert found.best(0, 5).tolist() == [2]
    assert found.best(1, 5).tolist() == found.best(2, 5).tolist() == []


def test_a_feature_seen_once_does_not_beat_one_seen_often():
    X = np.zeros((20, 3))
    X[:10, 0], X[0, 1], X[:, 2] = 1, 100, 1
    assert score_features(X, as_partition(np.arange(20) // 10, 2)).best(0, 3).tolist() == [0, 1]


def test_where_every_sample_has_every_feature_values_are_ranked(signed, labels):
    for X in (signed, np.exp(signed)):
        assert not is_presence_informative(X)
        assert score_features(X, as_partition(labels, K)).by == "wilcoxon"


def test_a_gene_that_every_cell_has_is_no_marker(rng):
    """Its counts differ much from cell to cell, and so between any two clusters."""
    labels = np.arange(60) // 30
    everywhere = 1 + rng.negative_binomial(1, 0.01, size=60)
    X = np.column_stack([everywhere, labels == 0, labels == 1]).astype(float)
    found = score_features(sp.csr_array(X), as_partition(labels, 2))
    assert found.score[0, 0] == 0
    assert found.best(0, 3).tolist() == [1]


def test_bad_input_is_one_sentence(signed, labels):
    G = as_partition(labels, K)
    with pytest.raises(ValueError, match="not ranked by lift"):
        score_features(signed, G, "lift")
    with pytest.raises(ValueError, match="by must be one of 'g2'"):
        score_features(signed, G, "chi2")
    with pytest.raises(ValueError, match="needs data >= 0; use by='wilcoxon'"):
        score_features(signed, G, "frex")
