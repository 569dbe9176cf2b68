"""Laws of missing entries, and of the biases that predict them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster.data.missing import estimate_shrinkage, fit_biases, known_entries
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, bipartite, relational, star
from tests import reference

X = np.array([[1.0, 0.0, 3.0], [np.nan, 5.0, 6.0], [7.0, 8.0, np.nan], [2.0, 1.0, 0.0]])
KNOWN = ~np.isnan(X)
VALUES = np.where(KNOWN, X, 0)


def stored(values: np.ndarray, mask: np.ndarray) -> sp.csr_array:
    """A csr_array that stores the entries of a mask, zeros as well."""
    rows, columns = np.nonzero(mask)
    return sp.csr_array((values[rows, columns], (rows, columns)), shape=values.shape)


SPELLINGS = {
    "NaN": lambda: bipartite(X),
    "NaN in single precision": lambda: bipartite(X.astype(np.float32)),
    "NaN in a frame": lambda: bipartite(pd.DataFrame(X)),
    "masked array": lambda: bipartite(np.ma.masked_invalid(X)),
    "masked integers": lambda: bipartite(np.ma.masked_array(VALUES.astype(int), ~KNOWN)),
    "mask": lambda: bipartite(VALUES + 9 * ~KNOWN, mask=KNOWN),
    "sparse mask": lambda: bipartite(VALUES, mask=sp.csr_array(KNOWN)),
    "mask of zeros and ones": lambda: bipartite(VALUES, mask=KNOWN.astype(int)),
    "sparse with a mask": lambda: bipartite(sp.csr_array(VALUES), mask=KNOWN),
    "sparse, unobserved": lambda: bipartite(stored(X, KNOWN), missing="unobserved"),
    "sparse with stored NaN": lambda: bipartite(stored(X, KNOWN | True), missing="unobserved"),
    "sparse, unobserved and masked": lambda: bipartite(
        stored(VALUES, KNOWN | True), mask=KNOWN, missing="unobserved"
    ),
    "a relation": lambda: RelationalData((Relation(X, "samples", "features"),)),
    "a masked relation": lambda: RelationalData(
        (Relation(VALUES, "samples", "features", observed=KNOWN),)
    ),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_all_spellings_say_the_same(spelling):
    (relation,) = SPELLINGS[spelling]().relations
    assert_array_equal(reference.dense(relation.matrix), VALUES)
    assert_array_equal(reference.dense(relation.observed), KNOWN)
    assert relation.observed.dtype == relation.matrix.dtype
    assert_array_equal(reference.known(relation), X)


def test_sparse_data_of_which_little_is_known_stay_sparse(monkeypatch):
    ratings = stored(VALUES, KNOWN)
    assert not sp.issparse(bipartite(ratings, missing="unobserved").relations[0].matrix)
    monkeypatch.setattr("cocluster.data.missing.DENSE_FROM_SHARE", 1.0)
    (relation,) = bipartite(ratings, missing="unobserved").relations
    # Known zeros are stored.
    assert relation.matrix.nnz == relation.observed.nnz == KNOWN.sum() > np.count_nonzero(VALUES)
    assert_array_equal(reference.known(relation), X)


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_nothing_unknown_is_no_mask(hold):
    given = hold(VALUES)
    assert bipartite(given).relations[0].observed is None
    assert bipartite(given, mask=np.ones(X.shape, bool)).relations[0].observed is None


@pytest.mark.parametrize("hold", ["NaN", "sparse, unobserved"])
def test_the_mask_goes_with_rows_columns_and_the_transpose(hold):
    data = SPELLINGS[hold]()
    (relation,) = data.relations
    rows, columns = np.array([2, 0]), np.array([2, 1])
    assert_array_equal(reference.known(data[rows].relations[0]), X[rows])
    assert_array_equal(reference.known(relation.select("features", columns)), X[:, columns])
    assert_array_equal(reference.known(relation.with_rows("features")), X.T)
    doubled = data.map(lambda R: R * 2).relations[0]
    assert_array_equal(reference.known(doubled), X * 2)


def test_a_sample_without_a_known_entry_is_absent_from_the_view():
    lost = X.copy()
    lost[1] = np.nan
    data = star({"a": lost, "b": VALUES})
    first, second = data.relations
    assert_array_equal(first.row_index, [0, 2, 3])
    assert_array_equal(reference.known(first), lost[[0, 2, 3]])
    assert second.row_index is None
    assert len(data) == len(X)


def test_relational_data_may_be_said_to_store_all_that_is_known():
    """As files of ratings are read: whoever reads them does not know what the zeros mean."""
    plain = bipartite(stored(VALUES, KNOWN))
    assert plain.relations[0].observed is None
    (relation,) = relational(plain, missing="unobserved").relations
    assert_array_equal(reference.known(relation), X)
    assert_array_equal(
        reference.known(relational(bipartite(X), missing="unobserved").relations[0]), X
    )
    lost = KNOWN.copy()
    lost[1] = False
    views = star({"a": stored(VALUES, lost), "b": VALUES})
    first, second = relational(views, missing="unobserved").relations
    assert_array_equal(first.row_index, [0, 2, 3])
    assert second.observed is None


def test_rows_and_columns_with_a_known_entry():
    only = np.full((3, 2), np.nan)
    only[1, 0] = 4.0
    (relation,) = bipartite(only).relations
    assert_array_equal(relation.known_rows(), [False, True, False])
    assert_array_equal(relation.known_columns(), [True, False])
    (whole,) = bipartite(VALUES).relations
    assert whole.known_rows().all()
    assert whole.known_columns().all()


class Operator:
    """What is known by its products, such as row blocks, has its own norm."""

    shape, squared_norm = X.shape, None


NONE = np.vstack([VALUES[:3], np.full(3, np.nan)])
REFUSED = {
    "wrong shape": (lambda: bipartite(X, mask=KNOWN.T), r"shape \(3, 4\).*have \(4, 3\)"),
    "no boolean": (lambda: bipartite(X, mask=X), "must be boolean"),
    "wrong word": (lambda: bipartite(X, missing="nan"), "'zero', 'unobserved'"),
    "stored NaN": (lambda: bipartite(sp.csr_array(X)), "stores NaN; say missing='unobserved'"),
    "infinity": (lambda: bipartite(X / 0.0), "infinity"),
    "unknown to all views": (lambda: star({"a": NONE, "b": NONE}), "object 3 of type 'samples'"),
    "an operator": (
        lambda: known_entries(Operator(), mask=KNOWN),
        "row blocks",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_refusals(case):
    make, words = REFUSED[case]
    with pytest.raises(ValueError, match=words):
        make()


N, M = 12, 9


@pytest.fixture
def entries(rng):
    """Values and mask, dense, with biases of rows and columns among noise."""
    W = (rng.random((N, M)) < 0.7).astype(float)
    return W * (rng.normal(size=(N, 1)) + rng.normal(size=M) + 0.1 * rng.normal(size=(N, M))), W


def as_sparse(R: np.ndarray, W: np.ndarray) -> tuple[sp.csr_array, sp.csr_array]:
    mask = sp.csr_array(W)
    return sp.csr_array((R[np.nonzero(W)], mask.indices, mask.indptr), shape=W.shape), mask


@pytest.mark.parametrize("shrinkage", [0.5, 5.0])
def test_biases_solve_the_normal_equations(entries, shrinkage):
    """The least-squares problem written down as one matrix, with a row for each penalty."""
    R, W = entries
    i, j = np.nonzero(W)
    A = np.zeros((len(i), N + M))
    A[np.arange(len(i)), i] = A[np.arange(len(i)), N + j] = 1
    mean = R[i, j].mean()
    system = np.vstack([A, np.sqrt(shrinkage) * np.eye(N + M)])
    wanted = np.linalg.lstsq(system, np.append(R[i, j] - mean, np.zeros(N + M)))[0]
    found = fit_biases(R, W, shrinkage)
    assert found.mean == pytest.approx(mean)
    assert_allclose(found.rows(R, W), wanted[:N], atol=1e-6)
    assert_allclose(found.columns, wanted[N:], atol=1e-6)


def test_dense_and_sparse_are_one(entries):
    dense, sparse = fit_biases(*entries), fit_biases(*as_sparse(*entries))
    assert_allclose(dense.columns, sparse.columns)
    assert dense.shrinkage == pytest.approx(sparse.shrinkage)
    residuals = sparse.residuals(*as_sparse(*entries))
    assert_allclose(dense.residuals(*entries), residuals.toarray(), atol=1e-12)
    # A residual that happens to be zero stays known.
    assert residuals.nnz == entries[1].sum()


def test_new_rows_have_the_biases_of_old_ones(entries):
    R, W = entries
    found = fit_biases(R, W)
    assert_allclose(found.rows(R[3:5], W[3:5]), found.rows(R, W)[3:5])


def test_shrinkage_is_the_ratio_of_noise_to_signal(rng):
    """Many means of known variances give the number that a textbook would."""
    noise, signal, counts = 4.0, 0.5, np.full(20_000, 10)
    truth = rng.normal(scale=np.sqrt(signal), size=len(counts))
    means = truth + rng.normal(scale=np.sqrt(noise / counts))
    assert estimate_shrinkage(noise, means, counts) == pytest.approx(noise / signal, rel=0.1)


def test_means_that_differ_by_noise_alone_vanish():
    counts = np.full(5, 4)
    assert estimate_shrinkage(4.0, np.array([1.0, -1.0, 1.0, -1.0, 0.5]), counts) > 1e6
    assert estimate_shrinkage(0.0, np.ones(5), counts) == 0
