"""Probabilities: right where the truth is known, and never from samples that made the clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from cocluster import CoCluster
from cocluster.data.relational import relational
from cocluster.datasets import make_blocks
from cocluster.linalg.partitions import as_partition
from cocluster.methods.default.pipeline import ConsensusITCC
from cocluster.methods.default.probability import (
    SAMPLES,
    _implied_agreement,
    half_costs,
    held_out,
    probabilities,
    sample_positions,
    split_costs,
    temperature,
)
from cocluster.methods.information.itcc import InformationProblem
from cocluster.metrics import accuracy
from tests.conftest import plant, structured

K = 4


def solved(X: Any, k: int = K, **parameters: Any) -> Any:
    """A fitted default, its problem and where it ended."""
    model = ConsensusITCC(k, random_state=0, **parameters)
    task, run = model._run(X, None, links=None, callback=None, data=relational(X))
    return model, InformationProblem(task.data, task.links), run.state


@pytest.fixture(scope="module")
def planted() -> Any:
    return make_blocks(1200, 500, K, contrast=2.5, random_state=0)


def test_halves_add_up_to_the_whole(planted: Any, rng: Any) -> None:
    """Costs are sums over features, but for the sample's own code, which no cluster changes.

    What the size of a cluster costs is there in both halves.
    """
    model, problem, _ = solved(planted.X)
    one, other = split_costs(model, problem.data, rng)
    whole = model._costs_of(problem.data) + model._rarity
    assert_allclose(np.diff(one + other, axis=1), np.diff(whole, axis=1), atol=1e-8)


@pytest.mark.parametrize("kind", ["star", "chain", "absent"])
def test_every_structure_has_a_temperature(kind: str) -> None:
    model, problem, state = solved(structured(kind, 0, n=60), 3)
    assert 0 < temperature(half_costs(held_out(model, problem, state))) < np.inf


def test_samples_held_out_are_not_in_the_tables(planted: Any) -> None:
    """The tables of a judge are those of all samples but the ones it judges."""
    model, problem, state = solved(planted.X)
    (relation,) = problem.data.relations
    seen = []
    for judge, chosen in held_out(model, problem, state):
        held = chosen.relations[0].matrix
        H = judge._factors[relation.cols]
        total = relation.matrix.sum() - held.sum()
        assert judge.associations_[0].sum() == pytest.approx(1)
        expected = H.sparse().T @ (relation.matrix.sum(axis=0) - held.sum(axis=0))
        assert_allclose(judge.associations_[0].sum(axis=0) * total, expected, rtol=1e-6)
        seen.append(held.shape[0])
    assert sum(seen) == len(sample_positions(1200))
    assert max(seen) <= 1200 / 4


def test_features_that_only_the_judged_have_are_left_out() -> None:
    X = make_blocks(60, 40, 2, random_state=0).X.toarray()
    X[:, 39] = 0
    X[7, 39] = 5.0
    model, problem, state = solved(X, 2)
    judged = [chosen for _, chosen in held_out(model, problem, state)]
    assert not any(chosen.relations[0].matrix[:, 39].any() for chosen in judged)


def test_draws_from_the_probabilities_agree_as_foreseen() -> None:
    """Labels are drawn from known probabilities; what is foreseen is the mean over draws."""
    rng = np.random.default_rng(0)
    n, k = 4000, 3
    truth = rng.integers(k, size=n)
    # Two independent looks at the truth, each with its exact probabilities.
    looks = [np.log(2.0) * rng.poisson(1 + 2 * (truth[:, None] == np.arange(k))) for _ in range(2)]
    p, q = (probabilities(-look * np.log(3) / np.log(2.0), 1.0) for look in looks)
    agree = p.argmax(axis=1) == q.argmax(axis=1)
    assert _implied_agreement(p, q) / n == pytest.approx(
        agree.mean(), abs=4 * agree.std() / np.sqrt(n)
    )


def test_the_temperature_is_one_where_the_model_holds(planted: Any) -> None:
    model, problem, state = solved(planted.X)
    assert temperature(half_costs(held_out(model, problem, state))) == pytest.approx(1, abs=0.35)


def test_bursts_make_labels_less_sure(planted: Any) -> None:
    """Every count 128 times over is no more evidence than once."""
    one, many = (
        temperature(half_costs(held_out(*solved(times * planted.X, init=planted.row_labels))))
        for times in (1, 128)
    )
    assert many == pytest.approx(128 * one)


def test_probabilities_of_new_samples_are_right_as_often_as_they_say(planted: Any) -> None:
    model = CoCluster(K, random_state=0).fit(planted.X[:800])
    sure = model.predict_proba(planted.X[800:]).max(axis=1)
    right = accuracy(planted.row_labels[800:], model.predict(planted.X[800:]))
    # Three standard errors of the share of right ones among 400.
    assert sure.mean() == pytest.approx(right, abs=3 * np.sqrt(right * (1 - right) / 400))


@pytest.mark.parametrize("labels", [np.arange(120) % 4, np.sort(np.arange(120) % 4)])
def test_classes_that_take_turns_or_are_sorted_are_sure(labels: Any) -> None:
    X = plant(np.random.default_rng(0), labels, 28, 4, contrast=2.0).X
    model = CoCluster(4, random_state=0).fit(X)
    assert accuracy(labels, model.labels_) > 0.95
    assert model.predict_proba(X).max(axis=1).mean() > 0.9


def test_noise_has_no_sure_labels() -> None:
    X = np.random.default_rng(0).poisson(1.0, (600, 60)).astype(float)
    model = CoCluster(K, random_state=0).fit(X[:400])
    assert model.predict_proba(X[400:]).max(axis=1).mean() < 0.6


def test_a_sample_of_rows_is_spread_evenly() -> None:
    for n in (10, SAMPLES, SAMPLES + 1, 10**6):
        rows = sample_positions(n)
        assert_array_equal(rows, np.unique(rows))
        assert len(rows) <= SAMPLES
        assert rows[0] == 0
        assert rows[-1] == n - 1


def test_one_cluster_is_certain() -> None:
    X = make_blocks(30, 20, 2, random_state=0).X
    assert_array_equal(CoCluster(1, random_state=0).fit(X).predict_proba(X), np.ones((30, 1)))


def test_calling_more_often_right_is_not_foreseen_by_certainty() -> None:
    """Certain probabilities foresee that all agree, equal ones that one in k does."""
    k = 5
    sure = as_partition(np.arange(50) % k, k).dense()
    assert _implied_agreement(sure, sure) == pytest.approx(50)
    flat = np.full((50, k), 1 / k) + 1e-9 * sure
    assert _implied_agreement(flat, flat) == pytest.approx(50 / k, rel=1e-3)
