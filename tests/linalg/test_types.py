"""The guards that tell kinds of matrices and factors apart."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster import open_blocks, write_blocks
from cocluster.linalg.partitions import as_partition, is_hard
from cocluster.linalg.types import is_blocked, is_distributed, is_operator


def test_what_is_in_blocks_has_all_that_blocks_offer(tmp_path):
    X = sp.random_array((40, 7), density=0.5, random_state=np.random.default_rng(0), format="csr")
    blocks = open_blocks(write_blocks([X[:10], X[10:]], tmp_path / "x"))
    assert is_blocked(blocks)
    assert not is_distributed(blocks)
    assert is_operator(blocks)
    # The transpose has products only; code for blocks must not be sent to it.
    assert not is_blocked(blocks.T)
    assert is_operator(blocks.T)


def test_a_factor_on_a_cluster_is_no_matrix_in_blocks():
    dask = pytest.importorskip("cocluster.blocks.dask.rows")
    # No part is asked for, so no cluster is needed.
    spread = dask.DaskRows(None, (), (1, 2), 2, np.dtype(np.float32), hard=True)
    assert is_distributed(spread)
    assert is_hard(spread)
    assert not is_blocked(spread)


def test_matrices_and_factors_in_memory_are_neither():
    for value in (np.eye(3), sp.eye_array(3).tocsr(), as_partition(np.arange(3), 3)):
        assert not is_blocked(value)
        assert not is_distributed(value)
        assert not is_operator(value)
