"""Every operation on every container equals the dense formula; label sums equal a double loop."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.linalg import matrices, passes
from cocluster.linalg.assignment import fill_empty
from cocluster.linalg.partitions import Partition, as_array, as_partition, unchanged
from cocluster.utils import threads
from tests import reference

K = 4


def with_stored_zeros(R: np.ndarray) -> sp.csr_array:
    """A csr_array that stores every entry, zeros too."""
    rows, columns = R.shape
    indptr = np.arange(0, rows * columns + 1, columns)
    return sp.csr_array((R.ravel(), np.tile(np.arange(columns), rows), indptr), shape=R.shape)


CONTAINERS = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "strided": lambda R: np.repeat(R, 2, axis=1)[:, ::2],
    "csr": sp.csr_array,
    "csr with stored zeros": with_stored_zeros,
}
PRECISIONS = {np.float32: 1e-5, np.float64: 1e-12}


def holey(rng: np.random.Generator, dtype: type, shape: tuple[int, int] = (13, 9)) -> np.ndarray:
    """Half zeros, some rows and columns empty."""
    R = rng.normal(size=shape) * (rng.random(shape) < 0.5)
    R[[0, 5, -1]] = 0
    R[:, [2, -1]] = 0
    return R.astype(dtype)


@pytest.fixture(params=PRECISIONS, ids=lambda dtype: dtype.__name__)
def R(request, rng):
    return holey(rng, request.param)


@pytest.fixture(params=CONTAINERS)
def held(request, R):
    return CONTAINERS[request.param](R)


@pytest.fixture
def close(R):
    def check(actual, expected):
        tolerance = PRECISIONS[R.dtype.type]
        assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)

    return check


def test_sums_and_norms(held, R, close):
    exact = R.astype(np.float64)
    assert matrices.squared_norm(held) == pytest.approx((exact**2).sum(), rel=1e-6)
    assert matrices.row_sums(held).dtype == matrices.row_squares(held).dtype == np.float64
    close(matrices.row_sums(held), exact.sum(axis=1))
    close(matrices.column_sums(held), exact.sum(axis=0))
    close(matrices.row_squares(held), (exact**2).sum(axis=1))
    close(matrices.row_squares(abs(held)), (exact**2).sum(axis=1))


def test_squared_norm_of_float32_is_summed_in_double_precision():
    R = np.full((1000, 1000), 0.1, dtype=np.float32)
    exact = 1e6 * float(np.float32(0.1)) ** 2
    assert matrices.squared_norm(R) == pytest.approx(exact, rel=1e-12)
    assert matrices.squared_norm(sp.csr_array(R)) == pytest.approx(exact, rel=1e-12)


def test_squared_norm_of_an_operator_is_its_own():
    class Operator:
        def squared_norm(self):
            return 7

    assert matrices.squared_norm(Operator()) == 7.0


def test_sign(held):
    assert not matrices.is_nonnegative(held)
    assert matrices.is_nonnegative(abs(held))
    assert matrices.is_nonnegative(sp.csr_array((3, 4)))


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("columns", [True, False])
def test_scaled_is_a_product_with_diagonals(held, R, close, rng, rows, columns):
    row_scale = rng.random(R.shape[0]) if rows else None
    column_scale = rng.random(R.shape[1]) if columns else None
    before = reference.dense(held).copy()
    result = matrices.scaled(held, row_scale, column_scale)
    expected = R * (row_scale[:, None] if rows else 1) * (column_scale if columns else 1)
    close(reference.dense(result), expected)
    assert result.dtype == R.dtype
    assert sp.issparse(result) == sp.issparse(held)
    assert_array_equal(reference.dense(held), before)


def test_scaled_shares_the_index_arrays_of_sparse_data(R):
    held = sp.csr_array(R)
    result = matrices.scaled(held, row_scale=np.ones(R.shape[0]))
    assert np.shares_memory(result.indices, held.indices)
    assert np.shares_memory(result.indptr, held.indptr)
    assert not np.shares_memory(result.data, held.data)


def test_safe_inverse_leaves_zeros():
    assert_array_equal(matrices.safe_inverse(np.array([2.0, 0.0, 4.0])), [0.5, 0.0, 0.25])


def test_safe_inverse_is_finite_for_any_number():
    values = np.array([5e-324, 1e-310, 1e-308, 3e-308, 1e-200, 1e308])
    assert np.isfinite(matrices.safe_inverse(values)).all()


@pytest.mark.parametrize("transposed", [False, True])
def test_products_with_factors(held, R, close, rng, transposed):
    held, R = (held.T, R.T) if transposed else (held, R)
    G = rng.random((R.shape[1], K)).astype(R.dtype)
    result = matrices.times(held, G)
    close(result, R @ G)
    assert result.dtype == R.dtype
    labels = rng.integers(K, size=R.shape[1])
    sums = matrices.times(held, as_partition(labels, K))
    close(sums, reference.label_sums(R, labels, K))
    assert sums.dtype == R.dtype


@pytest.mark.parametrize("form", ["coo", "csc", "csr", "dok"])
def test_sums_by_label_of_any_sparse_format(R, close, rng, form):
    labels = rng.integers(K, size=R.shape[1])
    sums = matrices.label_sums(sp.coo_array(R).asformat(form), as_partition(labels, K))
    close(sums, reference.label_sums(R, labels, K))


def test_products_of_small_matrices_are_double(rng):
    labels = rng.integers(K, size=12)
    M, G = rng.random((12, 3)), reference.indicator(labels, K)
    hard = as_partition(labels, K)
    for factor in (G, hard, G.astype(np.float32)):
        assert_allclose(matrices.inner(factor, M), G.T @ M)
        assert_allclose(matrices.gram(factor), G.T @ G)
        assert matrices.gram(factor).dtype == np.float64
        assert matrices.inner(factor, M.astype(np.float32)).dtype == np.float64


# One test for each kernel, all cases inside: a kernel is then compiled by one worker only.
@pytest.mark.parametrize("transposed", [False, True], ids=["csr", "csc"])
def test_compiled_label_sums(transposed, monkeypatch):
    pytest.importorskip("numba")
    called = counted_kernels(monkeypatch)
    monkeypatch.setattr(passes, "COMPILE_FROM_NONZEROS", 0)
    rng = np.random.default_rng(0)
    cases = list(product(PRECISIONS.items(), [(13, 9), (7, 40), (40, 7), (300, 70)]))
    for (dtype, tolerance), shape in cases:
        R = holey(rng, dtype, shape)
        held = sp.csr_array(R).T if transposed else sp.csr_array(R)
        labels = rng.integers(K - 1, size=held.shape[1])
        results = []
        for n_threads in (1, 3):
            with threads.limit(n_threads):
                results.append(matrices.times(held, as_partition(labels, K)))
        assert results[0].dtype == dtype
        twin = reference.label_sums(reference.dense(held), labels, K)
        assert_allclose(results[0], twin, rtol=tolerance, atol=tolerance)
        assert_array_equal(*results, err_msg="the result depends on the number of threads")
    name = "major_label_sums" if transposed else "minor_label_sums"
    assert set(called) == {name}


def counted_kernels(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the kernels as they are called."""
    kernels, called = importlib.import_module("cocluster.linalg._compiled"), []

    def counting(name: str, kernel: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        return lambda *arguments: called.append(name) or kernel(*arguments)

    for name in ("minor_label_sums", "major_label_sums"):
        monkeypatch.setattr(kernels, name, counting(name, getattr(kernels, name)))
    return called


def test_a_partition_is_its_indicator_matrix(rng):
    labels = rng.integers(K, size=10)
    G, partition = reference.indicator(labels, K), as_partition(labels, K)
    assert partition.shape == G.shape
    assert_array_equal(partition.sizes, G.sum(axis=0))
    assert_array_equal(as_array(partition), G)
    assert_array_equal(partition.sparse().toarray(), G)
    rows = rng.permutation(10)[:4]
    assert_array_equal(partition[rows].dense(), G[rows])


def test_unchanged_compares_labels_of_hard_factors_only():
    one, same, other = (as_partition(np.array(x), 3) for x in ([0, 1, 2], [0, 1, 2], [0, 1, 1]))
    assert unchanged(one, same)
    assert not unchanged(one, other)
    assert not unchanged(one.dense(), same.dense())


def test_empty_clusters_take_the_objects_that_gain_most():
    partition = Partition(np.array([0, 0, 0, 1, 0, 1]), 4)
    filled = fill_empty(partition, np.array([1.0, 5.0, 2.0, 4.0, 3.0, 3.5]))
    assert_array_equal(filled.labels, [0, 2, 0, 3, 0, 1])
    assert_array_equal(partition.labels, [0, 0, 0, 1, 0, 1])


def test_filling_never_empties_another_cluster(rng):
    for _ in range(50):
        n = int(rng.integers(1, 12))
        k = int(rng.integers(1, n + 1))
        filled = fill_empty(as_partition(rng.integers(k, size=n), k), rng.normal(size=n))
        assert filled.sizes.all()
