"""The temperature is 1 where costs are log-likelihoods, and makes up for what they are else."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from cocluster.methods.default.probability import probabilities, temperature

K = 4


def judged(rng, n=4000, signal=1.2):
    """Costs of objects by two independent halves of the features, Gaussian; and the truth."""
    truth = rng.integers(0, K, n)
    means = signal * np.eye(K)
    halves = [means[truth] + rng.normal(size=(n, K)) for _ in range(2)]
    one, other = (((x[:, None, :] - means) ** 2).sum(axis=2) / 2 for x in halves)
    return one, other, truth


def test_log_likelihoods_need_no_temperature(rng):
    one, other, _ = judged(rng)
    assert temperature([(one, other)]) == pytest.approx(1, rel=0.15)


def test_the_unit_of_the_costs_makes_no_difference(rng):
    one, other, _ = judged(rng, 500)
    own = temperature([(one, other)])
    assert temperature([(3 * one, 3 * other)]) == pytest.approx(3 * own, rel=5e-3)


def test_what_both_halves_agree_on_by_chance_is_no_evidence(rng):
    """Noise: labels of the halves agree as often as by chance, and probabilities are equal."""
    one, other = (rng.normal(size=(2000, K)) for _ in range(2))
    found = probabilities(one + other, temperature([(one, other)]))
    assert found.max(axis=1).mean() < 2 / K


def test_probabilities_foresee_how_many_are_right(rng):
    one, other, truth = judged(rng)
    # Everything seems to be said three times over.
    one, other = 3 * one, 3 * other
    found = probabilities(one + other, temperature([(one, other)]))
    right = found.argmax(axis=1) == truth
    assert found.max(axis=1).mean() == pytest.approx(right.mean(), abs=0.03)
    assert probabilities(one + other, 1.0).max(axis=1).mean() > right.mean() + 0.05


def test_several_fits_are_asked_together(rng):
    parts = [judged(rng, 800)[:2] for _ in range(3)]
    found = temperature(parts)
    alone = [temperature([part]) for part in parts]
    assert min(alone) <= found <= max(alone)


def test_objects_of_which_a_half_knows_nothing_are_not_asked_about(rng):
    one, other, _ = judged(rng, 500)
    more = np.vstack([one, np.zeros((300, K))]), np.vstack([other, rng.normal(size=(300, K))])
    assert temperature([more]) == temperature([(one, other)])


def test_nothing_to_ask_leaves_the_costs_as_they_are():
    assert temperature([(np.zeros((5, K)), np.zeros((5, K)))]) == 1.0
    assert temperature([(np.ones((5, 1)), np.ones((5, 1)))]) == 1.0


def test_rows_are_probabilities(rng):
    found = probabilities(rng.normal(size=(10, K)) * 1e4, 2.0)
    assert_allclose(found.sum(axis=1), 1)
