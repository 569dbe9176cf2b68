"""Planted Poisson blocks: the front door and its peers in one run, as ratios.

    python -m benchmarks.planted [--quick] [--seeds 5]

Every fit runs in a process of its own, so that its peak memory is its own. Times are of the fit
alone, compilation included.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans, SpectralCoclustering
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import TfidfTransformer

from benchmarks.memory import peak_memory
from cocluster import CoCluster
from cocluster.datasets import make_blocks
from cocluster.metrics import accuracy, nmi

RESULTS = Path(__file__).parent / "results"
OURS = "cocluster CoCluster"
METHODS = {
    OURS: lambda X, k, seed: CoCluster(k, random_state=seed).fit(X).labels_,
    "scikit-learn SpectralCoclustering": lambda X, k, seed: (
        SpectralCoclustering(k, random_state=seed).fit(X).row_labels_
    ),
    "scikit-learn KMeans on tf-idf": lambda X, k, seed: (
        KMeans(k, n_init=1, random_state=seed).fit(TfidfTransformer().fit_transform(X)).labels_
    ),
    "scikit-learn NMF": lambda X, k, seed: (
        NMF(k, random_state=seed, init="nndsvda").fit_transform(X).argmax(axis=1)
    ),
}
SIZES = ((20_000, 5_000), (200_000, 10_000))


def fit_in_own_process(name: str, path: Path, k: int, seed: int) -> dict[str, float]:
    """Seconds, peak memory over that of the matrix, and labels of one fit."""
    command = [sys.executable, "-m", "benchmarks.planted", "--fit", name, str(path)]
    command += ["--clusters", str(k), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def fit(name: str, path: Path, k: int, seed: int) -> None:
    """The body of that process: prints its result as JSON."""
    before = peak_memory()
    X = sp.csr_array(sp.load_npz(path))
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    start = time.perf_counter()
    labels = METHODS[name](X, k, seed)
    seconds = time.perf_counter() - start
    peak = (peak_memory() - before) / size
    np.save(path.with_suffix(".labels.npy"), labels)
    print(json.dumps({"seconds": seconds, "memory": peak}))


def measure(shape: tuple[int, int], pattern: str, seed: int, names: list[str]) -> list[dict]:
    """One planted matrix, all methods."""
    planted = make_blocks(*shape, 10, pattern=pattern, random_state=seed)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "X.npz"
        sp.save_npz(path, sp.csr_matrix(planted.X), compressed=False)
        for name in names:
            result = fit_in_own_process(name, path, 10, seed)
            labels = np.load(path.with_suffix(".labels.npy"))
            rows.append(
                {
                    "shape": f"{shape[0]}x{shape[1]}",
                    "nonzeros": planted.X.nnz,
                    "pattern": pattern,
                    "seed": seed,
                    "method": name,
                    "accuracy": round(accuracy(planted.row_labels, labels), 4),
                    "nmi": round(nmi(planted.row_labels, labels), 4),
                    "best_possible": round(planted.best_accuracy, 4),
                    "seconds": round(result["seconds"], 2),
                    "memory": round(result["memory"], 2),
                }
            )
            print(*rows[-1].values(), sep="\t", flush=True)
    return rows


def report(rows: list[dict]) -> str:
    """Ratios to our own time, per set, and how far we stay below the best possible."""
    lines = ["| set | method | accuracy | best possible | time / ours | memory / matrix |"]
    lines += ["|---|---|---|---|---|---|"]
    for key in dict.fromkeys((r["shape"], r["pattern"]) for r in rows):
        group = [r for r in rows if (r["shape"], r["pattern"]) == key]
        for name in METHODS:
            own = [r for r in group if r["method"] == name]
            if not own:
                continue
            seeds = {r["seed"] for r in own}
            ours = [r for r in group if r["method"] == OURS and r["seed"] in seeds]
            ratio = np.mean([r["seconds"] for r in own]) / np.mean([r["seconds"] for r in ours])
            low, high = min(r["accuracy"] for r in own), max(r["accuracy"] for r in own)
            best = np.mean([r["best_possible"] for r in own])
            memory = max(r["memory"] for r in own)
            lines.append(
                f"| {' '.join(key)} | {name} | {low:.3f} to {high:.3f} ({len(own)}) | {best:.3f} "
                f"| {ratio:.1f} | {memory:.1f} |"
            )
    ours = [r for r in rows if r["method"] == OURS]
    gap = max(r["best_possible"] - r["accuracy"] for r in ours)
    lines.append(f"\nLargest gap of CoCluster to the best possible accuracy: {gap:.4f}.")
    return "\n".join(lines)


def main() -> None:
    """Run all and write benchmarks/results/planted.{csv,md}."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the smaller size, two seeds")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--fit", nargs=2, metavar=("METHOD", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("--clusters", type=int, default=10, help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.fit:
        return fit(arguments.fit[0], Path(arguments.fit[1]), arguments.clusters, arguments.seed)
    rows = []
    for shape in SIZES[:1] if arguments.quick else SIZES:
        for pattern in ("diagonal", "checkerboard"):
            for seed in range(2 if arguments.quick else arguments.seeds):
                # The peers are slow on the large sets: one seed of them shows the ratio.
                names = [OURS] if seed else list(METHODS)
                rows += measure(shape, pattern, seed, names)
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "planted.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    (RESULTS / "planted.md").write_text(f"# Planted blocks\n\n{report(rows)}\n")
    print(report(rows))
    return None


if __name__ == "__main__":
    main()
