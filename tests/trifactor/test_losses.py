"""Losses over known entries: equal to dense formulas, to brute force, and to complete data."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, bipartite
from cocluster.linalg.partitions import as_partition
from cocluster.trifactor import (
    FactorSpec,
    Free,
    Identity,
    Indicator,
    NonNegative,
    NonNegativeAssociation,
    Orthogonal,
    TriFactorProblem,
    Unconstrained,
    alternate,
    random_start,
    state_from,
)
from tests import reference
from tests.conftest import STRUCTURES, structured

K = 3
# The parts of FNMTF, NMTF and NMF.
METHODS = {
    "hard": (Indicator(), Free()),
    "three soft factors": (NonNegative(1.0), NonNegativeAssociation()),
    "two soft factors": (NonNegative(1.0), Identity()),
}
each_method = pytest.mark.parametrize("method", METHODS)


def masked(data: RelationalData, rng: np.random.Generator, share: float) -> RelationalData:
    """The data with a share of the entries of each relation known."""
    relations = []
    for relation in data.relations:
        mask = rng.random(relation.matrix.shape) < share
        relations.append(_with_mask(relation, mask))
    return replace(data, relations=tuple(relations))


def _with_mask(relation: Relation, mask: np.ndarray) -> Relation:
    """The relation with a mask, which is kept even if all is known."""
    values = reference.dense(relation.matrix) * mask
    observed = mask.astype(float)
    if sp.issparse(relation.matrix):
        observed = sp.csr_array(observed)
        values = sp.csr_array((values[mask], observed.indices, observed.indptr), shape=mask.shape)
    return relation.derive(matrix=values, observed=observed)


def problem_of(data: RelationalData, method: str) -> TriFactorProblem:
    constraint, association = METHODS[method]
    return TriFactorProblem(data, {n: FactorSpec(K, constraint) for n in data.types}, association)


@pytest.fixture(params=STRUCTURES)
def holey(request, seed, rng):
    """Relational data of every structure, half of it unknown."""
    return masked(structured(request.param, seed), rng, 0.5)


def error(data: RelationalData, state: object) -> float:
    return reference.squared_error(data, state.factors, state.associations)


@each_method
def test_objective_equals_the_dense_formula(holey, method, rng):
    problem = problem_of(holey, method)
    state = random_start(problem, rng)
    assert problem.objective(state) == pytest.approx(error(holey, state))
    for name in holey.types:
        state = problem.moved(name, state)
        assert problem.objective(state) == pytest.approx(error(holey, state))


@each_method
def test_a_block_is_the_objective_up_to_a_constant(holey, method, rng):
    problem = problem_of(holey, method)
    state = random_start(problem, rng)
    for name in holey.types:
        block, differences = problem.block(name, state), []
        for _ in range(3):
            G = METHODS[method][0].start(holey.size(name), K, rng)
            other = replace(state, factors={**state.factors, name: G})
            differences.append(error(holey, other) - block.value(G))
        assert_allclose(differences, differences[0])


@each_method
@pytest.mark.parametrize("share", [0.2, 0.7])
def test_the_objective_never_rises(method, share, seed, rng):
    for kind in ("dense", "sparse", "absent"):
        data = masked(structured(kind, seed), rng, share)
        problem = problem_of(data, method)
        run = alternate(problem, random_start(problem, rng), max_iter=30, tol=0)
        history = run.history
        assert (np.diff(history) <= 1e-9 * history[0]).all()


@each_method
def test_everything_known_is_the_same_as_no_mask(data, method, rng):
    """Every step from the same state; soft associations only differ in how they start."""
    whole, all_known = problem_of(data, method), problem_of(masked(data, rng, 1.1), method)
    state = random_start(whole, rng)
    twin = replace(state, products={}, known={})
    for _ in range(3):
        for name in data.types:
            state, twin = whole.moved(name, state), all_known.moved(name, twin)
            assert all_known.objective(twin) == pytest.approx(whole.objective(state))
    for name in data.types:
        if method == "hard":
            assert_array_equal(state.factors[name].labels, twin.factors[name].labels)
        else:
            assert_allclose(state.factors[name], twin.factors[name], rtol=1e-8)


def test_hard_runs_with_everything_known_are_those_without_a_mask(data, rng):
    labels = {name: rng.permutation(np.arange(data.size(name)) % K) for name in data.types}
    runs = []
    for given in (data, masked(data, rng, 1.1)):
        problem = problem_of(given, "hard")
        runs.append(alternate(problem, state_from(problem, labels), tol=0))
    assert_allclose(runs[0].history, runs[1].history)


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_a_hard_step_is_the_best_of_all_labelings(hold, rng):
    n, m, k = 5, 4, 2
    whole = Relation(hold(rng.normal(size=(n, m))), "r", "c")
    data = RelationalData((_with_mask(whole, rng.random((n, m)) < 0.6),))
    problem = TriFactorProblem(data, {name: FactorSpec(k, Indicator()) for name in data.types})
    state = random_start(problem, rng)
    for name, size in (("r", n), ("c", m)):
        block = problem.block(name, state)
        best = min(block.value(as_partition(z, k)) for z in reference.all_labelings(size, k))
        moved = Indicator().step(state.factors[name], block)
        assert block.value(moved) == pytest.approx(best)


def test_runs_from_all_starts_find_the_best_of_all_partitions(seed):
    """Brute force over the labelings of both sides of a tiny masked matrix."""
    rng = np.random.default_rng([seed, 2])
    n, m, k = 5, 4, 2
    X = np.where(rng.random((n, m)) < 0.7, rng.normal(size=(n, m)), np.nan)
    X[np.isnan(X).all(axis=1), 0] = 1.0
    data = bipartite(X)
    problem = TriFactorProblem(data, {name: FactorSpec(k, Indicator()) for name in data.types})
    losses, found = [], []
    for rows, columns in product(reference.all_labelings(n, k), reference.all_labelings(m, k)):
        S = reference.known_block_means(X, rows, columns, k, k)
        losses.append(np.nansum((X - S[rows][:, columns]) ** 2))
        start = {"samples": rows, "features": columns}
        found.append(alternate(problem, state_from(problem, start), max_iter=1, tol=0).objective)
    assert min(found) == pytest.approx(min(losses))


def test_a_sweep_of_nmtf_equals_its_dense_transcription(rng):
    data = masked(structured("dense", 0), rng, 0.5)
    (relation,) = data.relations
    problem = problem_of(data, "three soft factors")
    state = random_start(problem, rng)
    G, F = state.factors["samples"], state.factors["features"]
    for _ in range(3):
        expected = reference.nmtf_known_sweep(
            relation.matrix, relation.observed, G, state.associations[0], F
        )
        for name in data.types:
            state = problem.moved(name, state)
        G, F = state.factors["samples"], state.factors["features"]
        for actual, wanted in zip((G, state.associations[0], F), expected, strict=True):
            assert_allclose(actual, wanted, rtol=1e-9)


@each_method
def test_dense_and_sparse_masks_are_one(method, rng):
    dense = masked(structured("dense", 0), rng, 0.4)
    (relation,) = dense.relations
    pattern = sp.csr_array(relation.observed)
    values = relation.matrix[np.nonzero(relation.observed)]
    held = sp.csr_array((values, pattern.indices, pattern.indptr), shape=pattern.shape)
    sparse = replace(dense, relations=(replace(relation, matrix=held, observed=pattern),))
    histories = []
    for data in (dense, sparse):
        problem = problem_of(data, method)
        start = random_start(problem, np.random.default_rng(0))
        histories.append(alternate(problem, start, max_iter=10, tol=0).history)
    assert_allclose(*histories)


def test_a_fold_in_is_least_squares_over_the_known_entries(holey, rng):
    """No entry of the found factor can be changed for the better."""
    problem = problem_of(holey, "three soft factors")
    state = random_start(problem, rng)
    block = problem.data_block(holey.center, state)
    G = block.nonnegative_minimiser()
    gradient = block.half_gradient(G)
    assert (G >= 0).all()
    assert_allclose(gradient[G > 1e-9], 0, atol=1e-6)
    assert gradient.min() > -1e-6


def test_a_block_without_a_known_entry_is_at_the_mean():
    X = np.array([[1.0, np.nan], [np.nan, 4.0]])
    data = bipartite(X)
    problem = TriFactorProblem(data, {name: FactorSpec(2, Indicator()) for name in data.types})
    state = state_from(problem, {"samples": np.arange(2), "features": np.arange(2)})
    assert_allclose(state.associations[0], [[1, 2.5], [2.5, 4]])


@pytest.mark.parametrize("constraint", [Orthogonal(), Unconstrained()], ids=repr)
def test_factors_that_do_not_know_masks_refuse(constraint, rng):
    data = masked(structured("dense", 0), rng, 0.5)
    specs = {name: FactorSpec(K, constraint) for name in data.types}
    problem = TriFactorProblem(data, specs, Identity())
    with pytest.raises(ValueError, match="entr"):
        problem.moved("samples", random_start(problem, rng))


def test_free_associations_of_soft_factors_refuse(rng):
    data = masked(structured("dense", 0), rng, 0.5)
    specs = {name: FactorSpec(K, NonNegative()) for name in data.types}
    problem = TriFactorProblem(data, specs, Free())
    with pytest.raises(ValueError, match="Indicator factors; use NonNegativeAssociation"):
        problem.moved("samples", random_start(problem, rng))
