"""Data and numbers of clusters at the edge: kept, labelled, no warnings."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster.methods.factorization.nmf import NMF, SemiNMF
from cocluster.metrics import accuracy
from tests.methods.every_method import METHODS, THREE_FACTORS, fitted

SEEDS = (0,)

K = 3
every = pytest.mark.parametrize("method", METHODS)
INITS = ("spectral", "kmeans", "random")


@every
@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_empty_rows_and_columns_are_kept_and_labelled(method, init, hold, planted):
    X = planted.X.copy()
    X[[0, 7, 11]], X[:, [2, 9]] = 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fitted(method, hold(X), K, init=init)
        # The only word there may be is of rows that say nothing.
        warnings.filterwarnings("ignore", ".*say nothing about their cluster")
        new = model.predict(hold(X))
    for labels, n in ((model.labels_, 40), (model.column_labels_, 25), (new, 40)):
        assert labels.shape == (n,)
        assert set(labels) <= set(range(K))
    if init == "spectral":
        full = X.sum(axis=1) > 0
        assert accuracy(planted.row_labels[full], model.labels_[full]) == 1


@every
@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("X", [np.zeros((6, 5)), np.ones((6, 5)), np.eye(6)[:, :5]], ids="01I")
def test_data_without_structure_are_labelled_without_warnings(method, init, X):
    model = fitted(method, X, K, init=init)
    assert set(model.labels_) <= set(range(K))
    assert np.isfinite(model.objective_)


@every
@pytest.mark.parametrize("k", [1, 6])
def test_extreme_numbers_of_clusters(method, k, rng):
    X = rng.poisson(3.0, size=(6, 6)) + 1.0
    model = fitted(method, X, k)
    assert set(model.labels_) <= set(range(k))


@pytest.mark.parametrize("method", THREE_FACTORS)
def test_fewer_features_than_clusters(method, rng):
    model = fitted(method, rng.poisson(3.0, size=(12, 2)) + 1.0, 4)
    assert model.association_.shape == (4, 2)


@pytest.mark.parametrize("method", [NMF, SemiNMF])
def test_two_factor_models_take_fewer_features_than_clusters(method, rng):
    model = fitted(method, rng.poisson(3.0, size=(12, 2)) + 1.0, 4)
    assert model.column_factor_.shape == (2, 4)
