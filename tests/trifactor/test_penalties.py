"""Laws of every penalty, and the inner problems of two of them."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.data.relational import bipartite
from cocluster.graphs import knn_graph, laplacian
from cocluster.linalg.partitions import Partition, as_array
from cocluster.trifactor import (
    FactorSpec,
    GraphEnsemble,
    Indicator,
    NonNegative,
    PairTerms,
    Prior,
    SpectralAnchor,
    TriFactorProblem,
    alternate,
    random_start,
    simplex_weights,
)
from cocluster.trifactor.penalties import prepared
from tests.reference import block_value
from tests.reference_rmc import entropic_mirror_descent

N, K = 15, 3


def candidates(rng):
    """Laplacians of three neighbour graphs of random points."""
    X = rng.normal(size=(N, 4))
    return {str(p): laplacian(knn_graph(X, p), normalized=True) for p in (2, 4, 7)}


PENALTIES = {
    "smoothness": lambda rng: PairTerms(2.0 * candidates(rng)["4"]),
    "dense smoothness": lambda rng: PairTerms(candidates(rng)["4"].toarray()),
    "ensemble": lambda rng: GraphEnsemble(candidates(rng), 3.0, 0.1),
    "ensemble of one": lambda rng: GraphEnsemble({"only": candidates(rng)["2"]}, 3.0, 0.5),
    "ensemble without spread": lambda rng: GraphEnsemble(candidates(rng), 3.0, 0.0),
    "prior": lambda rng: Prior(rng.exponential(size=(N, K))),
    "anchor": lambda rng: SpectralAnchor(rng.normal(size=(N, K)), 0.7),
    "anchor of low rank": lambda rng: SpectralAnchor(
        np.outer(rng.normal(size=N), rng.normal(size=K)), 2.0
    ),
}
FACTORS = {
    "real": lambda rng: rng.uniform(0, 2, size=(N, K)),
    "hard": lambda rng: Partition(rng.integers(K, size=N).astype(np.int32), K),
    "empty cluster": lambda rng: Partition(np.zeros(N, dtype=np.int32), K),
}
every_factor = pytest.mark.parametrize("factor", FACTORS)


@every_factor
@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_majorizer_touches_the_penalty_and_lies_nowhere_below(penalty, factor, rng):
    term, draw = PENALTIES[penalty](rng), FACTORS[factor]
    G = draw(rng)
    touching = term.majorizer(G)
    scale = abs(term.value(G)) + 1
    assert touching.value(G) == pytest.approx(term.value(G), abs=1e-10 * scale)
    for _ in range(70):  # times three seeds
        other = draw(rng)
        assert touching.value(other) >= term.value(other) - 1e-10 * scale


@every_factor
@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_majorizer_is_the_quadratic_it_says(penalty, factor, rng):
    block, G = PENALTIES[penalty](rng).majorizer(FACTORS[factor](rng)), FACTORS[factor](rng)
    assert block.value(G) == pytest.approx(block_value(block, as_array(G)))


@pytest.mark.parametrize("constraint", [NonNegative(), Indicator()], ids=["soft", "hard"])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_sweeps_never_raise_the_objective(penalty, constraint, rng):
    specs = {
        "samples": FactorSpec(K, constraint, (PENALTIES[penalty](rng),)),
        "features": FactorSpec(K, constraint),
    }
    problem = TriFactorProblem(bipartite(rng.random((N, 6))), specs)
    history = alternate(problem, random_start(problem, rng), max_iter=20, tol=0).history
    assert len(history) > 1
    assert (np.diff(history) <= 1e-10 * (abs(history[0]) + 1)).all()


@pytest.mark.parametrize("spread", [0.01, 0.1, 1.0, 100.0])
def test_weights_beat_a_grid_of_the_simplex(spread, rng):
    s = rng.uniform(0, 2, size=3)
    mu = simplex_weights(s, spread)
    assert (mu >= 0).all()
    assert mu.sum() == pytest.approx(1)
    steps = np.arange(51) / 50
    grid = np.array([(a, b, 1 - a - b) for a, b in product(steps, steps) if a + b <= 1])
    values = grid @ s + spread * np.sum(grid**2, axis=1)
    assert mu @ s + spread * mu @ mu <= values.min() + 1e-12


@pytest.mark.parametrize("q", [1, 2, 11, 200])
def test_weights_satisfy_the_optimality_conditions(q, rng):
    """Gradients are equal where the weight is positive, and no smaller elsewhere."""
    s, spread = rng.exponential(size=q), 0.1
    mu = simplex_weights(s, spread)
    gradient = s + 2 * spread * mu
    assert_allclose(gradient[mu > 0], gradient.min())


def test_mirror_descent_converges_to_the_projection(rng):
    s, spread = rng.uniform(0, 1, size=11), 0.1

    def value(mu):
        return mu @ s + spread * mu @ mu

    best = value(simplex_weights(s, spread))
    gaps = [value(entropic_mirror_descent(s, spread, n)) - best for n in (10, 1000, 20000)]
    assert gaps[0] > gaps[1] > gaps[2] >= -1e-12
    assert gaps[2] < 0.01 * (value(np.full(11, 1 / 11)) - best)


def test_without_spread_the_smoothest_graph_takes_all_and_with_much_all_are_equal():
    s = np.array([0.3, 0.1, 0.2])
    assert_array_equal(simplex_weights(s, 0.0), [0, 1, 0])
    assert_allclose(simplex_weights(s, 1e9), 1 / 3)
    assert simplex_weights(s, 0.1).argmax() == 1


def test_an_ensemble_of_equal_graphs_is_one_graph(rng):
    L = candidates(rng)["4"]
    G = FACTORS["real"](rng)
    many = GraphEnsemble({"a": L, "b": L}, 2.0, 0.0)
    assert many.value(G) == pytest.approx(PairTerms(2.0 * L).value(G))


def test_the_anchor_takes_the_best_of_all_rotations(rng):
    """In the plane every orthogonal matrix is a rotation or a reflection by one angle."""
    B, G = rng.normal(size=(N, 2)), rng.normal(size=(N, 2))
    angles = np.linspace(0, 2 * np.pi, 2000)
    best = np.inf
    for sign in (1, -1):
        for a in angles:
            Q = np.array([[np.cos(a), -sign * np.sin(a)], [np.sin(a), sign * np.cos(a)]])
            best = min(best, np.sum((G - B @ Q) ** 2))
    value = SpectralAnchor(B, 1.0).value(G)
    assert value <= best
    assert value == pytest.approx(best, rel=1e-4)


def test_the_anchor_of_a_rotated_factor_is_zero(rng):
    Q = np.linalg.qr(rng.normal(size=(K, K)))[0]
    G = rng.normal(size=(N, K))
    assert SpectralAnchor(G @ Q, 3.0).value(G) == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("penalty", ["smoothness", "ensemble", "anchor"])
def test_precision_of_the_factor_is_kept(penalty, rng):
    term = PENALTIES[penalty](rng)
    if isinstance(term, SpectralAnchor):
        term = SpectralAnchor(term.basis.astype(np.float32), term.strength)
    block = term.majorizer(FACTORS["real"](rng).astype(np.float32))
    assert block.linear.dtype == np.float32


def test_laplacians_stay_sparse(rng):
    block = GraphEnsemble(candidates(rng), 1.0, 0.1).majorizer(FACTORS["real"](rng))
    assert sp.issparse(block.laplacian)


def test_a_matrix_changed_in_place_between_two_runs_counts_as_it_is_now(rng):
    """Parts of the matrix were once kept on the caller's object, and the second run saw the old."""
    L = sp.csr_array(2.0 * candidates(rng)["4"])
    data = bipartite(rng.random((N, 6)))

    def objective(matrix: sp.csr_array) -> float:
        specs = {"samples": FactorSpec(K, NonNegative(), (PairTerms(matrix),))}
        problem = TriFactorProblem(data, {**specs, "features": FactorSpec(K, NonNegative())})
        start = random_start(problem, np.random.default_rng(0))
        return alternate(problem, start, max_iter=5).objective

    objective(L)
    before = len(pickle.dumps(L))
    L.data *= 10.0
    assert objective(L) == objective(L.copy())
    assert len(pickle.dumps(L)) == before


def test_a_penalty_used_twice_looks_at_its_matrices_anew(rng):
    matrices = {name: sp.csr_array(L) for name, L in candidates(rng).items()}
    G = rng.random((N, K))
    for penalty in (PairTerms(matrices["4"]), GraphEnsemble(matrices, 2.0, 1.0)):
        before = prepared(penalty).value(G)
        for L in matrices.values():
            L.data *= 2.0
        assert prepared(penalty).value(G) > before
