"""The loop: never rises, two products a sweep, stops when told or when nothing changes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.data.relational import bipartite
from cocluster.linalg.matrices import times
from cocluster.methods.information.itcc import InformationProblem
from cocluster.trifactor import (
    FactorSpec,
    Free,
    Identity,
    Indicator,
    NonNegative,
    NonNegativeAssociation,
    State,
    TriFactorProblem,
    alternate,
    random_start,
)
from cocluster.trifactor.solve import Problem
from tests.conftest import structured

K = 3
METHODS = {
    "FNMTF": (Indicator(), Free()),
    "NMTF": (NonNegative(1.0), NonNegativeAssociation()),
    "semi-NMTF": (NonNegative(), Free()),
    "NMF": (NonNegative(1.0), Identity()),
}


def problem_of(data, method):
    constraint, association = METHODS[method]
    factors = {name: FactorSpec(K, constraint) for name in data.types}
    return TriFactorProblem(data, factors, association)


def start_of(problem, data, rng):
    if isinstance(problem, InformationProblem):
        return State({name: Indicator().start(data.size(name), K, rng) for name in data.types})
    return random_start(problem, rng)


@pytest.fixture(params=[*METHODS, "ITCC"])
def problem(request, data):
    return InformationProblem(data) if request.param == "ITCC" else problem_of(data, request.param)


def test_history_never_rises_and_ends_at_the_objective(problem, data, rng):
    start = start_of(problem, data, rng)
    run = alternate(problem, start, max_iter=25, tol=0)
    history = np.array([problem.objective(start), *run.history])
    assert (np.diff(history) <= 1e-10 * history[0]).all()
    fresh = State(run.state.factors, run.state.associations)
    assert run.objective == pytest.approx(problem.objective(fresh), abs=1e-10 * history[0])


def test_a_sweep_takes_two_products_with_each_relation(problem, data, rng, monkeypatch):
    counts: Counter[tuple[int, ...]] = Counter()
    shapes = {tuple(sorted(r.matrix.shape)) for r in data.relations}
    assert len(shapes) == len(data.relations)

    def counting(R, G):
        counts[tuple(sorted(R.shape))] += 1
        return times(R, G)

    monkeypatch.setattr("cocluster.trifactor.products.times", counting)
    start = start_of(problem, data, rng)
    problem.objective(start)
    after = [counts.copy()]
    alternate(
        problem, start, max_iter=5, tol=0, callback=lambda _: after.append(counts.copy()) and None
    )
    assert set(after[-1]) == shapes
    for before, now in pairwise(after):
        assert max((now - before).values()) <= 2


def test_callback_sees_every_sweep_and_stops(problem, data, rng):
    seen = []

    def callback(progress):
        seen.append(progress)
        return progress.sweep == 2

    run = alternate(problem, start_of(problem, data, rng), tol=0, callback=callback)
    assert [p.sweep for p in seen] == [1, 2]
    assert_array_equal([p.objective for p in seen], run.history)
    assert not run.converged


def test_callback_that_returns_nothing_changes_nothing(problem, data, rng):
    start = start_of(problem, data, rng)
    plain = alternate(problem, start, max_iter=6)
    watched = alternate(problem, start, max_iter=6, callback=lambda progress: None)
    assert_array_equal(plain.history, watched.history)


def test_a_run_can_be_continued(problem, data, rng):
    start = start_of(problem, data, rng)
    whole = alternate(problem, start, max_iter=6, tol=0)
    half = alternate(problem, start, max_iter=3, tol=0)
    fresh = State(half.state.factors, half.state.associations)
    rest = alternate(problem, fresh, max_iter=3, tol=0)
    together = np.concatenate([half.history, rest.history])[: len(whole.history)]
    scale = problem.objective(start)
    assert_allclose(together, whole.history, atol=1e-10 * scale)


@dataclass(frozen=True)
class Lifted:
    """A problem whose objective has a part that no step changes."""

    problem: Problem
    constant: float

    def moved(self, name, state):
        return self.problem.moved(name, state)

    def objective(self, state):
        return self.constant + self.problem.objective(state)


def test_a_constant_part_does_not_make_a_run_shorter(data, rng):
    problem = problem_of(data, "semi-NMTF")
    start = start_of(problem, data, rng)
    plain = alternate(problem, start, tol=1e-3)
    assert 1 < len(plain.history) < 200
    lifted = alternate(Lifted(problem, 1e3 * problem.objective(start)), start, tol=1e-3)
    assert len(lifted.history) == len(plain.history)


def test_the_start_is_not_changed(problem, data, rng):
    start = start_of(problem, data, rng)
    copies = {name: np.array(getattr(G, "labels", G)) for name, G in start.factors.items()}
    alternate(problem, start, max_iter=3)
    for name, G in start.factors.items():
        assert_array_equal(getattr(G, "labels", G), copies[name])


@pytest.mark.parametrize("method", ["FNMTF", "ITCC"])
def test_hard_runs_end_where_one_more_sweep_changes_nothing(method, data, rng):
    problem = InformationProblem(data) if method == "ITCC" else problem_of(data, method)
    run = alternate(problem, start_of(problem, data, rng), tol=0)
    assert run.converged
    state = State(run.state.factors, run.state.associations)
    for name in data.types:
        state = problem.moved(name, state)
        assert_array_equal(state.factors[name].labels, run.state.factors[name].labels)


def test_a_loose_tolerance_stops_early(data, rng):
    problem = problem_of(data, "NMTF")
    start = random_start(problem, rng)
    loose, tight = (alternate(problem, start, tol=tol) for tol in (1e-2, 1e-4))
    assert loose.converged
    assert len(loose.history) < len(tight.history)
    first = problem.objective(start)
    drops = -np.diff([first, *tight.history])
    assert (drops[:-1] > 1e-4 * tight.history[:-1]).all()


@pytest.mark.parametrize("method", METHODS)
def test_transposed_data_with_the_same_order_of_updates_give_the_same_run(method, rng):
    X = structured("dense", 0).relations[0].matrix
    X = X + rng.random(X.shape)  # no ties
    data, turned = bipartite(X, "a", "b"), bipartite(X.T, "b", "a")
    constraint, association = METHODS[method]
    factors = {name: FactorSpec(K, constraint) for name in ("a", "b")}
    problem = TriFactorProblem(data, factors, association)
    twin = TriFactorProblem(turned, factors, association)
    start = random_start(problem, rng)
    run = alternate(problem, start, max_iter=20, tol=0)
    twin_run = alternate(twin, twin.state(start.factors), max_iter=20, tol=0)
    assert_allclose(twin_run.history, run.history, rtol=1e-8)
    assert_allclose(twin_run.state.associations[0].T, run.state.associations[0], rtol=1e-6)
