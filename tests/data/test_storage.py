"""Dense or sparse: by what a matrix holds."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from cocluster.data import shifting
from cocluster.data.relational import bipartite
from cocluster.data.storage import by_content, without_zeros
from cocluster.linalg.matrices import as_dense

THIN = np.eye(12)
FULL = np.arange(1.0, 31.0).reshape(5, 6)
CONTAINERS = (np.asarray, sp.csr_array)


def stored(how, X):
    return how(bipartite(X)).relations[0].matrix


@pytest.mark.parametrize("how", [by_content, without_zeros])
@pytest.mark.parametrize("hold", CONTAINERS)
def test_what_is_mostly_zeros_is_sparse_and_has_the_same_entries(how, hold):
    assert sp.issparse(stored(how, hold(THIN)))
    for X in (THIN, FULL):
        assert_array_equal(as_dense(stored(how, hold(X))), X)


@pytest.mark.parametrize("hold", CONTAINERS)
def test_full_data_are_filled_only_where_that_is_asked_for(hold):
    assert not sp.issparse(stored(by_content, hold(FULL)))
    assert sp.issparse(stored(without_zeros, hold(FULL))) == sp.issparse(hold(FULL))


@pytest.mark.parametrize("how", [by_content, without_zeros])
def test_large_and_masked_data_stay_as_they_are(how, monkeypatch):
    masked = bipartite(np.where(THIN > 0, THIN, np.nan))
    assert how(masked).relations[0] is masked.relations[0]
    monkeypatch.setattr(shifting, "DENSE_UP_TO_ENTRIES", THIN.size - 1)
    data = bipartite(THIN)
    assert how(data).relations[0] is data.relations[0]
