"""Functions of rows give the same for a matrix in memory and for its blocks."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.testing import assert_allclose

from cocluster import open_blocks, write_blocks
from cocluster.linalg.matrices import column_sums, scaled, squared_norm
from cocluster.linalg.rowwise import rowwise, summed


def test_blocks_give_what_the_whole_gives(tmp_path):
    X = sp.csr_array(np.random.default_rng(0).poisson(0.5, size=(40, 7)).astype(float))
    blocks = open_blocks(write_blocks([X[:10], X[10:]], tmp_path / "x"))
    scale = np.arange(7.0)
    changed = rowwise(scaled, blocks, None, scale)
    assert_allclose(changed[np.arange(40)].toarray(), rowwise(scaled, X, None, scale).toarray())
    for function in (squared_norm, column_sums):
        assert_allclose(summed(function, blocks), summed(function, X))
