"""Laws of SSNMF: links move similarities, and the n x n matrix is never needed."""

from __future__ import annotations

import os

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.links_curves import load
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.graphs import similarity
from cocluster.graphs.similarity import Gram, linked_similarity
from cocluster.linalg.matrices import EPS, squared_norm
from cocluster.linalg.types import Array
from cocluster.links import Links
from cocluster.methods.factorization import ssnmf
from cocluster.methods.factorization.ssnmf import SSNMF
from cocluster.metrics import accuracy
from cocluster.trifactor import (
    FactorSpec,
    NonNegative,
    NonNegativeAssociation,
    TriFactorProblem,
    alternate,
    state_from,
)

SEEDS = (0,)

K = 3
HOLD = {"dense": np.asarray, "sparse": sp.csr_array}
every_form = pytest.mark.parametrize("hold", HOLD.values(), ids=HOLD)


def drawn_links(labels: Array, count: int, rng: np.random.Generator) -> Links:
    """Some true links with weights, one of them stated twice."""
    i, j = np.triu_indices(len(labels), 1)
    pairs = np.stack([i, j], axis=1)[rng.choice(len(i), size=count, replace=False)]
    pairs = np.concatenate([pairs, pairs[:1, ::-1]])
    same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    weights = rng.uniform(0.1, 2.0, size=len(pairs))
    ends = pairs[same], pairs[~same]
    return Links.from_pairs(*ends, n_samples=len(labels), weights=weights)


def linked_twin(A: Array, links: Links, how: str) -> Array:
    """The similarity with links, entry after entry of the whole matrix."""
    linked, top = A.copy(), A.max()
    for i, j in links.must_link:
        linked[i, j] = linked[j, i] = top
    for i, j in links.cannot_link:
        linked[i, j] = linked[j, i] = 0
    if how == "add":
        change = links.must_matrix().toarray() - links.cannot_matrix().toarray()
        linked = np.maximum(A + top * change, 0)
    return linked


@every_form
@pytest.mark.parametrize("how", ["replace", "add"])
def test_operator_is_the_matrix_with_links(hold, how, planted, rng, monkeypatch):
    monkeypatch.setattr(similarity, "CELLS_AT_ONCE", 100)
    links = drawn_links(planted.row_labels, 60, rng)
    twin = linked_twin(planted.X @ planted.X.T, links, how)
    operator = linked_similarity(Gram(hold(planted.X)), links, how, weight=1.0)
    G = rng.random((40, K))
    assert_allclose(operator @ G, twin @ G)
    assert_allclose(operator.T @ G, twin.T @ G)
    assert squared_norm(operator) == pytest.approx(np.sum(twin**2))
    assert (operator.shape, operator.dtype) == (twin.shape, twin.dtype)


@pytest.mark.parametrize("shape", [(30, 7), (7, 30)])
@every_form
def test_norm_is_exact_for_tall_and_wide_data(hold, shape, rng, monkeypatch):
    monkeypatch.setattr(similarity, "CELLS_AT_ONCE", 20)
    X = rng.poisson(1.0, size=shape).astype(float)
    assert squared_norm(Gram(hold(X))) == pytest.approx(np.sum((X @ X.T) ** 2))


def test_objective_of_large_data_is_shifted_by_the_norm(planted, monkeypatch):
    X = sp.csr_array(planted.X)
    exact = SSNMF(K, random_state=0, tol=0, max_iter=9).fit(X)
    monkeypatch.setattr(ssnmf, "NORM_WORK", 0)
    shifted = SSNMF(K, random_state=0, tol=0, max_iter=9).fit(X)
    assert_array_equal(shifted.row_factor_, exact.row_factor_)
    norm = squared_norm(Gram(X))
    assert_allclose(shifted.objective_history_ + norm, exact.objective_history_)


@every_form
@pytest.mark.parametrize("how", ["replace", "add"])
@pytest.mark.parametrize("association", ["diagonal", "full"])
@pytest.mark.parametrize("affinity", ["linear", "cosine"])
def test_linear_time_form_is_the_dense_form(hold, how, association, affinity, planted, rng):
    """Factors agree to 1e-8 after several sweeps."""
    X, labels = planted.X, planted.row_labels
    links = drawn_links(labels, 60, rng)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    A = X @ X.T if affinity == "linear" else unit @ unit.T
    common = {"link": how, "association": association, "max_iter": 15, "tol": 0}
    common |= {"init": rng.integers(K, size=40), "random_state": 0}
    dense = SSNMF(K, affinity="precomputed", **common).fit(A, links=links)
    linear = SSNMF(K, affinity=affinity, **common).fit(hold(X), links=links)
    assert_allclose(linear.row_factor_, dense.row_factor_, rtol=1e-8)
    assert_allclose(linear.association_, dense.association_, rtol=1e-8, atol=1e-12)
    assert_allclose(linear.objective_history_, dense.objective_history_, rtol=1e-8)
    assert_array_equal(linear.labels_, dense.labels_)


def test_sweeps_are_those_of_the_general_problem(planted, rng):
    """One product for both sides of the relation changes nothing."""
    start = {"samples": rng.integers(K, size=40)}
    A = planted.X @ planted.X.T
    data = RelationalData((Relation(A, "samples", "samples"),))
    factors = {"samples": FactorSpec(K, NonNegative(exponent=0.25))}
    problem = TriFactorProblem(data, factors, NonNegativeAssociation(0.5, diagonal=True))
    model = SSNMF(K, init=start["samples"], max_iter=1, tol=0).fit(planted.X)
    run = alternate(problem, state_from(problem, start), max_iter=1, tol=0)
    assert_allclose(model.row_factor_, run.state.factors["samples"])


@pytest.mark.parametrize("how", ["replace", "add"])
@pytest.mark.parametrize("association", ["diagonal", "full"])
@pytest.mark.parametrize("affinity", ["linear", "cosine", "rbf"])
def test_objective_never_rises(how, association, affinity, planted, rng):
    links = drawn_links(rng.integers(K, size=40), 50, rng)
    model = SSNMF(
        K, affinity=affinity, link=how, association=association, init="random", tol=0, max_iter=60
    ).fit(planted.X, links=links)
    history = model.objective_history_
    assert (np.diff(history) <= 1e-9 * history[0]).all()


@pytest.mark.parametrize("how", ["replace", "add"])
def test_must_links_draw_together_and_cannot_links_push_apart(how, rng):
    """Rows of the model G S Gᵀ at the linked pairs, with and without the links."""
    X = rng.poisson(3.0, size=(30, 12)).astype(float)
    links = drawn_links(rng.integers(2, size=30), 30, rng)
    start = {"init": rng.random((30, 2)) + 0.1, "link": how, "max_iter": 50}
    free, bound = (SSNMF(2, **start).fit(X, links=given) for given in (None, links))

    def closeness(model, pairs):
        G = model.row_factor_ / np.linalg.norm(model.row_factor_, axis=1, keepdims=True)
        return np.mean(np.sum(G[pairs[:, 0]] * G[pairs[:, 1]], axis=1))

    assert closeness(bound, links.must_link) > closeness(free, links.must_link)
    assert closeness(bound, links.cannot_link) < closeness(free, links.cannot_link)


def test_no_links_is_the_unsupervised_method_exactly(planted):
    nothing = Links.from_pairs(n_samples=40)
    plain, empty = (
        SSNMF(K, random_state=1).fit(planted.X, links=links) for links in (None, nothing)
    )
    assert_array_equal(plain.row_factor_, empty.row_factor_)
    assert plain.links_report_ == {}


@pytest.mark.parametrize("assign", ["argmax", "kmeans"])
@pytest.mark.parametrize("affinity", ["linear", "cosine", "rbf", rbf_kernel])
def test_planted_samples_and_new_ones_are_found(affinity, assign, planted, rng):
    X = planted.X / 10 if affinity is rbf_kernel else planted.X
    model = SSNMF(K, affinity=affinity, assign=assign, random_state=0).fit(X[:30])
    assert accuracy(planted.row_labels[:30], model.labels_) == 1
    assert_array_equal(model.predict(X[:30]), model.labels_)
    assert accuracy(planted.row_labels, model.predict(X)) == 1


def test_callable_and_precomputed_affinities_are_the_named_one(planted):
    given = SSNMF(K, affinity="precomputed", random_state=0).fit(rbf_kernel(planted.X, gamma=0.01))
    called = SSNMF(
        K, affinity=lambda X, Y: rbf_kernel(X, Y, gamma=0.01), init=given.row_factor_, max_iter=1
    ).fit(planted.X)
    named = SSNMF(K, affinity="rbf", gamma=0.01, init=given.row_factor_, max_iter=1).fit(planted.X)
    assert_allclose(called.row_factor_, named.row_factor_)
    assert_allclose(called.transform(planted.X), named.transform(planted.X))
    assert_allclose(given.transform(rbf_kernel(planted.X, gamma=0.01)), given.membership_, atol=0.2)


def test_sparse_similarities_stay_sparse(planted, rng):
    A = sp.csr_array(planted.X @ planted.X.T * (planted.X @ planted.X.T > 900))
    links = drawn_links(planted.row_labels, 40, rng)
    common = {"affinity": "precomputed", "init": planted.row_labels}
    one, other = (SSNMF(K, **common).fit(M, links=links) for M in (A, A.toarray()))
    assert_allclose(one.row_factor_, other.row_factor_)


def test_fold_in_is_nonnegative_least_squares_on_similarities(planted, rng):
    model = SSNMF(K, random_state=0, association="full").fit(planted.X)
    new = planted.X[:8] + rng.random((8, 25))
    basis = model.row_factor_ @ model.association_
    best = np.array([nnls(basis, row)[0] for row in new @ planted.X.T])
    weighted = best * np.sqrt(np.diag(basis.T @ basis))
    assert_allclose(model.transform(new), weighted / weighted.sum(axis=1, keepdims=True), atol=1e-3)


def test_partial_labels_are_links(planted):
    y = np.where(np.arange(40) < 12, planted.row_labels, -1)
    by_y = SSNMF(K, random_state=0).fit(planted.X, y)
    by_links = SSNMF(K, random_state=0).fit(planted.X, links=Links.from_labels(y))
    assert_array_equal(by_y.row_factor_, by_links.row_factor_)
    assert by_y.links_report_["samples"].n_violated == 0


def test_single_precision_stays_single(planted, rng):
    links = drawn_links(planted.row_labels, 20, rng)
    for affinity in ("linear", "cosine"):
        model = SSNMF(K, affinity=affinity, random_state=0)
        model.fit(sp.csr_array(planted.X.astype(np.float32)), links=links)
        assert model.row_factor_.dtype == np.float32
        assert accuracy(planted.row_labels, model.labels_) == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"affinity": "sigmoid"}, "affinity must be one of"),
        ({"link": "swap"}, "link must be one of"),
        ({"association": "wide"}, "association must be one of"),
        ({"gamma": -1.0, "affinity": "rbf"}, "gamma"),
        ({"n_column_clusters": 2}, "leave n_column_clusters=None"),
        ({"affinity": "precomputed"}, "must be square"),
    ],
)
def test_bad_parameters(parameters, message, planted):
    with pytest.raises(ValueError, match=message):
        SSNMF(K, **parameters).fit(planted.X)


def test_bad_data(planted):
    with pytest.raises(ValueError, match="symmetric"):
        SSNMF(K, affinity="precomputed").fit(planted.X[:25])
    with pytest.raises(ValueError, match="StarSSNMF"):
        SSNMF(K).fit({"words": planted.X, "tags": planted.X})
    with pytest.raises(ValueError, match="links between samples only"):
        SSNMF(K).fit(planted.X, links={"features": ([[0, 1]], [])})


@pytest.mark.slow
@pytest.mark.skipif("COCLUSTER_DATA" not in os.environ, reason="COCLUSTER_DATA is not set")
@pytest.mark.parametrize(
    ("file", "classes"),
    [
        ("oh5", ("Graft-Survival", "Phospholipids")),
        ("oh0", ("England", "Heart-Valve-Prosthesis")),
        ("re0", ("interest", "trade")),
    ],
)
def test_sets_of_the_paper_with_three_percent_of_the_pairs(file, classes):
    X, y = load(file, classes, 0.1)
    scores = [
        accuracy(
            y,
            SSNMF(2, random_state=draw)
            .fit(X, links=Links.from_labels(y, fraction=0.03, random_state=draw))
            .labels_,
        )
        for draw in range(500, 505)
    ]
    assert np.mean(scores) >= 0.99


def literal_ssnmf(A, G, sweeps):
    """Eq. (4) and (5) of the paper as printed, S diagonal, from G and the S of least squares."""
    B = np.linalg.pinv(G.T @ G)
    S = B @ G.T @ A @ G @ B
    S = np.diag(np.diag(np.maximum(S, EPS + 1e-3 * np.abs(S).max())))
    for _ in range(sweeps):
        G = G * ((A @ G @ S) / (G @ S @ G.T @ G @ S)) ** 0.25
        S = S * np.sqrt((G.T @ A @ G) / (G.T @ G @ S @ G.T @ G))
    return G, S


def test_without_ties_and_at_full_weight_it_is_the_method_of_the_paper(planted, rng):
    links = drawn_links(planted.row_labels, 60, rng)
    start = rng.random((40, K)) + 0.1
    form = {"link_weight": 1.0, "ties": False, "tol": 0, "init": start}
    model = SSNMF(K, max_iter=4, **form).fit(planted.X, links=links)
    A = linked_twin(planted.X @ planted.X.T, links, "replace")
    G, S = literal_ssnmf(A, start, 4)
    assert_allclose(model.row_factor_ @ model.association_ @ model.row_factor_.T, G @ S @ G.T)


@pytest.mark.parametrize("link", ["replace", "add"])
def test_signed_similarities_are_taken_and_the_objective_never_rises(link, planted, rng):
    X = planted.X - planted.X.mean(axis=0)
    model = SSNMF(K, affinity="precomputed", link=link, random_state=0, tol=0, max_iter=40)
    model.fit(X @ X.T, links=drawn_links(planted.row_labels, 60, rng))
    history = model.objective_history_
    assert (np.diff(history) <= 1e-10 * history[0]).all()
    assert accuracy(planted.row_labels, model.labels_) == 1


def test_a_cannot_link_gets_the_smallest_of_signed_similarities():
    A = np.array([[2.0, 1, -3], [1, 2, 0], [-3, 0, 2]])
    links = Links.from_pairs(cannot_link=[[0, 1]], n_samples=3)
    assert (linked_similarity(A, links, "replace") @ np.eye(3))[0, 1] == -3
