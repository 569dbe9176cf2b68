"""Laws of normalisations and shifts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import TfidfTransformer

from cocluster import open_blocks, write_blocks
from cocluster.data.scaling import (
    NORMALIZATIONS,
    Scaling,
    Shifted,
    column_floor,
    fit_scaling,
    subtract_floor,
)
from cocluster.linalg.matrices import as_dense
from cocluster.linalg.partitions import gathered
from tests.reference import dense

CONTAINERS = [np.asarray, sp.csr_array]


@pytest.fixture
def counts(rng):
    X = rng.poisson(1.0, size=(12, 8)).astype(float)
    X[3], X[:, 5] = 0, 0
    return X


def formula(X: np.ndarray, how: str | None) -> np.ndarray:
    """Dense twin; empty rows and columns stay empty."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if how == "l2":
            X = X / np.linalg.norm(X, axis=1, keepdims=True)
        if how in ("degree", "auto"):
            X = X / np.sqrt(np.outer(abs(X).sum(axis=1), abs(X).sum(axis=0)))
    return np.nan_to_num(X)


@pytest.mark.parametrize("hold", CONTAINERS)
@pytest.mark.parametrize("how", [None, "l2", "degree", "auto"])
def test_normalization_equals_its_formula(counts, how, hold):
    X = hold(counts)
    result = fit_scaling(X, how).apply(X)
    assert_allclose(dense(result), formula(counts, how))
    assert_array_equal(dense(X), counts)


@pytest.mark.parametrize("hold", CONTAINERS)
def test_tfidf_is_that_of_scikit_learn(counts, hold):
    X = hold(counts)
    expected = TfidfTransformer().fit_transform(sp.csr_matrix(counts)).toarray()
    assert_allclose(dense(fit_scaling(X, "tfidf").apply(X)), expected)


def test_stored_zeros_are_zeros(counts):
    stored = sp.csr_array(np.ones_like(counts))
    stored.data[:] = counts.ravel()
    assert stored.nnz == counts.size
    for how in NORMALIZATIONS:
        assert_allclose(
            dense(fit_scaling(stored, how).apply(stored)),
            fit_scaling(counts, how).apply(counts),
            err_msg=str(how),
        )


@pytest.mark.parametrize("hold", CONTAINERS)
@pytest.mark.parametrize("how", NORMALIZATIONS)
def test_new_rows_are_scaled_as_in_training_and_apart_from_each_other(counts, how, hold):
    scaling = fit_scaling(hold(counts), how)
    whole = dense(scaling.apply(hold(counts)))
    part = dense(scaling.apply(hold(counts[4:9])))
    assert_allclose(part, whole[4:9])


@pytest.mark.parametrize("hold", CONTAINERS)
@pytest.mark.parametrize("how", NORMALIZATIONS)
def test_precision_and_container_stay(counts, how, hold):
    X = hold(counts.astype(np.float32))
    result = fit_scaling(X, how).apply(X)
    assert result.dtype == np.float32
    assert sp.issparse(result) == sp.issparse(X)


@pytest.mark.parametrize("hold", CONTAINERS)
def test_auto_leaves_signed_data_alone(counts, hold):
    X = hold(counts - 1)
    assert fit_scaling(X, "auto").apply(X) is X


@pytest.mark.parametrize("hold", CONTAINERS)
def test_degree_of_signed_data_counts_absolute_values(counts, hold):
    X = hold(counts - 1)
    assert_allclose(dense(fit_scaling(X, "degree").apply(X)), formula(counts - 1, "degree"))


@pytest.fixture
def X(rng: Any) -> Any:
    found = rng.normal(size=(30, 8)) * (rng.random((30, 8)) < 0.4)
    found[:, 0] = np.abs(found[:, 0])  # a feature that is never below zero
    found[:, 1] -= 9  # one that always is
    return found


def test_the_floor_is_the_least_value_or_zero(X: Any, tmp_path: Any) -> None:
    expected = np.minimum(X.min(axis=0), 0)
    blocks = open_blocks(write_blocks((sp.csr_array(X[:20]), sp.csr_array(X[20:])), tmp_path / "x"))
    for held in (X, sp.csr_array(X), blocks):
        assert_array_equal(column_floor(held), expected)


def test_values_are_counted_from_the_floor_and_never_below(X: Any, tmp_path: Any) -> None:
    floor = column_floor(X)
    expected = np.maximum(X - 1 - floor, 0)
    blocks = open_blocks(write_blocks((X[:20] - 1, X[20:] - 1), tmp_path / "x"))
    for held in (X - 1, sp.csr_array(X - 1)):
        assert_array_equal(subtract_floor(held, floor), expected)
    assert_array_equal(as_dense(subtract_floor(blocks, floor)[np.arange(30)]), expected)
    assert_array_equal(gathered(subtract_floor(blocks, floor) @ np.eye(8)), expected)


def test_sparse_data_without_a_floor_stay_sparse(X: Any) -> None:
    positive = sp.csr_array(np.abs(X))
    found = subtract_floor(positive, column_floor(positive))
    assert sp.issparse(found)
    assert_array_equal(found.toarray(), np.abs(X))
    # New values below zero count as zero, then.
    assert_array_equal(subtract_floor(sp.csr_array(X), np.zeros(8)).toarray(), np.maximum(X, 0))


def test_the_scaling_follows_the_shift(X: Any) -> None:
    found = Shifted(column_floor(X), Scaling("l2")).apply(X)
    expected = X - column_floor(X)
    assert np.allclose(found, expected / np.linalg.norm(expected, axis=1, keepdims=True))
