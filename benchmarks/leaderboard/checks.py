"""What must hold for `CoCluster` on the leaderboard, judged from the rows."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from benchmarks.leaderboard.methods import FRONT, PEERS
from benchmarks.leaderboard.tables import table, time_ratios

# Points of NMI ahead of every peer on text; times slower than the reference.
AHEAD_ON_TEXT, SLOWER = 0.05, 3.0


class Check(NamedTuple):
    """A demand, the figures, and whether it holds."""

    demand: str
    figure: str
    holds: bool


def checks(rows: pd.DataFrame) -> list[Check]:
    """All of them."""
    means = table(rows)
    return [
        first(means, "mean NMI", sign=1),
        first(means, "mean rank", sign=-1),
        ahead(table(rows[rows["kind"] == "text"])),
        never_fails(rows),
        fast(rows),
    ]


def first(means: pd.DataFrame, what: str, sign: int) -> Check:
    """Best in a column, with the next of all methods and the best peer."""
    own, others = means.loc[FRONT, what], means[what].drop(FRONT)
    peers = others[others.index.isin(PEERS)]
    names = dict.fromkeys((sign * part).idxmax() for part in (others, peers))
    shown = ", ".join(f"{name} {others[name]:.3f}" for name in names)
    return Check(
        f"First in {what}", f"{own:.3f}; next {shown}", bool(sign * own > (sign * others).max())
    )


def ahead(means: pd.DataFrame) -> Check:
    """Far enough ahead of the best peer."""
    peers = means["mean NMI"][means.index.isin(PEERS)]
    margin = means.loc[FRONT, "mean NMI"] - peers.max()
    return Check(
        f"On text {100 * AHEAD_ON_TEXT:.0f} points of NMI ahead of every peer",
        f"{100 * margin:.1f} ahead of {peers.idxmax()}",
        bool(margin >= AHEAD_ON_TEXT),
    )


def never_fails(rows: pd.DataFrame) -> Check:
    """No failure with any seed."""
    own = rows[rows["method"] == FRONT]
    count = int(own["failure"].notna().sum())
    return Check("Never fails", f"{count} of {len(own)} fits failed", count == 0)


def fast(rows: pd.DataFrame) -> Check:
    """Never much slower than the reference."""
    ratio = time_ratios(rows)[FRONT]
    return Check(
        f"Never more than {SLOWER:.0f} times slower than SpectralCoclustering",
        f"at most {ratio.max():.2f} times ({ratio.idxmax()}), median {ratio.median():.2f}",
        bool(ratio.max() <= SLOWER),
    )
