"""Sums and products over known entries equal dense formulas, whatever holds the matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.linalg import known
from cocluster.linalg.known import KnownEntries, known_in_row, ones_like, product_at
from cocluster.linalg.partitions import as_partition
from tests import reference

SHAPE, K = (11, 7), 3


@pytest.fixture(params=[np.float32, np.float64], ids=lambda dtype: dtype.__name__)
def entries(request, rng):
    """Values and mask as dense arrays; some known values are zero."""
    W = (rng.random(SHAPE) < 0.6).astype(request.param)
    return W * rng.integers(-3, 4, SHAPE).astype(request.param), W


def as_sparse(R: np.ndarray, W: np.ndarray) -> tuple[sp.csr_array, sp.csr_array]:
    """The same as sparse arrays that store what is known."""
    mask = sp.csr_array(W)
    values = R[np.nonzero(W)]
    return sp.csr_array((values, mask.indices, mask.indptr), shape=W.shape), mask


HOLD = {"dense": lambda R, W: (R, W), "sparse": as_sparse}
each_form = pytest.mark.parametrize("hold", HOLD.values(), ids=HOLD.keys())


@each_form
def test_label_sums_of_values_and_counts(hold, entries, rng):
    R, W = entries
    found = KnownEntries.of(*hold(R, W))
    for view, values, mask in ((found, R, W), (found.T, R.T, W.T)):
        G = as_partition(rng.integers(K, size=values.shape[1]), K)
        sums, counts = view.label_sums(G)
        assert_allclose(sums, reference.label_sums(values, G.labels, K), rtol=1e-6)
        assert_array_equal(counts, reference.label_sums(mask, G.labels, K))
        assert sums.dtype == counts.dtype == R.dtype


@each_form
@pytest.mark.parametrize("at_once", [1, 5, 10**6])
def test_products_at_known_entries(hold, entries, rng, at_once, monkeypatch):
    monkeypatch.setattr(known, "NUMBERS_AT_ONCE", at_once)
    _, W = hold(*entries)
    A, B = rng.normal(size=(SHAPE[0], K)), rng.normal(size=(SHAPE[1], K))
    expected = entries[1] * (A @ B.T)
    assert_allclose(reference.dense(product_at(W, A, B)), expected, rtol=1e-5)
    assert_allclose(reference.dense(product_at(W.T, B, A)), expected.T, rtol=1e-5)


@each_form
def test_columns_known_in_a_row(hold, entries):
    _, W = hold(*entries)
    for i, row in enumerate(entries[1]):
        assert_array_equal(known_in_row(W, i), np.flatnonzero(row))


@each_form
def test_ones_and_mean(hold, entries):
    R, W = hold(*entries)
    assert_array_equal(reference.dense(ones_like(W)), np.where(sp.issparse(W), entries[1], 1))
    assert KnownEntries.of(R, W).mean() == pytest.approx(entries[0].sum() / entries[1].sum())
