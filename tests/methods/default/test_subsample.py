"""Coarse to fine: samples are as large as they must be, and fits from them obey the same laws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster import FNMTF, ITCC, CoCluster, open_blocks, write_blocks
from cocluster.data.relational import bipartite, star
from cocluster.datasets import make_blocks
from cocluster.linalg.subspace import informative_vectors, start_scaled
from cocluster.links import Links
from cocluster.methods.default import pipeline, subsample, supervision
from cocluster.methods.default.subsample import QUALITY, required_rows, subsample_rows
from cocluster.methods.information.cmrf import CMRF
from cocluster.methods.task import Task
from cocluster.metrics import accuracy
from cocluster.trifactor import State

K = 3
METHODS = [ITCC, FNMTF, CoCluster]


@pytest.fixture(scope="module")
def planted() -> Any:
    return make_blocks(4_000, 150, K, random_state=0)


@pytest.fixture
def sampling(monkeypatch: Any) -> list[int]:
    """Samples of data of any size; the sizes of those that were measured."""
    monkeypatch.setattr(subsample, "LEAST_ROWS", 200)
    monkeypatch.setattr(subsample, "ROWS_PER_CLUSTER", 10)
    sizes: list[int] = []

    def measured(X: Any, *rest: Any) -> float:
        sizes.append(X.shape[0])
        return required_rows(X, *rest)

    monkeypatch.setattr(subsample, "required_rows", measured)
    return sizes


def known(X: sp.csr_array, truth: np.ndarray) -> float:
    """Least square of a cosine between a direction of X and the space of the true ones."""
    V, _ = informative_vectors(start_scaled(X), K - 1, K, np.random.default_rng(0))
    return float(np.square(truth.T @ V).sum(axis=0).min())


def directions(X: sp.csr_array, labels: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the space that planted clusters of columns span."""
    own = np.sqrt(X.sum(axis=0))[:, None] * (labels[:, None] == np.arange(K))
    return own / np.linalg.norm(own, axis=0)


def test_so_many_rows_know_the_directions_as_well_as_they_must(rng):
    data = make_blocks(40_000, 1_000, K, contrast=1.8, row_degree=30, random_state=0)
    first = data.X[rng.choice(40_000, 3_000, replace=False)]
    needed = required_rows(first, K, rng)
    assert 3_000 < needed < 40_000
    sample = data.X[rng.choice(40_000, int(needed), replace=False)]
    assert known(sample, directions(data.X, data.column_labels)) == pytest.approx(QUALITY, abs=0.1)


def test_weaker_clusters_need_more_rows_and_noise_cannot_be_helped(rng):
    X = [
        make_blocks(4_000, 500, K, contrast=contrast, row_degree=40, random_state=0).X
        for contrast in (4.0, 2.5, 1.0)
    ]
    strong, weak, none = (required_rows(Y, K, rng) for Y in X)
    assert strong < weak < np.inf
    assert none == np.inf


def test_data_in_components_are_strong(rng):
    parts = [sp.csr_array(rng.poisson(2.0, size=(50, 8))) for _ in range(K)]
    X = sp.block_diag(parts, format="csr")
    assert required_rows(sp.csr_array(X.astype(float)), K, rng) < 150


def test_what_cannot_be_sampled_is_not(planted, sampling, rng):
    views = star({"a": planted.X, "b": planted.X})
    square = planted.X.T @ planted.X
    small = bipartite(planted.X[:1000])
    for data in (views, bipartite(square, "samples", "samples"), small):
        assert subsample_rows(data, K, rng) is None
    assert sampling == []
    assert subsample_rows(bipartite(planted.X), K, rng) is not None


def test_a_sample_that_does_not_suffice_is_not_taken(sampling, rng):
    noise = make_blocks(4_000, 150, K, contrast=1.0, random_state=0)
    assert subsample_rows(bipartite(noise.X), K, rng) is None
    assert max(sampling) <= subsample.LARGEST_SHARE * 4_000


@pytest.mark.parametrize("method", [*METHODS, CMRF])
def test_fits_reach_what_all_rows_reach(method, planted, sampling, monkeypatch):
    model = method(K, random_state=0).fit(planted.X)
    assert sampling
    for module in (pipeline, supervision):
        monkeypatch.setattr(module, "subsample_task", lambda task: None)
    whole = method(K, random_state=0).fit(planted.X)
    assert model.objective_ == pytest.approx(whole.objective_, rel=1e-3)
    assert accuracy(planted.row_labels, model.labels_) > planted.best_accuracy - 0.01


@pytest.mark.parametrize("method", [ITCC, FNMTF])
def test_the_objective_never_rises_and_is_that_of_the_labels(method, planted, sampling):
    seen = []
    model = method(K, random_state=0).fit(planted.X, callback=lambda p: seen.append(p.objective))
    assert sampling
    # The callback sees the sweeps over all rows, not those over the sample.
    assert_array_equal(seen, model.objective_history_)
    assert (np.diff(seen) <= 1e-10 * seen[0]).all()
    again = method(K, init=(model.row_labels_, model.column_labels_)).fit(planted.X)
    assert again.n_iter_ == 1
    assert again.objective_ == pytest.approx(model.objective_)


@pytest.mark.parametrize("method", [ITCC, FNMTF])
def test_all_rows_are_placed_as_new_rows_are(method, planted):
    """The pass over all rows puts each where the sample's clusters fit it best."""
    rows = np.arange(0, 4_000, 10)
    small = method(K, normalize=None, random_state=0).fit(planted.X[rows])
    clusters = dict.fromkeys(("samples", "features"), K)
    task = Task(bipartite(planted.X), clusters, {}, np.random.default_rng(0), None)
    problem = small._linked_problem(task)
    found = State(small._factors, small.associations_)
    state = subsample.assign_all_rows(problem, found)
    labels = state.factors["samples"].labels
    # What ITCC predicts counts one more average sample in every cluster, so that no profile has
    # zeros; the sweeps, and this pass, do not.
    scores = problem.scores_given("samples", found, found.associations) if method is ITCC else None
    expected = small.predict(planted.X) if scores is None else scores.argmax(axis=1)
    assert_array_equal(labels, expected)
    # The sums that come with them are those of the labels.
    sums = np.stack([planted.X[labels == c].sum(axis=0) for c in range(K)], axis=1)
    assert_allclose(problem.product(state, 0, "rows"), sums)


def test_links_hold_in_the_end(planted, sampling):
    links = Links.from_labels(planted.row_labels, fraction=0.0005, random_state=0)
    for method in (ITCC, FNMTF):
        model = method(K, random_state=0).fit(planted.X, links=links)
        assert sampling
        assert not len(model.links_report_["samples"].must_link)


def test_other_starts_take_all_rows(planted, sampling):
    for init in ("random", planted.row_labels):
        ITCC(K, init=init, max_iter=2, random_state=0).fit(planted.X)
    assert sampling == []


@pytest.mark.parametrize("method", METHODS)
def test_rows_on_disk_are_treated_alike(method, planted, sampling, tmp_path):
    blocks = open_blocks(write_blocks(planted.X, tmp_path / "x", rows_per_block=900))
    here = method(K, random_state=0).fit(planted.X)
    there = method(K, random_state=0).fit(blocks)
    assert len(sampling) > 1
    assert_array_equal(there.labels_, here.labels_)
    assert there.objective_ == pytest.approx(here.objective_)


def test_a_fit_reads_the_disk_a_dozen_times_at_most(planted, sampling, tmp_path, monkeypatch):
    blocks = open_blocks(write_blocks(planted.X, tmp_path / "x", rows_per_block=900))
    source = type(blocks.source)
    reads, read = [], source.read
    monkeypatch.setattr(source, "read", lambda own, i: reads.append(i) or read(own, i))
    model = CoCluster(K, random_state=0).fit(blocks)
    assert sampling
    assert len(reads) / len(blocks.row_counts) <= 12
    assert accuracy(planted.row_labels, model.labels_) > planted.best_accuracy - 0.01


def test_no_more_rows_are_picked_than_memory_holds(planted, sampling, tmp_path, rng):
    blocks = open_blocks(write_blocks(planted.X, tmp_path / "x", rows_per_block=900))
    blocks.memory_for_rows = 10_000
    assert blocks.rows_in_memory() < 200
    data = bipartite(planted.X)
    relation = replace(data.relations[0], matrix=blocks)
    assert subsample_rows(replace(data, relations=(relation,)), K, rng) is None
