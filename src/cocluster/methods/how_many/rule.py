"""From measurements to numbers of clusters, and to the reason in words.

The constants were chosen on planted data and on real sets. ``benchmarks/how_many.py`` compares the
rule with others on ten sets, five of them from the half of the leaderboard that chooses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from cocluster.methods.how_many.choice import Line, Side

# A grouping exists if halves agree by so many standard deviations more than independent labels
# would: of the some twenty numbers tried, no one does by chance.
SIGMAS = 4.0
# Share of its labels' information that a grouping has to pay for: the finer it is, the more must be
# found again. With a quarter, hierarchies of real texts are followed into their last twigs; with
# half, flat groupings of which halves of the data find less than half are given up.
PRICE = 1 / 3
# Where even the best number is found again by less than that, the price is this share of the best.
PRICE_OF_BEST = 0.9
# Of all numbers whose gain is within this share of the best, the smallest: gains are known to
# about a tenth, and fewer clusters are easier to understand.
GOOD_ENOUGH = 0.85
# Halves know less than the whole and so see fewer clusters. If the likelihood of the whole has its
# best number within this factor, both mean the same clusters, and the whole knows better.
SAME = 1.25


def gain(line: Line, price: float) -> float:
    """Return the nats found again, less the price of the nats claimed."""
    return line.information - price * line.possible


def stable_number(table: Sequence[Line]) -> int:
    """Return the smallest number with about the largest gain; 1 if halves agree by chance."""
    if not any(line.information > SIGMAS * line.null for line in table):
        return 1
    price = min(PRICE, PRICE_OF_BEST * max(line.share for line in table))
    gains = {line.k: gain(line, price) for line in table}
    return min(k for k, value in gains.items() if value >= GOOD_ENOUGH * max(gains.values()))


def side_of(name: str, size: int, table: Sequence[Line], best_likelihood: int, k_max: int) -> Side:
    """Derive the coarse, stable and fine number of one type, without its tree."""
    stable = stable_number(table)
    if stable == 1:
        return Side(name, size, 1, 1, 1, tuple(table))
    # A best number at the end of the range is none.
    if best_likelihood < k_max and stable <= best_likelihood <= SAME * stable:
        stable = best_likelihood
    up_to_stable = [line for line in table if line.k <= stable]
    coarse = max(up_to_stable, key=lambda line: line.share).k
    return Side(name, size, coarse, stable, max(stable, best_likelihood), tuple(table))


def words_for(side: Side, k_max: int) -> str:
    """Explain the number of clusters of a side in a sentence or two."""
    if not side.table:
        return f"The {side.size} {side.name} are too few to look for groups."
    if side.stable == 1:
        return (
            f"There is no stable grouping of the {side.name}: what one half of the data gives, the "
            "other half finds again no more than by chance."
        )
    nearest = min(side.table, key=lambda line: abs(line.k - side.stable))
    text = (
        f"{side.stable} clusters of {side.name} are recommended: two halves of the data find "
        f"{nearest.share:.0%} of them again (adjusted Rand index {nearest.stability:.2f}"
    )
    text += ")." if side.stable < side.fine else "), and the likelihood of the whole agrees."
    if side.coarse < side.stable:
        best = next(line for line in side.table if line.k == side.coarse)
        text += f" The clearest grouping has {side.coarse} ({best.share:.0%})."
    if side.fine > side.stable:
        bound = "at least " if side.fine >= k_max else ""
        text += f" The likelihood of the whole would support {bound}{side.fine}."
    return text
