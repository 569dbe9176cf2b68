"""The picture shows the whole matrix, sorted, whatever its size."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster.datasets import make_blocks
from cocluster.report import plots
from cocluster.report.plots import matrices
from cocluster.report.plots.matrices import MAX_CELLS

pytest.importorskip("matplotlib")


def test_aggregation_is_the_sum_over_bins():
    rng = np.random.default_rng(0)
    X, rows, columns = rng.poisson(1, (30, 20)), rng.integers(0, 4, 30), rng.integers(0, 3, 20)
    for i in range(4):
        for j in range(3):
            expected = X[np.ix_(rows == i, columns == j)].sum()
            assert matrices._aggregate(X, rows, columns)[i, j] == expected
            assert matrices._aggregate(sp.csr_array(X), rows, columns)[i, j] == expected


@pytest.mark.parametrize("n", [1, 5, MAX_CELLS, MAX_CELLS + 1, 5 * MAX_CELLS + 3])
def test_bins_fill_the_pixels_evenly_and_in_order(n):
    order = np.random.default_rng(0).permutation(n)
    bins = matrices._bins(order)
    sizes = np.bincount(bins)
    assert len(sizes) == min(n, MAX_CELLS)
    assert sizes.max() - sizes.min() <= 1
    assert np.all(np.diff(bins[order]) >= 0)


def test_sorted_picture_has_its_high_cells_on_the_diagonal():
    data = make_blocks(90, 60, 3, contrast=30, random_state=0)
    names = np.array(["c", "a", "b"])
    figure = plots.plot_reordering(data.X, data.row_labels, names[data.column_labels])
    cells = figure.axes[1].images[0].get_array()
    rows, columns = (
        np.repeat(np.arange(3), np.bincount(data.row_labels)),
        np.repeat(np.arange(3), np.bincount(data.column_labels)),
    )
    same = rows[:, None] == columns
    assert cells[same].mean() > 0 > cells[~same].mean()
    assert len(figure.axes[1].lines) == 2 + 2


def test_picture_is_written_for_odd_data(tmp_path):
    path = tmp_path / "matrix.png"
    plots.plot_reordering(np.zeros((3, 1)), [0, 1, 1], [0], path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="one label per row and per column"):
        plots.plot_reordering(np.eye(3), [0, 1], [0, 1, 1])


def test_data_of_any_sign_and_frames_are_drawn():
    pandas = pytest.importorskip("pandas")
    X = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.ones((4, 3)))
    labels = np.repeat([0, 1], 4), np.repeat([0, 1], 3)
    figure = plots.plot_reordering(pandas.DataFrame(X), *labels)
    np.testing.assert_array_equal(np.sign(figure.axes[1].images[0].get_array()), np.sign(X))


def test_missing_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"\[plot\]"):
        plots.plot_reordering(np.eye(2), [0, 1], [0, 1])
