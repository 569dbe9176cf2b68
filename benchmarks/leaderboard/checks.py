"""What must hold for `CoCluster` on the sets that chose nothing, judged from the rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from benchmarks.leaderboard.halves import family_of, half_of
from benchmarks.leaderboard.methods import FORMER, FRONT, PEERS
from benchmarks.leaderboard.tables import complete, ranks, table

# Points of NMI above the former rule; points a peer may be ahead in a family; times slower than
# the former rule, on sets with fewer samples than that.
ABOVE, BEHIND, SLOWER, SAMPLES = 0.03, 0.005, 5.0, 20_000
FAMILIES = ("text", "genes", "images")


class Check(NamedTuple):
    """A demand, the figures, and whether it holds."""

    demand: str
    figure: str
    holds: bool


def checks(rows: pd.DataFrame) -> list[Check]:
    """All of them, on the half that shows."""
    shown = rows[rows["set"].map(half_of) == "show"]
    return [*_above(shown), *_first(shown), _never_fails(rows), _fast(shown)]


def _parts(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each family, and all of them."""
    family = rows["set"].map(family_of)
    for name in FAMILIES:
        if (family == name).any():
            yield name, rows[family == name]
    yield "all", rows


def _above(rows: pd.DataFrame) -> Iterator[Check]:
    """Far enough above the former rule, on text and on the others."""
    text = rows["set"].map(family_of) == "text"
    for name, part in (("text", rows[text]), ("the others", rows[~text])):
        if part.empty:
            continue
        means = table(part)["mean NMI"]
        gain = means[FRONT] - means[FORMER]
        yield Check(
            f"On {name} {100 * ABOVE:.0f} points of NMI above the rule of 0.1",
            f"{means[FRONT]:.3f} after {means[FORMER]:.3f}: {100 * gain:+.1f}",
            bool(gain >= ABOVE),
        )


def _first(rows: pd.DataFrame) -> Iterator[Check]:
    """First among the peers in mean NMI and in mean rank, in each family and over all."""
    for name, part in _parts(rows):
        names = [FRONT, *(n for n in PEERS if n in set(part["method"]))]
        means, order = table(part)["mean NMI"].reindex(names), ranks(part, names)
        for what, own, others, sign in (
            ("mean NMI", means[FRONT], means.drop(FRONT).dropna(), 1),
            ("mean rank", order[FRONT], order.drop(FRONT), -1),
        ):
            best = (sign * others).idxmax()
            yield Check(
                f"First among the peers in {what}, {name}",
                f"{own:.3f}; next {best} {others[best]:.3f}",
                bool(sign * own > sign * others[best]),
            )
        ahead = means.drop(FRONT).max() - means[FRONT]
        yield Check(
            f"No peer more than half a point ahead, {name}",
            f"{100 * ahead:+.1f}",
            bool(ahead <= BEHIND),
        )


def _never_fails(rows: pd.DataFrame) -> Check:
    """No failure with any seed, on any set."""
    own = rows[rows["method"] == FRONT]
    count = int(own["failure"].notna().sum())
    return Check("Never fails, all sets", f"{count} of {len(own)} fits failed", count == 0)


def _fast(rows: pd.DataFrame) -> Check:
    """Not much slower than the former rule."""
    seconds = complete(rows[rows["samples"].astype(int) < SAMPLES])["seconds"].unstack("method")
    ratio = seconds[FRONT] / seconds[FORMER]
    return Check(
        f"At most {SLOWER:.0f} times the time of the rule of 0.1, below {SAMPLES:,} samples",
        f"at most {ratio.max():.2f} times ({ratio.idxmax()}), median {ratio.median():.2f}",
        bool(ratio.max() <= SLOWER),
    )
