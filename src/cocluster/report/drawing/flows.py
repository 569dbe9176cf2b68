"""Where the objects of clusters went between two fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cocluster.report.compare import Changes, Comparison
from cocluster.report.drawing.axes import axes_or_new, colour_of, cut
from cocluster.report.explanation import Id

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Width of the bars at both sides, and the gap between clusters, as shares of the picture.
BAR, GAP = 0.04, 0.012
# Points along a band: enough to look smooth.
POINTS = 40


def plot_flows(found: Comparison, *, type: str | None = None, ax: Axes | None = None) -> Axes:
    """Show which clusters of the first fit the clusters of the second are made of.

    Parameters
    ----------
    found : Comparison
        What `cocluster.compare` returned.
    type : str, optional
        Which type; the samples by default.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure, ``ax.figure``.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from cocluster import compare
    >>> found = compare([0, 0, 1, 1], [0, 1, 1, 1], names={0: "tea", 1: "coffee"})
    >>> [text.get_text() for text in plot_flows(found).texts]
    ['tea (2)', 'coffee (2)', 'tea (1)', 'coffee (3)']
    """
    if type is not None and type not in found.types:
        known = ", ".join(found.types)
        raise ValueError(f"There is no type {type!r} in this comparison; there are {known}.")
    changes = found.samples if type is None else found.types[type]
    drawn = axes_or_new(ax, (7, 5))
    names = {own.id: own.name for own in changes.clusters if own.name}
    left, right = _sizes(changes, before=True), _sizes(changes, before=False)
    total = sum(left.values())
    starts, ends = _places(left, total), _places(right, total)
    for sizes, places, x, align in ((left, starts, 0.0, "right"), (right, ends, 1.0, "left")):
        for own, size in sizes.items():
            height = size / total
            drawn.bar(
                x, -height, width=BAR, bottom=places[own], color=colour_of(own), align="center"
            )
            label = f"{cut(names.get(own, str(own)))} ({size:,})"
            offset = -BAR if align == "right" else BAR
            drawn.text(
                x + offset, places[own] - height / 2, label, ha=align, va="center", fontsize=9
            )
    _bands(drawn, changes, starts, ends, total)
    drawn.set_xlim(-0.6, 1.6)
    drawn.set_axis_off()
    drawn.set_title(f"{changes.agreement:.0%} of the {changes.type} stay")
    return drawn


def _sizes(changes: Changes, before: bool) -> dict[Id, int]:
    """Objects of each cluster of the first, or of the second."""
    sizes: dict[Id, int] = {}
    for flow in changes.flows:
        own = flow.source if before else flow.target
        sizes[own] = sizes.get(own, 0) + flow.count
    return dict(sorted(sizes.items(), key=lambda item: str(item[0]).zfill(9)))


def _places(sizes: dict[Id, int], total: int) -> dict[Id, float]:
    """Where each cluster begins, from 1 downwards."""
    places, at = {}, 1.0
    for own, size in sizes.items():
        places[own] = at
        at -= size / total + GAP
    return places


def _bands(
    ax: Axes, changes: Changes, starts: dict[Id, float], ends: dict[Id, float], total: int
) -> None:
    """A band for each flow, in the colour of where it comes from."""
    left, right = dict(starts), dict(ends)
    x = np.linspace(BAR / 2, 1 - BAR / 2, POINTS)
    # From one height to the other without a corner.
    ease = (1 - np.cos(np.linspace(0, np.pi, POINTS))) / 2
    for flow in sorted(changes.flows, key=lambda flow: (str(flow.source), str(flow.target))):
        height = flow.count / total
        top = left[flow.source] + ease * (right[flow.target] - left[flow.source])
        ax.fill_between(x, top, top - height, color=colour_of(flow.source), alpha=0.45, linewidth=0)
        left[flow.source] -= height
        right[flow.target] -= height
