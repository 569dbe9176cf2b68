"""Dense and sparse containers of the same data: the same labels, also with many starts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import cocluster
from cocluster.methods.catalogue import METHODS

SEEDS = (0,)


@pytest.mark.parametrize("name", METHODS)
def test_few_ones_among_zeros_give_the_same_labels(name):
    # Rows without entries, parts that nothing links, and many rows alike: all is decided by ties.
    X = (np.random.default_rng(3).random((60, 40)) < 0.05).astype(float)
    method = METHODS[name].estimator
    few = {"max_iter": 10} if "max_iter" in method().get_params() else {}
    models = [method(5, random_state=3, **few).fit(hold(X)) for hold in (np.asarray, sp.csr_array)]
    for labels in zip(*(model.labels_by_type_.values() for model in models), strict=True):
        assert_array_equal(*labels)
    assert_array_equal(*(models[0]._costs(hold(X)) for hold in (np.asarray, sp.csr_array)))


@pytest.mark.parametrize("name", METHODS)
def test_runs_that_end_alike_are_chosen_in_their_order(name, planted):
    # Several starts end in one partition: which objective is lower is then a matter of rounding.
    method = getattr(cocluster, METHODS[name].name)
    few = {"max_iter": 10} if "max_iter" in method().get_params() else {}
    dense, sparse = (
        method(3, n_init=5, random_state=0, **few).fit(hold(planted.X)).labels_
        for hold in (np.asarray, sp.csr_array)
    )
    assert_array_equal(dense, sparse)
