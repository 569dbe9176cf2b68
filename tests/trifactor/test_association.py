"""Associations: least squares is least squares, and no rule raises the objective."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.trifactor import Free, Identity, NonNegativeAssociation
from cocluster.trifactor.association import pseudo_inverse
from tests import reference

N, M, K, L = 9, 8, 3, 4


@pytest.fixture
def R(rng):
    return rng.normal(size=(N, M))


@pytest.fixture(params=["real", "indicator", "indicator with empty clusters"])
def factors(request, rng):
    if request.param == "real":
        return rng.random((N, K)), rng.random((M, L))
    used = 0 if request.param == "indicator" else 1
    rows = rng.permutation(np.arange(N) % (K - used))
    return reference.indicator(rows, K), reference.indicator(np.arange(M) % (L - used), L)


def small(R, G, H):
    """What a rule sees."""
    return G.T @ R @ H, G.T @ G, H.T @ H


def error(R, G, S, H):
    return float(np.sum((R - G @ S @ H.T) ** 2))


def test_free_association_is_least_squares_on_the_kronecker_form(R, factors):
    G, H = factors
    S = Free().start(*small(R, G, H))
    expected, *_ = np.linalg.lstsq(np.kron(G, H), R.ravel(), rcond=None)
    assert_allclose(S.ravel(), expected, atol=1e-8)


def test_free_association_has_no_gradient(R, factors):
    G, H = factors
    cross, left, right = small(R, G, H)
    S = Free().step(np.zeros((K, L)), cross, left, right)
    assert_allclose(left @ S @ right, cross, atol=1e-8)


def test_free_association_of_indicators_holds_block_means(R, rng):
    rows, columns = rng.integers(K, size=N), rng.integers(L, size=M)
    G, H = reference.indicator(rows, K), reference.indicator(columns, L)
    S = Free().start(*small(R, G, H))
    assert_allclose(S, reference.block_means(R, rows, columns, K, L), atol=1e-12)


@pytest.mark.parametrize("exponent", [0.5, 1.0])
@pytest.mark.parametrize("sign", [abs, np.asarray], ids=["data >= 0", "signed data"])
def test_nonnegative_association_never_raises_and_stays(R, factors, exponent, sign):
    G, H = factors
    R, rule = sign(R), NonNegativeAssociation(exponent)
    S = rule.start(*small(R, G, H))
    for _ in range(30):
        before, S = error(R, G, S, H), rule.step(S, *small(R, G, H))
        assert (S >= 0).all()
        assert error(R, G, S, H) <= before + 1e-9


def test_nonnegative_association_ends_stationary(R, rng):
    G, H = rng.random((N, K)), rng.random((M, L))
    cross, left, right = small(abs(R), G, H)
    rule = NonNegativeAssociation()
    S = rule.start(cross, left, right)
    first = np.abs(S * (left @ S @ right - cross)).max()
    for _ in range(3000):
        S = rule.step(S, cross, left, right)
    gradient = left @ S @ right - cross
    assert np.abs(S * gradient).max() <= 1e-5 * first
    assert gradient.min() >= -1e-4 * first


def test_diagonal_association_stays_diagonal(R, rng):
    G, H = rng.random((N, K)), rng.random((M, K))
    rule = NonNegativeAssociation(diagonal=True)
    S = rule.start(*small(abs(R), G, H))
    for _ in range(5):
        S = rule.step(S, *small(abs(R), G, H))
        assert_array_equal(S, np.diag(np.diag(S)))
        assert np.diag(S).all()


def test_identity_is_the_identity_and_needs_equal_numbers(R, rng):
    G, H = rng.random((N, K)), rng.random((M, K))
    S = Identity().start(*small(R, G, H))
    assert_array_equal(S, np.eye(K))
    assert_array_equal(Identity().step(S, *small(R, G, H)), np.eye(K))
    with pytest.raises(ValueError, match="3 and 4"):
        Identity().start(*small(R, G, rng.random((M, L))))


def test_the_inverse_of_a_diagonal_is_the_pseudo_inverse():
    for sizes in ([3.0, 5.0], [3.0, 0.0], [1.0, 1e-15], [0.0, 0.0]):
        M = np.diag(sizes)
        expected = np.linalg.pinv(M, rcond=1e-12, hermitian=True)
        assert_allclose(pseudo_inverse(M), expected, atol=1e-12)
