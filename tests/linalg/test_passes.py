"""Compiled passes equal the general path: labels, objective, products; threads change nothing."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster import FNMTF, ITCC, NMTF
from cocluster.linalg import assignment, matrices, passes
from cocluster.linalg.partitions import as_partition
from cocluster.utils import threads
from tests import reference

pytest.importorskip("numba")
K, M = 5, 7
PRECISIONS = (np.float64, np.float32)


@pytest.fixture
def compiled(monkeypatch):
    """Compiled passes for matrices of any size."""
    monkeypatch.setattr(passes, "COMPILE_FROM_NONZEROS", 0)


def counts(seed: int = 0, shape: tuple[int, int] = (300, 90)) -> sp.csr_array:
    """Planted counts, some rows empty."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(K, size=shape[0]), rng.integers(K, size=shape[1])
    X = rng.poisson(np.where(rows[:, None] == columns, 1.5, 0.3))
    X[::50] = 0
    return sp.csr_array(X.astype(np.float64))


@pytest.mark.parametrize("compile_from", [0, np.inf])
def test_assignment_equals_every_row_tried_in_every_cluster(compile_from, monkeypatch):
    monkeypatch.setattr(passes, "COMPILE_FROM_NONZEROS", compile_from)
    for dtype in PRECISIONS:
        rng = np.random.default_rng(0)
        X = counts().astype(dtype)
        G = as_partition(rng.integers(K, size=X.shape[0]), K)
        H = as_partition(rng.integers(M, size=X.shape[1]), M)
        # Whole numbers are exact in any order, ties included: a row then keeps its label.
        codes, bias = rng.integers(-3, 3, size=(K, M)), rng.integers(3, size=K)
        moved, change = assignment.reassigned(X, G, H, codes, bias)
        costs = bias + reference.label_sums(X.toarray(), H.labels, M) @ codes.T
        own = costs[np.arange(len(costs)), G.labels]
        expected = np.where(own <= costs.min(axis=1), G.labels, costs.argmin(axis=1))
        assert_array_equal(moved.labels, expected)
        before, after = (reference.label_sums(X.toarray().T, P.labels, K) for P in (G, moved))
        assert_array_equal(change, after - before)
        assert change.dtype == dtype
        assert (moved.labels != G.labels).any()


def test_products_equal_dense_ones_whatever_the_number_of_threads(compiled):
    rng, X = np.random.default_rng(0), counts()
    for dtype in PRECISIONS:
        for held in (X.astype(dtype), X.astype(dtype).T):
            G = rng.random((held.shape[1], K)).astype(dtype)
            results = []
            for n in (1, 3):
                with threads.limit(n):
                    results.append(matrices.times(held, G))
            assert_array_equal(*results)
            assert results[0].dtype == dtype
            assert_allclose(results[0], held.toarray() @ G, rtol=1e-5)


@pytest.mark.parametrize("method", [FNMTF, ITCC])
@pytest.mark.parametrize("dtype", PRECISIONS)
def test_fits_equal_the_general_path_and_do_not_depend_on_threads(method, dtype, monkeypatch):
    X = counts().astype(dtype)
    rng = np.random.default_rng(1)
    start = tuple(rng.integers(K, size=n) for n in X.shape)
    general = method(K, init=start).fit(X)
    monkeypatch.setattr(passes, "COMPILE_FROM_NONZEROS", 0)
    fits = []
    for n in (1, 2):
        with threads.limit(n):
            fits.append(method(K, init=start).fit(X))
    assert_array_equal(fits[0].objective_history_, fits[1].objective_history_)
    assert general.n_iter_ > 1
    for fit in fits:
        assert_array_equal(fit.row_labels_, general.row_labels_)
        assert_array_equal(fit.column_labels_, general.column_labels_)
        assert_allclose(fit.objective_history_, general.objective_history_, rtol=1e-5)


def test_the_scaled_matrix_is_the_scaled_matrix(compiled):
    rng, X = np.random.default_rng(0), counts()
    rows, columns = rng.random(X.shape[0]), rng.random(X.shape[1])
    held = passes.ScaledMatrix(X, rows, columns)
    exact = rows[:, None] * X.toarray() * columns
    for one, other in ((held, exact), (held.T, exact.T)):
        G = rng.random((one.shape[1], 3)).astype(np.float32)
        assert_allclose(one @ G, other @ G, rtol=1e-4)
        assert (one @ G).dtype == one.dtype


@pytest.mark.parametrize(("method", "share"), [(FNMTF, 0.5), (NMTF, 1.0)])
def test_a_fit_holds_no_second_copy_of_the_data(method, share, compiled):
    X = sp.random_array((2_000, 400), density=0.5, format="csr", random_state=0)
    start = tuple(np.arange(n) % K for n in X.shape)
    model = method(K, init=start, normalize=None, max_iter=2)
    model.fit(X)
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < share * (X.data.nbytes + X.indices.nbytes)


def test_limits(monkeypatch):
    monkeypatch.setenv(threads.VARIABLE, "3")
    assert threads.count() == 3
    with threads.limit(2):
        assert threads.count() == 2
    assert threads.count() == 3
    monkeypatch.setenv(threads.VARIABLE, "many")
    with pytest.raises(ValueError, match="whole number"):
        threads.count()
    with pytest.raises(ValueError, match="1 or more"), threads.limit(0):
        pass
