"""The same data, the same method, the same labels: however they are stored and ordered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone

from cocluster import FNMTF, CoCluster, open_blocks, write_blocks
from cocluster.data.relational import relational
from cocluster.datasets import make_blocks
from cocluster.linalg.matrices import DENSE_FROM_SHARE
from cocluster.methods.default.pipeline import ConsensusITCC, ShiftedITCC, select_method
from tests.methods.every_method import same_partition

K = 3


@pytest.fixture(scope="module")
def counts() -> Any:
    """Counts of which three quarters are zero."""
    return make_blocks(150, 90, K, row_degree=30, random_state=0).X.toarray()


def signed(X: Any) -> Any:
    """The same with signs: below zero where a row is below its mean."""
    return np.where(X > 0, X - 2.0, 0)


STORAGES = {
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "coo matrix": sp.coo_matrix,
    "stored zeros": lambda X: with_zeros(sp.csr_array(X)),
    "Fortran order": np.asfortranarray,
    "integers": lambda X: X.astype(np.int32),
    "sparse integers": lambda X: sp.csr_array(X.astype(np.int64)),
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
}


def with_zeros(X: sp.csr_array) -> sp.csr_array:
    """The same matrix with some zeros stored."""
    extra = sp.coo_array((np.zeros(3), (np.array([0, 5, 9]), np.array([0, 1, 2]))), shape=X.shape)
    places = [np.concatenate(own) for own in zip(X.tocoo().coords, extra.coords, strict=True)]
    return sp.coo_array((np.append(X.data, extra.data), places), shape=X.shape).tocsr()


@pytest.mark.filterwarnings("ignore:.*fitted without feature names")
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("sign", [np.abs, signed], ids=["counts", "signed"])
def test_storage_changes_nothing(storage: str, sign: Any, counts: Any) -> None:
    X = sign(counts)
    plain = CoCluster(K, random_state=0).fit(X)
    held = CoCluster(K, random_state=0).fit(STORAGES[storage](X))
    assert type(held.model_) is type(plain.model_)
    assert_array_equal(held.labels_, plain.labels_)
    assert_array_equal(held.column_labels_, plain.column_labels_)
    assert held.objective_ == plain.objective_
    assert_array_equal(held.predict(STORAGES[storage](X)), plain.predict(X))
    assert_array_equal(plain.predict(STORAGES[storage](X)), plain.predict(X))


def test_true_and_false_are_one_and_zero(counts: Any) -> None:
    X = counts > 0
    plain = CoCluster(K, random_state=0).fit(X.astype(float))
    for held in (X, sp.csr_array(X)):
        assert_array_equal(CoCluster(K, random_state=0).fit(held).labels_, plain.labels_)


@pytest.mark.parametrize("sign", [np.abs, signed], ids=["counts", "signed"])
def test_blocks_go_the_same_way(sign: Any, counts: Any, tmp_path: Any) -> None:
    X = sign(counts)
    # From given labels: the search for a start may know more in memory than in blocks.
    model = CoCluster(K, init=np.arange(150) % K, random_state=0)
    plain = clone(model).fit(X)
    for number, held in enumerate([(X[:60], X[60:]), (sp.csr_array(X[:60]), sp.csr_array(X[60:]))]):
        blocks = open_blocks(write_blocks(held, tmp_path / str(number)))
        there = clone(model).fit(blocks)
        assert type(there.model_) is type(plain.model_)
        assert_array_equal(there.labels_, plain.labels_)
        assert_array_equal(there.predict(blocks), plain.predict(X))


def test_the_method_follows_from_the_sign(counts: Any) -> None:
    for held in (counts, sp.csr_array(counts)):
        assert select_method(relational(held))[0] is ConsensusITCC
    for held in (signed(counts), sp.csr_array(signed(counts))):
        assert select_method(relational(held))[0] is ShiftedITCC
    both = {"a": counts, "b": sp.csr_array(signed(counts))}
    assert select_method(relational(both))[0] is ShiftedITCC


def test_signed_data_too_large_to_fill_are_left_to_fnmtf(counts: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("cocluster.data.relational.DENSE_UP_TO_ENTRIES", counts.size - 1)
    assert np.count_nonzero(signed(counts)) < counts.size * DENSE_FROM_SHARE
    for held in (signed(counts), sp.csr_array(signed(counts))):
        model = CoCluster(K, random_state=0).fit(held)
        assert type(model.model_) is FNMTF
        assert model.predict_proba(held).shape == (150, K)
    # A matrix that is full anyway is not filled by a shift.
    full = counts - 0.5
    for held in (full, sp.csr_array(full)):
        assert select_method(relational(held))[0] is ShiftedITCC


def test_storage_is_chosen_by_what_is_stored(counts: Any) -> None:
    def stored(X: Any) -> bool:
        return sp.issparse(select_method(relational(X))[1].relations[0].matrix)

    assert np.count_nonzero(counts) < counts.size * DENSE_FROM_SHARE
    full = counts + 1.0
    for hold in (np.asarray, sp.csr_array):
        assert stored(hold(counts))
        assert not stored(hold(full))


def test_large_data_are_not_copied(counts: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("cocluster.data.relational.DENSE_UP_TO_ENTRIES", counts.size - 1)
    for held in (counts, sp.csr_array(counts + 1.0)):
        data = relational(held)
        assert select_method(data)[1].relations[0].matrix is data.relations[0].matrix


ORDERED = {
    "dense": np.asarray,
    "sparse": sp.csr_array,
    "signed": signed,
    "signed sparse": lambda X: sp.csr_array(signed(X)),
    "float32": lambda X: X.astype(np.float32),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("hold", ORDERED)
def test_permuted_rows_give_permuted_labels(hold: str, seed: int) -> None:
    X = ORDERED[hold](make_blocks(260, 120, 5, random_state=seed).X.toarray())
    order = np.random.default_rng(seed).permutation(X.shape[0])
    model, moved = (CoCluster(5, random_state=0).fit(Y) for Y in (X, X[order]))
    # Of clusters as large as another one the numbers follow the order of the rows.
    assert same_partition(moved.labels_, model.labels_[order])
    assert same_partition(moved.column_labels_, model.column_labels_)
    if len(np.unique(np.bincount(model.labels_))) == 5:
        assert_array_equal(moved.labels_, model.labels_[order])


def test_permuted_blocks_give_permuted_labels(tmp_path: Any) -> None:
    X = make_blocks(260, 120, 5, random_state=0).X
    order = np.random.default_rng(0).permutation(260)
    models = []
    for number, Y in enumerate((X, X[order])):
        blocks = open_blocks(write_blocks((Y[:100], Y[100:]), tmp_path / str(number)))
        models.append(CoCluster(5, random_state=0).fit(blocks))
    assert same_partition(models[1].labels_, models[0].labels_[order])
