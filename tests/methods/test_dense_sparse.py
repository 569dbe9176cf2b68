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
def test_runs_that_end_alike_are_chosen_in_their_order(name, planted):
    # Several starts end in one partition: which objective is lower is then a matter of rounding.
    method = getattr(cocluster, METHODS[name].name)
    few = {"max_iter": 10} if "max_iter" in method().get_params() else {}
    dense, sparse = (
        method(3, n_init=5, random_state=0, **few).fit(hold(planted.X)).labels_
        for hold in (np.asarray, sp.csr_array)
    )
    assert_array_equal(dense, sparse)
