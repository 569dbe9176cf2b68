"""Laws that every estimator obeys."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from cocluster.data.relational import bipartite, star
from cocluster.methods.factorization.nmf import NMF, SemiNMF
from cocluster.methods.factorization.onmtf import ONMTF
from cocluster.methods.task import ROUNDING
from cocluster.metrics import accuracy
from tests.conftest import plant, structured
from tests.methods.every_method import (
    HARD,
    METHODS,
    MONOTONE,
    SOFT,
    fitted,
    same_partition,
)

SEEDS = (0,)

K = 3
every = pytest.mark.parametrize("method", METHODS)
INITS = ("spectral", "kmeans", "random")


def takes(method, data):
    """ONMTF refuses absent samples."""
    return method is not ONMTF or all(r.row_index is None for r in data.relations)


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("method", MONOTONE)
def test_history_never_rises(method, init, data):
    model = fitted(method, data, K, init=init, tol=0, max_iter=15)
    history = model.objective_history_
    assert (np.diff(history) <= 1e-10 * history[0]).all()
    assert model.objective_ == history[-1]
    assert model.n_iter_ == len(history)


@pytest.mark.parametrize("init", INITS)
def test_orthogonal_history_rises_little_and_columns_become_orthogonal(init, data):
    if not takes(ONMTF, data):
        with pytest.raises(ValueError, match="every sample in every view"):
            fitted(ONMTF, data, K)
        return
    model = fitted(ONMTF, data, K, init=init, tol=0, max_iter=60)
    history = model.objective_history_
    if init == "random":
        # Far from orthogonal: the rule may give up fit for it, but not all that was gained.
        assert history[-1] < history[0]
        return
    assert (np.diff(history) <= 1e-3 * history[0]).all()
    for G in model.factors_.values():
        cosines = (G.T @ G) / np.outer(*[np.linalg.norm(G, axis=0)] * 2)
        assert np.abs(cosines - np.eye(K)).mean() < 0.1


@every
def test_planted_blocks_are_recovered_and_labels_follow_the_rows(method, planted):
    model = fitted(method, planted.X, K)
    assert accuracy(planted.row_labels, model.labels_) == 1
    assert accuracy(planted.column_labels, model.column_labels_) == 1
    assert_array_equal(model.labels_, model.row_labels_)


@every
def test_planted_stars_with_absent_samples_are_recovered(method, rng):
    labels = rng.permutation(np.arange(45) % K)
    index = [f"s{i}" for i in range(45)]
    words = pd.DataFrame(plant(rng, labels, 25, K).X, index=index)
    tags = pd.DataFrame(plant(rng, labels, 20, K).X, index=index)
    views = {"words": words, "tags": tags}
    if method is not ONMTF:
        views = {"words": words.iloc[:38], "tags": tags.iloc[rng.permutation(np.arange(6, 45))]}
    data = star(views)
    order = [int(name[1:]) for name in data.names["samples"]]
    assert accuracy(labels[order], fitted(method, data, K).labels_) == 1


@every
def test_same_seed_same_labels(method, data):
    if not takes(method, data):
        pytest.skip("ONMTF takes complete views only.")
    one, other = (method(K, init="random", n_init=2, random_state=5).fit(data) for _ in range(2))
    for name in data.types:
        assert_array_equal(one.labels_by_type_[name], other.labels_by_type_[name])
    assert_array_equal(one.objective_history_, other.objective_history_)


@every
@pytest.mark.parametrize(
    "state", [np.random.RandomState, np.random.default_rng], ids=["RandomState", "Generator"]
)
def test_generators_are_accepted(method, planted, state):
    one, other = (method(K, random_state=state(3)).fit(planted.X) for _ in range(2))
    assert_array_equal(one.labels_, other.labels_)


@every
def test_the_start_with_the_lowest_objective_is_kept(method, planted):
    ends = []

    def callback(progress):
        if progress.sweep == 1:
            ends.append(progress.objective)
        ends[-1] = progress.objective

    model = method(K, init="random", n_init=4, random_state=0).fit(planted.X, callback=callback)
    assert len(ends) == 4
    # Of runs that are equal up to rounding the first is kept: which is lower depends on storage.
    least = min(ends) + ROUNDING * abs(min(ends))
    assert model.objective_ == next(end for end in ends if end <= least)


CONTAINERS = {
    "csr array": sp.csr_array,
    "csc array": sp.csc_array,
    "coo matrix": sp.coo_matrix,
    "pandas": lambda X: pd.DataFrame(X, columns=[f"w{j}" for j in range(X.shape[1])]),
    "polars": lambda X: pl.DataFrame(X, schema=[f"w{j}" for j in range(X.shape[1])]),
    "Fortran order": np.asfortranarray,
    "integers": lambda X: X.astype(np.int64),
    "RelationalData": bipartite,
}


@every
@pytest.mark.parametrize("normalize", ["auto", "tfidf"])
@pytest.mark.parametrize("container", CONTAINERS)
def test_containers_of_the_same_data_give_the_same_labels(method, container, normalize):
    X = structured("dense", 0).relations[0].matrix
    plain = fitted(method, X, K, normalize=normalize)
    held = fitted(method, CONTAINERS[container](X), K, normalize=normalize)
    assert_array_equal(held.labels_, plain.labels_)
    assert_array_equal(held.column_labels_, plain.column_labels_)
    assert held.objective_ == pytest.approx(plain.objective_, rel=1e-6)
    assert_array_equal(held.predict(CONTAINERS[container](X)), plain.predict(X))


@every
@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_single_precision_agrees_with_double_and_stays_single(method, planted, hold):
    double = fitted(method, hold(planted.X), K)
    single = fitted(method, hold(planted.X.astype(np.float32)), K)
    assert np.mean(single.labels_ == double.labels_) >= 0.95
    if method in SOFT:
        assert {G.dtype for G in single.factors_.values()} == {np.dtype(np.float32)}
        assert single.transform(hold(planted.X.astype(np.float32))).shape == (40, K)


@every
def test_permuted_rows_and_columns_give_permuted_labels(method, planted, rng):
    X = planted.X + 0.1 * rng.random(planted.X.shape)
    n, m = X.shape
    rows, columns = rng.permutation(n), rng.permutation(m)
    start = rng.permutation(np.arange(n) % K), rng.permutation(np.arange(m) % K)
    model = fitted(method, X, K, init=start, max_iter=20)
    moved = fitted(
        method, X[np.ix_(rows, columns)], K, init=(start[0][rows], start[1][columns]), max_iter=20
    )
    assert_allclose(moved.objective_history_, model.objective_history_, rtol=1e-6)
    assert_array_equal(moved.labels_, model.labels_[rows])
    assert_array_equal(moved.column_labels_, model.column_labels_[columns])


@pytest.mark.parametrize("method", HARD)
def test_transposed_data_have_the_same_fixed_points(method, planted, rng):
    X = planted.X + 0.1 * rng.random(planted.X.shape)
    start = rng.permutation(np.arange(40) % K), rng.permutation(np.arange(25) % K)
    model = fitted(method, X, K, init=start)
    turned = fitted(method, X.T, K, init=(model.column_labels_, model.row_labels_))
    assert turned.n_iter_ == 1
    assert_array_equal(turned.row_labels_, model.column_labels_)
    assert_array_equal(turned.column_labels_, model.row_labels_)
    assert turned.objective_ == pytest.approx(model.objective_)


@every
def test_a_fit_continues_from_its_factors(method, data):
    if not takes(method, data):
        pytest.skip("ONMTF takes complete views only.")
    model = fitted(method, data, K, init="random", max_iter=3)
    further = fitted(method, data, K, init=model.factors_, max_iter=3)
    # The rule of ONMTF is allowed a small rise.
    slack = 1e-3 if method is ONMTF else 1e-9
    assert further.objective_ <= model.objective_ * (1 + slack)


@pytest.mark.parametrize("method", HARD)
def test_a_fit_continues_from_its_labels(method, data):
    model = fitted(method, data, K, init="random", max_iter=2)
    further = fitted(method, data, K, init=model.labels_by_type_)
    again = fitted(method, data, K, init=further.labels_by_type_)
    assert further.objective_ <= model.objective_ * (1 + 1e-12)
    assert again.n_iter_ == 1
    assert_array_equal(again.labels_, further.labels_)


@every
def test_labels_of_the_samples_alone_are_a_start(method, planted):
    model = fitted(method, planted.X, K, init=planted.row_labels)
    assert_array_equal(model.labels_, planted.row_labels)
    assert accuracy(planted.column_labels, model.column_labels_) == 1


@every
def test_callback_stops_the_fit(method, planted):
    seen = []

    def callback(progress):
        seen.append(progress.objective)
        return len(seen) == 2

    model = method(K, init="random", tol=0, random_state=1).fit(planted.X, callback=callback)
    assert model.n_iter_ == len(seen) <= 2
    assert_array_equal(model.objective_history_, seen)


@every
def test_biclusters_are_pairs_of_clusters(method, planted):
    columns = {} if method in (NMF, SemiNMF) else {"n_column_clusters": 4}
    model = fitted(method, planted.X, K, **columns)
    n_columns = columns.get("n_column_clusters", K)
    assert model.rows_.shape == (K * n_columns, 40)
    assert model.columns_.shape == (K * n_columns, 25)
    for i in range(K * n_columns):
        rows = np.flatnonzero(model.row_labels_ == i // n_columns)
        cols = np.flatnonzero(model.column_labels_ == i % n_columns)
        assert_array_equal(model.get_indices(i)[0], rows)
        assert_array_equal(model.get_indices(i)[1], cols)
        assert_array_equal(model.get_submatrix(i, planted.X), planted.X[np.ix_(rows, cols)])
    assert (model.rows_.T.astype(int) @ model.columns_.astype(int) == 1).all()


@every
def test_parameters_are_not_touched_and_refits_do_not_remember(method, planted, rng):
    model = method(K, init="random", random_state=2)
    before = model.get_params()
    first = model.fit(planted.X).labels_.copy()
    model.fit(rng.poisson(2.0, size=(12, 7)))
    assert model.get_params() == before
    assert_array_equal(model.fit(planted.X).labels_, first)
    assert_array_equal(clone(model).fit(planted.X).labels_, first)


@every
def test_the_data_are_not_touched(method, planted):
    X = sp.csr_array(planted.X)
    before = X.copy()
    fitted(method, X, K, normalize="degree")
    assert_array_equal(X.data, before.data)
    assert_array_equal(X.indices, before.indices)


@every
def test_names_of_clusters_do_not_matter_for_the_start(method, planted, rng):
    names = rng.permutation(K)
    model = fitted(method, planted.X, K, init=(planted.row_labels, planted.column_labels))
    columns = names if method in (NMF, SemiNMF) else rng.permutation(K)
    renamed = fitted(
        method, planted.X, K, init=(names[planted.row_labels], columns[planted.column_labels])
    )
    assert same_partition(model.labels_, renamed.labels_)
    assert renamed.objective_ == pytest.approx(model.objective_)
