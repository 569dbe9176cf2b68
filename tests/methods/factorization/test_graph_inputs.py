"""Graphs given by the user, graphs of the data, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.graphs import knn_graph
from cocluster.methods.factorization.drcc import DRCC
from cocluster.methods.factorization.gnmf import GNMF
from cocluster.methods.factorization.graph_base import spectral_basis
from cocluster.methods.factorization.lpfnmtf import LPFNMTF
from cocluster.methods.factorization.rmc import RMC
from cocluster.metrics import accuracy
from tests.methods.factorization.test_graph_methods import (
    METHODS,
    K,
    every,
    fitted,
    graph_of,
    strengths,
)

SEEDS = (0,)


@every
def test_given_graphs_replace_those_of_the_data_and_are_not_kept(method, form, planted):
    W = (planted.row_labels[:, None] == planted.row_labels).astype(float)
    X = np.random.default_rng(0).poisson(3.0, size=planted.X.shape) + 0.3 * planted.X
    many = strengths(method, 100.0 if method is GNMF else 3.0) | form
    blind = fitted(method, X, **many)
    sighted = fitted(method, X, {"samples": W, "features": graph_of(25, 0)}, **many)
    right = accuracy(planted.row_labels, sighted.labels_)
    assert right >= accuracy(planted.row_labels, blind.labels_)
    assert right > 0.9
    assert not any(sp.issparse(value) or value is W for value in vars(sighted).values())
    assert_array_equal(sighted.fit(X).labels_, blind.labels_)


def test_the_basis_of_separate_groups_is_their_indicator(planted):
    labels = planted.row_labels
    W = (labels[:, None] == labels).astype(float)
    np.fill_diagonal(W, 0)
    B = spectral_basis(sp.csr_array(W), K)
    same = labels[:, None] == labels
    assert_allclose(B @ B.T, same / np.bincount(labels)[labels], atol=1e-10)


def test_a_large_basis_agrees_with_the_dense_solver(rng):
    W = knn_graph(rng.normal(size=(1200, 3)), 6)
    degrees = np.asarray(W.sum(axis=1)).ravel()
    A = W.toarray() / np.sqrt(np.outer(degrees, degrees))
    values, vectors = np.linalg.eigh(A)
    top = vectors[:, -4:] * np.sqrt(values[-4:])
    B = spectral_basis(W, 4)
    assert_allclose(B @ B.T, top @ top.T, atol=1e-6)


def test_objects_without_edges_do_not_become_clusters():
    W = np.zeros((7, 7))
    W[:3, :3], W[3:6, 3:6] = 1, 1
    W[np.arange(7), np.arange(7)] = 0
    B = spectral_basis(sp.csr_array(W), 2)
    assert_allclose(B[6], 0, atol=1e-12)
    assert np.linalg.matrix_rank(B) == 2


BAD_GRAPHS = {
    "not a mapping": (np.eye(40), TypeError, "must map a type"),
    "unknown type": (
        {"rows": np.eye(40)},
        ValueError,
        "names the unknown type 'rows'; the types are samp",
    ),
    "wrong size": ({"samples": np.eye(39)}, ValueError, "graph of samples has shape"),
    "negative": ({"samples": -np.ones((40, 40))}, ValueError, "negative weights"),
}


@pytest.mark.parametrize("bad", BAD_GRAPHS)
@pytest.mark.parametrize("method", METHODS)
def test_bad_graphs_are_refused(method, bad, planted):
    graphs, error, message = BAD_GRAPHS[bad]
    if method is RMC and bad in ("wrong size", "negative"):
        message = message.replace("graph of", "given of")
    with pytest.raises(error, match=message):
        fitted(method, planted.X, graphs)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 40}, "n_neighbors=40 must be less than n_samples=40"),
        ({"n_neighbors": 0}, "n_neighbors must be at least 1"),
        ({"metric": "manhattan"}, "metric must be one of"),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_bad_parameters_are_refused(method, parameters, message, planted):
    with pytest.raises(ValueError, match=message):
        fitted(method, planted.X, **parameters)


@pytest.mark.parametrize("method", METHODS)
def test_negative_strengths_are_refused(method, planted):
    for name in method._strengths:
        with pytest.raises(ValueError, match=f"{name} must be finite and at least 0"):
            fitted(method, planted.X, **{name: -1.0})


def test_shared_weights_need_the_same_graphs(planted):
    graphs = {"samples": [graph_of(40, 0), graph_of(40, 1)]}
    with pytest.raises(ValueError, match="the same candidate graphs for every type"):
        fitted(RMC, planted.X, graphs, share_weights=True)
    with pytest.raises(ValueError, match="graphs of samples are empty"):
        fitted(RMC, planted.X, {"samples": []})
    with pytest.raises(ValueError, match="weight_penalty must be finite and at least 0"):
        fitted(RMC, planted.X, weight_penalty=-1.0)


def test_an_asymmetric_graph_is_symmetrised(planted):
    W = np.triu(graph_of(40, 0).toarray())
    one, other = (fitted(DRCC, planted.X, {"samples": V}) for V in (W, np.maximum(W, W.T)))
    assert_array_equal(one.objective_history_, other.objective_history_)


@every
@pytest.mark.parametrize("X", [np.zeros((6, 5)), np.ones((6, 5)), np.eye(6)[:, :5]], ids="01I")
def test_data_without_structure_are_labelled_without_warnings(method, form, X):
    # k-means would say, with a warning, that it finds fewer different rows than clusters.
    rule = {} if method is LPFNMTF else {"assign": "argmax"}
    model = fitted(method, X, **rule, **form)
    assert set(model.labels_) <= set(range(K))
    assert np.isfinite(model.objective_)


def test_a_type_with_too_few_objects_has_no_graph(rng):
    """Two features joined with each other would be pulled into one cluster."""
    X = rng.normal(size=(30, 2)) + 6 * np.eye(2)[rng.integers(2, size=30)]
    with_rows_only = fitted(DRCC, X, column_strength=0)
    assert_array_equal(fitted(DRCC, X).objective_history_, with_rows_only.objective_history_)
    assert set(fitted(RMC, X, share_weights=True).graph_weights_) == {"samples"}
