"""Outliers are what was put among the samples, and nothing of what belongs there."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats

from cocluster.datasets import make_blocks
from cocluster.linalg.partitions import as_partition
from cocluster.report import outliers
from cocluster.report.outliers import count_misfit, outlier_p_values, reject, value_misfit
from cocluster.report.report_input import ReportInput

K = 4


@pytest.fixture
def counts(seed):
    return make_blocks(400, 150, K, row_degree=60, random_state=seed)


@pytest.fixture
def strange(rng):
    """Texts that repeat a few words."""
    return rng.poisson(60 * rng.dirichlet(np.full(150, 0.03), size=8)).astype(float)


def test_few_planted_samples_fail_the_test_and_none_is_an_outlier(counts):
    p_values = outlier_p_values(ReportInput.of(counts.row_labels, counts.X))
    assert 0.02 < np.mean(p_values < 0.05) < 0.1
    assert not len(reject(p_values))


def test_strange_samples_are_found_and_no_others(counts, strange):
    X = sp.vstack([counts.X, sp.csr_array(strange)], format="csr")
    labels = np.append(counts.row_labels, np.zeros(8, dtype=int))
    found = reject(outlier_p_values(ReportInput.of(labels, sp.csr_array(X))))
    assert len(found) >= 4
    assert (found >= 400).all()


def test_strange_values_are_found_and_no_others(rng):
    labels = np.append(rng.integers(0, K, 300), [0, 1])
    X = 3 * np.eye(K, 20)[labels] + rng.normal(size=(302, 20))
    X[300:] = 5 * rng.normal(size=(2, 20))
    for data in (X, sp.csr_array(X)):
        assert reject(outlier_p_values(ReportInput.of(labels, data))).tolist() == [300, 301]


def test_long_samples_are_not_stranger_than_short_ones(counts, rng):
    """Members of a cluster differ by themselves, which shows the more the longer they are."""
    G = as_partition(counts.row_labels, K)
    sizes = rng.lognormal(4, 1, size=400)
    profiles = np.array([rng.dirichlet(np.full(150, 0.5)) for _ in range(K)])
    own = np.array([rng.dirichlet(200 * profiles[c] + 1e-3) for c in G.labels])
    X = rng.poisson(sizes[:, None] * own).astype(float)
    misfit = count_misfit(X, G)
    long = sizes > np.median(sizes)
    assert abs(np.median(misfit[long]) - np.median(misfit[~long])) < misfit.std()


def test_expected_deviance_is_that_of_draws(rng):
    q = rng.dirichlet(np.ones(12))
    for n in (5, 50, 500):
        draws = rng.multinomial(n, q, size=20_000)
        deviance = 2 * stats.entropy(draws, n * q[None], axis=1) * n
        mean, variance = outliers._deviance_moments(np.array([float(n)]), q[None])
        assert mean[0] == pytest.approx(deviance.mean(), rel=0.1)
        assert variance[0] == pytest.approx(deviance.var(), rel=0.25)


def test_distances_of_values_are_those_of_brute_force(rng):
    X, z = rng.normal(size=(30, 5)) + 2, rng.integers(0, 3, 30)
    means, _, variance = outliers.value_profiles(X, as_partition(z, 3))
    distances = ((X[:, None, :] - means) ** 2 / variance).sum(axis=2).min(axis=1)
    np.testing.assert_allclose(value_misfit(X, as_partition(z, 3)), np.cbrt(distances))


def test_empty_samples_and_single_groups_are_no_outliers():
    X = np.array([[3.0, 1.0], [0.0, 0.0], [1.0, 4.0], [2.0, 2.0]])
    p_values = outlier_p_values(ReportInput.of([0, 0, 1, 1], X))
    assert np.isfinite(p_values).all()
    assert 1 not in reject(p_values)
    assert np.isfinite(outlier_p_values(ReportInput.of([0, 0, 1, 1], X[:, :1]))).all()


def test_views_add_up_and_absent_samples_are_not_judged(counts):
    labels = counts.row_labels
    one = outlier_p_values(ReportInput.of(labels, {"a": counts.X}))
    two = outlier_p_values(ReportInput.of(labels, {"a": counts.X, "b": counts.X}))
    # The same evidence twice, taken for independent: sqrt(2) times as far from the middle.
    np.testing.assert_allclose(stats.norm.isf(two), np.sqrt(2) * stats.norm.isf(one))
