"""How long should a factorisation with graphs go on? Numbers of sweeps on the leaderboard's sets.

    COCLUSTER_DATA=... python -m benchmarks.sweeps

The objective of `DRCC`, `SNMTF` and `RMC` falls for hundreds of sweeps where a graph is strong, but
labels are mostly best long before. Scores are NMI with the classes, k given, one seed, and defaults
but for the sweeps; each view of a set counts by itself. SNMTF is DRCC where there is one matrix.
Matrices with more than 2,500 samples or 13,000 features are left out. The default is the number
with the best mean over all matrices of the half for choosing and both methods, a rule that was set
when scores of most sets, of both halves, had been seen. The other half shows what it brings: 2
points more than 1,000 sweeps in the mean, 5 on texts, but none on genes. There 25 or 50 sweeps
would have been better still, by 3 points in the mean and 12 on genes, which swing: they are sets of
38 to 102 samples but for one, where a start decides much.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.leaderboard.halves import family_of, half_of
from benchmarks.leaderboard.run import all_sets
from benchmarks.tables import Row, means_lines, run_and_write, told
from cocluster import DRCC, RMC
from cocluster.metrics import nmi

METHODS = {"DRCC": DRCC, "RMC": RMC}
SWEEPS = (25, 50, 100, 200, 1000)
# Beyond these a thousand sweeps, or the graph of the features, take minutes.
MOST_SAMPLES, MOST_FEATURES = 2_500, 13_000
ALL = "all"


def matrices() -> Iterator[tuple[str, Any, Any, int]]:
    """Name, data, classes and k of all that is tried."""
    for name, _, X, classes, k in all_sets(None):
        if isinstance(X, dict):
            continue  # all views together
        samples, features = X.shape
        if samples <= MOST_SAMPLES and features <= MOST_FEATURES:
            yield name, X, classes, k


def rows() -> Iterator[Row]:
    """The score of every method after every number of sweeps."""
    for name, X, classes, k in matrices():
        known = np.asarray(classes) >= 0
        for method, estimator in METHODS.items():
            row: Row = {"data": name, "method": method}
            for sweeps in SWEEPS:
                found = estimator(k, max_iter=sweeps, random_state=0).fit(X).labels_
                row[str(sweeps)] = round(nmi(classes[known], found[known]), 4)
            yield row


def chosen(found: list[Row]) -> int:
    """The number of sweeps with the best mean on the half for choosing."""
    own = [row for row in found if half_of(row["data"]) == "choose"]
    return max(SWEEPS, key=lambda sweeps: sum(float(row[str(sweeps)]) for row in own))


def report(found: list[Row]) -> str:
    """The page."""
    lines = ["# Sweeps of factorisations with graphs", ""]
    lines += [*told(__doc__), "", "In bold what the default takes.", ""]
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in found:
        for family in (family_of(row["data"]), ALL):
            groups.setdefault((family, half_of(row["data"]), row["method"]), []).append(row)
    # All matrices last.
    ordered = sorted(groups, key=lambda key: (key[0] == ALL, key))
    columns = {str(sweeps): f"{sweeps:,} sweeps" for sweeps in SWEEPS}
    default = str(chosen(found))
    lines += means_lines({key: groups[key] for key in ordered}, columns, lambda _: default)
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run all and write benchmarks/results/sweeps.{csv,md}."""
    run_and_write("sweeps", rows(), report)


if __name__ == "__main__":
    main()
