"""Are probabilities right, and are borderline samples the wrong ones? Planted and real data.

    COCLUSTER_DATA=... python -m benchmarks.sureness

A sample is right if its cluster is matched to its class, in the best matching of the two. The
expected calibration error (ECE) is the mean difference between certainty and share of right
samples, in ten bins of certainty. Classes are looked at here and nowhere before: `sureness` does
not know them. It cannot know either whether classes are what the data show: where clusters are
found again and again and are other than the classes, it is sure of them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from cocluster import CoCluster
from cocluster.datasets import fetch, make_blocks
from cocluster.linalg.types import Array
from cocluster.metrics import confusion_matrix
from cocluster.report.sureness import sureness

# Clusters and mean row sum of planted data: the best accuracy is .85 or more for all of them.
PLANTED = ((2, 15), (3, 20), (4, 30), (6, 60), (8, 80))
DRAWS = 4
N_ROWS, N_COLUMNS, CONTRAST = 1000, 300, 3.0
REAL = (
    "classic3",
    "cstr_475x1000",
    "oh0",
    "oh5",
    "oh15",
    "re0",
    "wap",
    "ng20_mini_noheaders",
    "pbmc68k_reduced_700",
    "mfeat_2000_6view",
)
BINS = 10
MOST_ERROR, TIMES = 0.08, 3.0
SHOWN = (
    "accuracy",
    "certainty",
    "agreement",
    "ece",
    "borderline",
    "wrong_borderline",
    "wrong_others",
)
RESULTS = Path(__file__).parent / "results"
Row = dict[str, Any]


def right(classes: Array, labels: Array) -> Array:
    """Which samples are in the cluster that is matched to their class."""
    table, known, clusters = confusion_matrix(classes, labels)
    rows, columns = linear_sum_assignment(table, maximize=True)
    stands = {clusters[c]: known[r] for r, c in zip(rows, columns, strict=True)}
    return np.array([stands.get(c) == t for c, t in zip(labels, classes, strict=True)])


def calibration_error(certainty: Array, correct: Array) -> float:
    """Mean difference between certainty and share of right labels, in bins of certainty."""
    place = np.minimum((certainty * BINS).astype(int), BINS - 1)
    gaps = [
        (place == b).mean() * abs(certainty[place == b].mean() - correct[place == b].mean())
        for b in np.unique(place)
    ]
    return float(sum(gaps))


def measured(name: str, kind: str, data: Any, classes: Array, k: int) -> Row:
    """One fit, judged."""
    model = CoCluster(k, random_state=0).fit(data)
    found = sureness(model, data)
    known = classes >= 0
    correct = right(classes[known], model.labels_[known])
    flagged = np.isin(np.flatnonzero(known), found.borderline)
    row = {
        "data": name,
        "kind": kind,
        "clusters": k,
        "accuracy": float(correct.mean()),
        "certainty": float(found.certainty[known].mean()),
        "agreement": found.agreement,
        "ece": calibration_error(found.certainty[known], correct),
        "borderline": float(flagged.mean()),
        "wrong_borderline": float(1 - correct[flagged].mean()) if flagged.any() else None,
        "wrong_others": float(1 - correct[~flagged].mean()) if not flagged.all() else None,
        "outliers": len(found.outliers),
    }
    rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}
    print(rounded, flush=True)
    return rounded


def rows() -> Iterator[Row]:
    """Planted data, then real ones."""
    for k, degree in PLANTED:
        for seed in range(DRAWS):
            planted = make_blocks(
                N_ROWS, N_COLUMNS, k, contrast=CONTRAST, row_degree=degree, random_state=seed
            )
            name = f"{k} clusters, {degree} counts, draw {seed}"
            yield measured(name, "planted", planted.X, planted.row_labels, k)
    for name in REAL:
        dataset = fetch(name)
        classes = dataset.labels
        assert classes is not None
        yield measured(name, "real", dataset.data, classes, dataset.n_classes)


def report(found: list[Row]) -> str:
    """The page."""
    planted = [row for row in found if row["kind"] == "planted"]
    error = max(row["ece"] for row in planted)
    flagged = [row for row in found if row["wrong_borderline"] is not None and row["wrong_others"]]
    often = [row for row in flagged if row["wrong_borderline"] >= TIMES * row["wrong_others"]]
    lines = [
        "# How sure, and how right",
        "",
        f"* Largest calibration error on {len(planted)} planted sets: {error:.3f} (at most "
        f"{MOST_ERROR} wanted).",
        f"* Borderline samples are wrong at least {TIMES:g} times as often as others on "
        f"{sum(row['kind'] == 'planted' for row in often)} of "
        f"{sum(row['kind'] == 'planted' for row in flagged)} planted and "
        f"{sum(row['kind'] == 'real' for row in often)} of "
        f"{sum(row['kind'] == 'real' for row in flagged)} real sets that have any.",
        "",
        "| data | accuracy | certainty | found again | ECE | borderline | wrong among them | "
        "wrong among others | outliers |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in found:
        cells = ["-" if row[key] is None else f"{row[key]:.3f}" for key in SHOWN]
        lines.append(f"| {' | '.join([row['data'], *cells, str(row['outliers'])])} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Run all and write benchmarks/results/sureness.{csv,md}."""
    found = list(rows())
    with (RESULTS / "sureness.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, found[0])
        writer.writeheader()
        writer.writerows(found)
    text = report(found)
    (RESULTS / "sureness.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
