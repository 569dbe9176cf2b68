"""ITCC: the loss is the divergence of the paper, the steps are its argmin."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.data.relational import bipartite
from cocluster.linalg.partitions import as_partition
from cocluster.methods.information.itcc import ITCC, InformationProblem, mutual_information
from cocluster.trifactor import State
from tests import reference
from tests.conftest import structured

SEEDS = (0,)

K, L = 3, 4


@pytest.fixture(params=["positive", "sparse counts"])
def X(request, rng):
    if request.param == "positive":
        return structured("dense", 0).relations[0].matrix + rng.random((36, 20))
    return reference.dense(structured("sparse", 0).relations[0].matrix)


@pytest.fixture
def labels(rng):
    return rng.permutation(np.arange(36) % K), rng.permutation(np.arange(20) % L)


def state_of(rows, columns):
    return State({"samples": as_partition(rows, K), "features": as_partition(columns, L)})


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_information_lost_is_the_divergence_from_the_model(X, labels, hold):
    problem = InformationProblem(bipartite(hold(X)))
    assert problem.objective(state_of(*labels)) == pytest.approx(reference.itcc_loss(X, *labels))


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_mutual_information_equals_the_double_sum(X, hold):
    p = X / X.sum()
    independent = np.outer(p.sum(axis=1), p.sum(axis=0))
    assert mutual_information(hold(X), X.sum()) == pytest.approx(reference.kl(p, independent))


def test_steps_are_those_of_the_paper(rng, labels):
    X = structured("dense", 0).relations[0].matrix + rng.random((36, 20))
    rows, columns = labels
    problem = InformationProblem(bipartite(X))
    state = state_of(rows, columns)
    for _ in range(3):
        rows = reference.itcc_row_step(X, rows, columns, K)
        state = problem.moved("samples", state)
        assert_array_equal(state.factors["samples"].labels, rows)
        columns = reference.itcc_row_step(X.T, columns, rows, L)
        state = problem.moved("features", state)
        assert_array_equal(state.factors["features"].labels, columns)


def test_association_is_the_joint_distribution_of_the_clusters(X):
    model = ITCC(K, L, random_state=0).fit(X)
    p = X / X.sum()
    G = reference.indicator(model.row_labels_, K)
    H = reference.indicator(model.column_labels_, L)
    assert_allclose(model.association_, G.T @ p @ H, atol=1e-12)
    assert model.association_.sum() == pytest.approx(1)


def test_every_object_its_own_cluster_loses_nothing(X):
    n, m = X.shape
    model = ITCC(n, m, init=(np.arange(n), np.arange(m))).fit(X)
    assert model.objective_ == pytest.approx(0, abs=1e-10)


def test_one_cluster_loses_everything(X):
    model = ITCC(1, 1, random_state=0).fit(X)
    assert model.objective_ == pytest.approx(mutual_information(X, X.sum()))


def test_the_scale_of_the_counts_does_not_matter(X):
    one, large = (ITCC(K, L, random_state=0).fit(scale * X) for scale in (1.0, 1e4))
    assert_array_equal(one.labels_, large.labels_)
    assert one.objective_ == pytest.approx(large.objective_)


def test_empty_clusters_are_refilled_and_no_information_is_lost(X):
    rows, columns = np.zeros(36, dtype=int), np.zeros(20, dtype=int)
    model = ITCC(K, L, init=(rows, columns)).fit(X)
    start = mutual_information(X, X.sum())
    assert set(model.row_labels_) == set(range(K))
    assert set(model.column_labels_) == set(range(L))
    assert (np.diff([start, *model.objective_history_]) <= 1e-12).all()


def test_no_step_leaves_the_best_of_all_labelings(rng):
    X = rng.random((5, 4))
    losses = {
        (tuple(rows), tuple(columns)): reference.itcc_loss(X, rows, columns)
        for rows in reference.all_labelings(5, 2)
        for columns in reference.all_labelings(4, 2)
    }
    best = min(losses, key=losses.__getitem__)
    model = ITCC(2, init=tuple(map(np.array, best))).fit(X)
    assert_array_equal(model.row_labels_, best[0])
    assert_array_equal(model.column_labels_, best[1])
    assert model.objective_ == pytest.approx(losses[best])


def test_with_sizes_the_objective_is_the_likelihood_of_a_mixture(rng, labels):
    """J N = -Σ_i log(π_k Π_j q_kj^x_ij) up to what no clustering of the samples changes."""
    X, (_, columns) = rng.poisson(1.0, (36, 20)).astype(float), labels
    problem = InformationProblem(bipartite(X), occurrence={"samples": 1.0})
    P = X @ reference.indicator(columns, L)

    def difference(rows):
        sums = reference.indicator(rows, K).T @ P
        profiles = sums / sums.sum(axis=1, keepdims=True)
        shares = np.bincount(rows, minlength=K) / len(rows)
        likelihood = (P * np.log(profiles)[rows]).sum() + np.log(shares)[rows].sum()
        return X.sum() * problem.objective(state_of(rows, columns)) + likelihood

    first, *others = (
        difference(rng.permutation(np.arange(36) % 9 % (K + 1) % K)) for _ in range(5)
    )
    assert_allclose(others, first)


def test_with_sizes_the_objective_never_rises_and_no_cluster_is_lost(rng, labels):
    X = rng.poisson(0.2, (36, 20)).astype(float)
    problem, state = (
        InformationProblem(bipartite(X), occurrence={"samples": 1.0}),
        state_of(*labels),
    )
    values = [problem.objective(state)]
    for _ in range(5):
        for name in ("samples", "features"):
            state = problem.moved(name, state)
            values.append(problem.objective(state))
            assert state.factors[name].sizes.all()
    assert np.diff(values).max() <= 1e-12
