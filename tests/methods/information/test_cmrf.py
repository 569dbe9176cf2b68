"""CMRF: every single move keeps information, and the labels found are ITCC's fixed points too."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.linalg.partitions import as_partition
from cocluster.links import Links
from cocluster.methods.information.cmrf import CMRF, SequentialProblem, sequential_pass
from cocluster.methods.information.itcc import ITCC
from cocluster.trifactor import State
from tests import reference
from tests.conftest import structured

K = 3


def random_state(data, rng):
    """Random labels of every type."""
    labels = {name: rng.permutation(np.arange(data.size(name)) % K) for name in data.types}
    return State({name: as_partition(z, K) for name, z in labels.items()})


def with_label(problem, state, name, i, label):
    """The state with one object elsewhere."""
    labels = state.factors[name].labels.copy()
    labels[i] = label
    return problem.replaced(state, name, as_partition(labels, K))


def some_links(n, rng):
    truth = rng.integers(K, size=n)
    return Links.from_labels(truth, fraction=0.1, how="pairs", random_state=0)


def test_profiles_hold_the_information_kept_up_to_a_constant(data, rng):
    problem = SequentialProblem(data)
    state = random_state(data, rng)
    for name in data.types:
        Q, weights = problem.profiles(name, state)
        kept = []
        for _ in range(3):
            labels = rng.permutation(state.factors[name].labels)
            C = reference.indicator(labels, K).T @ Q
            value = sum(w * c * np.log(c) for row in C for w, c in zip(weights, row, strict=True))
            moved = problem.replaced(state, name, as_partition(labels, K))
            kept.append(value + problem.objective(moved))
        assert_allclose(kept, kept[0])


@pytest.mark.parametrize("linked", [False, True])
def test_each_move_is_the_best_of_all_clusters(linked, rng):
    """The pass, replayed move by move with the objective evaluated from scratch."""
    data = structured("star", 0, n=12)
    links = Links.from_pairs([], [[0, 1], [1, 2], [3, 4]], n_samples=12) if linked else None
    problem = SequentialProblem(data, {"samples": links} if linked else {})
    state = random_state(data, rng)
    found = problem.moved("samples", state)
    Q, _ = problem.profiles("samples", state)
    for i in np.argsort(Q.sum(axis=1), kind="stable"):
        options = [with_label(problem, state, "samples", i, label) for label in range(K)]
        losses = [problem.objective(option) for option in options]
        before = problem.objective(state)
        state = options[int(np.argmin(losses))] if min(losses) < before - 1e-12 else state
        assert problem.objective(state) <= before
    assert_array_equal(found.factors["samples"].labels, state.factors["samples"].labels)


@pytest.mark.parametrize("linked", [False, True])
def test_no_step_of_any_type_raises_the_loss(data, linked, rng):
    links = {name: some_links(data.size(name), rng) for name in data.types} if linked else {}
    problem = SequentialProblem(data, links)
    state = random_state(data, rng)
    for name, ties in problem.ties.items():
        agreed = ties.agreed(state.factors[name].labels, K)
        state = problem.replaced(state, name, as_partition(agreed, K))
    loss = problem.objective(state)
    for name in data.types * 3:
        state = problem.moved(name, state)
        assert problem.objective(state) <= loss + 1e-12
        loss = problem.objective(state)


def test_where_no_move_helps_itcc_does_not_move_either(data):
    model = CMRF(K, random_state=0).fit(data)
    assert model.converged_
    again = ITCC(K, init=model.labels_by_type_).fit(data)
    assert again.n_iter_ == 1
    for name in data.types:
        assert_array_equal(again.labels_by_type_[name], model.labels_by_type_[name])


def test_moves_start_where_itcc_ends_and_lose_no_more(data):
    coarse = ITCC(K, random_state=0).fit(data)
    fine = CMRF(K, init=coarse.labels_by_type_).fit(data)
    assert fine.objective_ <= coarse.objective_ + 1e-12


def test_the_best_of_all_labelings_is_never_left_and_no_single_move_improves_a_fit(rng):
    X = rng.random((5, 4))
    losses = {
        (tuple(rows), tuple(columns)): reference.itcc_loss(X, rows, columns)
        for rows in reference.all_labelings(5, 2)
        for columns in reference.all_labelings(4, 2)
    }
    best = min(losses, key=losses.__getitem__)
    stays = CMRF(2, init=tuple(map(np.array, best))).fit(X)
    assert_array_equal(stays.row_labels_, best[0])
    assert_array_equal(stays.column_labels_, best[1])
    found = CMRF(2, init="random", random_state=0).fit(X)
    assert found.objective_ >= losses[best] - 1e-12
    labels = np.concatenate([found.row_labels_, found.column_labels_])
    for i in range(len(labels)):
        other = np.where(np.arange(len(labels)) == i, 1 - labels, labels)
        assert losses[tuple(other[:5]), tuple(other[5:])] >= found.objective_ - 1e-11


def test_the_pass_settles_where_no_gain_is_left(rng):
    Q = rng.random((20, 4))
    weights = np.array([1.0, 1.0, 1.0, 0.0])
    G = as_partition(np.arange(20) % K, K)
    for _ in range(50):
        before, G = G, sequential_pass(Q, weights, G)
    assert_array_equal(before.labels, G.labels)


def test_must_links_hold_and_cannot_links_cost(planted, rng):
    truth = planted.row_labels
    links = Links.from_labels(truth, fraction=0.1, how="pairs", random_state=0)
    model = CMRF(K, random_state=0).fit(sp.csr_array(planted.X), links=links)
    assert model.links_report_["samples"].n_violated == 0
    apart = Links.from_pairs([], [[0, np.flatnonzero(truth == truth[0])[1]]], n_samples=len(truth))
    free, held = (CMRF(K, random_state=0).fit(planted.X, links=own) for own in (None, apart))
    assert held.objective_ >= free.objective_


def test_empty_clusters_are_filled(planted):
    one = np.zeros(len(planted.X), dtype=int), np.zeros(planted.X.shape[1], dtype=int)
    same = np.ones((6, 4))
    for X, start in ((planted.X, one), (same, (one[0][:6], one[1][:4]))):
        model = CMRF(K, init=start).fit(X)
        assert set(model.row_labels_) == set(model.column_labels_) == set(range(K))


def test_a_relation_of_a_type_with_itself_is_refused():
    data = RelationalData((Relation(np.ones((4, 4)), "samples", "samples"),))
    with pytest.raises(ValueError, match="between different types"):
        CMRF(2).fit(data)
