"""How should methods that compare samples weigh the data? Every scaling on the leaderboard's sets.

    COCLUSTER_DATA=... python -m benchmarks.scalings

`KernelKMeans` and `NCut` look at distances between samples: of raw counts these say little but how
long the samples are. Their default takes tf-idf for occurrences (no negative entry, most entries
zero) and leaves other data as they are. Scores are NMI with the classes, k given, one seed, and
defaults; each view of a set counts by itself. Sets of more than 1,500 samples are left out. The
default was chosen by such scores on sets of both halves of the leaderboard, before there were
halves, so that neither proves it; the planted blocks took no part.

Other data, most of them genes, would be better with "degree" in both halves. They are left as they
are all the same: degrees depend on where zero is, and points in a plane, which kernels are often
asked to tell apart by their shape, would change it. With genes, pass ``normalize="degree"``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.leaderboard.halves import half_of
from benchmarks.leaderboard.run import all_sets
from benchmarks.tables import Row, means_lines, run_and_write, told
from cocluster import KernelKMeans, NCut
from cocluster.datasets.planted import make_blocks
from cocluster.methods.base import scaling_of_samples
from cocluster.metrics import nmi

METHODS = {"KernelKMeans": KernelKMeans, "NCut": NCut}
SCALINGS = (None, "l2", "tfidf", "degree")
# A kernel of more samples takes minutes for each scaling.
MOST_SAMPLES = 1_500
PLANTED = "planted blocks"


def matrices() -> Iterator[tuple[str, str, Any, Any, int]]:
    """Name, kind, data, classes and k of all that is tried."""
    for seed in range(3):
        drawn = make_blocks(1000, 500, 5, random_state=seed)
        yield f"{PLANTED} {seed}", PLANTED, drawn.X, drawn.row_labels, 5
    for name, _, X, classes, k in all_sets(None):
        if not isinstance(X, dict) and len(classes) <= MOST_SAMPLES:
            tfidf = scaling_of_samples(X, "auto", False).how == "tfidf"
            yield name, "occurrences" if tfidf else "others", X, classes, k


def rows() -> Iterator[Row]:
    """The score of every method with every scaling; none where it refuses the data."""
    for name, kind, X, classes, k in matrices():
        known = np.asarray(classes) >= 0
        for method, estimator in METHODS.items():
            row: Row = {"data": name, "kind": kind, "method": method}
            for how in SCALINGS:
                try:
                    found = estimator(k, normalize=how, random_state=0).fit(X).labels_
                    row[str(how)] = round(nmi(classes[known], found[known]), 4)
                except ValueError:
                    row[str(how)] = ""
            yield row


def report(found: list[Row]) -> str:
    """The page."""
    lines = ["# Scalings for methods that compare samples", ""]
    lines += [*told(__doc__), ""]
    lines += ["Means over the matrices that take all four; in bold what the default takes.", ""]
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in found:
        half = "" if row["kind"] == PLANTED else half_of(row["data"])
        if all(row[str(how)] != "" for how in SCALINGS):
            groups.setdefault((row["kind"], half, row["method"]), []).append(row)
    columns = {str(how): str(how) for how in SCALINGS}
    lines += means_lines(
        dict(sorted(groups.items())),
        columns,
        taken=lambda kind: "None" if kind == "others" else "tfidf",
    )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run all and write benchmarks/results/scalings.{csv,md}."""
    run_and_write("scalings", rows(), report)


if __name__ == "__main__":
    main()
