"""Pictures of co-clusters; needs matplotlib, the extra ``cocluster[plot]``.

    plot_matrix       the data, rows and columns sorted by cluster, with names
    plot_association  which clusters go with which groups
    plot_features     what sets a cluster apart
    plot_margins      how clearly samples belong to their cluster
    plot_stability    how much of a cluster is found again in refits
    plot_objective    how the objective fell
    plot_flows        where samples went between two fits
    plot_choice       how the number of clusters was chosen
    plot_reordering   a matrix before and after, from labels alone

Each but the last draws on the ``Axes`` it is given, or makes some, and returns them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.cluster.hierarchy import dendrogram

from cocluster.linalg.matrices import as_dense, is_nonnegative
from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array, Matrix
from cocluster.report.compute.pictures import cell_effects
from cocluster.report.drawing.blocks import plot_association, plot_matrix
from cocluster.report.drawing.clusters import (
    plot_features,
    plot_margins,
    plot_objective,
    plot_stability,
)
from cocluster.report.drawing.flows import plot_flows
from cocluster.report.subject import data_of
from cocluster.utils.optional import library

__all__ = [
    "plot_association",
    "plot_choice",
    "plot_features",
    "plot_flows",
    "plot_margins",
    "plot_matrix",
    "plot_objective",
    "plot_reordering",
    "plot_stability",
]

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cocluster.methods.n_clusters.result import Choice, Side

# Cells along a side of a picture: about as many as a screen shows.
PIXELS = 600
# Cells more extreme than this share have the strongest colour, so that a few outliers do not make
# all others pale.
PERCENTILE = 99


def plot_reordering(
    X: Matrix, row_labels: Array, column_labels: Array, path: str | Path | None = None
) -> Figure:
    r"""Show a matrix before and after its rows and columns are sorted by cluster.

    The matrix is summed up to at most 600 x 600 cells by two sparse products, so that any size can
    be shown. The colour of a cell compares its sum with the sum expected from its row and its
    column alone, on a logarithmic scale: red is more than expected, blue less. So blocks stand out
    however large rows and columns are; cells of which little is expected stay pale. Column
    clusters stand in the order of the row cluster that they meet most.

    Parameters
    ----------
    X : matrix, frame or AnnData of shape (n_rows, n_columns)
        Where values have any sign, colours show how far a cell lies from the mean of its columns.
    row_labels, column_labels : array
        Cluster of each row and column.
    path : str or Path, optional
        Where to write the picture; the ending chooses the format.

    Returns
    -------
    matplotlib.figure.Figure
        Shown by notebooks as it is; ``figure.savefig`` writes it elsewhere, too.

    Examples
    --------
    >>> X = np.array([[5, 0, 4], [0, 3, 0], [6, 1, 5]])
    >>> figure = plot_reordering(X, np.array([0, 1, 0]), np.array([0, 1, 0]))
    """
    X = data_of(X).relations[0].matrix
    if X.shape != (len(row_labels), len(column_labels)):
        raise ValueError(
            f"X is {X.shape[0]} x {X.shape[1]}, but there are {len(row_labels)} row labels and "
            f"{len(column_labels)} column labels: give one label per row and per column."
        )
    figure_type = _figure_type()
    row_codes = np.unique(row_labels, return_inverse=True)[1]
    column_codes = _aligned(X, row_codes, np.unique(column_labels, return_inverse=True)[1])
    rows, columns = (np.argsort(codes, kind="stable") for codes in (row_codes, column_codes))
    before, _ = _overview(X, np.arange(X.shape[0]), np.arange(X.shape[1]))
    after, kind = _overview(X, rows, columns)

    figure = figure_type(figsize=(12, 6), layout="constrained")
    left, right = figure.subplots(1, 2)
    limit = max(float(np.percentile(np.abs(after), PERCENTILE)), 1e-9)  # 0 is no range of colours
    for axes, cells, title in ((left, before, "as given"), (right, after, "sorted by cluster")):
        image = _draw(axes, cells, X.shape, limit)
        axes.set_title(title)
    _draw_boundaries(right, np.bincount(row_codes), np.bincount(column_codes))
    unit = "log2 of observed / expected" if kind == "log2 lift" else kind
    figure.colorbar(image, ax=[left, right], shrink=0.8, label=unit)
    if path is not None:
        figure.savefig(path, dpi=120)
    return figure


def _figure_type() -> type[Figure]:
    """The figure class of matplotlib; not pyplot, which would choose a window system."""
    figure: type[Figure] = library("matplotlib.figure", "pictures", "plot").Figure
    return figure


def _aligned(X: Matrix, row_codes: Array, column_codes: Array) -> Array:
    """Renumber column clusters by the row cluster in which they are most over-represented."""
    blocks = _aggregate(X, row_codes, column_codes)
    # Of data of any sign the largest sums will do.
    total = blocks.sum(axis=1, keepdims=True) if is_nonnegative(X) else np.ones((len(blocks), 1))
    share = blocks / np.maximum(total, np.finfo(float).tiny)
    rank = np.empty(blocks.shape[1], dtype=int)
    rank[np.argsort(share.argmax(axis=0), kind="stable")] = np.arange(blocks.shape[1])
    return np.asarray(rank[column_codes])


def _aggregate(X: Matrix, row_bins: Array, column_bins: Array) -> Array:
    """Sums of X over all pairs of a row bin and a column bin."""
    P, Q = (as_partition(bins, bins.max() + 1).sparse() for bins in (row_bins, column_bins))
    return as_dense(P.T @ X @ Q)


def _overview(X: Matrix, rows: Array, columns: Array) -> tuple[Array, str]:
    """X in the given order, in at most PIXELS x PIXELS cells, and what the cells show."""
    P, Q = (as_partition(bins, bins.max() + 1) for bins in (_bins(rows), _bins(columns)))
    return cell_effects(X, P, Q, P.sizes)


def _bins(order: Array) -> Array:
    """Pixel of each object when the objects are laid out in this order."""
    n = len(order)
    bins = np.empty(n, dtype=int)
    # Whole objects to each pixel, and no pixel without one.
    bins[order] = np.arange(n) * min(n, PIXELS) // n
    return bins


def _draw(axes: Any, cells: Array, shape: tuple[int, int], limit: float) -> Any:
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


def plot_choice(
    choice: Choice, side: str | None = None, axes: Sequence[Axes] | None = None
) -> tuple[Axes, Axes]:
    """Show how a number of clusters was chosen: what halves of the data agree on, and the tree.

    Parameters
    ----------
    choice : Choice
        What `cocluster.choose_n_clusters` returned.
    side : str, optional
        The type to show, as named in ``choice.n_clusters``; the samples by default.
    axes : two matplotlib Axes, optional
        Where to draw; by default in a new figure, ``axes[0].figure``.

    Returns
    -------
    tuple of two Axes
        Agreement by number of clusters, with the coarse, stable and fine numbers marked; and the
        tree, whose heights are shares of information lost, with the recommended cut.

    Examples
    --------
    >>> from cocluster import choose_n_clusters
    >>> from cocluster.datasets import make_blocks
    >>> choice = choose_n_clusters(make_blocks(200, 100, 3, random_state=0).X, random_state=0)
    >>> curve, tree = plot_choice(choice)
    """
    known = {own.name: own for own in choice.sides}
    if side is not None and side not in known:
        raise ValueError(f"There is no side {side!r}; there are {', '.join(known) or 'none yet'}.")
    if not known:
        raise ValueError("Nothing is known yet of the number of clusters; resume the search first.")
    if axes is None:
        figure = _figure_type()(figsize=(11, 4), layout="constrained")
        axes = figure.subplots(1, 2)
    curve, tree = axes
    shown = known[side or choice.sides[0].name]
    _draw_agreement(curve, shown)
    _draw_tree(tree, shown)
    return curve, tree


def _draw_agreement(axes: Axes, side: Side) -> None:
    """What halves of the data agree on, by number of clusters, beside what chance gives."""
    numbers = [line.k for line in side.table]
    axes.plot(numbers, [line.share for line in side.table], "o-", label="information found again")
    axes.plot(numbers, [line.stability for line in side.table], ".--", label="adjusted Rand index")
    # Three standard deviations: what is above is no chance.
    chance = [3 * line.null / max(line.possible, line.null) for line in side.table]
    axes.fill_between(numbers, 0, chance, color="0.85", label="chance")
    # Numbers that are the same share a line and its label.
    marks: dict[int, list[str]] = {}
    for name in ("coarse", "stable", "fine"):
        marks.setdefault(getattr(side, name), []).append(name)
    for k, names in marks.items():
        axes.axvline(k, color="black", linewidth=1.5 if "stable" in names else 0.5)
        axes.text(k, 0.98, f"{', '.join(names)}: {k}", rotation=90, va="top", ha="right")
    # Agreement below zero is chance, and not by how much it is below.
    axes.set_ylim(min([0.0, *(line.stability for line in side.table)]), 1.0)
    ticker = library("matplotlib.ticker", "pictures", "plot")
    axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    axes.set_xlabel(f"clusters of {side.name}")
    axes.set_ylabel("agreement of two halves of the data")
    axes.legend()


def _draw_tree(axes: Axes, side: Side) -> None:
    """The tree of a side, with a line across it where the recommended number is left."""
    axes.set_ylabel("share of information lost")
    axes.set_xlabel(f"finest clusters of {side.name}, by size")
    if not side.tree:
        return
    # scipy counts the leaves below a merge, not the objects in them.
    below = [1] * len(side.leaves)
    for merge in side.tree:
        below.append(below[merge.left] + below[merge.right])
    merges = [
        (merge.left, merge.right, merge.height, n)
        for merge, n in zip(side.tree, below[len(side.leaves) :], strict=True)
    ]
    dendrogram(
        np.array(merges, dtype=float),
        ax=axes,
        labels=[str(size) for size in side.leaves],
        leaf_rotation=90,
        color_threshold=0,
        above_threshold_color="C0",
    )
    # Between the merge that leaves so many clusters and the next one.
    heights = [0.0, *(merge.height for merge in side.tree)]
    last = len(side.leaves) - side.stable
    above = heights[min(last + 1, len(heights) - 1)]
    axes.axhline((heights[last] + above) / 2, color="black", linewidth=1.5)
