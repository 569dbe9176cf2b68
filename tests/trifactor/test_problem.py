"""Blocks and objectives from products equal the dense formulas, absent rows left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster import SemiNMF
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.linalg.partitions import Partition, as_array
from cocluster.trifactor import (
    BlockQuadratic,
    FactorSpec,
    Free,
    Identity,
    Indicator,
    NonNegative,
    NonNegativeAssociation,
    PairTerms,
    State,
    TriFactorProblem,
    alternate,
    random_start,
    state_from,
)
from tests import reference
from tests.conftest import structured

K = 3
CONSTRAINTS = [NonNegative(), Indicator()]


@dataclass(frozen=True)
class Ridge:
    """strength · ‖G - target‖², a penalty that is its own majorizer."""

    strength: float
    target: float

    def value(self, G):
        return self.strength * float(np.sum((as_array(G) - self.target) ** 2))

    def majorizer(self, G):
        n, k = G.shape
        A = np.full((n, k), self.strength * self.target)
        return BlockQuadratic(A, self.strength * np.eye(k), constant=self.value(np.zeros((n, k))))


def problem_of(data, constraint, association=None, **spec):
    factors = {name: FactorSpec(K, constraint, **spec) for name in data.types}
    return TriFactorProblem(data, factors, association or Free())


def objective(state, data):
    return reference.squared_error(data, state.factors, state.associations)


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=repr)
@pytest.mark.parametrize("association", [Free(), NonNegativeAssociation(), Identity()], ids=repr)
def test_objective_from_products_equals_the_dense_formula(data, constraint, association, rng):
    problem = problem_of(data, constraint, association)
    state = random_start(problem, rng)
    assert problem.objective(state) == pytest.approx(objective(state, data))
    for name in data.types:
        state = problem.moved(name, state)
        assert problem.objective(state) == pytest.approx(objective(state, data))


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=repr)
def test_a_block_is_the_objective_up_to_a_constant(data, constraint, rng):
    problem = problem_of(data, constraint)
    state = random_start(problem, rng)
    for name in data.types:
        block, differences = problem.block(name, state), []
        for _ in range(3):
            G = constraint.start(data.size(name), K, rng)
            other = replace(state, factors={**state.factors, name: G})
            differences.append(objective(other, data) - block.value(G))
        assert_allclose(differences, differences[0])


def test_penalties_are_part_of_block_and_objective(rng):
    data = structured("star", 0)
    problem = problem_of(data, NonNegative(), penalties=(Ridge(2.0, 1.0), Ridge(0.5, 0.0)))
    state = random_start(problem, rng)
    penalty = sum(
        Ridge(2.0, 1.0).value(G) + Ridge(0.5, 0.0).value(G) for G in state.factors.values()
    )
    assert problem.objective(state) == pytest.approx(objective(state, data) + penalty)
    G = state.factors["samples"]
    plain = problem.data_block("samples", state).value(G)
    own = Ridge(2.0, 1.0).value(G) + Ridge(0.5, 0.0).value(G)
    assert problem.block("samples", state).value(G) == pytest.approx(plain + own)


def test_the_objective_of_a_state_is_computed_once_and_not_handed_on(rng):
    """A sweep of factors with unit columns compares each state before and after every step."""
    data = structured("star", 0)
    L = {name: sp.eye_array(data.size(name), format="csr") for name in data.types}
    factors = {
        name: FactorSpec(K, NonNegative(), (PairTerms(L[name]),), unit_columns=True)
        for name in data.types
    }
    judged: list[State] = []

    class Watched(TriFactorProblem):
        def _objective(self, state: State) -> float:
            judged.append(state)
            return super()._objective(state)

    problem, plain = Watched(data, factors), TriFactorProblem(data, factors)
    run = alternate(problem, random_start(problem, rng), max_iter=3, tol=0)
    assert len({id(state) for state in judged}) == len(judged) >= 3 * len(data.types)
    assert run.objective == plain.objective(run.state)
    changed = replace(run.state, associations=tuple(2 * S for S in run.state.associations))
    assert problem.objective(changed) > run.objective


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=repr)
def test_absent_samples_do_not_act_in_a_view(constraint, rng):
    """Moving an absent sample leaves the view's association and loss as they were."""
    data = structured("absent", 0)
    words = RelationalData((replace(data.relations[0], row_index=None),))
    present = data.relations[0].row_index
    problem, alone = problem_of(data, constraint), problem_of(words, constraint)
    state = random_start(problem, rng)
    own = alone.state(
        {"samples": state.factors["samples"][present], "words": state.factors["words"]}
    )
    assert_allclose(state.associations[0], own.associations[0])
    block, own_block = problem.block("words", state), alone.block("words", own)
    assert_allclose(block.linear, own_block.linear)
    assert_allclose(block.gram, own_block.gram)


def test_absence_is_not_zero(rng):
    """The same data with zeros instead of absent rows has another objective."""
    data = structured("absent", 0)
    filled = []
    for relation in data.relations:
        matrix = np.zeros((len(data), relation.matrix.shape[1]))
        matrix[relation.row_index] = reference.dense(relation.matrix)
        filled.append(Relation(matrix, relation.rows, relation.cols, relation.weight))
    state = random_start(problem_of(data, NonNegative()), rng)
    zeros = problem_of(RelationalData(tuple(filled)), NonNegative())
    apart = problem_of(data, NonNegative()).objective(State(state.factors, state.associations))
    assert apart < zeros.objective(State(state.factors, state.associations))


def test_order_of_present_rows_does_not_matter(rng):
    data = structured("absent", 0)
    order = [rng.permutation(len(r.row_index)) for r in data.relations]
    shuffled = RelationalData(
        tuple(
            replace(r, matrix=r.matrix[o], row_index=r.row_index[o])
            for r, o in zip(data.relations, order, strict=True)
        )
    )
    one, other = (problem_of(d, NonNegative()) for d in (data, shuffled))
    state = random_start(one, rng)
    twin = other.state(state.factors)
    for name in data.types:
        state, twin = one.moved(name, state), other.moved(name, twin)
    assert other.objective(twin) == pytest.approx(one.objective(state))


@pytest.mark.parametrize("association", [Free(), NonNegativeAssociation()], ids=repr)
def test_unit_columns_change_nothing_but_the_scale(data, association, rng):
    plain = problem_of(data, NonNegative(), association)
    unit = problem_of(data, NonNegative(), association, unit_columns=True)
    state = random_start(plain, rng)
    for name in data.types:
        one, other = plain.moved(name, state), unit.moved(name, state)
        assert_allclose(np.linalg.norm(other.factors[name], axis=0), 1)
        assert unit.objective(other) == pytest.approx(plain.objective(one))


@pytest.mark.parametrize("exponent", [0.25, 0.5])
@pytest.mark.parametrize("unit_columns", [False, True])
@pytest.mark.parametrize("association", [Free(), NonNegativeAssociation(0.5)], ids=repr)
def test_a_relation_of_a_type_with_itself_never_rises(exponent, unit_columns, association, rng):
    X = rng.random((15, 4))
    data = RelationalData((Relation(X @ X.T, "samples", "samples"),))
    problem = problem_of(data, NonNegative(exponent), association, unit_columns=unit_columns)
    state = random_start(problem, rng)
    for _ in range(30):
        before = problem.objective(state)
        state = problem.moved("samples", state)
        after = problem.objective(state)
        assert after == pytest.approx(objective(state, data))
        assert after <= before * (1 + 1e-9)


SIGNED = [
    [0.189, -0.523, -0.413, -2.441],
    [1.8, 1.144, -0.325, 0.774],
    [0.281, -0.554, 0.978, -0.311],
]


@pytest.mark.parametrize(("X", "k"), [([[0, 0, 6], [0, 0, 0], [0, 0, 9]], 2), (SIGNED, 3)])
def test_rescaled_columns_do_not_raise_what_links_cost(X, k):
    # Here the whole step leads up, because it goes down by shrinking a column.
    model = SemiNMF(k, random_state=0, max_iter=8)
    model.fit(np.array(X, float), links=(np.array([[0, 2]]), np.array([[1, 2]])))
    assert (np.diff(model.objective_history_) <= 1e-12).all()


def test_empty_clusters_are_refilled_without_a_rise(data, rng):
    problem = problem_of(data, Indicator())
    labels = {name: rng.integers(2, size=data.size(name)) for name in data.types}
    state = state_from(problem, labels)
    for name in data.types:
        before = problem.objective(state)
        state = problem.moved(name, state)
        assert state.factors[name].sizes.all()
        assert problem.objective(state) <= before * (1 + 1e-12)


def test_the_object_that_is_left_alone_is_the_best_one(rng):
    """Of all objects that could fill an empty cluster, none lowers the objective more."""
    data = structured("absent", 3)
    problem = problem_of(data, Indicator())
    labels = {name: rng.integers(K, size=data.size(name)) for name in data.types}
    labels["samples"] %= 2
    state = state_from(problem, labels)
    filled = problem._refilled("samples", state)
    # With the other prototypes fixed, as the gain is defined; then S follows.
    fixed = []
    for i in range(len(data)):
        G = reference.indicator(labels["samples"], K)
        alone = G.copy()
        alone[i] = [0, 0, 1]
        fixed.append(_error_with_own_prototype(data, state, alone, i))
    chosen = np.flatnonzero(filled.factors["samples"].labels == 2)
    assert_array_equal(chosen, [np.argmin(fixed)])


def _error_with_own_prototype(data, state, alone, i):
    """The dense objective when sample i has a prototype of its own and all others stay."""
    total = 0.0
    for relation, S in zip(data.relations, state.associations, strict=True):
        H, S, R = as_array(state.factors[relation.cols]), S.copy(), reference.dense(relation.matrix)
        row = np.flatnonzero(relation.row_index == i)
        if row.size:
            S[2] = np.linalg.lstsq(H, R[row[0]], rcond=None)[0]
        model = alone[relation.row_index] @ S @ H.T
        total += relation.weight * float(np.sum((R - model) ** 2))
    return total


def test_labels_of_every_type_make_a_state(data, rng):
    labels = {name: rng.permutation(np.arange(data.size(name)) % K) for name in data.types}
    hard = state_from(problem_of(data, Indicator()), labels)
    soft = state_from(problem_of(data, NonNegative(), NonNegativeAssociation()), labels)
    for name in data.types:
        assert isinstance(hard.factors[name], Partition)
        assert_array_equal(hard.factors[name].labels, labels[name])
        assert_array_equal(soft.factors[name].argmax(axis=1), labels[name])
    assert all((S > 0).all() for S in soft.associations)


def test_factors_have_the_precision_of_the_data(rng):
    data = structured("star", 0).map(lambda R: R.astype(np.float32))
    problem = problem_of(data, NonNegative(), NonNegativeAssociation())
    state = random_start(problem, rng)
    for name in data.types:
        state = problem.moved(name, state)
    assert all(G.dtype == np.float32 for G in state.factors.values())
    assert isinstance(data.relations[1].matrix, sp.csr_array)
