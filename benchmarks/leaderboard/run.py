"""Run the leaderboard: every set, every method, k given, labels looked at only to score.

    python -m benchmarks.leaderboard.run [--quick] [--sets re0 wap] [--methods itcc nmf]
                                         [--limit 60] [--seeds 1]

Rows are appended to results.csv one by one; what is there already is not run again, so an
interrupted run goes on where it ended. The page is written anew at the end.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from benchmarks.leaderboard.methods import FRONT, PARTICIPANTS, PEERS
from benchmarks.leaderboard.report import RESULTS, write_page
from cocluster.datasets import fetch, list_datasets
from cocluster.metrics import accuracy, nmi

FIELDS = ["set", "kind", "samples", "features", "k", "method", "seed", "nmi", "accuracy"]
FIELDS += ["seconds", "failure", "versions"]
QUICK = ("classic3", "cstr_475x1000", "oh5", "re0", "umist_575x644", "colon_alon_62x2000")
Outcome = dict[str, Any]


def all_sets(names: list[str] | None) -> Iterator[tuple[str, str, Any, Any, int]]:
    """Name, kind, data, labels and k; every view alone, and all views together."""
    for info in sorted(list_datasets(), key=lambda i: sum(n * m for n, m in i.shapes.values())):
        if info.classes == 0 or (names and info.name not in names):
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
    """The matrix in the container that all libraries take: 32-bit indices, double precision."""
    if not sp.issparse(X):
        return np.asarray(X, dtype=np.float64)
    X = sp.csr_matrix(X, dtype=np.float64)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def evaluate(
    method: Callable[[Any, int, int], Any], X: Any, k: int, seed: int, labels: Callable[[], Any]
) -> Outcome:
    """Fit, then look at the labels: the method never meets them."""
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = np.asarray(method(X, k, seed))
    except Exception as error:  # whatever it is, it is a failure of the method on this set
        return {"failure": f"{type(error).__name__}: {str(error).splitlines()[0][:90]}"}
    seconds = time.process_time() - start
    y = np.asarray(labels())
    known = y >= 0
    return {
        "nmi": round(nmi(y[known], found[known]), 4),
        "accuracy": round(accuracy(y[known], found[known]), 4),
        "seconds": round(seconds, 3),
    }


def within(limit: float, task: Callable[[], Outcome]) -> Outcome:
    """The outcome of a task in a process of its own, or that it took too long."""
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=lambda: queue.put(task()))
    child.start()
    child.join(limit)
    if child.is_alive():
        child.kill()
        child.join()
        return {"failure": f"over {limit:g} s"}
    return queue.get() if child.exitcode == 0 else {"failure": f"ended with {child.exitcode}"}


def done_before() -> set[tuple[str, str, str]]:
    """Set, method and seed of all rows that are there."""
    if not RESULTS.exists():
        return set()
    with RESULTS.open() as file:
        return {(r["set"], r["method"], r["seed"]) for r in csv.DictReader(file)}


def append(row: Outcome) -> None:
    """One more row."""
    new = not RESULTS.exists()
    with RESULTS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if new:
            writer.writeheader()
        writer.writerow(row)


def versions() -> str:
    """What made the figures."""
    names = ("cocluster", "scikit-learn", "numpy", "scipy")
    return f"python {platform.python_version()} " + " ".join(f"{n} {version(n)}" for n in names)


def run(arguments: argparse.Namespace) -> None:
    """All sets with all methods that are not there yet."""
    done, made_by = done_before(), versions()
    names = arguments.sets or (list(QUICK) if arguments.quick else None)
    methods = arguments.methods or ([FRONT, *PEERS] if arguments.quick else list(PARTICIPANTS))
    for title, kind, X, y, k in all_sets(names):
        views = list(X.values()) if isinstance(X, dict) else [X]
        about = {"set": title, "kind": kind, "samples": views[0].shape[0], "k": k}
        about["features"] = sum(view.shape[1] for view in views)
        for seed in range(arguments.seeds):
            for name in methods:
                if (title, name, str(seed)) in done:
                    continue
                task = partial(evaluate, PARTICIPANTS[name], X, k, seed, partial(np.asarray, y))
                outcome = within(arguments.limit, task)
                append({**about, "method": name, "seed": seed, "versions": made_by, **outcome})
                print(title, name, seed, *outcome.values(), flush=True)


def main() -> None:
    """Run, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="six sets, CoCluster and the peers")
    parser.add_argument("--sets", nargs="+", help="names of `cocluster.datasets.list_datasets`")
    parser.add_argument("--methods", nargs="+", choices=list(PARTICIPANTS))
    parser.add_argument("--limit", type=float, default=60, help="seconds for one fit")
    parser.add_argument("--seeds", type=int, default=1)
    run(parser.parse_args())
    if RESULTS.exists():
        write_page()
    else:
        print("Nothing was run: set COCLUSTER_DATA to the folder of the data sets.")


if __name__ == "__main__":
    # One thread each, so that times are of the methods and not of the machine.
    with threadpool_limits(1):
        main()
