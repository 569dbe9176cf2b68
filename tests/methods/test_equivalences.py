"""One method as a special case of another, and of well-known ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, star
from cocluster.methods.factorization.fnmtf import FNMTF
from cocluster.methods.factorization.nmf import NMF, SemiNMF
from tests.conftest import structured
from tests.methods.every_method import METHODS, fitted

SEEDS = (0,)

K = 3


@pytest.fixture
def X(seed):
    return structured("dense", seed).relations[0].matrix


def test_fnmtf_with_every_column_its_own_cluster_is_kmeans(X, rng):
    n, m = X.shape
    start = rng.permutation(np.arange(n) % K)
    model = FNMTF(K, m, normalize=None, init=(start, np.arange(m))).fit(X)
    means = np.array([X[start == a].mean(axis=0) for a in range(K)])
    twin = KMeans(K, init=means, n_init=1, tol=0, algorithm="lloyd").fit(X)
    assert_array_equal(model.labels_, twin.labels_)
    assert_array_equal(model.column_labels_, np.arange(m))
    assert model.objective_ == pytest.approx(twin.inertia_)


def test_seminmf_never_fits_worse_than_kmeans_from_the_same_start(X):
    """G >= 0 contains the indicators."""
    inertia = KMeans(K, n_init=1, random_state=0).fit(X)
    model = SemiNMF(K, normalize=None, init=inertia.labels_, max_iter=300).fit(X)
    assert model.objective_ <= inertia.inertia_


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("init", ["spectral", "kmeans", "random"])
@pytest.mark.parametrize("method", METHODS)
def test_a_star_with_one_view_is_two_way(method, init, hold, X):
    two_way = fitted(method, hold(X), K, init=init)
    one_view = fitted(method, {"features": hold(X)}, K, init=init)
    assert_array_equal(one_view.objective_history_, two_way.objective_history_)
    assert_array_equal(one_view.labels_, two_way.labels_)
    assert_array_equal(one_view.column_labels_, two_way.column_labels_)
    assert_array_equal(one_view.predict({"features": hold(X)}), two_way.predict(hold(X)))


@pytest.mark.parametrize("method", METHODS)
def test_a_view_given_twice_counts_as_weight_two(method, X, rng):
    start = rng.permutation(np.arange(len(X)) % K), rng.permutation(np.arange(X.shape[1]) % K)
    twice = fitted(method, {"one": X, "other": X}, K, init=(*start, start[1]), max_iter=10)
    doubled = fitted(method, star({"one": X}, weights=[2.0]), K, init=start, max_iter=10)
    assert_allclose(twice.objective_history_, doubled.objective_history_)
    assert_array_equal(twice.labels_, doubled.labels_)


@pytest.mark.parametrize("method", [NMF, SemiNMF])
def test_a_relation_split_by_rows_is_the_whole(method, X, rng):
    """Two relations with absent samples that complement each other hold the same data."""
    order = rng.permutation(len(X))
    parts = tuple(
        Relation(X[rows], "samples", "features", 1.0, rows) for rows in (order[:20], order[20:])
    )
    start = rng.random((len(X), K)) + 0.1, rng.random((X.shape[1], K)) + 0.1
    whole = fitted(method, X, K, normalize=None, init=start, max_iter=10)
    split = fitted(method, RelationalData(parts), K, normalize=None, init=start, max_iter=10)
    assert_allclose(split.objective_history_, whole.objective_history_)
    assert_array_equal(split.labels_, whole.labels_)


def test_nmf_with_one_cluster_is_the_first_singular_pair(X):
    model = NMF(1, normalize=None, tol=0, max_iter=200).fit(X)
    singular = np.linalg.svd(X, compute_uv=False)
    assert model.objective_ == pytest.approx(np.sum(singular[1:] ** 2), rel=1e-6)


def test_seminmf_with_all_clusters_fits_exactly(X):
    model = SemiNMF(len(X), normalize=None, init=np.arange(len(X))).fit(X)
    assert model.objective_ <= 1e-9 * np.sum(X**2)
