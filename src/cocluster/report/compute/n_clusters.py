"""The part of an account on the number of clusters, where it was chosen."""

from __future__ import annotations

from collections.abc import Mapping

from cocluster.methods.n_clusters.result import Choice, Line, Side
from cocluster.report.values import (
    CandidateNumber,
    MergeTree,
    NumberOfClusters,
    RecommendedNumbers,
)

# Standard deviations of chance below which agreement says nothing.
CHANCE = 3


def choice_part(choice: Choice | None, n_clusters: Mapping[str, int]) -> NumberOfClusters | None:
    """The numbers that were tried, and the reason for the one that was taken.

    ``n_clusters`` are those of the fit, by type: trees are cut there.
    """
    if choice is None:
        return None
    sides = tuple(
        RecommendedNumbers(
            side.name, side.coarse, side.stable, side.fine, tuple(map(_tried, side.table))
        )
        for side in choice.sides
    )
    trees = tuple(
        _tree(side, n_clusters[name])
        for name, side in choice.trees.items()
        if side.tree and name in n_clusters
    )
    return NumberOfClusters(choice.reason, choice.complete, sides, trees)


def _tree(side: Side, clusters: int) -> MergeTree:
    """How the finest clusters of a type come together."""
    words = side.words or ("",) * len(side.leaves)
    return MergeTree(side.name, clusters, side.leaves, words, side.tree)


def _tried(line: Line) -> CandidateNumber:
    """One number of clusters."""
    chance = CHANCE * line.null / max(line.possible, line.null) if line.null > 0 else 0.0
    return CandidateNumber(line.k, line.share, line.stability, chance, line.icl)
