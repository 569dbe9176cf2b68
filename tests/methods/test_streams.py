"""`partial_fit`: rows in blocks lead to the clusters of a fit of all of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from cocluster import CoCluster
from cocluster.datasets import make_blocks
from cocluster.methods import streams
from cocluster.methods.factorization.fnmtf import FNMTF
from cocluster.methods.factorization.nmtf import NMTF
from cocluster.methods.information.itcc import ITCC
from cocluster.metrics import nmi
from tests import reference

METHODS = [FNMTF, ITCC, NMTF]
each = pytest.mark.parametrize("method", METHODS)
K, BLOCKS = 4, 20
# Entries after which rows are forgotten: more than there are, or about a quarter of them.
KEPT = {"kept": streams.KEPT_ENTRIES, "forgotten": 30_000}


def streamed(model, X, blocks=BLOCKS):
    """The model after all blocks, and the labels of every block as they were found."""
    labels = [
        model.partial_fit(X[rows]).labels_ for rows in np.array_split(np.arange(X.shape[0]), blocks)
    ]
    return model, np.concatenate(labels)


@pytest.fixture(scope="module")
def planted():
    """Some 120,000 counts."""
    return make_blocks(2000, 500, K, random_state=0)


@each
@pytest.mark.parametrize("kept", KEPT)
def test_within_two_points_of_the_whole_fit(method, kept, planted, monkeypatch):
    monkeypatch.setattr(streams, "KEPT_ENTRIES", KEPT[kept])
    X, classes = planted.X, planted.row_labels
    whole = method(K, random_state=0).fit(X)
    model, _ = streamed(method(K, random_state=0), X)
    assert nmi(classes, model.predict(X)) >= nmi(classes, whole.predict(X)) - 0.02
    columns = planted.column_labels
    assert nmi(columns, model.column_labels_) >= nmi(columns, whole.column_labels_) - 0.02
    assert model.n_samples_seen_ == X.shape[0]


@each
def test_one_block_is_a_fit(method, planted):
    X = planted.X[:300]
    whole, one = method(K, random_state=0).fit(X), method(K, random_state=0).partial_fit(X)
    assert_array_equal(whole.labels_, one.labels_)
    assert_array_equal(whole.column_labels_, one.column_labels_)
    assert_allclose(whole.association_, one.association_)


@each
def test_clusters_keep_their_numbers(method, planted):
    """Fits anew in between, and yet the labels of early blocks go with those of the last."""
    X = planted.X[:800]
    model, labels = streamed(method(K, random_state=0), X, 4)
    assert np.mean(labels[200:] == model.predict(X[200:])) > 0.9


def test_the_association_is_that_of_all_rows(planted, monkeypatch):
    """Block means of all rows, with each row where it was put when it came."""
    monkeypatch.setattr(streams, "KEPT_ENTRIES", 0)
    X = planted.X[:800].toarray()
    model, labels = streamed(FNMTF(K, normalize=None, random_state=0), X, 4)
    expected = reference.block_means(X, labels, model.column_labels_, K, K)
    assert_allclose(model.association_, expected)
    counts, labels = streamed(ITCC(K, random_state=0), X, 4)
    G, H = (reference.indicator(own, K) for own in (labels, counts.column_labels_))
    assert_allclose(counts.association_, G.T @ X @ H / X.sum())


def test_sums_of_two_parts_are_the_sums_of_all(rng):
    R, G = rng.random((9, 4)), rng.random((9, 2))
    both = streams.SeenRows.of(R[:5], G[:5]) + streams.SeenRows.of(R[5:], G[5:])
    assert_allclose(both.sums, R.T @ G)
    assert_allclose(both.gram(), G.T @ G)
    assert both.shape == G.shape


@each
def test_blocks_may_be_dense_or_sparse(method, planted):
    X = planted.X[:300]
    sparse, _ = streamed(method(K, random_state=0), X, 2)
    mixed = method(K, random_state=0).partial_fit(X[:150]).partial_fit(X[150:].toarray())
    assert_array_equal(sparse.predict(X), mixed.predict(X))
    dense, _ = streamed(method(K, random_state=0), X.toarray(), 2)
    mixed = method(K, random_state=0).partial_fit(X[:150].toarray()).partial_fit(X[150:])
    assert_array_equal(dense.predict(X), mixed.predict(X))


def test_columns_are_matched_by_name(planted):
    X = pd.DataFrame(planted.X[:300].toarray()).add_prefix("w")
    plain, _ = streamed(ITCC(K, random_state=0), planted.X[:300].toarray(), 2)
    named = ITCC(K, random_state=0).partial_fit(X[:150]).partial_fit(X[150:].iloc[:, ::-1])
    assert_array_equal(plain.column_labels_, named.column_labels_)


def test_what_one_run_said_is_gone(planted):
    model = FNMTF(K, random_state=0).partial_fit(planted.X[:100])
    for stale in ("objective_", "n_iter_", "converged_"):
        assert not hasattr(model, stale)
    assert model.row_factor_.shape == (100, K)


@pytest.mark.parametrize("method", [FNMTF, ITCC, NMTF])
def test_partial_fit_goes_on_from_a_fit(planted, method):
    first, second = planted.X[:200], planted.X[200:400]
    model = method(K, random_state=0).fit(first)
    before, sums = model.predict(first), model._stream.seen.sums
    assert model.n_samples_seen_ == 200
    model.partial_fit(second)
    assert model.n_samples_seen_ == 400
    assert len(model.labels_) == 200
    # Clusters keep their numbers, and the sums are those of all rows.
    assert np.mean(model.predict(first) == before) > 0.9
    (relation,) = model._new_data(second).relations
    added = streams.SeenRows.of(relation.matrix, model._factors[relation.rows]).sums
    assert_allclose(model._stream.seen.sums, sums + added)


def test_a_prior_is_refused_by_methods_that_would_ignore_it(planted):
    X, prior = planted.X[:40], np.full((40, K), 1 / K)
    assert FNMTF.accepts_prior
    assert ITCC.accepts_prior
    with pytest.raises(ValueError, match="RMC takes no prior"):
        CoCluster(K, method="rmc", random_state=0).fit(X, prior=prior)


X = np.random.default_rng(0).poisson(3.0, size=(12, 6)).astype(float)
HOLEY = np.where(X > 4, np.nan, X)
REFUSED = {
    "views": (lambda: FNMTF(2).partial_fit({"a": X, "b": X}), "one matrix"),
    "unknown entries": (lambda: FNMTF(2).partial_fit(HOLEY), "every entry is known"),
    "other columns": (
        lambda: FNMTF(2).partial_fit(X).partial_fit(X[:, 1:]),
        "X has 5 features, but FNMTF is expecting 6",
    ),
    "too few rows": (lambda: ITCC(4).partial_fit(X[:3]), "more than n_samples=3"),
    "after a fit of views": (
        lambda: FNMTF(2).fit({"a": X, "b": X}).partial_fit(X),
        "X has 6 features|Begin with partial_fit",
    ),
    "after a fit of some entries": (
        lambda: FNMTF(2).fit(HOLEY).partial_fit(X),
        "Begin with partial_fit",
    ),
    "k-means": (lambda: NMTF(2, assign="kmeans").partial_fit(X), "assign='argmax'"),
    "entries": (lambda: FNMTF(2).partial_fit(X).complete(), "after partial_fit"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    act, words = REFUSED[case]
    with pytest.raises((ValueError, AttributeError), match=words):
        act()
