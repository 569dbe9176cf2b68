"""Where the default begins: the same places for any order and storage, and who may move."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, relational
from cocluster.linalg.subspace import start_scaled
from cocluster.methods.default import embedding as module
from cocluster.methods.default.embedding import (
    _weighted_embedding,
    consensus_embedding,
    holds_measurements,
    scale_by_cosines,
)
from cocluster.methods.default.pipeline import ConsensusITCC
from cocluster.methods.default.poisson import has_poisson_noise
from cocluster.methods.starts import singular_vectors


def clouds(rng, n, d, k=3, apart=4.0):
    """Measurements around k centres, positive."""
    labels = rng.permutation(np.arange(n) % k)
    return 20 + apart * rng.normal(size=(k, d))[labels] + rng.normal(size=(n, d)), labels


def counts(rng, n=400, m=60, k=3, rate=1.5):
    """Poisson counts in blocks, most of them not zero."""
    rows, columns = np.arange(n) % k, np.arange(m) % k
    return rng.poisson(rate * (1.0 + 3.0 * (rows[:, None] == columns))), rows, columns


def test_filled_is_a_matter_of_entries_not_of_storage(rng):
    thin = rng.random((30, 40)) * (rng.random((30, 40)) < 0.1)
    for X, expected in ((thin, False), (thin + 1, True)):
        assert holds_measurements(X) is holds_measurements(sp.csr_array(X)) is expected


@pytest.mark.parametrize("kind", ["occurrences", "measurements"])
def test_any_order_of_the_samples_has_the_same_labels(kind, rng, seed):
    if kind == "measurements":
        X = clouds(rng, 330, 12, apart=1.0)[0]
    else:
        X = rng.poisson(0.1 * (1 + 9 * (np.arange(90)[:, None] % 3 == np.arange(50) % 3)))
    order = rng.permutation(len(X))
    fit = ConsensusITCC(3, random_state=seed).fit
    np.testing.assert_array_equal(fit(X).labels_[order], fit(X[order]).labels_)


def test_any_storage_has_the_same_labels(rng, seed):
    X = clouds(rng, 310, 8, apart=1.0)[0].round(3)
    dense, sparse = (ConsensusITCC(3, random_state=seed).fit(Y) for Y in (X, sp.csr_array(X)))
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)


@pytest.mark.parametrize("filled", [False, True])
def test_more_clusters_than_directions_are_told_apart(filled, rng, monkeypatch):
    k, most = 12, 6
    monkeypatch.setattr(module, "MOST_DIRECTIONS", most)
    rows, columns = np.arange(240) % k, np.arange(96) % k
    # Entries of a block, and next to none elsewhere.
    X = rng.poisson(np.where(rows[:, None] == columns, 9.0, 0.05)).astype(float) + 5.0 * filled
    assert holds_measurements(X) == filled
    assert consensus_embedding(relational(X), k, 0).Z.shape[1] <= (most if filled else 3 * most)
    found = ConsensusITCC(k, random_state=0).fit(X).labels_
    assert adjusted_rand_score(rows, found) == 1.0


def test_counts_are_told_from_other_measurements(rng):
    X, rows, columns = counts(rng)
    assert has_poisson_noise(X.astype(float), rows, columns)
    for other in (X + 0.5, 10.0 * X, (X > 1).astype(float)):
        assert not has_poisson_noise(other, rows, columns)


def test_the_dispersion_is_the_one_of_the_formula(rng):
    """Entry by entry on a small table, by moving the bounds around the exact value."""
    X, rows, columns = counts(rng, 30, 12)
    G, F = np.eye(3)[rows], np.eye(3)[columns]
    joint = G.T @ X @ F
    block = joint / (joint.sum(axis=1)[:, None] * joint.sum(axis=0))
    mean = X.sum(axis=1)[:, None] * X.sum(axis=0) * (G @ block @ F.T)
    dispersion = ((X - mean) ** 2 / mean).sum() / X.size
    for low, high, expected in ((0.999, 1.001, True), (1.001, 2, False), (0, 0.999, False)):
        with pytest.MonkeyPatch.context() as patch:
            bounds = (low * dispersion, high * dispersion)
            patch.setattr("cocluster.methods.default.poisson.DISPERSION_OF_COUNTS", bounds)
            assert has_poisson_noise(X.astype(float), rows, columns) is expected


def test_measurements_of_many_samples_stay_with_their_neighbours(rng, seed):
    """The labels are those of the start, and features move all the same."""
    X = clouds(rng, 330, 12, apart=1.0)[0]
    model = ConsensusITCC(3, random_state=seed).fit(X)
    embedding = consensus_embedding(relational(X), 3, 0)
    assert embedding.outlines_clusters
    assert adjusted_rand_score(embedding.kmeans(3, 0, None), model.labels_) > 0.95
    assert np.all(np.diff(model.objective_history_) <= 1e-12)


def test_links_let_the_samples_move(rng):
    X, labels = clouds(rng, 330, 12, apart=0.3)
    pair = [np.flatnonzero(labels == 0)[0], np.flatnonzero(labels == 1)[0]]
    model = ConsensusITCC(3, random_state=0).fit(X, links=([pair], []))
    assert model.links_report_["samples"].n_violated == 0


def test_counts_are_swept(rng, seed):
    X, rows, _ = counts(rng, rate=0.5)
    model = ConsensusITCC(3, random_state=seed).fit(X)
    again = ConsensusITCC(3, random_state=seed, init=model.labels_, tol=0.0).fit(X)
    # Sweeps from the labels found change next to nothing: they were found by sweeps.
    assert adjusted_rand_score(model.labels_, again.labels_) > 0.97
    assert adjusted_rand_score(rows, model.labels_) > 0.9


def test_samples_that_a_view_lacks_have_places(rng):
    X, labels = clouds(rng, 40, 6)
    present = np.arange(0, 40, 2)
    relations = (Relation(X, "samples", "all"), Relation(X[present], "samples", "half", 1, present))
    model = ConsensusITCC(3, random_state=0).fit(RelationalData(relations))
    assert adjusted_rand_score(labels, model.labels_) == 1


def test_the_third_embedding_is_the_normalised_cut_of_cosines():
    rng = np.random.default_rng(0)
    X = rng.random((12, 9)) * (rng.random((12, 9)) < 0.6) + np.eye(12, 9)
    idf = np.log(13 / (1 + (X > 0).sum(axis=0))) + 1
    Y = X * idf
    Y /= np.linalg.norm(Y, axis=1, keepdims=True)
    cosines = Y @ Y.T
    d = cosines.sum(axis=1)
    values, vectors = np.linalg.eigh(cosines / np.sqrt(np.outer(d, d)))
    expected = vectors[:, -3:-1] * np.sqrt(values[-3:-1])
    found = singular_vectors(scale_by_cosines(X), 2, 0)[0]
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-3)


def test_embeddings_are_weighted_by_squares(rng):
    X = rng.poisson(1.0, (30, 20)).astype(float)
    once = singular_vectors(start_scaled(X), 20, 0, 3)[0]
    left, values, _ = np.linalg.svd(once, full_matrices=False)
    kept = values > 1e-8
    expected = (left * values**2)[:, kept]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    found = _weighted_embedding(start_scaled(X), 3, 0)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-6)
