"""One measurement, in the process that this module is run in; prints its result as JSON.

    python -m benchmarks.speed.child fit|sweep METHOD FOLDER K SEED LIMIT [REFERENCE ...]

FOLDER holds ``X.npz`` and may hold ``labels.npy`` (of the rows) and ``links.npy`` (pairs).
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans

from benchmarks.memory import peak_memory
from benchmarks.speed.methods import labels_of, random_graph, sweeping

SWEEPS = 16
# Address space that a fit may take: one that needs more fails, and does not bring the machine down.
MOST_MEMORY = 20 * 2**30
SAMPLES = 5
N_PARTS = 64
LLOYD = (2, 12)


@numba.njit(parallel=True, cache=True)
def _read(words: np.ndarray) -> np.uint64:
    """Sum of 64-bit words, on all threads."""
    total = np.uint64(0)
    for part in numba.prange(N_PARTS):
        own = np.uint64(0)
        first, last = len(words) * part // N_PARTS, len(words) * (part + 1) // N_PARTS
        for word in words[first:last]:
            own += word
        total += own
    return total


def pass_over(X: sp.csr_array) -> None:
    """The unit of time: indptr, indices and data read once, by a compiled sum on all threads."""
    for array in (X.indptr, X.indices, X.data):
        _read(array[: array.nbytes // 8 * (8 // array.itemsize)].view(np.uint64))


def fastest(function: Callable[[], Any], times: int = SAMPLES) -> float:
    """Seconds of the fastest of some calls, after one that does not count."""
    function()
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def products(X: sp.csr_array, k: int, start: np.ndarray) -> float:
    """The two products with k columns, as scipy makes them."""
    rng = np.random.default_rng(0)
    F, G = (rng.random((n, k)).astype(X.dtype) for n in X.shape)
    transposed = X.T
    return fastest(lambda: (X @ G, transposed @ F))


def lloyd(X: sp.csr_array, k: int, start: np.ndarray) -> float:
    """One iteration of scikit-learn's k-means from the same labels, as a difference of two runs."""
    members = sp.csr_array((np.ones(len(start), X.dtype), (start, np.arange(len(start)))))
    centres = (members @ X).toarray() / np.bincount(start)[:, None]
    fixed: dict[str, Any] = {"init": centres, "n_init": 1, "tol": 0, "algorithm": "lloyd"}
    models = (KMeans(k, max_iter=n, **fixed) for n in LLOYD)
    few, many = (fastest(partial(model.fit, X), times=3) for model in models)
    return (many - few) / (LLOYD[1] - LLOYD[0])


REFERENCES = {"products": products, "lloyd": lloyd}


def extra_arguments(method: str, X: sp.csr_array, folder: Path) -> dict[str, Any]:
    """Links and graphs of a fit."""
    extra: dict[str, Any] = {}
    if (folder / "links.npy").exists():
        pairs, labels = np.load(folder / "links.npy"), np.load(folder / "labels.npy")
        same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
        extra["links"] = (pairs[same], pairs[~same])
    if method == "DRCC":
        graphs = (random_graph(n) for n in X.shape)
        extra["graphs"] = dict(zip(("samples", "features"), graphs, strict=True))
    return extra


def sweep(method: str, X: sp.csr_array, k: int, folder: Path, names: list[str]) -> dict[str, float]:
    """Seconds of a sweep, from call to call of the callback, and of the references around it."""
    start = np.random.default_rng(0).permutation(np.arange(X.shape[0]) % k)
    times: list[float] = []
    model = sweeping(method, k, SWEEPS, start)
    extra = extra_arguments(method, X, folder)
    before = fastest(lambda: pass_over(X))
    model.fit(X, callback=lambda _: times.append(time.perf_counter()), **extra)
    result = {"sweep": float(np.diff(times).min()), "n_sweeps": float(len(times))}
    result |= {name: REFERENCES[name](X, k, start) for name in names}
    return result | {"pass": min(before, fastest(lambda: pass_over(X)))}


def main() -> None:
    """Read the arguments and measure."""
    task, method, folder, k, seed, limit, *names = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (int(4 * float(limit)), -1))
    before = peak_memory()
    X = sp.csr_array(sp.load_npz(Path(folder) / "X.npz"))
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    if task == "sweep":
        result = sweep(method, X, int(k), Path(folder), names)
    else:
        start = time.perf_counter()
        labels, columns = labels_of(method, X, int(k), int(seed))
        result = {"seconds": time.perf_counter() - start}
        result["memory"] = (peak_memory() - before) / size
        result["pass"] = fastest(lambda: pass_over(X))
        np.save(Path(folder) / "found.npy", labels)
        if columns is not None:
            np.save(Path(folder) / "found_columns.npy", columns)
    result |= {"memory": result.get("memory", (peak_memory() - before) / size)}
    print(json.dumps(result | {"nonzeros": X.nnz}))


if __name__ == "__main__":
    main()
