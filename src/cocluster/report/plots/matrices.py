"""The matrix sorted by cluster, and the association of clusters, with names at their sides."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cocluster.linalg.matrices import as_dense, is_nonnegative
from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array, Matrix
from cocluster.report.compute.pictures import PERCENTILE, STEPS, cell_effects
from cocluster.report.plots.axes import (
    account_to_draw,
    axes_or_new,
    axis_label,
    matplotlib_colour,
    new_figure,
    select,
)
from cocluster.report.report_input import data_in_memory
from cocluster.report.values import AccountContents, Association, Id, Picture
from cocluster.utils.optional import library

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Width of the strips of colour, as a share of the picture.
STRIP_WIDTH = 0.015
# Least share of a side that a cluster needs for its name.
MIN_NAME_SHARE = 0.025
# Cells along a side of a reordered matrix: about as many as a screen shows.
MAX_CELLS = 600


def plot_matrix(
    model: Any, data: Any = None, *, view: str | None = None, ax: Axes | None = None
) -> Axes:
    """Show the data with rows and columns sorted by cluster.

    Parameters
    ----------
    model : Account, or fitted model
    data : matrix, frame, AnnData, views or Dataset that the model was fitted to
        Not needed with an account.
    view : str, optional
        Which view; the first by default.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure, ``ax.figure``.

    Returns
    -------
    Axes
        Red cells have more than expected, blue cells less; strips and ticks show the clusters.

    Examples
    --------
    >>> from cocluster import CoCluster
    >>> from cocluster.datasets import make_blocks
    >>> X = make_blocks(60, 40, 3, random_state=0).X
    >>> plot_matrix(CoCluster(3, random_state=0).fit(X), X).get_xlabel()
    '40 features'
    """
    account = account_to_draw(model, data)
    picture: Picture = select(account.pictures, view, "picture", "view")
    axes = axes_or_new(ax, (8, 6.5))
    n, m = picture.row_cuts[-1], picture.column_cuts[-1]
    end = STEPS * picture.unit
    image = axes.imshow(
        np.array(picture.cells) * picture.unit,
        cmap="RdBu_r",
        vmin=-end,
        vmax=end,
        aspect="auto",
        interpolation="nearest",
        extent=(0, m, n, 0),
    )
    for line, cuts in ((axes.axhline, picture.row_cuts), (axes.axvline, picture.column_cuts)):
        for boundary in cuts[1:-1]:
            line(boundary, color="black", linewidth=0.6)
    _label_side(axes, account, picture, horizontal=False)
    _label_side(axes, account, picture, horizontal=True)
    axes.set_ylabel(f"{picture.n_rows:,} {picture.rows}")
    axes.set_xlabel(f"{picture.n_columns:,} {picture.columns}")
    unit = "log2 of observed / expected" if picture.kind == "log2 lift" else picture.kind
    axes.figure.colorbar(image, ax=axes, shrink=0.7, label=unit)
    return axes


def _label_side(ax: Axes, account: AccountContents, picture: Picture, horizontal: bool) -> None:
    """Draw strips of colour and names along one side."""
    ids = picture.column_ids if horizontal else picture.row_ids
    cuts = picture.column_cuts if horizontal else picture.row_cuts
    type_name = picture.columns if horizontal else picture.rows
    ticks, names = [], []
    for cluster, (start, end) in zip(ids, pairwise(cuts), strict=False):
        _draw_strip(ax, cluster, (start / cuts[-1], end / cuts[-1]), horizontal)
        if (end - start) / cuts[-1] >= MIN_NAME_SHARE:
            ticks.append((start + end) / 2)
            names.append(axis_label(account.name_of(type_name, cluster)))
    if horizontal:
        ax.set_xticks(ticks, names, rotation=45, ha="right", fontsize=8)
    else:
        ax.set_yticks(ticks, names, fontsize=8)


def _draw_strip(ax: Axes, cluster: Id, span: tuple[float, float], horizontal: bool) -> None:
    """Draw the colour of a cluster at the upper or right edge, in shares of the axes."""
    start, end = span if horizontal else (1 - span[1], 1 - span[0])
    corner = (start, 1.0) if horizontal else (1.0, start)
    size = (end - start, STRIP_WIDTH) if horizontal else (STRIP_WIDTH, end - start)
    style = {"color": matplotlib_colour(cluster), "clip_on": False, "linewidth": 0}
    ax.add_patch(_rectangle(corner, *size, transform=ax.transAxes, **style))


def _rectangle(*geometry: Any, **style: Any) -> Any:
    """Return a rectangle of matplotlib."""
    return library("matplotlib.patches", "pictures", "plot").Rectangle(*geometry, **style)


def plot_association(
    model: Any, data: Any = None, *, view: str | None = None, ax: Axes | None = None
) -> Axes:
    """Show the association of clusters and groups of features as a labelled heat map.

    Numbers are lifts or, for data of any sign, standard deviations from the mean of the column
    group. Framed blocks carry most of the information between the clusters.

    Parameters
    ----------
    model : Account, or fitted model
    data : matrix, frame, AnnData, views or Dataset that the model was fitted to
        Not needed with an account.
    view : str, optional
        Which view; the first by default.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure, ``ax.figure``.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from cocluster import CoCluster
    >>> from cocluster.datasets import make_blocks
    >>> X = make_blocks(60, 40, 3, random_state=0).X
    >>> len(plot_association(CoCluster(3, random_state=0).fit(X), X).texts)
    9
    """
    account = account_to_draw(model, data)
    table: Association = select(account.associations, view, "association", "columns")
    k, m = len(table.row_ids), len(table.column_ids)
    axes = axes_or_new(ax, (2.5 + 0.7 * m, 1.8 + 0.45 * k))
    effect = np.array(table.effect)
    limit = float(np.abs(effect).max()) or 1.0  # a range of colours must not be 0
    axes.imshow(effect, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
    marked = set(table.marked)
    for i in range(k):
        for j in range(m):
            text = f"{effect[i, j]:+.1f}" if table.lift is None else f"{table.lift[i][j]:.1f}×"
            dark = abs(effect[i, j]) > 0.6 * limit
            axes.text(
                j,
                i,
                text,
                ha="center",
                va="center",
                fontsize=8,
                color="white" if dark else "black",
                weight="bold" if (i, j) in marked else "normal",
            )
    for i, j in marked:
        corner = (j - 0.5, i - 0.5)
        axes.add_patch(_rectangle(corner, 1, 1, fill=False, edgecolor="black", linewidth=1.5))
    row_names = _cluster_names(account, table.rows, table.row_ids)
    column_names = _cluster_names(account, table.columns, table.column_ids)
    axes.set_yticks(range(k), row_names, fontsize=8)
    axes.set_xticks(range(m), column_names, rotation=45, ha="right", fontsize=8)
    axes.set_ylabel(table.rows)
    axes.set_xlabel(table.columns)
    return axes


def _cluster_names(account: AccountContents, type_name: str, ids: Sequence[Id]) -> list[str]:
    """Return the names of clusters for an axis."""
    return [axis_label(account.name_of(type_name, cluster)) for cluster in ids]


def plot_reordering(
    X: Matrix, row_labels: Array, column_labels: Array, path: str | Path | None = None
) -> Figure:
    r"""Show a matrix before and after its rows and columns are sorted by cluster.

    The matrix is summed up to at most 600 x 600 cells by two sparse products, so that any size can
    be shown. The colour of a cell compares its sum with the sum expected from its row and its
    column alone, on a logarithmic scale: red is more than expected, blue less. Cells with a small
    expected sum stay pale. Column clusters are in the order of the row clusters in which they are
    most over-represented.

    Parameters
    ----------
    X : matrix, frame or AnnData of shape (n_rows, n_columns)
        For values of any sign, colours show the deviation of a cell from the mean of its columns.
    row_labels, column_labels : array
        Cluster of each row and column.
    path : str or Path, optional
        File to write the picture to; the ending determines the format.

    Returns
    -------
    matplotlib.figure.Figure
        Notebooks show it; ``figure.savefig`` writes it to another file.

    Examples
    --------
    >>> X = np.array([[5, 0, 4], [0, 3, 0], [6, 1, 5]])
    >>> figure = plot_reordering(X, np.array([0, 1, 0]), np.array([0, 1, 0]))
    """
    X = data_in_memory(X).relations[0].matrix
    if X.shape != (len(row_labels), len(column_labels)):
        raise ValueError(
            f"X is {X.shape[0]} x {X.shape[1]}, but there are {len(row_labels)} row labels and "
            f"{len(column_labels)} column labels: give one label per row and per column."
        )
    row_codes = np.unique(row_labels, return_inverse=True)[1]
    column_codes = _align_columns(X, row_codes, np.unique(column_labels, return_inverse=True)[1])
    rows, columns = (np.argsort(codes, kind="stable") for codes in (row_codes, column_codes))
    before, _ = _overview(X, np.arange(X.shape[0]), np.arange(X.shape[1]))
    after, kind = _overview(X, rows, columns)

    figure = new_figure((12, 6))
    left, right = figure.subplots(1, 2)
    limit = max(float(np.percentile(np.abs(after), PERCENTILE)), 1e-9)  # avoids 0
    for axes, cells, title in ((left, before, "as given"), (right, after, "sorted by cluster")):
        image = _draw_cells(axes, cells, X.shape, limit)
        axes.set_title(title)
    _draw_boundaries(right, np.bincount(row_codes), np.bincount(column_codes))
    unit = "log2 of observed / expected" if kind == "log2 lift" else kind
    figure.colorbar(image, ax=[left, right], shrink=0.8, label=unit)
    if path is not None:
        figure.savefig(path, dpi=120)
    return figure


def _align_columns(X: Matrix, row_codes: Array, column_codes: Array) -> Array:
    """Renumber column clusters by the row cluster in which they are most over-represented."""
    blocks = _aggregate(X, row_codes, column_codes)
    # Data of any sign are compared by their sums.
    total = blocks.sum(axis=1, keepdims=True) if is_nonnegative(X) else np.ones((len(blocks), 1))
    share = blocks / np.maximum(total, np.finfo(float).tiny)
    rank = np.empty(blocks.shape[1], dtype=int)
    rank[np.argsort(share.argmax(axis=0), kind="stable")] = np.arange(blocks.shape[1])
    return np.asarray(rank[column_codes])


def _aggregate(X: Matrix, row_bins: Array, column_bins: Array) -> Array:
    """Return the sums of X over all pairs of a row bin and a column bin."""
    P, Q = (as_partition(bins, bins.max() + 1).sparse() for bins in (row_bins, column_bins))
    return as_dense(P.T @ X @ Q)


def _overview(X: Matrix, rows: Array, columns: Array) -> tuple[Array, str]:
    """Return the effects of the cells of X in the given order, and the kind of effect."""
    P, Q = (as_partition(bins, bins.max() + 1) for bins in (_bins(rows), _bins(columns)))
    return cell_effects(X, P, Q, P.sizes)


def _bins(order: Array) -> Array:
    """Return the cell of each object when the objects are laid out in this order."""
    n = len(order)
    bins = np.empty(n, dtype=int)
    # Every cell has at least one object.
    bins[order] = np.arange(n) * min(n, MAX_CELLS) // n
    return bins


def _draw_cells(axes: Any, cells: Array, shape: tuple[int, int], limit: float) -> Any:
    """Draw cells in the coordinates of the matrix."""
    image = axes.imshow(
        cells,
        cmap="RdBu_r",
        vmin=-limit,
        vmax=limit,
        aspect="auto",
        interpolation="nearest",
        # The first row is on top, as in a printed matrix.
        extent=(0, shape[1], shape[0], 0),
    )
    axes.set_xlabel(f"{shape[1]:,} columns")
    axes.set_ylabel(f"{shape[0]:,} rows")
    return image


def _draw_boundaries(axes: Any, row_sizes: Array, column_sizes: Array) -> None:
    """Draw a line between neighbouring clusters."""
    for draw, sizes in ((axes.axhline, row_sizes), (axes.axvline, column_sizes)):
        for boundary in np.cumsum(sizes)[:-1]:
            draw(boundary, color="black", linewidth=0.6)
