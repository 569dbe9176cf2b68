"""FNMTF: its steps are Eq. (6) and (8), it ends in a local optimum, empty clusters are refilled."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.data.relational import bipartite
from cocluster.methods.factorization.fnmtf import FNMTF
from cocluster.trifactor import FactorSpec, Free, Indicator, TriFactorProblem, state_from
from tests import reference
from tests.conftest import structured

SEEDS = (0,)

K, L = 3, 4


@pytest.fixture
def X(rng):
    return structured("dense", 0).relations[0].matrix + rng.random((36, 20))


@pytest.fixture
def start(rng):
    return rng.permutation(np.arange(36) % K), rng.permutation(np.arange(20) % L)


def test_a_sweep_equals_the_equations_of_the_paper(X, start):
    rows, columns = start
    specs = {"samples": FactorSpec(K, Indicator()), "features": FactorSpec(L, Indicator())}
    problem = TriFactorProblem(bipartite(X), specs, Free())
    state = state_from(problem, {"samples": rows, "features": columns})
    S = reference.block_means(X, rows, columns, K, L)
    assert_allclose(state.associations[0], S, atol=1e-12)
    for _ in range(3):
        rows = reference.fnmtf_row_step(X, columns, S)
        state = problem.moved("samples", state)
        assert_array_equal(state.factors["samples"].labels, rows)
        S = reference.block_means(X, rows, columns, K, L)
        columns = reference.fnmtf_row_step(X.T, rows, S.T)
        state = problem.moved("features", state)
        assert_array_equal(state.factors["features"].labels, columns)
        S = reference.block_means(X, rows, columns, K, L)
        assert_allclose(state.associations[0], S, atol=1e-12)


def test_the_end_is_a_local_optimum(X, start):
    """With tol=0 no row or column is nearer to another prototype."""
    model = FNMTF(K, L, normalize=None, init=start).fit(X)
    assert model.converged_
    S = reference.block_means(X, model.row_labels_, model.column_labels_, K, L)
    assert_allclose(model.association_, S, atol=1e-12)
    assert_array_equal(reference.fnmtf_row_step(X, model.column_labels_, S), model.row_labels_)
    assert_array_equal(reference.fnmtf_row_step(X.T, model.row_labels_, S.T), model.column_labels_)
    residual = X - S[np.ix_(model.row_labels_, model.column_labels_)]
    assert model.objective_ == pytest.approx(np.sum(residual**2))


def test_no_step_leaves_the_best_of_all_labelings(rng):
    X, errors = rng.normal(size=(5, 4)), {}
    for rows in reference.all_labelings(5, 2):
        for columns in reference.all_labelings(4, 2):
            S = reference.block_means(X, rows, columns, 2, 2)
            errors[tuple(rows), tuple(columns)] = np.sum((X - S[np.ix_(rows, columns)]) ** 2)
    best = min(errors, key=errors.__getitem__)
    model = FNMTF(2, normalize=None, init=tuple(map(np.array, best))).fit(X)
    assert_array_equal(model.row_labels_, best[0])
    assert_array_equal(model.column_labels_, best[1])
    assert model.objective_ == pytest.approx(errors[best])


def test_empty_clusters_are_refilled_and_the_objective_falls(X):
    rows, columns = np.zeros(36, dtype=int), np.zeros(20, dtype=int)
    model = FNMTF(K, L, normalize=None, init=(rows, columns)).fit(X)
    assert set(model.row_labels_) == set(range(K))
    assert set(model.column_labels_) == set(range(L))
    total = np.sum((X - X.mean()) ** 2)
    assert (np.diff([total, *model.objective_history_]) <= 1e-9 * total).all()


def test_duplicate_rows_leave_clusters_empty_or_alone_but_never_fail():
    X = np.repeat([[1.0, 2.0, 7.0], [5.0, 1.0, 0.0]], 4, axis=0)
    model = FNMTF(4, 2, normalize=None, init="random", random_state=0).fit(X)
    assert (np.diff(model.objective_history_) <= 1e-12).all()
    assert set(model.labels_) <= set(range(4))


def test_factors_are_memberships(X):
    model = FNMTF(K, L, random_state=0).fit(X)
    assert_array_equal(model.row_factor_, reference.indicator(model.row_labels_, K))
    assert_array_equal(model.column_factor_, reference.indicator(model.column_labels_, L))
