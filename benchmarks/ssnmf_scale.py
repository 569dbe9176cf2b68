"""SSNMF on generated rows with 10,000 links: time per sweep and memory from 100,000 rows up.

    python -m benchmarks.ssnmf_scale

Each fit runs in its own process, so that its peak memory is its own; memory is what the fit adds
to an idle process, the data included, over the size of the data. A sweep is timed between calls of
the callback, all else (the start, above all) apart; the fastest counts. Times are of the processor,
so that other work on the machine does not matter much.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks.memory import peak_memory
from cocluster import SSNMF
from cocluster.datasets import make_blocks
from cocluster.links import Links
from cocluster.metrics import accuracy
from cocluster.trifactor import Progress

RESULTS = Path(__file__).parent / "results"
N_COLUMNS, N_CLUSTERS, N_LINKS, SWEEPS = 20_000, 10, 10_000, 5
ROWS = (100_000, 300_000, 1_000_000)


def generate(n_rows: int, folder: Path) -> None:
    """Write a planted matrix and its labels."""
    planted = make_blocks(n_rows, N_COLUMNS, N_CLUSTERS, random_state=0)
    sp.save_npz(folder / "X.npz", sp.csr_matrix(planted.X), compressed=False)
    np.save(folder / "labels.npy", planted.row_labels)


def links_of(labels: np.ndarray) -> Links:
    """Links between randomly drawn pairs of samples."""
    pairs = np.random.default_rng(0).integers(len(labels), size=(N_LINKS, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    return Links.from_pairs(pairs[same], pairs[~same], n_samples=len(labels))


def fit(folder: Path) -> None:
    """The body of the process of one fit: prints its result as JSON."""
    before = peak_memory()
    X, labels = sp.csr_array(sp.load_npz(folder / "X.npz")), np.load(folder / "labels.npy")
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    links, times = links_of(labels), [time.process_time()]

    def callback(progress: Progress) -> None:
        times.append(time.process_time())

    model = SSNMF(N_CLUSTERS, max_iter=SWEEPS, tol=0, random_state=0)
    model.fit(X, links=links, callback=callback)
    peak = peak_memory() - before
    # The first interval holds the start and the constant.
    sweep = float(np.min(np.diff(times)[1:]))
    result = {
        "rows": X.shape[0],
        "nonzeros": X.nnz,
        "sweep": sweep,
        "rest": time.process_time() - times[0] - SWEEPS * sweep,
        "memory": peak / size,
        "accuracy": accuracy(labels, model.labels_),
    }
    print(json.dumps(result))


def measure(n_rows: int) -> dict[str, float]:
    """One size, generated and fitted in processes of their own."""
    with tempfile.TemporaryDirectory() as folder:
        for step in (["--generate", str(n_rows)], ["--fit"]):
            command = [sys.executable, "-m", "benchmarks.ssnmf_scale", "--folder", folder, *step]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
    print(done.stdout, end="", flush=True)
    return json.loads(done.stdout.splitlines()[-1])


def report(results: list[dict[str, float]]) -> str:
    """Everything as ratios to the smallest size."""
    first = results[0]
    lines = ["| rows | rows, ratio | time per sweep, ratio | rest, in sweeps | memory / matrix |"]
    lines += ["|---|---|---|---|---|"]
    lines += [
        f"| {r['rows']:,} | {r['rows'] / first['rows']:.0f} | {r['sweep'] / first['sweep']:.1f} | "
        f"{r['rest'] / r['sweep']:.0f} | {r['memory']:.2f} |"
        for r in results
    ]
    return "\n".join(lines)


def main() -> None:
    """Run all sizes and write benchmarks/results/ssnmf_scale.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--generate", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--fit", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.generate:
        return generate(arguments.generate, arguments.folder)
    if arguments.fit:
        return fit(arguments.folder)
    text = report([measure(n_rows) for n_rows in ROWS])
    RESULTS.mkdir(exist_ok=True)
    title = f"# SSNMF, {N_COLUMNS:,} columns, {N_CLUSTERS} clusters, {N_LINKS:,} links"
    (RESULTS / "ssnmf_scale.md").write_text(f"{title}\n\n{text}\n")
    print(text)
    return None


if __name__ == "__main__":
    main()
