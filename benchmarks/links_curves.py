"""What links do for accuracy: 0 to 10 % of all pairs on four real sets of the papers.

    COCLUSTER_DATA=... python -m benchmarks.links_curves

Words are selected as in the papers (by mutual information with the classes); pairs are drawn from
the labels at random, and nothing else sees the labels. Every method runs with its defaults. Sets,
shares and seeds are fixed here. That must-linked samples share a row in SSNMF was decided after a
run of these curves had shown accuracy fall on CT5.
"""

from __future__ import annotations

import argparse
import csv
import os
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

from benchmarks.pictures import save
from cocluster import FNMTF, LDCC, SSNMF, Links, StarSSNMF
from cocluster.linalg.types import Array
from cocluster.metrics import accuracy
from cocluster.preprocessing import TopWordsByMutualInformation

# File, classes, words: two sets of chen2008 and two of chen2010.
SETS: dict[str, tuple[str, tuple[str, ...], int | float]] = {
    "Graft-Phos": ("oh5", ("Graft-Survival", "Phospholipids"), 0.1),
    "England-Heart": ("oh0", ("England", "Heart-Valve-Prosthesis"), 0.1),
    "CT5": ("re0", ("housing", "interest", "jobs"), 1000),
    "CT6": ("oh15", ("Aluminum", "Blood-Vessels", "Leucine"), 1000),
}
METHODS = {"SSNMF": SSNMF, "StarSSNMF": StarSSNMF, "FNMTF": FNMTF, "LDCC": LDCC}
SHARES = (0.0, 0.01, 0.03, 0.05, 0.1)
SEEDS = range(100, 105)
RESULTS = Path(__file__).parent / "results"
Row = dict[str, Any]


def load(
    file_name: str, classes: tuple[str, ...], words: int | float
) -> tuple[sp.csr_array, Array]:
    """Counts of the selected words, and classes, of one set."""
    path = Path(os.environ["COCLUSTER_DATA"]) / "text" / f"{file_name}.npz"
    with np.load(path, allow_pickle=False) as file:
        # scikit-learn takes 32-bit indices only.
        index = (file[part].astype(np.int32) for part in ("indices", "indptr"))
        parts = (file["data"].astype(float), *index)
        X, named = sp.csr_array(parts, shape=tuple(file["shape"])), file["class_names"]
        of_sample = named[file["labels"]]
    rows = np.isin(of_sample, classes)
    y = np.unique(of_sample[rows], return_inverse=True)[1]
    X = X[rows]
    X = sp.csr_array(X[:, np.flatnonzero(np.asarray(X.sum(axis=0)).ravel())])
    return sp.csr_array(TopWordsByMutualInformation(words).fit_transform(X, y)), y


def scored(job: tuple[str, str, float, int]) -> Row:
    """Accuracy of one method with one draw of links."""
    name, method, share, seed = job
    X, y = load(*SETS[name])
    links = Links.from_labels(y, fraction=share, random_state=seed) if share else None
    model = METHODS[method](int(y.max()) + 1, random_state=seed).fit(X, links=links)
    score = round(accuracy(y, model.labels_), 4)
    return {"set": name, "method": method, "share": share, "seed": seed, "accuracy": score}


def means(rows: list[Row], name: str | None, method: str) -> Array:
    """Mean accuracy by share, on one set or on all."""
    chosen = [r for r in rows if r["method"] == method and name in (None, r["set"])]
    return np.array(
        [np.mean([r["accuracy"] for r in chosen if r["share"] == share]) for share in SHARES]
    )


def report(rows: list[Row]) -> str:
    """Means by set and over all sets, and where more links made the mean worse."""
    lines = ["| set | method | " + " | ".join(f"{share:.0%}" for share in SHARES) + " |"]
    lines += ["|---|---|" + "---|" * len(SHARES)]
    falls = []
    for name, method in product([*SETS, None], METHODS):
        curve = means(rows, name, method)
        title = name or "all"
        lines.append(f"| {title} | {method} | " + " | ".join(f"{a:.3f}" for a in curve) + " |")
        falls += [
            f"{method} on {title}, {low:.0%} to {high:.0%}: {before:.3f} to {after:.3f}"
            for (low, before), (high, after) in pairwise(zip(SHARES, curve, strict=True))
            if after < before - 5e-4
        ]
    lines += ["", f"Where more links lowered the mean over {len(SEEDS)} draws:", ""]
    return "\n".join(lines + ([f"* {fall}" for fall in falls] or ["Nowhere."]))


def plot(rows: list[Row], path: Path) -> None:
    """One panel for each set, one curve for each method."""
    figure, axes = plt.subplots(1, len(SETS), figsize=(3.2 * len(SETS), 3), sharey=True)
    for axis, name in zip(axes, SETS, strict=True):
        for method in METHODS:
            axis.plot(100 * np.array(SHARES), means(rows, name, method), marker="o", label=method)
        axis.set(title=name, xlabel="pairs linked, %")
    axes[0].set_ylabel("accuracy")
    axes[-1].legend()
    figure.tight_layout()
    save(figure, path, dpi=120)


def main() -> None:
    """Run all and write benchmarks/results/links_curves.{csv,md,png}."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    jobs = list(product(SETS, METHODS, SHARES, SEEDS))
    with ProcessPoolExecutor(parser.parse_args().workers) as pool:
        rows = list(pool.map(scored, jobs))
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "links_curves.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    text = f"# Accuracy by share of linked pairs\n\n{report(rows)}\n"
    (RESULTS / "links_curves.md").write_text(text)
    plot(rows, RESULTS / "links_curves.png")
    print(report(rows))


if __name__ == "__main__":
    main()
