"""The part of an account on the number of clusters, where it was chosen."""

from __future__ import annotations

from cocluster.methods.how_many.choice import Choice, Line
from cocluster.report.parts.values import HowMany, NumberChosen, NumberTried

# Standard deviations of chance below which agreement says nothing.
CHANCE = 3


def choice_part(choice: Choice | None) -> HowMany | None:
    """The numbers that were tried, and the reason for the one that was taken."""
    if choice is None:
        return None
    sides = tuple(
        NumberChosen(side.name, side.coarse, side.stable, side.fine, tuple(map(_tried, side.table)))
        for side in choice.sides
    )
    return HowMany(choice.reason, choice.complete, sides)


def _tried(line: Line) -> NumberTried:
    """One number of clusters."""
    chance = CHANCE * line.null / max(line.possible, line.null) if line.null > 0 else 0.0
    return NumberTried(line.k, line.share, line.stability, chance, line.icl)
