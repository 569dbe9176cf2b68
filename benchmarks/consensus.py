"""Is a consensus at least as good as its members? Restarts and methods on the leaderboard's sets.

    COCLUSTER_DATA=... python -m benchmarks.consensus

The members are five runs of `CoCluster` from different seeds, and one run each of four other
methods where they take the data: the restarts alone, the methods alone (the first restart among
them), and both together. The demand is on both together: their consensus scores no less (NMI with
the classes) than the mean of its members on at least 80 % of the sets. Sets with unknown entries
and with more than 5,000 samples are left out. Classes are looked at here and nowhere before.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.leaderboard.halves import SETS
from benchmarks.tables import Row, run_and_write, told
from cocluster import CoCluster, consensus
from cocluster.datasets import fetch
from cocluster.linalg.matrices import values_of
from cocluster.metrics import nmi

RESTARTS = 5
OTHERS = ("itcc", "fnmtf", "bsgp", "nmtf")
WANTED = 0.8
# Larger sets take minutes for each member.
MOST_SAMPLES = 5_000


def rows() -> Iterator[Row]:
    """For every set the scores of restarts, of methods, and of their consensus."""
    for name in SETS:
        dataset = fetch(name)
        classes = dataset.labels
        if classes is None or len(classes) > MOST_SAMPLES:
            continue
        if any(np.isnan(values_of(X)).any() for X in dataset.views.values()):
            continue
        k, known = dataset.n_classes, classes >= 0
        restarts = [
            CoCluster(k, random_state=seed).fit(dataset.data).labels_ for seed in range(RESTARTS)
        ]
        others = []
        for method in OTHERS:
            try:
                others.append(CoCluster(k, method, random_state=0).fit(dataset.data).labels_)
            except ValueError:  # a method that takes no views, or no negative values
                continue
        kinds = {"restarts": restarts, "methods": [restarts[0], *others]}
        for kind, members in (kinds | {"both": restarts + others}).items():
            scores = [nmi(classes[known], own[known]) for own in members]
            found = nmi(classes[known], consensus(members, k).labels[known])
            row = {"data": name, "members": kind, "number": len(members)}
            row |= {"mean": round(float(np.mean(scores)), 4), "best": round(max(scores), 4)}
            yield row | {"consensus": round(found, 4)}


def report(found: list[Row]) -> str:
    """The page."""
    lines = ["# Consensus", "", *told(__doc__), ""]
    for kind in ("both", "restarts", "methods"):
        own = [row for row in found if row["members"] == kind]
        good = sum(row["consensus"] >= row["mean"] for row in own)
        gain = np.mean([row["consensus"] - row["mean"] for row in own])
        lines.append(
            f"* {kind}: no worse than the mean of its members on {good} of {len(own)} sets "
            f"({good / len(own):.0%}); mean gain {gain:+.3f}"
        )
    lines.append(f"* wanted of both: at least {WANTED:.0%}")
    lines += ["", "| set | members | mean | best | consensus |", "|---|---|---|---|---|"]
    for row in found:
        cells = [f"{row[key]:.3f}" for key in ("mean", "best", "consensus")]
        lines.append(f"| {row['data']} | {row['number']} {row['members']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run all and write benchmarks/results/consensus.{csv,md}."""
    run_and_write("consensus", rows(), report)


if __name__ == "__main__":
    main()
