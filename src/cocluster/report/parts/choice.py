"""The part of an account on the number of clusters, where it was chosen."""

from __future__ import annotations

from collections.abc import Mapping

from cocluster.methods.how_many.choice import Choice, Line, Side
from cocluster.report.parts.values import (
    HowMany,
    MergeShown,
    NumberChosen,
    NumberTried,
    TreeShown,
)

# Standard deviations of chance below which agreement says nothing.
CHANCE = 3


def choice_part(choice: Choice | None, n_clusters: Mapping[str, int]) -> HowMany | None:
    """The numbers that were tried, and the reason for the one that was taken.

    ``n_clusters`` are those of the fit, by type: trees are cut there.
    """
    if choice is None:
        return None
    sides = tuple(
        NumberChosen(side.name, side.coarse, side.stable, side.fine, tuple(map(_tried, side.table)))
        for side in choice.sides
    )
    trees = tuple(
        _tree(side, n_clusters[name])
        for name, side in choice.trees.items()
        if side.tree and name in n_clusters
    )
    return HowMany(choice.reason, choice.complete, sides, trees)


def _tree(side: Side, clusters: int) -> TreeShown:
    """How the finest clusters of a type come together."""
    merges = tuple(MergeShown(m.left, m.right, m.height, m.size) for m in side.tree)
    words = side.words or ("",) * len(side.leaves)
    return TreeShown(side.name, clusters, side.leaves, words, merges)


def _tried(line: Line) -> NumberTried:
    """One number of clusters."""
    chance = CHANCE * line.null / max(line.possible, line.null) if line.null > 0 else 0.0
    return NumberTried(line.k, line.share, line.stability, chance, line.icl)
