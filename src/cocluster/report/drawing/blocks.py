"""The matrix sorted by cluster, and the association of clusters, with names at their sides."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cocluster.report.compute.pictures import STEPS
from cocluster.report.drawing.axes import axes_or_new, chosen, colour_of, cut, told
from cocluster.report.values import AccountContents, Association, Id, Picture
from cocluster.utils.optional import library

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Width of the strips of colour, as a share of the picture.
STRIP = 0.015
# Clusters with less of a side than this have no room for their name.
ROOM = 0.025


def plot_matrix(
    found: Any, data: Any = None, *, view: str | None = None, ax: Axes | None = None
) -> Axes:
    """Show the data with rows and columns sorted by cluster.

    Parameters
    ----------
    found : Account, or fitted model
    data : whatever the model was fitted to: matrix, frame, AnnData, views, Dataset
        Not needed with an account.
    view : str, optional
        Which view; the first by default.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure, ``ax.figure``.

    Returns
    -------
    Axes
        Red is more than expected, blue less; strips and ticks show the clusters by name.

    Examples
    --------
    >>> from cocluster import CoCluster
    >>> from cocluster.datasets import make_blocks
    >>> X = make_blocks(60, 40, 3, random_state=0).X
    >>> plot_matrix(CoCluster(3, random_state=0).fit(X), X).get_xlabel()
    '40 features'
    """
    account = told(found, data)
    picture: Picture = chosen(account.pictures, view, "picture", "view")
    drawn = axes_or_new(ax, (8, 6.5))
    n, m = picture.row_cuts[-1], picture.column_cuts[-1]
    end = STEPS * picture.unit
    image = drawn.imshow(
        np.array(picture.cells) * picture.unit,
        cmap="RdBu_r",
        vmin=-end,
        vmax=end,
        aspect="auto",
        interpolation="nearest",
        extent=(0, m, n, 0),
    )
    for line, cuts in ((drawn.axhline, picture.row_cuts), (drawn.axvline, picture.column_cuts)):
        for at in cuts[1:-1]:
            line(at, color="black", linewidth=0.6)
    _side(drawn, account, picture, across=False)
    _side(drawn, account, picture, across=True)
    drawn.set_ylabel(f"{picture.n_rows:,} {picture.rows}")
    drawn.set_xlabel(f"{picture.n_columns:,} {picture.columns}")
    unit = "log2 of observed / expected" if picture.kind == "log2 lift" else picture.kind
    drawn.figure.colorbar(image, ax=drawn, shrink=0.7, label=unit)
    return drawn


def _side(ax: Axes, account: AccountContents, picture: Picture, across: bool) -> None:
    """Strips of colour and names along one side."""
    ids = picture.column_ids if across else picture.row_ids
    cuts = picture.column_cuts if across else picture.row_cuts
    kind = picture.columns if across else picture.rows
    ticks, names = [], []
    for own, (start, end) in zip(ids, pairwise(cuts), strict=False):
        _strip(ax, own, (start / cuts[-1], end / cuts[-1]), across)
        if (end - start) / cuts[-1] >= ROOM:
            ticks.append((start + end) / 2)
            names.append(cut(account.name_of(kind, own)))
    if across:
        ax.set_xticks(ticks, names, rotation=45, ha="right", fontsize=8)
    else:
        ax.set_yticks(ticks, names, fontsize=8)


def _strip(ax: Axes, own: Id, span: tuple[float, float], across: bool) -> None:
    """The colour of a cluster at the upper or right edge, in shares of the axes."""
    start, end = span if across else (1 - span[1], 1 - span[0])
    place = (start, 1.0) if across else (1.0, start)
    size = (end - start, STRIP) if across else (STRIP, end - start)
    ax.add_patch(
        _rectangle(
            place, *size, transform=ax.transAxes, color=colour_of(own), clip_on=False, linewidth=0
        )
    )


def _rectangle(*place: Any, **look: Any) -> Any:
    """A rectangle of matplotlib."""
    return library("matplotlib.patches", "pictures", "plot").Rectangle(*place, **look)


def plot_association(
    found: Any, data: Any = None, *, view: str | None = None, ax: Axes | None = None
) -> Axes:
    """Show which clusters go with which groups, as a labelled heat map.

    Parameters and what is returned are those of `plot_matrix`. Numbers are lifts, or, for data of
    any sign, standard deviations from the mean of the column group; framed blocks carry most of
    what the clusters know of each other.

    Parameters
    ----------
    found : Account, or fitted model
    data : whatever the model was fitted to: matrix, frame, AnnData, views, Dataset
        Not needed with an account.
    view : str, optional
        Which view; the first by default.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure, ``ax.figure``.

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
    account = told(found, data)
    table: Association = chosen(account.associations, view, "association", "columns")
    k, m = len(table.row_ids), len(table.column_ids)
    drawn = axes_or_new(ax, (2.5 + 0.7 * m, 1.8 + 0.45 * k))
    effect = np.array(table.effect)
    limit = float(np.abs(effect).max()) or 1.0  # 0 is no range of colours
    drawn.imshow(effect, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
    marked = set(table.marked)
    for i in range(k):
        for j in range(m):
            text = f"{effect[i, j]:+.1f}" if table.lift is None else f"{table.lift[i][j]:.1f}×"
            dark = abs(effect[i, j]) > 0.6 * limit
            drawn.text(
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
        drawn.add_patch(_rectangle(corner, 1, 1, fill=False, edgecolor="black", linewidth=1.5))
    drawn.set_yticks(range(k), _names(account, table.rows, table.row_ids), fontsize=8)
    drawn.set_xticks(
        range(m),
        _names(account, table.columns, table.column_ids),
        rotation=45,
        ha="right",
        fontsize=8,
    )
    drawn.set_ylabel(table.rows)
    drawn.set_xlabel(table.columns)
    return drawn


def _names(account: AccountContents, kind: str, ids: Sequence[Id]) -> list[str]:
    """Names of clusters for an axis."""
    return [cut(account.name_of(kind, own)) for own in ids]
