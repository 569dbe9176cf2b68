"""Logistic regression: the solution of scikit-learn, for soft targets too."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from cocluster.linalg.logistic import logistic_probabilities

N, CLASSES, STRENGTH = 40, 3, 2.0
# Both solvers stop early; probabilities are used to two digits.
DIGITS = 5e-3


@pytest.fixture(params=[5, 60], ids=["narrow", "wide"])
def Z(request, rng):
    return rng.normal(size=(N, request.param)) / np.sqrt(request.param)


def test_probabilities_are_those_of_scikit_learn(Z, rng):
    codes = rng.permutation(np.arange(N) % CLASSES)
    weights = rng.uniform(0.5, 2, size=N)
    chosen = np.arange(0, N, 2)
    peer = LogisticRegression(C=STRENGTH, max_iter=1000, tol=1e-8)
    peer.fit(Z[chosen], codes[chosen], sample_weight=weights[chosen])
    P = logistic_probabilities(Z, chosen, np.eye(CLASSES)[codes[chosen]], weights[chosen], STRENGTH)
    assert_allclose(P, peer.predict_proba(Z), atol=DIGITS)


def test_a_soft_target_is_several_weighted_samples(Z, rng):
    shares = rng.dirichlet(np.ones(CLASSES), size=N)
    whole = np.arange(N)
    soft = logistic_probabilities(Z, whole, shares, np.ones(N), STRENGTH)
    hard = logistic_probabilities(
        Z,
        np.repeat(whole, CLASSES),
        np.tile(np.eye(CLASSES), (N, 1)),
        shares.ravel(),
        STRENGTH,
    )
    assert_allclose(soft, hard, atol=DIGITS)
    assert_allclose(soft.sum(axis=1), 1)
