"""Rows in an order that follows from their values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from cocluster.linalg.kmeans import kmeans, kmeans_labels
from cocluster.linalg.ordering import by_content


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_any_arrangement_is_brought_into_one(hold: Any, rng: Any) -> None:
    Z = rng.normal(size=(50, 4))
    order = rng.permutation(50)
    expected = Z[by_content(hold(Z))]
    assert_array_equal(Z[order][by_content(hold(Z[order]))], expected)


def test_signs_of_columns_do_not_matter(rng: Any) -> None:
    Z = rng.normal(size=(50, 4))
    assert_array_equal(by_content(Z * [1, -1, -1, 1]), by_content(Z))


def test_equal_rows_keep_their_order() -> None:
    assert_array_equal(by_content(np.ones((6, 2))), np.arange(6))


def test_kmeans_gives_permuted_rows_permuted_labels(rng: Any) -> None:
    Z = rng.normal(size=(200, 3))
    order = rng.permutation(200)
    plain, moved = (kmeans(Y, 7, seed=0, n_init=2) for Y in (Z, Z[order]))
    assert_array_equal(moved.labels_, plain.labels_[order])
    assert_array_equal(plain.predict(Z), plain.labels_)


def test_a_sample_is_drawn_by_content_too(rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("cocluster.linalg.kmeans.SAMPLE", 60)
    Z = rng.normal(size=(200, 3))
    order = rng.permutation(200)
    plain, moved = (kmeans_labels(Y, 7, seed=0) for Y in (Z, Z[order]))
    assert_array_equal(moved, plain[order])
