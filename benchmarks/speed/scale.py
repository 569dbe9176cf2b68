"""Beyond memory: blocks on disk under a limit that is enforced, and a Dask cluster.

    python -m benchmarks.speed.scale memory|stored|whole|dask METHOD FOLDER BYTES|WORKERS

is one fit in its own process, as `out_of_core` and `dask_workers` start it.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import cocluster
from benchmarks.memory import peak_memory
from benchmarks.speed.page import table
from benchmarks.speed.run import ROOT
from cocluster import FNMTF, CoCluster
from cocluster.blocks import open_blocks, write_blocks
from cocluster.blocks.disk.read import StoredBlocks
from cocluster.datasets import make_blocks
from cocluster.linalg import passes
from cocluster.linalg.matrices import n_bytes

CLUSTERS = 10
# Of methods with hard and with soft clusters.
SWEEPS = {"FNMTF": 30, "NMTF": 10}
# Of one and of two workers in turn; the fastest counts.
DASK_RUNS = 2
# Data over the memory that the process is given.
TIMES_LARGER = 5
# Memory of a whole fit by default, of the data: it holds 50 fine clusters of columns at a time.
SHARE_FOR_DEFAULT = 0.75
# What the fit is told, of what the process is given: an allocator leaves gaps.
SHARE_FOR_BLOCKS = 0.7


@contextmanager
def blocks_on_disk(
    rows: int, columns: int, degree: float, n_blocks: int = 256
) -> Iterator[tuple[Path, int]]:
    """A folder of row blocks, starts of rows and columns beside it; and the size of the arrays."""
    X = make_blocks(rows, columns, CLUSTERS, row_degree=degree, random_state=0).X
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_blocks(X, folder / "blocks", rows_per_block=-(-rows // n_blocks))
        rng = np.random.default_rng(0)
        for axis, n in enumerate(X.shape):
            np.save(folder / f"start{axis}.npy", rng.permutation(np.arange(n) % CLUSTERS))
        yield folder, n_bytes(X)


def child(task: str, folder: Path, amount: int, method: str = "FNMTF") -> dict[str, Any]:
    """What one fit in its own process took, and its labels; an error is said as it was."""
    env = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.speed.scale", task, method]
    command += [str(folder), str(amount)]
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["ended by the system"])[-1]}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result | {"labels": np.load(folder / "found.npy")}


def data_in_use() -> int:
    """Bytes of private memory this process holds, as RLIMIT_DATA counts them."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:"))


def warm_up() -> None:
    """Load the libraries and the compiled code, which are not part of the fit."""
    with passes.part_of(1_000_000):
        FNMTF(2, max_iter=2, random_state=0).fit(make_blocks(200, 100, 2, random_state=0).X)


def in_memory(folder: Path) -> sp.csr_array:
    """All blocks as one matrix."""
    files = sorted((folder / "blocks").glob("*.npz"))
    return sp.csr_array(sp.vstack([sp.load_npz(file) for file in files], format="csr"))


def dask_array(folder: Path) -> Any:
    """The blocks as chunks that the workers load themselves."""
    import dask.array as da
    from dask import delayed

    chunks = []
    for file in sorted((folder / "blocks").glob("*.npz")):
        with np.load(file) as parts:
            shape = tuple(int(n) for n in parts["shape"])
        meta = sp.csr_array((0, 0))
        chunks.append(da.from_delayed(delayed(sp.load_npz)(file), shape, float, meta=meta))
    return da.concatenate(chunks)


def fitted(X: Any, method: str, folder: Path) -> dict[str, Any]:
    """Fit from the given start; labels are left in the folder."""
    start = tuple(np.load(folder / f"start{axis}.npy") for axis in (0, 1))
    # Without scaling, a copy that is made once: sweeps are what is compared.
    model = getattr(cocluster, method)(CLUSTERS, init=start, normalize=None, random_state=0)
    model.set_params(max_iter=SWEEPS[method], tol=0)
    begin = time.perf_counter()
    model.fit(X)
    seconds = time.perf_counter() - begin
    np.save(folder / "found.npy", np.asarray(model.labels_))
    return {"seconds": seconds}


class Counted:
    """A source of blocks that counts how often each is read."""

    def __init__(self, source: Any) -> None:
        self.source, self.n_reads = source, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.source, name)

    def read(self, number: int) -> Any:
        """The block itself."""
        self.n_reads += 1
        return self.source.read(number)


def whole(folder: Path, memory: int) -> dict[str, Any]:
    """A fit of the front door with nothing given: how often are the data read?"""
    opened = open_blocks(folder / "blocks", memory=memory)
    source = Counted(opened.source)
    blocks = StoredBlocks(source, memory)
    begin = time.perf_counter()
    model = CoCluster(CLUSTERS, random_state=0).fit(blocks)
    seconds = time.perf_counter() - begin
    np.save(folder / "found.npy", model.labels_)
    return {"seconds": seconds, "readings": source.n_reads / len(blocks.row_counts)}


def main() -> None:
    """The body of a process."""
    task, method, name, amount = sys.argv[1:]
    folder, before = Path(name), peak_memory()
    if task == "memory":
        result = fitted(in_memory(folder), method, folder)
    elif task == "stored":
        warm_up()
        limit = data_in_use() + int(amount)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        memory = int(SHARE_FOR_BLOCKS * int(amount))
        result = fitted(open_blocks(folder / "blocks", memory=memory), method, folder)
    elif task == "whole":
        result = whole(folder, int(amount))
    else:
        from distributed import Client, LocalCluster, wait

        with (
            LocalCluster(
                n_workers=int(amount), threads_per_worker=1, dashboard_address=None
            ) as cluster,
            Client(cluster) as client,
        ):
            client.run(warm_up)
            X = dask_array(folder).persist()
            wait(X)  # reading files is not what is compared
            result = fitted(X, method, folder)
    print(json.dumps(result | {"peak": peak_memory() - before}))


def out_of_core(full: bool) -> str:
    """Data five times larger than the memory given, fitted with the labels of a fit in memory."""
    with blocks_on_disk(*((200_000, 20_000, 800) if full else (40_000, 10_000, 800))) as made:
        folder, size = made
        inside = child("memory", folder, 0)
        given = size // TIMES_LARGER
        stored = child("stored", folder, given)
        default = child("whole", folder, round(SHARE_FOR_DEFAULT * size))
    if failed := [r["error"] for r in (stored, inside, default) if "error" in r]:
        return f"Out of core failed: {failed[0]}"
    same = np.array_equal(inside["labels"], stored["labels"])
    head = "data / memory given (enforced) | peak memory / data | time / in memory | same labels"
    cells = [f"{size / given:.1f}", f"{stored['peak'] / size:.2f}"]
    cells += [f"{stored['seconds'] / inside['seconds']:.2f}", "yes" if same else "**no**"]
    page = "## Out of core\n\nThirty sweeps of FNMTF from a given start:\n\n" + table(head, [cells])
    return page + (
        "\n\nA whole fit of `CoCluster`, its start included, in memory of "
        f"{SHARE_FOR_DEFAULT:.0%} of the size: every block "
        f"is read {default['readings']:.1f} times.\n"
    )


def dask_workers(full: bool) -> str:
    """Two workers with one thread against one."""
    sizes = (800_000, 10_000, 400) if full else (100_000, 10_000, 400)
    with blocks_on_disk(*sizes, n_blocks=8) as made:
        rows = [_dask_row(method, made[0]) for method in SWEEPS]
    head = "method | one worker / in memory | one worker / two workers | same labels"
    return "## Dask, single-thread workers\n\n" + table(head, rows)


def _dask_row(method: str, folder: Path) -> list[str]:
    """One method in memory, on one worker and on two."""
    inside = child("memory", folder, 0, method)
    tries = [child("dask", folder, n, method) for n in (1, 2) * DASK_RUNS]
    if failed := [r["error"] for r in (inside, *tries) if "error" in r]:
        return [method, f"failed: {failed[0]}", "", ""]
    one, two = (min(tries[n::2], key=lambda r: float(r["seconds"])) for n in (0, 1))
    same = all(np.array_equal(inside["labels"], r["labels"]) for r in tries)
    ratios = one["seconds"] / inside["seconds"], one["seconds"] / two["seconds"]
    return [method, *(f"{ratio:.2f}" for ratio in ratios), "yes" if same else "**no**"]


if __name__ == "__main__":
    main()
