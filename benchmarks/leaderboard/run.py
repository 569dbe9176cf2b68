"""Run the leaderboard: every set, every method, k given, labels looked at only to score.

    python -m benchmarks.leaderboard.run [--sets re0 wap] [--methods itcc nmf] [--limit 20]
                                         [--seeds 3] [--again]

Every fit has a process of its own, in which it may use so many seconds of the processor, CoCluster
and the peers three times as many; a method that was too slow is not tried on sets that are larger.
A fit of less than five seconds is done twice there, and the shorter time counts.
CoCluster and the peers have so many seeds, our other methods one. Missing values are filled by the
median of their feature, for all methods alike. Rows are kept in results.csv one by one (see
`packs`); what is there already is not run again but with --again, so an interrupted run goes on
where it ended. The page is written anew at the end.
"""

from __future__ import annotations

import argparse
import multiprocessing
import platform
import resource
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.impute import SimpleImputer
from threadpoolctl import threadpool_limits

from benchmarks.leaderboard.halves import SETS
from benchmarks.leaderboard.methods import COMPARED, PARTICIPANTS
from benchmarks.leaderboard.report import HERE, RESULTS, write_page
from benchmarks.packs import append_row, packed_afterwards, read_rows, read_text, write_rows
from cocluster.datasets import fetch, list_datasets
from cocluster.metrics import accuracy, nmi

FIELDS = ["set", "kind", "signed", "samples", "features", "k", "method", "seed"]
FIELDS += ["nmi", "accuracy", "seconds", "failure", "versions"]
MEMORY = 8 << 30  # bytes for one fit: beyond, a method is as good as stuck
PATIENCE = 3  # CoCluster and the peers have so many times the time: no peer is lost to the clock
SHORT = 5.0  # seconds; shorter fits are timed twice: memory touched first slows the first one
WAIT = 20  # times the limit by the clock on the wall, for a fit that waits instead of working
Outcome = dict[str, Any]


def all_sets(names: list[str] | None) -> Iterator[tuple[str, str, Any, Any, int]]:
    """Name, kind, data, labels and k; every view alone, and all views together.

    Of sets by name, or of all that have a place in one of the halves: a further copy of the same
    texts would count twice.
    """
    for info in sorted(list_datasets(), key=lambda i: sum(n * m for n, m in i.shapes.values())):
        if info.classes == 0 or info.name not in (names or SETS):
            continue
        try:
            data = fetch(info.name)
        except (OSError, ValueError) as error:
            print(f"{info.name} is skipped: {error}")
            continue
        y = np.asarray(data.labels)
        k = len(np.unique(y[y >= 0]))
        views = {name: _plain(X) for name, X in data.views.items()}
        for name, X in views.items():
            title = info.name if len(views) == 1 else f"{info.name}:{name}"
            yield title, info.kind, X, y[data.present.get(name, slice(None))], k
        if len(views) > 1 and not data.present:
            yield f"{info.name}:all", info.kind, views, y, k


def _plain(X: Any) -> Any:
    """The matrix as all libraries take it: no gaps, 32-bit indices, double precision."""
    if not sp.issparse(X):
        X = np.asarray(X, dtype=np.float64)
        measured = ~np.isnan(X).all(axis=0)
        return SimpleImputer(strategy="median").fit_transform(X[:, measured])
    X = sp.csr_matrix(X, dtype=np.float64)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def evaluate(
    method: Callable[[Any, int, int], Any], X: Any, k: int, seed: int, labels: Callable[[], Any]
) -> Outcome:
    """Fit, then look at the labels: the method never meets them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found, seconds = timed(method, X, k, seed)
            if seconds < SHORT:
                seconds = min(seconds, timed(method, X, k, seed)[1])
    except Exception as error:  # whatever it is, it is a failure of the method on this set
        return {"failure": f"{type(error).__name__}: {str(error).splitlines()[0][:90]}"}
    y = np.asarray(labels())
    known = y >= 0
    return {
        "nmi": round(nmi(y[known], found[known]), 4),
        "accuracy": round(accuracy(y[known], found[known]), 4),
        "seconds": round(seconds, 3),
    }


def timed(
    method: Callable[[Any, int, int], Any], X: Any, k: int, seed: int
) -> tuple[np.ndarray, float]:
    """What a method finds, and its CPU seconds."""
    start = time.process_time()
    found = np.asarray(method(X, k, seed))
    return found, time.process_time() - start


def within(limit: int, task: Callable[[], Outcome]) -> Outcome:
    """The outcome of a task in a process of its own, or that it took too long."""
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        queue.put(task())

    child = context.Process(target=limited)
    child.start()
    child.join(limit * WAIT)
    if child.is_alive():
        child.kill()
        child.join()
        return {"failure": f"stuck for {limit * WAIT} s"}
    if child.exitcode == -signal.SIGXCPU:
        return {"failure": f"over {limit} s"}
    return queue.get() if child.exitcode == 0 else {"failure": f"ended with {child.exitcode}"}


def too_slow_before(rows: list[Outcome], about: Outcome, name: str) -> Outcome | None:
    """The failure of a method that was too slow on a set with fewer samples and features."""
    for row in rows:
        smaller = all(int(row[size]) <= about[size] for size in ("samples", "features"))
        slow = (row.get("failure") or "").startswith("over")
        if row["method"] == name and slow and smaller and row["set"] != about["set"]:
            return {"failure": f"{row['failure'].split(' on ')[0]} on {row['set']}, not tried here"}
    return None


def forget(folder: Path, sets: list[str] | None, methods: list[str]) -> None:
    """Take the rows of some methods on some sets (None: all) out of what is kept in a folder."""
    kept = [
        row
        for row in read_rows(folder, RESULTS)
        if row["method"] not in methods or (sets and row["set"].split(":")[0] not in sets)
    ]
    write_rows(folder, RESULTS, kept, FIELDS)


def versions() -> str:
    """What made the figures."""
    names = ("cocluster", "scikit-learn", "numpy", "scipy")
    return f"python {platform.python_version()} " + " ".join(f"{n} {version(n)}" for n in names)


@cache
def warm_up(methods: tuple[str, ...]) -> None:
    """Every method on a toy, once: first imports are no part of its time."""
    if find_spec("numba"):
        import_module("cocluster.linalg._compiled")
    toy = np.kron([[9.0, 1.0], [1.0, 9.0]], np.ones((6, 6)))
    for name in methods:
        evaluate(PARTICIPANTS[name], toy, 2, 0, lambda: np.repeat([0, 1], 6))


def described(title: str, kind: str, X: Any, k: int) -> Outcome:
    """What a row says of the data."""
    views = list(X.values()) if isinstance(X, dict) else [X]
    return {
        "set": title,
        "kind": kind,
        "signed": int(any(view.min() < 0 for view in views)),
        "samples": views[0].shape[0],
        "features": sum(view.shape[1] for view in views),
        "k": k,
    }


def run(
    folder: Path, sets: list[str] | None, methods: list[str], *, limit: int, seeds: int
) -> Iterator[Outcome]:
    """Rows of all sets with all methods that are not in the folder yet, each kept as it comes."""
    made_by = versions()
    rows: list[Outcome] = [*read_rows(folder, RESULTS)]
    done = {(row["set"], row["method"], int(row["seed"])) for row in rows}
    for title, kind, X, y, k in all_sets(sets):
        warm_up(tuple(methods))
        about = described(title, kind, X, k)
        for seed, name in product(range(seeds), methods):
            if (title, name, seed) in done or (seed and name not in COMPARED):
                continue
            task = partial(evaluate, PARTICIPANTS[name], X, k, seed, partial(np.asarray, y))
            outcome = too_slow_before(rows, about, name) or within(
                limit * (PATIENCE if name in COMPARED else 1), task
            )
            rows.append({**about, "method": name, "seed": seed, "versions": made_by, **outcome})
            append_row(folder, RESULTS, rows[-1], FIELDS)
            yield rows[-1]


def main() -> None:
    """Run, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", help="names of `cocluster.datasets.list_datasets`")
    parser.add_argument("--methods", nargs="+", choices=PARTICIPANTS, default=list(PARTICIPANTS))
    parser.add_argument("--limit", type=int, default=20, help="seconds for one fit")
    parser.add_argument("--seeds", type=int, default=3, help="of CoCluster and the peers")
    parser.add_argument("--again", action="store_true", help="forget what the methods have")
    asked = parser.parse_args()
    with packed_afterwards(HERE):
        if asked.again:
            forget(HERE, asked.sets, asked.methods)
        for row in run(HERE, asked.sets, asked.methods, limit=asked.limit, seeds=asked.seeds):
            print(*(row.get(field, "") for field in FIELDS[:-1]), flush=True)
        if read_text(HERE, RESULTS):
            write_page()
        else:
            print("Nothing was run: set COCLUSTER_DATA to the folder of the data sets.")


if __name__ == "__main__":
    # One thread each, so that times are of the methods and not of the machine.
    with threadpool_limits(1):
        main()
