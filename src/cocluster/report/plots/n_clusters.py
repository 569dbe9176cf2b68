"""The choice of the number of clusters: agreement of halves, and the merge tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.cluster.hierarchy import dendrogram

from cocluster.report.compute.run import CHANCE_DEVIATIONS
from cocluster.report.plots.axes import new_figure, whole_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cocluster.methods.n_clusters.result import Choice, Side


def plot_choice(
    choice: Choice, side: str | None = None, axes: Sequence[Axes] | None = None
) -> tuple[Axes, Axes]:
    """Show how the number of clusters was chosen: agreement of halves, and the merge tree.

    Parameters
    ----------
    choice : Choice
        The result of `cocluster.choose_n_clusters`.
    side : str, optional
        The type to show, as named in ``choice.n_clusters``; the samples by default.
    axes : two matplotlib Axes, optional
        Axes to draw on; by default those of a new figure, ``axes[0].figure``.

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
    sides = {candidate.name: candidate for candidate in choice.sides}
    if side is not None and side not in sides:
        names = ", ".join(sides) or "none yet"
        raise ValueError(f"There is no side {side!r}; there are {names}.")
    if not sides:
        raise ValueError("Nothing is known yet of the number of clusters; resume the search first.")
    if axes is None:
        axes = new_figure((11, 4)).subplots(1, 2)
    curve, tree = axes
    selected = sides[side or choice.sides[0].name]
    _draw_agreement(curve, selected)
    _draw_tree(tree, selected)
    return curve, tree


def _draw_agreement(axes: Axes, side: Side) -> None:
    """Draw the agreement of halves by number of clusters, and the agreement by chance."""
    numbers = [line.k for line in side.table]
    axes.plot(numbers, [line.share for line in side.table], "o-", label="information found again")
    axes.plot(numbers, [line.stability for line in side.table], ".--", label="adjusted Rand index")
    chance = [CHANCE_DEVIATIONS * line.null / max(line.possible, line.null) for line in side.table]
    axes.fill_between(numbers, 0, chance, color="0.85", label="chance")
    # Equal numbers share a line and its label.
    marks: dict[int, list[str]] = {}
    for name in ("coarse", "stable", "fine"):
        marks.setdefault(getattr(side, name), []).append(name)
    for k, names in marks.items():
        axes.axvline(k, color="black", linewidth=1.5 if "stable" in names else 0.5)
        axes.text(k, 0.98, f"{', '.join(names)}: {k}", rotation=90, va="top", ha="right")
    # The axis starts at the least agreement, which may be negative by chance.
    axes.set_ylim(min([0.0, *(line.stability for line in side.table)]), 1.0)
    whole_numbers(axes)
    axes.set_xlabel(f"clusters of {side.name}")
    axes.set_ylabel("agreement of two halves of the data")
    axes.legend()


def _draw_tree(axes: Axes, side: Side) -> None:
    """Draw the merge tree of a side, with a line at the recommended number of clusters."""
    axes.set_ylabel("share of information lost")
    axes.set_xlabel(f"finest clusters of {side.name}, by size")
    if not side.tree:
        return
    # scipy needs the number of leaves below a merge, not of the objects in them.
    n_leaves = [1] * len(side.leaves)
    for merge in side.tree:
        n_leaves.append(n_leaves[merge.left] + n_leaves[merge.right])
    merges = [
        (merge.left, merge.right, merge.height, n)
        for merge, n in zip(side.tree, n_leaves[len(side.leaves) :], strict=True)
    ]
    dendrogram(
        np.array(merges, dtype=float),
        ax=axes,
        labels=[str(size) for size in side.leaves],
        leaf_rotation=90,
        color_threshold=0,
        above_threshold_color="C0",
    )
    # The cut lies between the merge that leaves the recommended number and the next one.
    heights = [0.0, *(merge.height for merge in side.tree)]
    last = len(side.leaves) - side.stable
    above = heights[min(last + 1, len(heights) - 1)]
    axes.axhline((heights[last] + above) / 2, color="black", linewidth=1.5)
