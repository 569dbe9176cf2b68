"""New samples: as in training, each on its own, in the views of the fit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls
from sklearn.exceptions import NotFittedError

from cocluster.methods.factorization.nmf import NMF, SemiNMF
from cocluster.methods.factorization.nmtf import NMTF
from cocluster.methods.factorization.onmtf import ONMTF
from cocluster.metrics import accuracy
from tests.conftest import plant
from tests.methods.every_method import HARD, METHODS, SIGNED, SOFT, fitted

SEEDS = (0,)

K = 3
every = pytest.mark.parametrize("method", METHODS)


def takes(method, data):
    return method is not ONMTF or all(r.row_index is None for r in data.relations)


@pytest.mark.parametrize("method", HARD)
def test_training_samples_get_their_labels(method, data):
    """At convergence every sample is at its best cluster."""
    model = fitted(method, data, K)
    assert model.converged_
    assert_array_equal(model.predict(data), model.labels_)


@every
def test_planted_samples_are_found_again(method, planted):
    model = fitted(method, planted.X, K)
    assert_array_equal(model.predict(planted.X), model.labels_)


@every
def test_new_samples_of_planted_blocks_are_recognised(method, rng):
    labels = rng.permutation(np.arange(60) % K)
    X = plant(rng, labels, 25, K).X
    model = fitted(method, X[:40], K)
    assert accuracy(labels, model.predict(X)) == 1


@every
@pytest.mark.parametrize("normalize", ["auto", "l2"])
def test_prediction_is_independent_of_the_other_rows(method, data, normalize, rng):
    if not takes(method, data):
        pytest.skip("ONMTF takes complete views only.")
    model = fitted(method, data, K, normalize=normalize, max_iter=10)
    rows = rng.permutation(len(data))[:9]
    labels = model.predict(data)[rows]
    assert_array_equal(model.predict(data[rows]), labels)
    assert_array_equal([model.predict(data[[i]])[0] for i in rows[:4]], labels[:4])
    if method in SOFT:
        assert_allclose(model.transform(data[rows]), model.transform(data)[rows], atol=1e-8)


@every
def test_views_are_told_apart_by_name_not_by_order(method, rng):
    labels = rng.permutation(np.arange(40) % K)
    one, other = plant(rng, labels, 20, K).X, plant(rng, labels, 20, K).X
    model = fitted(method, {"one": one, "other": other}, K, n_column_clusters=None)
    expected = model.predict({"one": one, "other": other})
    assert_array_equal(model.predict({"other": other, "one": one}), expected)


@pytest.mark.parametrize("assign", ["argmax", "kmeans"])
@pytest.mark.parametrize("method", SOFT)
def test_both_rules_of_assignment_find_planted_blocks(method, assign, planted):
    model = fitted(method, planted.X, K, assign=assign)
    assert accuracy(planted.row_labels, model.labels_) == 1
    assert accuracy(planted.column_labels, model.column_labels_) == 1
    assert_array_equal(model.predict(planted.X), model.labels_)


@pytest.mark.parametrize("method", SOFT)
def test_memberships_are_shares(method, data):
    if not takes(method, data):
        pytest.skip("ONMTF takes complete views only.")
    model = fitted(method, data, K, max_iter=10)
    for M in (model.membership_, model.transform(data)):
        assert M.shape == (len(data), K)
        assert (M >= 0).all()
        assert_allclose(M.sum(axis=1), 1)
    assert_array_equal(model.membership_.argmax(axis=1), model.labels_)


@pytest.mark.parametrize("method", SOFT)
def test_transform_is_nonnegative_least_squares(method, planted, rng):
    """Fold-in reaches the error of scipy's exact solver on every row."""
    X = planted.X
    if method is SemiNMF:
        X = X - X.mean()
    model = fitted(method, X, K, normalize=None)
    basis = model.association_ @ model.column_factor_.T
    new = X[:10] + rng.random((10, X.shape[1]))
    G = model._fold_in(model._new_data(new))[0]
    for x, g in zip(new, G, strict=True):
        best = nnls(basis.T, x)[1] ** 2
        assert (g >= 0).all()
        assert np.sum((x - g @ basis) ** 2) <= best + 1e-3 * np.sum(x**2)


@pytest.mark.parametrize("method", SOFT)
def test_a_sample_without_data_belongs_equally_to_all(method, planted):
    model = fitted(method, planted.X, K)
    assert_allclose(model.transform(np.zeros((1, 25))), 1 / K)


@pytest.mark.parametrize("method", SIGNED)
def test_signed_data_are_taken(method, planted, rng):
    X = planted.X - planted.X.mean()
    model = fitted(method, X, K)
    assert accuracy(planted.row_labels, model.labels_) == 1
    assert_array_equal(model.predict(X), model.labels_)


@every
def test_nothing_is_known_before_the_fit(method, planted):
    with pytest.raises(NotFittedError):
        method(K).predict(planted.X)
    with pytest.raises(NotFittedError):
        _ = method(K).factors_


@every
def test_new_samples_must_have_the_features_of_the_fit(method, planted):
    with pytest.raises(ValueError, match="features"):
        fitted(method, planted.X, K).predict(planted.X[:, :-1])


@pytest.mark.parametrize("method", [NMTF, NMF])
def test_scale_of_the_data_does_not_change_memberships(method, planted):
    one, large = (fitted(method, scale * planted.X, K, normalize=None) for scale in (1, 1e6))
    assert_allclose(large.membership_, one.membership_, atol=1e-6)
