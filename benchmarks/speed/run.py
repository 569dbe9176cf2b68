"""Run cases: data written once, every measurement in a process of its own, methods in turn."""

from __future__ import annotations

import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.speed.cases import Case, Data
from cocluster.datasets import make_blocks
from cocluster.metrics import accuracy, nmi

ROOT = Path(__file__).parents[2]
# A fit that takes longer is not repeated.
SHORT = 20.0
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
Row = dict[str, Any]
KEY = ("group", "data", "method", "task", "grows", "seed")
FIELDS = [
    "group",
    "data",
    "method",
    "task",
    "grows",
    "value",
    "nonzeros",
    "seed",
    "status",
    "seconds",
    "sweep",
    "pass",
    "products",
    "lloyd",
    "memory",
    "accuracy",
    "nmi",
    "column_nmi",
    "best_possible",
    "n_sweeps",
    "versions",
    "cores",
    "threads",
]


@cache
def environment() -> Row:
    """What the figures were taken with."""
    versions = [f"python {platform.python_version()}"]
    versions += [f"{name} {version(name)}" for name in LIBRARIES]
    limits = {name: os.environ.get(name, "") for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")}
    threads = " ".join(f"{name}={value}" for name, value in limits.items() if value) or "no limit"
    return {"versions": "; ".join(versions), "cores": os.cpu_count(), "threads": threads}


@contextmanager
def written(data: Data) -> Iterator[tuple[Path, float]]:
    """A folder with the data, and the best possible accuracy (NaN: unknown)."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if data.name:
            from cocluster.datasets import fetch

            loaded = fetch(data.name)
            X, labels, best = next(iter(loaded.views.values())), np.asarray(loaded.labels), np.nan
        else:
            planted = make_blocks(
                data.rows,
                data.columns,
                data.clusters,
                pattern=data.pattern,
                row_degree=data.degree,
                contrast=data.contrast,
                size_ratio=data.size_ratio,
                noise=data.noise,
                random_state=data.seed,
            )
            X, labels, best = planted.X, planted.row_labels, planted.best_accuracy
            np.save(folder / "column_labels.npy", planted.column_labels)
        sp.save_npz(folder / "X.npz", sp.csr_matrix(X.astype(data.dtype)), compressed=False)
        np.save(folder / "labels.npy", labels)
        if data.links:
            pairs = np.random.default_rng(0).integers(len(labels), size=(data.links, 2))
            np.save(folder / "links.npy", pairs[pairs[:, 0] != pairs[:, 1]])
        yield folder, best


def measured(case: Case, method: str, folder: Path, source: Path | None) -> Row:
    """One process; what it printed, or how it ended."""
    k = case.data.clusters
    if case.data.name:
        k = len(np.unique(np.load(folder / "labels.npy")))
    arguments = [case.task, method, str(folder), str(k), str(case.data.seed), str(case.limit)]
    command = [sys.executable, "-m", "benchmarks.speed.child", *arguments, *case.references]
    paths = [str(source), str(ROOT)] if source else [str(ROOT)]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=case.limit, env=env, cwd=folder
        )
    except subprocess.TimeoutExpired:
        return {"status": f"over {case.limit:.0f} s"}
    if done.returncode:
        return {"status": (done.stderr.strip().splitlines() or ["ended by the system"])[-1][:120]}
    result: Row = {"status": "done", **json.loads(done.stdout.splitlines()[-1])}
    if case.task == "fit":
        result |= scores(folder)
    return result


def scores(folder: Path) -> Row:
    """Agreement of what a fit found with what was planted; rows of noise are left out."""
    labels, found = np.load(folder / "labels.npy"), np.load(folder / "found.npy")
    known = labels != labels.dtype.type(-1)
    result: Row = {
        "accuracy": accuracy(labels[known], found[known]),
        "nmi": nmi(labels[known], found[known]),
    }
    planted, file = folder / "column_labels.npy", folder / "found_columns.npy"
    if planted.exists() and file.exists():
        result["column_nmi"] = nmi(np.load(planted), np.load(file))
    # The next method may find none.
    file.unlink(missing_ok=True)
    return result


def run(case: Case, source: Path | None = None) -> list[Row]:
    """All methods of a case in turn, as often as it says; the best of each."""
    best: dict[str, Row] = {}
    with written(case.data) as (folder, possible):
        for _ in range(case.repeats):
            for method in case.methods:
                known = best.get(method, {})
                if known and (known["status"] != "done" or known.get("seconds", 0) > SHORT):
                    continue
                best[method] = _better(known, measured(case, method, folder, source))
    where = {"group": case.group, "data": str(case.data), "task": case.task, "grows": case.grows}
    common: Row = {**where, "value": case.value, "seed": case.data.seed, "best_possible": possible}
    return [common | {"method": m} | row | environment() for m, row in best.items()]


def _better(known: Row, new: Row) -> Row:
    """The faster of two, by sweeps over the pass in the same process or by seconds."""
    if not known or new["status"] != "done":
        return known or new
    return min(known, new, key=_cost)


def _cost(row: Row) -> float:
    """Time in passes over the arrays, so that a busy moment of the machine weighs less."""
    return float(row["sweep"] / row["pass"]) if "sweep" in row else float(row["seconds"])


def run_all(cases: Iterable[Case], file: Path, source: Path | None = None) -> None:
    """Run cases one after the other; rows are written as they come, in place of earlier ones."""
    for case in cases:
        new = [{name: _short(row.get(name, "")) for name in FIELDS} for row in run(case, source)]
        known = {identity(row) for row in new}
        with file.open("r+" if file.exists() else "w+", newline="") as stream:
            kept = [row for row in csv.DictReader(stream) if identity(row) not in known]
            stream.seek(0)
            stream.truncate()
            writer = csv.DictWriter(stream, FIELDS)
            writer.writeheader()
            writer.writerows(kept + new)
        for row in new:
            print(row["group"], row["data"], row["method"], row["status"], flush=True)


def identity(row: Row) -> tuple[str, ...]:
    """What distinguishes a measurement."""
    return tuple(str(row[name]) for name in KEY)


def _short(value: Any) -> Any:
    """Four digits are enough."""
    return f"{value:.4g}" if isinstance(value, float) else value


def shortened(case: Case, limit: float) -> Case:
    """The same case with less time for a process."""
    return replace(case, limit=min(case.limit, limit))
