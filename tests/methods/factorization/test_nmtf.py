"""The multiplicative methods: one sweep equals the formulas of the papers, ends are stationary."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from cocluster.methods.factorization.nmf import NMF, SemiNMF
from cocluster.methods.factorization.nmtf import NMTF
from cocluster.methods.factorization.onmtf import ONMTF
from tests.conftest import structured

SEEDS = (0,)

K, L = 3, 4


@pytest.fixture
def X(seed):
    return structured("dense", seed).relations[0].matrix + 0.1


@pytest.fixture
def start(rng, X):
    n, m = X.shape
    return rng.uniform(0.1, 1, (n, K)), rng.uniform(0.1, 1, (m, L))


def one_sweep(method, X, start):
    """The estimator after zero and after one sweep, by a callback that stops it."""
    columns = {} if method in (NMF, SemiNMF) else {"n_column_clusters": L}
    model = method(K, normalize=None, init=start, max_iter=1, tol=0, **columns)
    return model.fit(X)


def least_squares(X, G, H):
    """S of the start: least squares, made positive."""
    S = np.linalg.pinv(G) @ X @ np.linalg.pinv(H).T
    return np.maximum(S, 1e-3 * np.abs(S).max())


def test_nmtf_sweep_is_block_value_decomposition(X, start):
    """BVD, Eq. (5) to (7), S after each factor."""
    G, H = start
    S = least_squares(X, G, H)
    G = G * (X @ H @ S.T) / (G @ S @ H.T @ H @ S.T)
    S = S * (G.T @ X @ H) / (G.T @ G @ S @ H.T @ H)
    H = H * (X.T @ G @ S) / (H @ S.T @ G.T @ G @ S)
    S = S * (G.T @ X @ H) / (G.T @ G @ S @ H.T @ H)
    model = one_sweep(NMTF, X, start)
    assert_allclose(model.row_factor_, G, rtol=1e-8)
    assert_allclose(model.column_factor_, H, rtol=1e-8)
    assert_allclose(model.association_, S, rtol=1e-8)


def test_onmtf_sweep_is_that_of_ding(X, start):
    """ONMTF, Eq. (21), (23), (24), S after each factor."""
    G, H = start
    S = least_squares(X, G, H)
    G = G * np.sqrt((X @ H @ S.T) / (G @ G.T @ X @ H @ S.T))
    S = S * np.sqrt((G.T @ X @ H) / (G.T @ G @ S @ H.T @ H))
    H = H * np.sqrt((X.T @ G @ S) / (H @ H.T @ X.T @ G @ S))
    S = S * np.sqrt((G.T @ X @ H) / (G.T @ G @ S @ H.T @ H))
    model = one_sweep(ONMTF, X, start)
    assert_allclose(model.row_factor_, G, rtol=1e-8)
    assert_allclose(model.column_factor_, H, rtol=1e-8)
    assert_allclose(model.association_, S, rtol=1e-8)


def test_nmf_sweep_is_that_of_lee_and_seung(X, start):
    G, H = start[0], start[1][:, :K]
    model = one_sweep(NMF, X, (G, H))
    G = G * (X @ H) / (G @ H.T @ H)
    H = H * (X.T @ G) / (H @ G.T @ G)
    assert_allclose(model.row_factor_, G, rtol=1e-8)
    assert_allclose(model.column_factor_, H, rtol=1e-8)


def test_seminmf_sweep_is_that_of_ding(X, start):
    """Semi-NMF, Eq. (9) and (10): F = X G (GᵀG)⁻¹, then G by the rule for signed data."""
    X = X - X.mean()
    G, F = start[0], start[1][:, :K]
    model = one_sweep(SemiNMF, X, (G, F))
    F = X.T @ G @ np.linalg.inv(G.T @ G)
    A, B = X @ F, F.T @ F
    plus, minus = (lambda M: (abs(M) + M) / 2), (lambda M: (abs(M) - M) / 2)
    G = G * np.sqrt((plus(A) + G @ minus(B)) / (minus(A) + G @ plus(B)))
    assert_allclose(model.row_factor_, G, rtol=1e-8)
    assert_allclose(model.column_factor_, F, rtol=1e-8)


@pytest.mark.parametrize("method", [NMTF, NMF])
def test_the_end_is_nearly_stationary(method, X):
    """G ∘ gradient is small for every factor, and the association."""
    model = method(2, normalize=None, tol=0, max_iter=1000, random_state=0).fit(X)
    G, S, H = model.row_factor_, model.association_, model.column_factor_
    residual = G @ S @ H.T - X
    scale = np.sum(X**2)
    assert np.abs(G * (residual @ H @ S.T)).sum() <= 1e-4 * scale
    assert np.abs(H * (residual.T @ G @ S)).sum() <= 1e-4 * scale
    if method is NMTF:
        assert np.abs(S * (G.T @ residual @ H)).sum() <= 1e-4 * scale


@pytest.mark.parametrize("method", [NMTF, ONMTF, NMF, SemiNMF])
def test_objective_is_the_squared_error_of_the_factors(method, X):
    model = method(K, normalize=None, max_iter=5, random_state=0).fit(X)
    fit = model.row_factor_ @ model.association_ @ model.column_factor_.T
    assert model.objective_ == pytest.approx(np.sum((X - fit) ** 2))


@pytest.mark.parametrize("init", ["spectral", "random"])
@pytest.mark.parametrize("method", [NMF, SemiNMF])
def test_two_factor_models_refuse_other_numbers_of_column_clusters(method, init, X):
    with pytest.raises(ValueError, match="n_column_clusters=None"):
        method(K, n_column_clusters=L, init=init).fit(X)
