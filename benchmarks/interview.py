"""100 answers, well chosen or at random: what they do for the clustering of real data.

Answers come from the labels, which nothing else sees; CoCluster is fitted again after every ten.

    COCLUSTER_DATA=... python -m benchmarks.interview
"""

from __future__ import annotations

import argparse
import csv
import os
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.pictures import save
from cocluster import CoCluster
from cocluster.interview import Interview
from cocluster.linalg.types import Array
from cocluster.metrics import accuracy, nmi

SETS = {
    "cstr": "text/cstr_475x1000",
    "oh0": "text/oh0",
    "oh5": "text/oh5",
    "oh15": "text/oh15",
    "re0": "text/re0",
    "wap": "text/wap",
    "umist": "image/umist_575x644",
    "pbmc68k": "multi/pbmc68k_reduced_700",
}
STRATEGIES = ("place", "explore", "uncertain", "random")
SEEDS = range(3)
ANSWERS, EVERY = 100, 10
RESULTS = Path(__file__).parent / "results"
DEVELOPMENT = (
    "The default strategy and the start of a refit were settled on runs that included oh5, re0 and "
    "umist (and webace, fbis, webkb4, which are not shown); the other five sets were seen only "
    "afterwards."
)
Row = dict[str, Any]


def load(name: str) -> tuple[Any, Array]:
    """Matrix and labels of one set."""
    path = Path(os.environ["COCLUSTER_DATA"]) / f"{SETS[name]}.npz"
    with np.load(path, allow_pickle=False) as file:
        prefix = next((p for p in ("", "X_") if f"{p}indptr" in file), None)
        if prefix is None:
            return file["X"].astype(float), file["labels"]
        parts = [file[f"{prefix}{part}"] for part in ("data", "indices", "indptr")]
        parts[0] = parts[0].astype(float)
        return sp.csr_array(tuple(parts), shape=tuple(file[f"{prefix}shape"])), file["labels"]


def interviewed(job: tuple[str, str, int]) -> list[Row]:
    """Scores before any answer and after every ten."""
    name, strategy, seed = job
    X, y = load(name)
    estimator = CoCluster(len(np.unique(y)), random_state=seed)
    interview = Interview(X, estimator, strategy, random_state=seed)
    rows = []
    for count in range(ANSWERS + 1):
        if count % EVERY == 0:
            labels = interview.refit().labels
            scores = {"accuracy": round(accuracy(y, labels), 4), "nmi": round(nmi(y, labels), 4)}
            known = interview.links.n_implied
            key = {"set": name, "strategy": strategy, "seed": seed, "answers": count}
            rows.append({**key, **scores, "known_pairs": known})
        (query,) = interview.next_queries()
        same = y[query.i] == y[query.j]
        interview.answer(query.i, query.j, "same" if same else "different")
    return rows


def curve(rows: list[Row], name: str, strategy: str, score: str) -> Array:
    """Mean over the seeds, after 0, 10, ... answers."""
    chosen = [r for r in rows if (r["set"], r["strategy"]) == (name, strategy)]
    counts = sorted({r["answers"] for r in chosen})
    return np.array([np.mean([r[score] for r in chosen if r["answers"] == c]) for c in counts])


def table(rows: list[Row], score: str) -> str:
    """Markdown table of the scores before any and after all answers, and of the sets won."""
    lines = [
        f"| {score} | no answers | {' | '.join(STRATEGIES)} |",
        "|---|---|" + "---|" * len(STRATEGIES),
    ]
    last = {
        (name, strategy): curve(rows, name, strategy, score)[-1]
        for name, strategy in product(SETS, STRATEGIES)
    }
    for name in SETS:
        values = " | ".join(f"{last[name, strategy]:.3f}" for strategy in STRATEGIES)
        lines.append(f"| {name} | {curve(rows, name, 'random', score)[0]:.3f} | {values} |")
    won = [sum(last[name, s] > last[name, "random"] for name in SETS) for s in STRATEGIES[:-1]]
    lines.append(
        f"| sets better than random | | {' | '.join(f'{w} of {len(SETS)}' for w in won)} | |"
    )
    return "\n".join(lines)


def plot(rows: list[Row], path: Path) -> None:
    """Accuracy against the number of answers, one panel for each set."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 4, figsize=(13, 6), layout="constrained", sharex=True)
    counts = np.arange(0, ANSWERS + 1, EVERY)
    for axis, name in zip(axes.flat, SETS, strict=True):
        for strategy in STRATEGIES:
            style = "--" if strategy == "random" else "-"
            axis.plot(counts, curve(rows, name, strategy, "accuracy"), style, label=strategy)
        axis.set_title(name)
    axes[0, 0].legend(frameon=False)
    figure.supxlabel("answers")
    figure.supylabel("accuracy, mean of 3 seeds")
    save(figure, path, dpi=110)


def write_page(rows: list[Row]) -> str:
    """Write CSV, plot and page; return the page."""
    RESULTS.mkdir(exist_ok=True)
    with open(RESULTS / "interview.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    plot(rows, RESULTS / "interview.png")
    page = (
        "# 100 answers, chosen or random\n\n"
        f"`CoCluster(k)` on {len(SETS)} real sets, fitted again after every {EVERY} answers, mean "
        f"of {len(SEEDS)} seeds. Within a run labels answer and score, nothing else. "
        "Made by `python -m benchmarks.interview`; numbers in `interview.csv`.\n\n"
        f"{DEVELOPMENT}\n\n"
        f"{table(rows, 'accuracy')}\n\n{table(rows, 'nmi')}\n\n"
        "![accuracy against answers](interview.png)\n"
    )
    (RESULTS / "interview.md").write_text(page, encoding="utf-8")
    return page


def main() -> None:
    """Run everything and print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    with ProcessPoolExecutor(parser.parse_args().workers) as pool:
        jobs = list(product(SETS, STRATEGIES, SEEDS))
        rows = [row for part in pool.map(interviewed, jobs) for row in part]
    print(write_page(rows))


if __name__ == "__main__":
    main()
