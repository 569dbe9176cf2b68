"""The methods with graphs: laws and equivalences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls
from sklearn.metrics.pairwise import cosine_similarity

from cocluster.graphs import candidate_graphs, knn_graph, laplacian
from cocluster.linalg.matrices import squared_norm
from cocluster.methods.factorization.compose import TriFactorization
from cocluster.methods.factorization.drcc import DRCC
from cocluster.methods.factorization.fnmtf import FNMTF
from cocluster.methods.factorization.gnmf import GNMF
from cocluster.methods.factorization.lpfnmtf import LPFNMTF
from cocluster.methods.factorization.nmf import NMF
from cocluster.methods.factorization.onmtf import ONMTF
from cocluster.methods.factorization.osntf import OSNTF
from cocluster.methods.factorization.rmc import RMC, shared_weights
from cocluster.methods.factorization.snmtf import SNMTF
from cocluster.metrics import accuracy
from cocluster.trifactor import GraphEnsemble, Indicator, NonNegative, simplex_weights
from tests.conftest import plant, structured

SEEDS = (0,)

K = 3
METHODS = [GNMF, DRCC, SNMTF, OSNTF, RMC, LPFNMTF]
FORMS = [
    *[(method, {}) for method in METHODS],
    (OSNTF, {"fast": True}),
    (RMC, {"share_weights": True}),
]
HOLDS = [np.asarray, sp.csr_array]
every = pytest.mark.parametrize(("method", "form"), FORMS)


def strengths(method: type, value: float) -> dict[str, float]:
    """Parameters that set every strength of a method."""
    return dict.fromkeys(method._strengths, value)


def fitted(method: type, X: Any, graphs: Any = None, **parameters: Any) -> Any:
    """The method fitted with a fixed seed, in few sweeps."""
    return method(K, random_state=0, **{"max_iter": 60, **parameters}).fit(X, graphs=graphs)


def graph_of(n: int, seed: int) -> sp.csr_array:
    """A neighbour graph of random points."""
    return knn_graph(np.random.default_rng(seed).normal(size=(n, 3)), 4)


def takes(method: type, form: dict[str, Any], data: Any) -> bool:
    """The orthogonal rule refuses absent samples."""
    return method is not OSNTF or "fast" in form or all(r.row_index is None for r in data.relations)


@every
def test_the_objective_never_rises(method, form, data):
    if not takes(method, form, data):
        pytest.skip("The orthogonal rule takes complete views only.")
    model = fitted(method, data, init="random", tol=0, max_iter=20, **form)
    history = model.objective_history_
    # The orthogonal rule is allowed small rises.
    slack = 3e-3 if method is OSNTF and not form else 1e-10
    assert (np.diff(history) <= slack * history[0]).all()


@every
def test_planted_blocks_and_stars_are_recovered(method, form, planted, rng):
    model = fitted(method, planted.X, **form)
    assert accuracy(planted.row_labels, model.labels_) == 1
    assert accuracy(planted.column_labels, model.column_labels_) == 1
    assert accuracy(planted.row_labels, model.predict(planted.X)) == 1
    tags = plant(rng, planted.row_labels, 20, K).X
    many = fitted(method, {"words": planted.X, "tags": sp.csr_array(tags)}, **form)
    assert accuracy(planted.row_labels, many.labels_) == 1
    assert set(many.labels_by_type_) == {"samples", "words", "tags"}


@every
def test_sparse_is_dense_and_starts_do_not_matter_for_graphs(method, form):
    X = structured("sparse", 0).relations[0].matrix
    dense, held = (fitted(method, M, n_init=2, max_iter=30, **form) for M in (X.toarray(), X))
    assert_allclose(held.objective_history_, dense.objective_history_, rtol=1e-6)
    assert_array_equal(held.labels_, dense.labels_)


@every
def test_single_precision_stays_single(method, form, planted):
    model = fitted(method, planted.X.astype(np.float32), **form)
    soft = method is not LPFNMTF and "fast" not in form
    if soft:
        assert {G.dtype for G in model.factors_.values()} == {np.dtype(np.float32)}
    assert accuracy(planted.row_labels, model.labels_) == 1


@every
def test_strengths_do_not_depend_on_the_scale_of_the_data_or_of_the_graph(method, form):
    X = structured("dense", 0).relations[0].matrix
    graphs = {"samples": graph_of(36, 0), "features": graph_of(20, 1)}
    scaled = {name: 50 * W for name, W in graphs.items()}
    one = fitted(method, X, graphs, normalize=None, max_iter=10, **form)
    other = fitted(method, 1000 * X, scaled, normalize=None, max_iter=10, **form)
    assert_allclose(other.objective_history_, 1e6 * one.objective_history_, rtol=1e-6)
    assert_array_equal(other.labels_, one.labels_)


@every
def test_absolute_strengths_do_not_follow_the_scale_of_the_data(method, form):
    X = structured("dense", 0).relations[0].matrix
    graphs = {"samples": graph_of(36, 0), "features": graph_of(20, 1)}
    form = {**form, "strength_unit": "absolute", "normalize": None, "max_iter": 10}
    if method is GNMF:  # whose factor of the features is as large as the data
        form |= {"column_strength": 0.0}
    own, larger = (strengths(method, value) | form for value in (2.0, 200.0))
    one = fitted(method, X, graphs, **own)
    # The objective of ten times the data is a hundred times as large, if the strengths are, too.
    other = fitted(method, 10 * X, graphs, **larger)
    assert_allclose(other.objective_history_, 100 * one.objective_history_, rtol=1e-6)
    same = fitted(method, 10 * X, graphs, **own)
    assert not np.allclose(same.objective_history_, 100 * one.objective_history_, rtol=1e-6)


@every
def test_links_are_kept(method, form, planted):
    y = np.where(np.arange(40) < 12, planted.row_labels, -1)
    model = method(K, random_state=0, max_iter=60, **form).fit(planted.X, y)
    report = model.links_report_["samples"]
    assert report.n_violated == 0
    assert accuracy(planted.row_labels, model.labels_) == 1


@pytest.mark.parametrize("data", ["dense", "star", "chain", "absent"], indirect=True)
def test_lpfnmtf_and_fast_osntf_without_strength_are_fnmtf(data):
    plain = FNMTF(K, random_state=0, n_init=2).fit(data)
    anchored = fitted(LPFNMTF, data, row_strength=0, column_strength=0, n_init=2)
    fast = fitted(OSNTF, data, strength=0, fast=True, tol=0, n_init=2)
    for model in (anchored, fast):
        assert_array_equal(model.objective_history_, plain.objective_history_)
        for name, labels in plain.labels_by_type_.items():
            assert_array_equal(model.labels_by_type_[name], labels)


@pytest.mark.parametrize("data", ["dense", "star"], indirect=True)
def test_fast_osntf_is_lpfnmtf(data):
    one = fitted(LPFNMTF, data, row_strength=0.5, column_strength=0.5)
    other = fitted(OSNTF, data, strength=0.5, fast=True, tol=0)
    assert_array_equal(one.objective_history_, other.objective_history_)
    assert_array_equal(one.labels_, other.labels_)
    assert_array_equal(one.predict(data), other.predict(data))
    assert_array_equal(other.transform(data).argmax(axis=1), other.predict(data))


def test_without_strength_the_soft_methods_are_those_without_graphs(data):
    same = {"tol": 0, "max_iter": 20, "assign": "kmeans"}
    plain = {"random_state": 0, **same}
    semi = TriFactorization(K, unit_columns=True, **plain).fit(data)
    pairs = [
        (fitted(DRCC, data, row_strength=0, column_strength=0, **same), semi),
        (fitted(RMC, data, strength=0, **same), semi),
        (fitted(GNMF, data, row_strength=0, **same), NMF(K, **plain).fit(data)),
    ]
    if takes(OSNTF, {}, data):
        pairs.append((fitted(OSNTF, data, strength=0, **same), ONMTF(K, **plain).fit(data)))
    for model, twin in pairs:
        assert_array_equal(model.objective_history_, twin.objective_history_)
        assert_array_equal(model.labels_, twin.labels_)


def test_snmtf_with_two_types_is_drcc(planted):
    for strength in (0.1, 5.0):
        one = fitted(DRCC, planted.X, row_strength=strength, column_strength=strength)
        other = fitted(SNMTF, planted.X, strength=strength)
        assert_array_equal(one.objective_history_, other.objective_history_)
        assert_array_equal(one.labels_, other.labels_)


@pytest.mark.parametrize("method", [SNMTF, RMC, OSNTF])
def test_each_type_can_have_its_own_strength(method, planted):
    one = fitted(method, planted.X, strength=0.7)
    same = fitted(method, planted.X, strength={"samples": 0.7, "features": 0.7})
    assert_array_equal(one.objective_history_, same.objective_history_)
    with pytest.raises(ValueError, match="strength names the unknown type 'words'"):
        fitted(method, planted.X, strength={"words": 1.0})


def test_snmtf_with_its_own_strengths_is_drcc(planted):
    one = fitted(SNMTF, planted.X, strength={"samples": 2.0})
    other = fitted(DRCC, planted.X, row_strength=2.0, column_strength=0)
    assert_array_equal(one.objective_history_, other.objective_history_)


@pytest.mark.parametrize("share_weights", [False, True])
def test_rmc_with_one_graph_is_snmtf(share_weights, data):
    graphs = {name: graph_of(data.size(name), 0) for name in data.types}
    plain = fitted(SNMTF, data, graphs)
    one = fitted(RMC, data, graphs, weight_penalty=0, share_weights=share_weights)
    assert_allclose(one.objective_history_, plain.objective_history_)
    assert_array_equal(one.labels_, plain.labels_)
    assert one.graph_weights_ == {name: {"given": 1.0} for name in data.types}


def test_rmc_prefers_the_graph_that_shows_the_clusters(planted):
    true = (planted.row_labels[:, None] == planted.row_labels).astype(float)
    graphs = {"samples": {"random": graph_of(40, 3), "true": true}}
    model = fitted(RMC, planted.X, graphs, strength=0.1)
    weights = model.graph_weights_["samples"]
    assert weights["true"] > weights["random"]
    assert sum(weights.values()) == pytest.approx(1)
    assert len(model.graph_weights_["features"]) > 2
    shared = fitted(RMC, planted.X, share_weights=True).graph_weights_
    assert shared["samples"] == shared["features"]


def test_shared_weights_are_the_best_that_all_types_can_agree_on(rng):
    graphs = [
        {key: laplacian(graph_of(12, i + 3 * t)) for i, key in enumerate("abc")} for t in (0, 1)
    ]
    ensembles = {
        name: GraphEnsemble(own, t + 1.0, 0.5)
        for t, (name, own) in enumerate(zip("xy", graphs, strict=True))
    }
    factors = {name: rng.random((12, 2)) for name in ensembles}

    def total(weights):
        return sum(own.combined_value(factors[name], weights) for name, own in ensembles.items())

    shared = shared_weights(ensembles, factors)
    assert total(shared) >= sum(own.value(factors[name]) for name, own in ensembles.items())
    for _ in range(100):
        assert total(shared) <= total(rng.dirichlet(np.ones(3)))
    alone = {"x": ensembles["x"]}
    assert_allclose(shared_weights(alone, factors), alone["x"].weights(factors["x"]))


def test_a_fixed_point_of_gnmf_satisfies_the_kkt_conditions():
    X = structured("dense", 0).relations[0].matrix[:14, :9]
    graphs = {"samples": graph_of(14, 0), "features": graph_of(9, 1)}
    both = strengths(GNMF, 0.1)
    model = fitted(GNMF, X, graphs, normalize=None, max_iter=3000, tol=0, **both)
    V, U = model.row_factor_, model.column_factor_
    for name, G, H, R in (("samples", V, U, X), ("features", U, V, X.T)):
        L = 0.1 * squared_norm(X) / len(G) * laplacian(graphs[name], normalized=True)
        gradient = G @ H.T @ H - R @ H + L @ G
        assert np.abs(G * gradient).max() < 1e-5 * np.abs(G * (R @ H)).max()
        assert gradient.min() > -1e-4 * np.abs(R @ H).max()


def images() -> np.ndarray:
    """Rows of four classes that differ little from their mean, as pictures of faces do."""
    rng = np.random.default_rng(0)
    classes = 1 + 0.3 * rng.random((4, 60))
    return np.repeat(classes, 20, axis=0) + 0.05 * rng.random((80, 60))


@pytest.mark.parametrize("method", [DRCC, SNMTF, RMC])
@pytest.mark.parametrize("strength", [1.0, 100.0])
def test_a_strong_graph_does_not_end_a_run_early(method, strength):
    # A random start is anything but smooth: its penalty dwarfs what is to be found.
    tol = 1e-3
    form = {"init": "random", "tol": tol, **strengths(method, strength)}
    model = fitted(method, images(), max_iter=400, **form)
    falls = -np.diff(model.objective_history_)
    assert model.converged_
    assert falls[-1] <= tol * model.objective_
    assert (falls[:-1] > tol * model.objective_history_[1:-1]).all()


@pytest.mark.parametrize("method", [DRCC, SNMTF, RMC])
def test_single_precision_finds_what_double_finds(method):
    form = {"init": "random", "tol": 0, **strengths(method, 100.0)}
    double = fitted(method, images(), **form)
    single = fitted(method, images().astype(np.float32), **form)
    unit = np.finfo(np.float32).eps * double.objective_history_[0]
    assert np.diff(single.objective_history_).max() <= unit
    assert_allclose(single.objective_, double.objective_, rtol=1e-3)


@pytest.mark.parametrize(("method", "form"), [f for f in FORMS if "share_weights" not in f[1]])
def test_many_equal_distances_give_the_same_labels_dense_and_sparse(method, form):
    # Few ones in a row: most rows are equally far from most others.
    X = (np.random.default_rng(1).random((40, 30)) < 0.05).astype(float)
    dense, sparse = (fitted(method, hold(X), max_iter=5, **form) for hold in HOLDS)
    for graph in ("labels_", "column_labels_"):
        assert_array_equal(getattr(dense, graph), getattr(sparse, graph))


def positive(A):
    return np.maximum(A, 0)


def stepped(R, G, F, S, L):
    """Rule (15) of DRCC, and rule (8) of RMC; of the features with the data turned over."""
    A, B = R @ F @ S.T, S @ F.T @ F @ S.T
    pull = positive(A) + G @ positive(-B) + positive(-L) @ G
    push = positive(-A) + G @ positive(B) + positive(L) @ G
    G = G * np.sqrt(pull / push)
    return G / np.linalg.norm(G, axis=0)


def swept(X, G, F, smooth):
    """Three sweeps with S by least squares; ``smooth`` gives L of a side from both factors."""

    def solved(G, F):
        return np.linalg.pinv(G.T @ G) @ G.T @ X @ F @ np.linalg.pinv(F.T @ F)

    S = solved(G, F)
    for _ in range(3):
        G = stepped(X, G, F, S, smooth({"samples": G, "features": F}, "samples"))
        S = solved(G, F)
        F = stepped(X.T, F, G, S.T, smooth({"samples": G, "features": F}, "features"))
        S = solved(G, F)
    return G, F


@pytest.mark.parametrize("unit", ["relative", "absolute"])
@pytest.mark.parametrize("laplacian_", ["plain", "normalized"])
def test_drcc_is_rules_15_and_16_with_the_laplacian_and_the_unit_asked_for(laplacian_, unit, rng):
    X, graphs = rng.random((20, 16)), {"samples": graph_of(20, 1), "features": graph_of(16, 2)}
    G, F = rng.random((20, K)) + 0.1, rng.random((16, K)) + 0.1
    form = {"laplacian": laplacian_, "normalize": None, "tol": 0, "init": (G, F)}
    model = fitted(DRCC, X, graphs, max_iter=3, strength_unit=unit, **form)
    one = squared_norm(X) / K if unit == "relative" else 1.0  # what strength 1 means
    L = {name: one * laplacian(W, laplacian_ == "normalized") for name, W in graphs.items()}
    G, F = swept(X, G, F, lambda _, side: L[side].toarray())
    assert_allclose(model.row_factor_, G)
    assert_allclose(model.column_factor_, F)


@pytest.mark.parametrize("unit", ["relative", "absolute"])
@pytest.mark.parametrize("bandwidth", ["printed", "scaled"])
def test_rmc_is_its_equations_with_the_bandwidths_and_the_unit_asked_for(bandwidth, unit, rng):
    """Eq. (5), (8) and (9) from one start, with all candidate graphs of both types."""
    X, strength, penalty = rng.random((20, 16)), 0.5, 0.1
    G, F = rng.random((20, K)) + 0.1, rng.random((16, K)) + 0.1
    form = {"bandwidth": bandwidth, "metric": "euclidean", "normalize": None, "init": (G, F)}
    form |= {"strength": strength, "strength_unit": unit, "weight_penalty": penalty}
    model = fitted(RMC, X, max_iter=3, tol=0, **form)
    weight = strength * squared_norm(X) / K if unit == "relative" else strength
    candidates = {
        side: candidate_graphs(points, 5, printed=bandwidth == "printed").values()
        for side, points in (("samples", X), ("features", X.T))
    }

    def smooth(factors, side):
        G, graphs = factors[side], [laplacian(W, True).toarray() for W in candidates[side]]
        mu = simplex_weights(np.array([np.trace(G.T @ L @ G) for L in graphs]), penalty)
        return weight * np.tensordot(mu, graphs, axes=1)

    G, F = swept(X, G, F, smooth)
    assert_allclose(model.row_factor_, G)
    assert_allclose(model.column_factor_, F)


def test_rmc_in_the_form_of_the_paper_has_one_mu_and_plain_laplacians(rng):
    """Eq. (4) as printed: the types stacked, L = D - W, and α and β in no unit of the data."""
    X, strength, penalty = rng.random((20, 16)), 0.5, 0.1
    G, F = rng.random((20, K)) + 0.1, rng.random((16, K)) + 0.1
    form = {"bandwidth": "printed", "laplacian": "plain", "strength_unit": "absolute"}
    form |= {"metric": "euclidean", "share_weights": True, "normalize": None, "init": (G, F)}
    model = fitted(RMC, X, max_iter=3, tol=0, strength=strength, weight_penalty=penalty, **form)
    graphs = {
        side: [laplacian(W).toarray() for W in candidate_graphs(points, 5, printed=True).values()]
        for side, points in (("samples", X), ("features", X.T))
    }

    def smooth(factors, side):
        costs = [[np.trace(G.T @ L @ G) for L in graphs[name]] for name, G in factors.items()]
        # β ‖μ‖² counts once for each type.
        mu = simplex_weights(np.mean(costs, axis=0), penalty)
        return strength * np.tensordot(mu, graphs[side], axes=1)

    G, F = swept(X, G, F, smooth)
    assert_allclose(model.row_factor_, G)
    assert_allclose(model.column_factor_, F)


def test_gnmf_is_rules_14_and_15_of_its_paper(rng):
    X, W, strength = rng.random((20, 16)), graph_of(20, 1), 0.7
    G, F = rng.random((20, K)) + 0.1, rng.random((16, K)) + 0.1
    literal = {"laplacian": "plain", "strength_unit": "absolute", "row_strength": strength}
    form = {"normalize": None, "tol": 0, "init": (G, F)}
    model = fitted(GNMF, X, {"samples": W}, max_iter=3, **literal, **form)
    W = W.toarray()
    D = np.diag(W.sum(axis=1))
    for _ in range(3):
        G = G * (X @ F + strength * W @ G) / (G @ F.T @ F + strength * D @ G)
        F = F * (X.T @ G) / (F @ G.T @ G)
    assert_allclose(model.row_factor_, G)
    assert_allclose(model.column_factor_, F)


def test_lpfnmtf_with_absolute_strengths_minimises_j7_of_its_paper(rng):
    """Eq. (16), with B by Eq. (15), S by Eq. (6) and Q by Eq. (18), at the labels it ends with."""
    X, strengths_ = rng.random((20, 16)), {"row_strength": 3.0, "column_strength": 0.5}
    graphs = {"samples": graph_of(20, 1), "features": graph_of(16, 2)}
    form = {"normalize": None, "strength_unit": "absolute", **strengths_}
    model = fitted(LPFNMTF, X, graphs, **form)
    G, F = np.eye(K)[model.labels_], np.eye(K)[model.column_labels_]
    S = np.linalg.pinv(G.T @ G) @ G.T @ X @ F @ np.linalg.pinv(F.T @ F)
    J = squared_norm(X - G @ S @ F.T)
    for factor, W, strength in zip((G, F), graphs.values(), strengths_.values(), strict=True):
        root = np.diag(W.sum(axis=1) ** -0.5)
        values, vectors = np.linalg.eigh(root @ W.toarray() @ root)
        B = vectors[:, -K:] * np.sqrt(positive(values[-K:]))
        U, _, V = np.linalg.svd(B.T @ factor)
        J += strength * squared_norm(factor - B @ U @ V)
    assert_allclose(model.objective_, J)


def test_lpfnmtf_predicts_its_own_samples_where_it_put_them(rng):
    # Loose clusters, and anchors that weigh as much as the data.
    truth = rng.permutation(np.arange(90) % K)
    X = plant(rng, truth, 30, K, contrast=0.7).X
    model = fitted(LPFNMTF, X, row_strength=1.0)
    nearest_prototype = model._costs_of(model._new_data(X)).argmin(axis=1)
    predicted = np.mean(model.predict(X) == model.labels_)
    assert predicted > 0.97
    assert predicted > np.mean(nearest_prototype == model.labels_)
    assert_array_equal(model.predict(sp.csr_array(X)), model.predict(X))


SMOOTHED = [*[(method, {}) for method in (GNMF, DRCC, SNMTF, RMC)], (RMC, {"share_weights": True})]
smoothed = pytest.mark.parametrize(("method", "form"), SMOOTHED)


@smoothed
def test_the_graph_brings_samples_of_the_fit_nearer_to_their_own_rows(method, form, rng):
    """At the end of a run a row of the factor is the best for its data and its graph."""
    X = plant(rng, np.arange(40) % K, 12, K, contrast=0.7).X
    model = fitted(method, X, max_iter=300, normalize=None, **form)
    data = model._new_data(X)
    rows, alone = model._fold_in(data)[0], model._new_block(data).nonnegative_minimiser()
    missed, missed_alone = (np.linalg.norm(G - model.row_factor_) for G in (rows, alone))
    assert missed < missed_alone
    assert_allclose(model._fold_in(model._new_data(sp.csr_array(X)))[0], rows)


@smoothed
def test_new_samples_minimise_their_data_and_their_graph(method, form, rng):
    X = plant(rng, np.arange(40) % K, 12, K, contrast=0.7).X
    model = fitted(method, X[:30], normalize=None, **form)
    points, diagonal, pull = model._pulled
    assert_array_equal(points, X[:30])
    similarity = cosine_similarity(X[30:], X[:30])
    basis = model.association_ @ model.column_factor_.T
    for g, x, near in zip(
        model._fold_in(model._new_data(X[30:]))[0], X[30:], similarity, strict=True
    ):
        order = np.argsort(-near)[: model.n_neighbors]
        # d ‖g‖² - 2 g · p is ‖√d g - p / √d‖² up to a constant, a few more rows of least squares.
        root = np.sqrt(diagonal[order[0]])
        target = np.concatenate([x, pull[order].mean(axis=0) / root])
        expected = nnls(np.vstack([basis.T, root * np.eye(K)]), target)[0]
        assert_allclose(g, expected, atol=1e-6 * np.abs(expected).max())


def test_without_neighbours_new_samples_are_fitted_to_the_data_alone(rng):
    X = plant(rng, np.arange(40) % K, 12, K).X
    model = fitted(DRCC, X, graphs={"samples": graph_of(40, 0)}, normalize=None)
    data = model._new_data(X[:5])
    assert_array_equal(model._fold_in(data)[0], model._new_block(data).nonnegative_minimiser())
    found = fitted(DRCC, X, normalize=None)
    assert_allclose(found.transform(np.zeros((1, 12))), 1 / K)


def test_labels_by_kmeans_beside_an_indicator(rng):
    X = rng.random((20, 8))
    constraint = {"samples": NonNegative(), "features": Indicator()}
    model = TriFactorization(2, constraint=constraint, assign="kmeans", random_state=0).fit(X)
    # The labels of an indicator are the indicator.
    assert_array_equal(model.factors_["features"].argmax(axis=1), model.column_labels_)
