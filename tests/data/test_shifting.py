"""Signed data counted from a floor: the same numbers in every storage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from cocluster import open_blocks, write_blocks
from cocluster.data.scaling import Scaling
from cocluster.data.shifting import Shifted, above, floor_of
from cocluster.linalg.matrices import as_dense
from cocluster.linalg.partitions import gathered


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
        assert_array_equal(floor_of(held), expected)


def test_values_are_counted_from_the_floor_and_never_below(X: Any, tmp_path: Any) -> None:
    floor = floor_of(X)
    expected = np.maximum(X - 1 - floor, 0)
    blocks = open_blocks(write_blocks((X[:20] - 1, X[20:] - 1), tmp_path / "x"))
    for held in (X - 1, sp.csr_array(X - 1)):
        assert_array_equal(above(held, floor), expected)
    assert_array_equal(as_dense(above(blocks, floor)[np.arange(30)]), expected)
    assert_array_equal(gathered(above(blocks, floor) @ np.eye(8)), expected)


def test_sparse_data_without_a_floor_stay_sparse(X: Any) -> None:
    positive = sp.csr_array(np.abs(X))
    found = above(positive, floor_of(positive))
    assert sp.issparse(found)
    assert_array_equal(found.toarray(), np.abs(X))
    # New values below zero count as zero, then.
    assert_array_equal(above(sp.csr_array(X), np.zeros(8)).toarray(), np.maximum(X, 0))


def test_the_scaling_follows_the_shift(X: Any) -> None:
    found = Shifted(floor_of(X), Scaling("l2")).apply(X)
    expected = X - floor_of(X)
    assert np.allclose(found, expected / np.linalg.norm(expected, axis=1, keepdims=True))
