"""Parts of the sorted matrix: sums as by hand, and the same from the grid."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster import CoCluster
from cocluster.data.relational import bipartite
from cocluster.report import sorted_matrix as module
from cocluster.report.compute.associations import log_lift
from cocluster.report.report_input import Clusters
from cocluster.report.sorted_matrix import Grid, SortedMatrix, grids_to_store, sort_view


def sorted_matrix(rng: np.random.Generator, n: int = 41, m: int = 23, signed: bool = False):
    """A matrix with clusters, sorted; and the dense matrix in the same order."""
    X = rng.poisson(0.7, (n, m)).astype(float)
    if signed:
        X -= 1.0
    data = bipartite(sp.csr_array(X))
    clusters = {name: Clusters.of(rng.integers(0, 4, data.size(name))) for name in data.types}
    found = SortedMatrix(clusters, data.relations[0])
    return found, X[np.ix_(found.rows.order, found.columns.order)]


def test_sides_are_in_order_of_the_clusters(rng: np.random.Generator):
    found, _ = sorted_matrix(rng)
    for side in (found.rows, found.columns):
        assert np.array_equal(side.order[side.place], np.arange(len(side.order)))
        assert side.border.size == len(side.order)


@pytest.mark.parametrize("part", [(0, 41, 0, 23), (3, 17, 5, 6), (40, 41, 22, 23), (7, 30, 2, 21)])
@pytest.mark.parametrize("size", [(5, 4), (1000, 1000), (1, 1)])
def test_cells_sum_what_lies_between_their_edges(rng, part, size):
    found, X = sorted_matrix(rng)
    tile = found.tile(*part, *size)
    r0, r1, c0, c1 = part
    assert (tile.rows[0], tile.rows[-1], tile.columns[0], tile.columns[-1]) == (r0, r1, c0, c1)
    assert tile.cells.shape == (len(tile.rows) - 1, len(tile.columns) - 1)
    sums = found._cell_sums(tile.rows, tile.columns)
    for i in range(sums.shape[0]):
        for j in range(sums.shape[1]):
            rows = slice(tile.rows[i], tile.rows[i + 1])
            columns = slice(tile.columns[j], tile.columns[j + 1])
            assert sums[i, j] == pytest.approx(X[rows, columns].sum())


@pytest.mark.parametrize("signed", [False, True])
def test_the_grid_gives_the_same_where_its_edges_are(rng, monkeypatch, signed):
    found, _ = sorted_matrix(rng, signed=signed)
    exact = found.tile(5, 33, 2, 20, 9, 7)
    monkeypatch.setattr(module, "DIRECT", 0)
    assert np.array_equal(found.tile(5, 33, 2, 20, 9, 7).cells, exact.cells)


def test_edges_that_are_not_there_go_to_the_nearest_ones(rng):
    coarse = sorted_matrix(rng)[0].grid(6, 5)
    assert coarse.tile(0, 41, 0, 23, 1000, 1000).cells.shape == (6, 5)
    assert coarse.tile(20, 21, 11, 12, 10, 10).cells.shape == (1, 1)
    assert coarse.is_fine_enough(0, 41, 0, 23, 6, 5)
    assert not coarse.is_fine_enough(0, 41, 0, 23, 7, 5)
    assert not coarse.is_fine_enough(0, 20, 0, 23, 6, 5)


@pytest.mark.parametrize("signed", [False, True])
def test_a_grid_that_was_kept_draws_the_same(rng, signed):
    grid = sorted_matrix(rng, signed=signed)[0].grid(12, 11)
    again = Grid.of(grid.plain())
    assert (again.over, again.across, again.signed) == (grid.over, grid.across, signed)
    for part in ((0, 41, 0, 23, 12, 11), (3, 30, 5, 17, 4, 3)):
        assert np.array_equal(again.tile(*part).cells, grid.tile(*part).cells)


def test_only_large_views_are_kept_and_unknown_entries_say_nothing(rng, monkeypatch):
    X = rng.poisson(3.0, (30, 12)).astype(float)
    X[rng.random(X.shape) < 0.3] = np.nan
    model = CoCluster(2, random_state=0).fit(X)
    assert grids_to_store(model, X) == {}
    monkeypatch.setattr(module, "DIRECT", 10)
    (view,) = kept = grids_to_store(model, X)
    assert kept[view].sums.sum() == pytest.approx(0, abs=1e-9)
    assert sort_view(model, X, view).shape == X.shape


def test_colours_are_those_of_the_report(rng):
    found, X = sorted_matrix(rng)
    tile = found.tile(0, 41, 0, 23, 41, 23)
    limit = 50 * tile.unit
    expected = np.clip(log_lift(X, 1.0), -limit, limit)
    assert np.abs(tile.cells * tile.unit - expected).max() <= tile.unit


def test_signed_values_are_told_from_the_mean_of_their_column(rng):
    found, X = sorted_matrix(rng, signed=True)
    tile = found.tile(0, 41, 0, 23, 41, 23)
    scores = (X - X.mean(axis=0)) / X.std(axis=0)
    limit = 50 * tile.unit
    assert np.abs(tile.cells * tile.unit - np.clip(scores, -limit, limit)).max() <= tile.unit


def test_single_entries(rng):
    found, X = sorted_matrix(rng)
    for i, j in ((0, 0), (40, 22), (13, 7)):
        assert found.value(i, j) == X[i, j]
