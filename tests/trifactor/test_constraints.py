"""Every constraint stays in its set, never raises its block, and stops where it should."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.linalg.partitions import Partition, as_array, as_partition
from cocluster.trifactor import (
    BlockQuadratic,
    Constraint,
    Indicator,
    NonNegative,
    Orthogonal,
    Unconstrained,
)
from cocluster.trifactor.block import RowGram
from tests import reference

N, K = 12, 3
ROUNDING = 1e-9
CONSTRAINTS = [NonNegative(), NonNegative(exponent=1.0), Orthogonal(), Unconstrained(), Indicator()]
# What each takes besides a plain signed block.
CASES = [
    *((c, "plain") for c in CONSTRAINTS if not isinstance(c, Orthogonal)),
    *((NonNegative(), kind) for kind in ("graph", "sparse graph", "partial")),
    *((Indicator(), kind) for kind in ("sparse graph", "partial")),
]


def signed_gram(rng: np.random.Generator) -> np.ndarray:
    M = rng.normal(size=(K, K))
    return M @ M.T


def random_block(rng: np.random.Generator, kind: str = "plain") -> BlockQuadratic:
    """A signed block of one of several kinds."""
    laplacian, partial = None, ()
    if "graph" in kind:
        W = rng.random((N, N)) * (rng.random((N, N)) < 0.3)
        W += W.T
        laplacian = rng.choice([0.1, 10.0]) * (np.diag(W.sum(axis=0)) - W)
        laplacian = sp.csr_array(laplacian) if "sparse" in kind else laplacian
    if kind == "partial":
        partial = (RowGram(rng.permutation(N)[:5], signed_gram(rng)),)
    return BlockQuadratic(rng.normal(size=(N, K)), signed_gram(rng), laplacian, 0.0, partial)


def in_set(constraint: Constraint, G: np.ndarray | Partition) -> bool:
    """Whether G may be a factor under the constraint."""
    if isinstance(constraint, Indicator):
        return isinstance(G, Partition) and set(G.labels) <= set(range(K))
    sign = isinstance(constraint, Unconstrained) or (G >= 0).all()
    return bool(np.isfinite(G).all() and sign)


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=repr)
def test_starts_and_steps_stay_in_the_set(constraint, rng):
    labels = rng.integers(K, size=N)
    for G in (constraint.start(N, K, rng), constraint.given(labels, K)):
        assert G.shape == (N, K)
        assert in_set(constraint, G)
        assert in_set(constraint, constraint.step(G, random_block(rng)))


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=repr)
def test_a_start_from_labels_stands_for_them(constraint, rng):
    labels = rng.integers(K, size=N)
    assert_array_equal(as_array(constraint.given(labels, K)).argmax(axis=1), labels)


@pytest.mark.parametrize(("constraint", "kind"), CASES, ids=str)
def test_a_step_never_raises_the_block(constraint, kind, rng):
    for _ in range(60):
        block, G = random_block(rng, kind), constraint.start(N, K, rng)
        for _ in range(5):
            before, G = block.value(G), constraint.step(G, block)
            assert block.value(G) <= before + ROUNDING * (1 + abs(before))


@pytest.mark.parametrize(("constraint", "kind"), CASES, ids=str)
def test_a_step_near_the_optimum_never_raises_the_block(constraint, kind, rng):
    block, G = random_block(rng, kind), constraint.start(N, K, rng)
    for _ in range(300):
        G = constraint.step(G, block)
    if not isinstance(G, Partition):
        G = G * rng.uniform(0.99, 1.01, size=G.shape)
    before = block.value(G)
    assert block.value(constraint.step(G, block)) <= before + ROUNDING * (1 + abs(before))


def test_orthogonal_step_lowers_the_block_of_nonnegative_data_or_raises_it_little(rng):
    """The block of nearly orthogonal G: B is diagonal when S and the other factor are."""
    for _ in range(50):
        G = as_partition(rng.permutation(np.arange(N) % K), K).dense() + 0.01
        G /= np.linalg.norm(G, axis=0)
        block = BlockQuadratic(G + 0.1 * rng.random((N, K)), np.eye(K), constant=float(K))
        before = block.value(G)
        assert block.value(Orthogonal().step(G, block)) <= before + 1e-3 * abs(before)


@pytest.mark.parametrize("kind", ["plain", "graph", "partial"])
@pytest.mark.parametrize("exponent", [0.5, 1.0])
def test_a_fixed_point_of_the_multiplicative_step_is_stationary(kind, exponent, rng):
    constraint, block = NonNegative(exponent), random_block(rng, kind)
    G = constraint.start(N, K, rng)
    first = block.kkt_residual(G)
    for _ in range(3000):
        G = constraint.step(G, block)
    assert block.kkt_residual(G) <= 1e-5 * first
    assert block.half_gradient(G)[G < 1e-6].min(initial=0) >= -1e-5 * first


def test_unconstrained_step_has_no_gradient(rng):
    for _ in range(20):
        block = random_block(rng)
        G = Unconstrained().step(np.zeros((N, K)), block)
        assert_allclose(block.half_gradient(G), 0, atol=1e-8)


@pytest.mark.parametrize("kind", ["plain", "partial"])
def test_indicator_step_is_the_best_of_all_labelings(kind, rng):
    n = 6
    block = BlockQuadratic(rng.normal(size=(n, K)), signed_gram(rng))
    if kind == "partial":
        rows = rng.permutation(n)[:4]
        block += BlockQuadratic(
            np.zeros((n, K)), np.zeros((K, K)), partial=(RowGram(rows, signed_gram(rng)),)
        )
    values = {
        tuple(labels): reference.block_value(block, reference.indicator(labels, K))
        for labels in reference.all_labelings(n, K)
    }
    step = Indicator().step(Indicator().start(n, K, rng), block)
    assert block.value(step) == pytest.approx(min(values.values()))
    assert tuple(step.labels) == min(values, key=values.__getitem__)


def test_indicator_leaves_ties_where_they_are(rng):
    block = BlockQuadratic(np.zeros((N, K)), np.eye(K))
    G = Indicator().start(N, K, rng)
    assert_array_equal(Indicator().step(G, block).labels, G.labels)


def test_indicator_starts_use_every_cluster(rng):
    assert Indicator().start(N, N, rng).sizes.all()


@pytest.mark.parametrize("constraint", [NonNegative(), NonNegative(1.0), Orthogonal()], ids=repr)
def test_multiplicative_steps_keep_single_precision(constraint, rng):
    block = BlockQuadratic(rng.random((N, K)).astype(np.float32), np.eye(K))
    G = constraint.start(N, K, rng).astype(np.float32)
    assert constraint.step(G, block).dtype == np.float32


def test_unconstrained_steps_keep_single_precision(rng):
    block = BlockQuadratic(rng.random((N, K)).astype(np.float32), np.eye(K))
    G = Unconstrained().step(np.zeros((N, K), np.float32), block)
    assert G.dtype == np.float32


@pytest.mark.parametrize(
    ("constraint", "kind", "remedy"),
    [
        (Orthogonal(), "partial", "NonNegative"),
        (Unconstrained(), "graph", "NonNegative"),
        (Unconstrained(), "partial", "NonNegative"),
    ],
    ids=str,
)
def test_what_a_rule_cannot_take_is_refused_with_the_remedy(constraint, kind, remedy, rng):
    with pytest.raises(ValueError, match=remedy):
        constraint.step(constraint.start(N, K, rng), random_block(rng, kind))
