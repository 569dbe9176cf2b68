"""Components of columns are those of the graph between rows and columns."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from scipy.sparse.csgraph import connected_components

from cocluster.blocks import open_blocks, write_blocks
from cocluster.linalg import components
from cocluster.linalg.components import column_components
from tests.methods.every_method import same_partition


@pytest.mark.parametrize("entries", [1, 10**6])
@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_labels_and_sizes_are_those_of_the_whole_graph(rng, hold, entries, monkeypatch):
    monkeypatch.setattr(components, "ENTRIES_AT_ONCE", entries)
    X = (rng.random((30, 40)) < 0.03).astype(float)
    found = column_components(hold(X))
    graph = sp.block_array([[None, sp.csr_array(X)], [sp.csr_array(X.T), None]])
    labels = connected_components(graph)[1]
    rows, columns = labels[:30], labels[30:]
    filled = X.any(axis=0)
    assert same_partition(found.labels[filled], columns[filled])
    assert (found.labels[~filled] == -1).all()
    sizes = np.bincount(rows[X.any(axis=1)])
    assert_array_equal(found.sizes, np.sort(sizes[sizes > 0])[::-1])


def test_stored_zeros_join_nothing():
    X = sp.csr_array((np.array([1.0, 0.0, 1.0]), np.array([0, 1, 1]), np.array([0, 2, 3])))
    assert_array_equal(column_components(X).labels, [0, 1])


def test_blocks_are_joined_by_the_columns_they_share(tmp_path):
    X = np.array([[1, 1, 0, 0, 0], [0, 0, 0, 1, 1], [0, 1, 1, 0, 0], [0, 0, 1, 0, 0]])
    stored = open_blocks(write_blocks(sp.csr_array(X.astype(float)), tmp_path, rows_per_block=1))
    found = column_components(stored)
    assert_array_equal(found.labels, [0, 0, 0, 1, 1])
    assert_array_equal(found.sizes, [3, 1])
