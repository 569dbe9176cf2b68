"""Merges and splits: they mend what sweeps cannot, where the counts vary as assumed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster import CoCluster
from cocluster.datasets.planted import make_blocks
from cocluster.methods.default.pipeline import ConsensusITCC
from cocluster.methods.default.poisson import sample_counts
from cocluster.methods.default.split_merge import (
    count_profiles,
    merge_losses,
    split_and_merge,
    split_cluster,
)
from cocluster.methods.information.itcc import ITCC, InformationProblem
from cocluster.metrics import accuracy
from cocluster.trifactor import Run

K = 6


@pytest.fixture(scope="module")
def planted() -> Any:
    return make_blocks(1200, 600, K, pattern="checkerboard", contrast=6, random_state=0)


def astray(labels: Any) -> Any:
    """Two clusters put together, and a third parted in two."""
    start = np.where(labels == 1, 0, labels)
    start[np.flatnonzero(labels == 2)[::2]] = 1
    return start


def test_a_start_gone_astray_is_mended(planted: Any) -> None:
    start = astray(planted.row_labels)
    swept = ITCC(K, init=(start, planted.column_labels), random_state=0).fit(planted.X)
    mended = ConsensusITCC(K, K, init=(start, planted.column_labels), random_state=0)
    mended.fit(planted.X)
    assert accuracy(planted.row_labels, swept.labels_) < 0.9
    assert accuracy(planted.row_labels, mended.labels_) > 0.98


def weighted_problem(task: Any, state: Any) -> InformationProblem:
    """The problem of a task, with mixture weights if its counts are Poisson in this state."""
    problem, counts = InformationProblem(task.data, task.links), sample_counts(task.data)
    return problem if counts is None else counts.with_mixture_weights(problem, state)


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("scale", [1.0, 1e-9, 128.0])
def test_storage_and_unit_do_not_matter(planted: Any, hold: Any, scale: float) -> None:
    X = hold(scale * planted.X.toarray())
    model = ConsensusITCC(K, K, init=(astray(planted.row_labels), planted.column_labels))
    assert accuracy(planted.row_labels, model.set_params(random_state=0).fit(X).labels_) > 0.98


def test_a_run_is_replaced_by_better_ones_only(planted: Any) -> None:
    """What comes back has the lowest objective of all that was tried."""
    model = ConsensusITCC(K, init=astray(planted.row_labels), max_iter=1, random_state=0)
    task, run = model._run(planted.X, None)
    problem = weighted_problem(task, run.state)
    tried = [run.objective]

    def sweeps(state: Any) -> Run:
        other = model._sweep(problem, state, task)
        tried.append(other.objective)
        return other

    assert split_and_merge(problem, run, sweeps, 0.0).objective == min(tried)


@pytest.mark.parametrize("kind", ["counts", "bursts", "yes and no", "weights"])
def test_only_counts_that_vary_as_assumed_have_sizes_and_swaps(planted: Any, kind: str) -> None:
    X = planted.X.toarray()
    # Bursts: some samples say everything five times.
    bursts = np.where(np.arange(1200) % 2, 1, 5)[:, None] * X
    others = {"bursts": bursts, "yes and no": np.minimum(X, 1), "weights": np.log1p(X)}
    model = ConsensusITCC(K, random_state=0)
    task, run = model._run(others.get(kind, X), None)
    problem = weighted_problem(task, run.state)
    assert bool(problem.occurrence) == model._rarity.any() == (kind == "counts")


def test_losses_and_gains_are_differences_of_the_objective(planted: Any) -> None:
    """Of merged clusters, and of one that was parted, as the problem itself judges them."""
    model = ITCC(K, random_state=0)
    task, run = model._run(planted.X, None)
    center, unit = task.data.center, 1.0
    problem = InformationProblem(task.data, occurrence={center: unit})
    labels, state = model.labels_, run.state
    clusters = count_profiles(problem.cross(state, 0), state.factors[center].sizes, unit)

    def objective(rows: Any) -> float:
        G = problem.data.placed(center, type(state.factors[center])(rows.astype(np.int32), K + 1))
        return problem.objective(problem.replaced(state, center, G))

    before = objective(labels)
    merged = objective(np.where(labels == 1, 0, labels)) - before
    assert merge_losses(clusters, clusters.Q)[0, 1] * problem.nat == pytest.approx(merged)
    members = np.flatnonzero(labels == 2)
    counts = planted.X[members] @ np.eye(K)[model.column_labels_]
    parts = split_cluster(count_profiles(counts, np.ones(len(members)), unit))
    assert parts[:, -1].sum() == len(members)
    gain = clusters.information(parts).sum() - clusters.information(parts.sum(axis=0))
    # Any other way to part them in two at random is worse.
    other = labels.copy()
    other[np.random.default_rng(0).permutation(members)[: len(members) // 2]] = K
    assert gain * problem.nat > before - objective(other)


@pytest.mark.parametrize("seed", [0, 1])
def test_unequal_clusters_are_found(seed: int) -> None:
    """One is twenty times as large as another: small ones do not take samples from it."""
    b = make_blocks(4000, 1500, 5, size_ratio=20, contrast=6, random_state=seed)
    labels = CoCluster(5, random_state=seed).fit(b.X).labels_
    assert accuracy(b.row_labels, labels) > b.best_accuracy - 0.02
