"""Vectors that say more than the degrees: the trivial one is left out, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.blocks import open_blocks, write_blocks
from cocluster.linalg import krylov, passes
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.subspace import (
    StartMatrix,
    informative_subspace,
    leading_subspace,
    start_scaled,
    unit_rows,
)
from cocluster.linalg.types import Array
from cocluster.metrics import accuracy
from tests.conftest import plant

K = 3


def scaled(X: Array) -> Array:
    """The degree-scaled matrix, by its formula."""
    rows, columns = (np.sqrt(np.abs(X).sum(axis=axis)) for axis in (1, 0))
    return X / rows[:, None] / columns


def counts(rng: np.random.Generator) -> Array:
    """Planted counts, all connected."""
    return plant(rng, rng.permutation(np.arange(40) % K), 25, K).X


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_of_connected_data_all_but_the_first_pair_is_found(rng, hold, monkeypatch):
    monkeypatch.setattr(krylov, "TOLERANCE", 1e-9)
    X = counts(rng)
    left, right = informative_subspace(start_scaled(hold(X)), K, K, rng)
    U, values, V = np.linalg.svd(scaled(X), full_matrices=False)
    assert values[0] == pytest.approx(1)
    wanted = slice(1, K + 1)
    assert_allclose(np.abs(left), np.abs(U[:, wanted] * values[wanted]), atol=1e-6)
    assert_allclose(np.abs(right), np.abs(V[wanted].T * values[wanted]), atol=1e-6)


def test_what_is_left_out_is_exactly_the_degrees(rng):
    X = counts(rng)
    left, right = informative_subspace(start_scaled(X), K, K, rng)
    assert_allclose(np.sqrt(X.sum(axis=0)) @ right, 0, atol=1e-12)
    assert_allclose(np.sqrt(X.sum(axis=1)) @ left, 0, atol=1e-12)


def test_of_signed_data_nothing_is_left_out(rng):
    X = rng.normal(size=(30, 20))
    assert start_scaled(X).trivial is None
    left, _ = informative_subspace(start_scaled(X), 1, K, rng)
    assert_allclose(np.linalg.norm(left), np.linalg.norm(scaled(X), 2), rtol=krylov.TOLERANCE)


def test_compiled_and_plain_scaling_are_the_same_matrix(rng, monkeypatch):
    pytest.importorskip("numba")
    X = sp.csr_array(counts(rng))
    plain = start_scaled(X)
    monkeypatch.setattr(passes, "COMPILE_FROM_NONZEROS", 0)
    other = start_scaled(X)
    one = np.eye(X.shape[1], dtype=np.float32)
    assert_allclose(other.matrix @ one, plain.matrix @ one, rtol=1e-5)
    assert_allclose(other.trivial, plain.trivial)


def in_components(rng: np.random.Generator, sizes: list[int]) -> tuple[Array, Array]:
    """Groups that share no column, and which of them each row is in."""
    parts = [sp.csr_array(rng.poisson(3.0, size=(n, 5)) + 1.0) for n in sizes]
    return sp.block_diag(parts).toarray(), np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_components_are_told_apart(rng, hold):
    X, labels = in_components(rng, [20, 12, 15])
    left, right = informative_subspace(start_scaled(hold(X)), K, K, rng)
    # Two directions tell three components apart, and are the same for all rows of one.
    between = unit_rows(left[:, :2])
    for c in range(3):
        assert_allclose(
            between[labels == c], np.tile(between[labels == c][0], (sum(labels == c), 1))
        )
    assert_allclose(np.linalg.norm(right[:, :2], axis=0), 1)
    assert accuracy(labels, kmeans_labels(unit_rows(left), K, seed=0)) == 1


def test_more_components_than_a_block_is_wide(rng):
    X, labels = in_components(rng, [6] * 30)
    left, _ = informative_subspace(start_scaled(sp.csr_array(X)), 30, 30, rng)
    assert accuracy(labels, kmeans_labels(unit_rows(left), 30, seed=0)) == 1


def test_crumbs_lie_at_the_origin_and_change_nothing(rng):
    blocks = plant(rng, rng.permutation(np.arange(300) % K), 60, K, contrast=2.0)
    # Pairs of rows with columns of their own, more of them than vectors are wanted.
    crumbs = [sp.csr_array(np.full((2, 2), 5.0))] * (2 * K)
    X = sp.csr_array(sp.block_diag([blocks.X, *crumbs]))
    alone, _ = informative_subspace(start_scaled(blocks.X), K, K, np.random.default_rng(0))
    left, right = informative_subspace(start_scaled(X), K, K, np.random.default_rng(0))
    assert not left[300:].any()
    assert not right[60:].any()
    assert_allclose(
        np.linalg.norm(left[:, : K - 1], axis=0),
        np.linalg.norm(alone[:, : K - 1], axis=0),
        rtol=krylov.TOLERANCE,
    )
    found = kmeans_labels(unit_rows(left), K, seed=0)
    assert accuracy(blocks.row_labels, found[:300]) > 0.98


def test_data_of_nothing_but_crumbs_are_not_left_out():
    left, _ = informative_subspace(start_scaled(np.eye(200)), 2, 2, np.random.default_rng(0))
    assert left.any()


def test_a_single_column_says_only_degrees():
    X = np.arange(1.0, 6.0)[:, None]
    left, _ = informative_subspace(start_scaled(X), 2, 2, np.random.default_rng(0))
    assert_allclose(unit_rows(left), 1)


def test_components_on_disk_are_those_in_memory(rng, tmp_path):
    X, _ = in_components(rng, [20, 12, 15])
    stored = open_blocks(write_blocks(sp.csr_array(X), tmp_path / "x", rows_per_block=7))
    one, other = (
        informative_subspace(start_scaled(Y), K, K, np.random.default_rng(0))[0]
        for Y in (X, stored)
    )
    assert_allclose(np.abs(other), np.abs(one), atol=1e-8)


def test_a_trivial_vector_need_not_come_from_degrees(rng):
    """Rows over the root of their product with the sum of all rows."""
    Y = counts(rng)
    whole = Y.sum(axis=0)
    Z = Y / np.sqrt(Y @ whole)[:, None]
    left, _ = informative_subspace(StartMatrix(Z, whole), K, K, rng)
    assert_allclose(np.sqrt(Y @ whole) @ left, 0, atol=1e-10)


def test_both_sides_belong_together(rng):
    X = rng.normal(size=(30, 20))
    left, right = leading_subspace(X, 4, rng)
    values = np.linalg.norm(right, axis=0)
    assert_allclose(left, X @ (right / values))
    assert_array_equal(np.argsort(-values), np.arange(4))
