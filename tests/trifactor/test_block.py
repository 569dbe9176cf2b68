"""A block is the objective as a function of one factor, and its forces are the gradient."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from cocluster.linalg.partitions import as_partition
from cocluster.trifactor import BlockQuadratic, memberships
from cocluster.trifactor.block import RowGram
from tests import reference

N, K = 7, 3
LAPLACIANS = {
    "no Laplacian": lambda L: None,
    "dense Laplacian": lambda L: L,
    "sparse Laplacian": sp.csr_array,
}


def semidefinite(rng: np.random.Generator, size: int) -> np.ndarray:
    M = rng.normal(size=(size, size))
    return M @ M.T


def path_laplacian(n: int) -> np.ndarray:
    W = np.diag(np.ones(n - 1), 1)
    W += W.T
    return np.diag(W.sum(axis=0)) - W


@pytest.fixture(params=LAPLACIANS)
def block(request, rng):
    """A signed block; one term acts on some rows only."""
    rows = rng.permutation(N)[:4]
    return BlockQuadratic(
        rng.normal(size=(N, K)),
        semidefinite(rng, K),
        LAPLACIANS[request.param](path_laplacian(N)),
        constant=2.5,
        partial=(RowGram(rows, semidefinite(rng, K)),),
    )


def test_value_equals_the_sum_of_its_terms(block, rng):
    G = rng.normal(size=(N, K))
    assert block.value(G) == pytest.approx(reference.block_value(block, G))


def test_value_of_a_partition_is_that_of_its_indicator_matrix(block, rng):
    labels = rng.integers(K, size=N)
    expected = reference.block_value(block, reference.indicator(labels, K))
    assert block.value(as_partition(labels, K)) == pytest.approx(expected)


def test_half_gradient_equals_finite_differences(block, rng):
    G, step = rng.normal(size=(N, K)), 1e-5
    numeric = np.zeros_like(G)
    for i, j in np.ndindex(*G.shape):
        E = np.zeros_like(G)
        E[i, j] = step
        numeric[i, j] = (block.value(G + E) - block.value(G - E)) / (2 * step)
    assert_allclose(2 * block.half_gradient(G), numeric, atol=1e-7)


def test_forces_on_a_nonnegative_factor_are_nonnegative(block, rng):
    G = rng.random((N, K))
    assert (block.push(G) >= 0).all()
    assert (block.pull(G) >= 0).all()


def test_forces_do_not_change_the_block(block, rng):
    G = rng.random((N, K))
    first = block.half_gradient(G)
    assert_allclose(block.half_gradient(G), first, rtol=0)


def test_blocks_add(block, rng):
    other = BlockQuadratic(
        rng.normal(size=(N, K)), semidefinite(rng, K), path_laplacian(N), 1.0, block.partial
    )
    G = rng.normal(size=(N, K))
    for total in (block + other, other + block):
        assert total.value(G) == pytest.approx(block.value(G) + other.value(G))


def test_costs_are_what_each_row_adds(rng):
    rows = rng.permutation(N)[:4]
    partial = (RowGram(rows, semidefinite(rng, K)),)
    block = BlockQuadratic(rng.normal(size=(N, K)), semidefinite(rng, K), partial=partial)
    costs = block.costs()
    for _ in range(20):
        labels = rng.integers(K, size=N)
        value = block.value(as_partition(labels, K))
        assert costs[np.arange(N), labels].sum() == pytest.approx(value)


def test_memberships_do_not_depend_on_how_scale_is_split(rng):
    """G D with S D⁻¹ has the prototypes D⁻¹ B D⁻¹ and must have the same memberships."""
    G, B = rng.random((N, K)), semidefinite(rng, K)
    B_part, rows = semidefinite(rng, K), rng.permutation(N)[:4]
    D = np.diag(rng.uniform(0.1, 10, K))
    E = np.linalg.inv(D)

    def members(G, scale):
        partial = (RowGram(rows, scale @ B_part @ scale),)
        return memberships(G, BlockQuadratic(G, scale @ B @ scale, partial=partial))

    assert_allclose(members(G @ D, E), members(G, np.eye(K)))
    assert_allclose(members(G, np.eye(K)).sum(axis=1), 1)


def test_memberships_of_a_row_that_fits_nothing_are_uniform():
    M = memberships(np.zeros((1, K)), BlockQuadratic(np.zeros((1, K)), np.eye(K)))
    assert_allclose(M, 1 / K)
