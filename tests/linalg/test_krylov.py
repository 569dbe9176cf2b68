"""The block Krylov space against numpy's decomposition, and its laws."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from cocluster.blocks import open_blocks, write_blocks
from cocluster.linalg import krylov
from cocluster.linalg.krylov import leading_vectors, squared_times
from cocluster.linalg.types import Array

SIZE = 6


def noisy(rng: np.random.Generator, shape: tuple[int, int] = (90, 60)) -> Array:
    """Some directions that stand above noise."""
    U, V = (np.linalg.qr(rng.normal(size=(n, SIZE)))[0] for n in shape)
    return U * np.linspace(40, 30, SIZE) @ V.T + rng.normal(size=shape)


def exact(X: Array) -> tuple[Array, Array]:
    """Right singular vectors and values."""
    _, values, V = np.linalg.svd(X, full_matrices=False)
    return V.T, values


@pytest.mark.parametrize("turn", [np.asarray, np.transpose])
@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_vectors_and_values_are_those_of_the_decomposition(rng, turn, hold, monkeypatch):
    monkeypatch.setattr(krylov, "TOLERANCE", 1e-9)
    X = turn(noisy(rng))
    V, values = leading_vectors(hold(X), SIZE, rng)
    known, expected = exact(X)
    assert_allclose(values, expected[:SIZE], rtol=1e-8)
    assert_allclose(np.abs(V.T @ known[:, :SIZE]), np.eye(SIZE), atol=1e-6)


def test_residuals_are_within_the_tolerance(rng):
    X = noisy(rng)
    V, values = leading_vectors(X, SIZE, rng)
    residuals = np.linalg.norm(X.T @ (X @ V) - V * values**2, axis=0)
    assert (residuals <= krylov.TOLERANCE * values**2).all()
    assert_allclose(V.T @ V, np.eye(SIZE), atol=1e-10)


def test_it_ends_where_nothing_converges(rng, monkeypatch):
    monkeypatch.setattr(krylov, "TOLERANCE", 0.0)
    products = []
    monkeypatch.setattr(krylov, "squared_times", lambda X, Q: products.append(Q) or X.T @ (X @ Q))
    leading_vectors(rng.normal(size=(400, 300)), 2, rng)
    assert len(products) == krylov.MOST_BLOCKS


def test_more_vectors_than_there_are(rng):
    X = rng.normal(size=(7, 4))
    V, values = leading_vectors(X, 9, rng)
    assert_allclose(values, exact(X)[1])
    assert V.shape == (4, 4)


def test_copies_of_a_repeated_value_are_all_found(rng):
    """More copies than a block is wide, and nothing else that could bring them in."""
    copies = 3 * krylov.BLOCK_MULTIPLE
    Q = np.linalg.qr(rng.normal(size=(80, copies)))[0]
    _, values = leading_vectors(Q @ Q.T, copies, rng)
    assert_allclose(values, 1)


@pytest.mark.parametrize("X", [np.zeros((6, 4)), np.ones((6, 4)), np.ones((6, 1))])
def test_few_or_no_directions(rng, X):
    V, values = leading_vectors(X, 3, rng)
    assert_allclose((X @ V * values) @ V.T, np.sqrt(np.sum(X**2)) * X, atol=1e-12)


def test_known_vectors_are_left_out_exactly(rng):
    X = noisy(rng)
    known, values = exact(X)
    X, known = X / values[0], known[:, :1]
    V, found = leading_vectors(X, SIZE - 1, rng, known)
    assert_allclose(V.T @ known, 0, atol=1e-12)
    assert_allclose(found, values[1:SIZE] / values[0], rtol=krylov.TOLERANCE)


def test_columns_outside_are_zero(rng):
    X = np.zeros((90, 60))
    X[:50, :40], X[50:, 40:] = noisy(rng, (50, 40)), 100 * rng.normal(size=(40, 20))
    V, values = leading_vectors(X, SIZE, rng, columns=np.arange(60) < 40)
    assert not V[40:].any()
    assert_allclose(values, exact(X[:50, :40])[1][:SIZE], rtol=krylov.TOLERANCE)


def test_the_order_of_the_rows_changes_nothing(rng):
    for X in (noisy(rng), noisy(rng).T):
        order = rng.permutation(len(X))
        one, other = (leading_vectors(Y, 3, np.random.default_rng(0))[0] for Y in (X, X[order]))
        assert_allclose(one, other, atol=1e-8)


def test_blocks_on_disk_are_read_once_for_each_block_of_the_space(rng, tmp_path):
    X = sp.csr_array(noisy(rng))
    stored = open_blocks(write_blocks(X, tmp_path / "x", rows_per_block=25))
    Q = rng.normal(size=(60, 5))
    assert_allclose(squared_times(stored, Q), X.T @ (X @ Q))
    one, other = (leading_vectors(Y, SIZE, np.random.default_rng(0)) for Y in (X, stored))
    for here, there in zip(one, other, strict=True):
        assert_allclose(there, here, atol=1e-8)


def test_single_precision_stays(rng):
    V, values = leading_vectors(noisy(rng).astype(np.float32), SIZE, rng)
    assert V.dtype == values.dtype == np.float32
