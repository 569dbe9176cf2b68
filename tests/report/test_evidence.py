"""Evidence is a sum over features, and what the model of the clusters says."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from cocluster import ITCC, Links, Relation, RelationalData
from cocluster.linalg.partitions import as_partition
from cocluster.report.evidence import (
    costs_by_relation,
    count_profiles,
    fit_cost_model,
    margins,
    object_costs,
)
from cocluster.report.report_input import ReportInput
from tests.conftest import plant

K = 3


def gaps(costs):
    """Costs as far as they differ between clusters."""
    return costs - costs[:, [0]]


@pytest.fixture
def signed(planted, rng):
    return planted.X - planted.X.mean() + rng.normal(size=planted.X.shape)


def test_halves_of_the_features_add_up(planted, signed, rng):
    half = rng.random(planted.X.shape[1]) < 0.5
    G = as_partition(planted.row_labels, K)
    for X in (planted.X, sp.csr_array(planted.X), signed):
        codes = fit_cost_model(X, G)
        both = codes.costs(X, half) + codes.costs(X, ~half)
        assert_allclose(both, codes.costs(X))


def test_counts_cost_their_log_likelihood(planted):
    """Up to the one count that every cluster is given more, which a large cluster hardly feels."""
    X = np.tile(planted.X, (200, 1))
    G = as_partition(np.tile(planted.row_labels, 200), K)
    groups = as_partition(planted.column_labels, K)
    sums = np.array([X[G.labels == c].sum(axis=0) for c in range(K)])
    profiles = np.array([sums[:, planted.column_labels == g].sum(axis=1) for g in range(K)]).T
    profiles = profiles / profiles.sum(axis=1, keepdims=True)
    expected = -X @ np.log(profiles[:, planted.column_labels]).T
    found = fit_cost_model(X, G, groups).costs(X) * count_profiles(X, G).unit
    assert_allclose(gaps(found), gaps(expected), rtol=1e-3, atol=1e-3)


def test_a_count_is_one_unless_counts_come_in_bursts(rng):
    labels = np.arange(300) % K
    # Many features: what is expected of one must not depend on its own count.
    rates = 1.0 + 4 * (labels[:, None] == np.arange(300) % K)
    X, G = rng.poisson(rates).astype(float), as_partition(labels, K)
    assert count_profiles(X, G).unit == pytest.approx(1, rel=0.05)
    assert count_profiles(3 * X, G).unit == pytest.approx(3, rel=0.05)
    assert count_profiles(sp.csr_array(X), G).unit == pytest.approx(count_profiles(X, G).unit)
    bursts = rng.negative_binomial(rates, 0.25)
    # The variance of these is four times their mean.
    assert count_profiles(bursts.astype(float), G).unit == pytest.approx(4, rel=0.1)


def test_the_unit_of_the_data_makes_no_difference(planted, signed):
    G = as_partition(planted.row_labels, K)
    for X in (planted.X, signed):
        one, other = fit_cost_model(X, G).costs(X), fit_cost_model(7 * X, G).costs(7 * X)
        assert_allclose(gaps(one), gaps(other))


def test_values_cost_their_distances_in_units_of_the_noise(signed, planted):
    z, n = planted.row_labels, len(signed)
    overall = signed.mean(axis=0)
    means = np.array(
        [(signed[z == c].sum(axis=0) + overall) / ((z == c).sum() + 1) for c in range(K)]
    )
    within = sum(
        ((signed[z == c] - signed[z == c].mean(axis=0)) ** 2).sum(axis=0) for c in range(K)
    )
    noise = np.sqrt(within / (n - K))
    expected = [-stats.norm.logpdf(signed, mean, noise).sum(axis=1) for mean in means]
    found = fit_cost_model(signed, as_partition(z, K)).costs(signed)
    assert_allclose(gaps(found), gaps(np.array(expected).T))


def test_no_profile_is_without_a_count(planted):
    X = np.where(planted.row_labels[:, None] == planted.column_labels, planted.X, 0)
    G, groups = (as_partition(z, K) for z in (planted.row_labels, planted.column_labels))
    assert (count_profiles(X, G, groups).shares > 0).all()
    assert_allclose(count_profiles(X, G, groups).shares.sum(axis=1), 1)
    nothing = fit_cost_model(np.zeros_like(X), G, groups)
    assert not nothing.weights.any()


def test_features_without_groups_are_grouped_by_their_profiles(planted):
    X = np.tile(planted.X, (20, 1))
    found = count_profiles(X, as_partition(np.tile(planted.row_labels, 20), K)).groups
    for group in range(found.n_clusters):
        assert len(set(planted.column_labels[found.labels == group])) <= 1


def test_evidence_agrees_with_the_method_that_counts_likewise(rng):
    blocks = plant(rng, rng.permutation(np.arange(300) % K), 40, K)
    model = ITCC(K, random_state=0).fit(blocks.X)
    source = ReportInput.of(model, blocks.X)
    ((_, by_labels),) = costs_by_relation(source, "samples")
    assert_array_equal(by_labels.argmin(axis=1), model.labels_)
    by_model = object_costs(source, "samples")
    assert stats.pearsonr(gaps(by_labels).ravel(), gaps(by_model).ravel()).statistic > 0.999
    of_features = object_costs(source, "features")
    assert_array_equal(of_features.argmin(axis=1), model.column_labels_)


def test_absent_objects_cost_nothing():
    X = np.kron(np.eye(2), np.ones((2, 2)))
    whole = Relation(X, "samples", "words")
    lacking = Relation(X[[0, 2]], "samples", "tags", row_index=np.array([0, 2]))
    source = ReportInput.of(np.array([0, 0, 1, 1]), RelationalData((whole, lacking)))
    _, (_, costs) = costs_by_relation(source, "samples")
    assert not costs[[1, 3]].any()
    assert costs[[0, 2]].any(axis=1).all()


def test_margins_are_those_of_brute_force(rng):
    costs, codes = rng.normal(size=(20, 4)), rng.integers(0, 4, 20)
    margin, second = margins(costs, codes)
    for i in range(20):
        others = {c: costs[i, c] for c in range(4) if c != codes[i]}
        assert second[i] == min(others, key=others.__getitem__)
        assert margin[i] == pytest.approx(min(others.values()) - costs[i, codes[i]])
    assert not margins(costs[:, :1], np.zeros(20, dtype=int))[0].any()


def test_a_sample_that_a_link_holds_has_a_margin_below_zero(planted):
    apart = np.flatnonzero(planted.row_labels == 0)[0], np.flatnonzero(planted.row_labels == 1)[0]
    links = Links.from_pairs([apart], n_samples=len(planted.X))
    model = ITCC(K, random_state=0).fit(planted.X, links=links)
    margin, _ = margins(object_costs(ReportInput.of(model, planted.X), "samples"), model.labels_)
    assert set(np.flatnonzero(margin < 0)) <= set(apart)
    assert (margin[list(apart)] < 0).sum() == 1
