"""Biases are penalised least squares over the known entries, dense or sparse."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from cocluster.data.biases import fit_biases, ratio_of_variances

N, M = 12, 9


@pytest.fixture
def entries(rng):
    """Values and mask, dense, with biases of rows and columns among noise."""
    W = (rng.random((N, M)) < 0.7).astype(float)
    return W * (rng.normal(size=(N, 1)) + rng.normal(size=M) + 0.1 * rng.normal(size=(N, M))), W


def as_sparse(R: np.ndarray, W: np.ndarray) -> tuple[sp.csr_array, sp.csr_array]:
    mask = sp.csr_array(W)
    return sp.csr_array((R[np.nonzero(W)], mask.indices, mask.indptr), shape=W.shape), mask


@pytest.mark.parametrize("shrinkage", [0.5, 5.0])
def test_biases_solve_the_normal_equations(entries, shrinkage):
    """The least-squares problem written down as one matrix, with a row for each penalty."""
    R, W = entries
    i, j = np.nonzero(W)
    A = np.zeros((len(i), N + M))
    A[np.arange(len(i)), i] = A[np.arange(len(i)), N + j] = 1
    mean = R[i, j].mean()
    system = np.vstack([A, np.sqrt(shrinkage) * np.eye(N + M)])
    wanted = np.linalg.lstsq(system, np.append(R[i, j] - mean, np.zeros(N + M)))[0]
    found = fit_biases(R, W, shrinkage)
    assert found.mean == pytest.approx(mean)
    assert_allclose(found.rows(R, W), wanted[:N], atol=1e-6)
    assert_allclose(found.columns, wanted[N:], atol=1e-6)


def test_dense_and_sparse_are_one(entries):
    dense, sparse = fit_biases(*entries), fit_biases(*as_sparse(*entries))
    assert_allclose(dense.columns, sparse.columns)
    assert dense.shrinkage == pytest.approx(sparse.shrinkage)
    residuals = sparse.residuals(*as_sparse(*entries))
    assert_allclose(dense.residuals(*entries), residuals.toarray(), atol=1e-12)
    # A residual that happens to be zero stays known.
    assert residuals.nnz == entries[1].sum()


def test_new_rows_have_the_biases_of_old_ones(entries):
    R, W = entries
    found = fit_biases(R, W)
    assert_allclose(found.rows(R[3:5], W[3:5]), found.rows(R, W)[3:5])


def test_shrinkage_is_the_ratio_of_noise_to_signal(rng):
    """Many means of known variances give the number that a textbook would."""
    noise, signal, counts = 4.0, 0.5, np.full(20_000, 10)
    truth = rng.normal(scale=np.sqrt(signal), size=len(counts))
    means = truth + rng.normal(scale=np.sqrt(noise / counts))
    assert ratio_of_variances(noise, means, counts) == pytest.approx(noise / signal, rel=0.1)


def test_means_that_differ_by_noise_alone_vanish():
    counts = np.full(5, 4)
    assert ratio_of_variances(4.0, np.array([1.0, -1.0, 1.0, -1.0, 0.5]), counts) > 1e6
    assert ratio_of_variances(0.0, np.ones(5), counts) == 0
