"""Measurements behind the plan: seconds of every task on one block, of Dask, and of real sweeps."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import scipy.sparse as sp
from distributed import Client, LocalCluster
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

import cocluster
from benchmarks.speed.cluster_model import REASSIGNED, TURNED, Rate, Shape
from cocluster.blocks import write_blocks
from cocluster.blocks.dask.matrix import (
    _as_block,
    _form,
    _reassign_and_gram,
    _turned_product_and_gram,
)
from cocluster.blocks.dask.rows import FAN_IN, distribute
from cocluster.blocks.dask.tasks import take_columns
from cocluster.blocks.rows import _profile
from cocluster.data.scaling import fit_scaling
from cocluster.datasets import make_blocks
from cocluster.linalg.assignment import reassigned
from cocluster.linalg.kmeans import SAMPLE, _nearest, kmeans
from cocluster.linalg.krylov import squared_times
from cocluster.linalg.matrices import gram, inner, single_precision, squared_norm, times
from cocluster.linalg.ordering import _weighted_squares
from cocluster.linalg.partitions import Partition, as_partition
from cocluster.linalg.passes import part_of
from cocluster.linalg.subspace import unit_rows
from cocluster.trifactor import BlockQuadratic, Indicator, NonNegative
from cocluster.trifactor.constraints import _hardened, _step_part
from cocluster.utils.threads import VARIABLE, limit, single_blas_thread

REPEATS = 3
# What takes so many seconds is not repeated.
LONG = 1.0
SWEEPS = 4
# Few and many parts, whole trees of sums.
PARTS = (FAN_IN, FAN_IN**2)
SHORTEST = 1e-3
BIG = 50_000_000
LOCAL = ("columns", "qr", "kmeans")
Call = Callable[[], Any]
Clock = Callable[[], float]


def fastest(call: Call, clock: Clock = time.perf_counter) -> float:
    """Seconds of the fastest of a few calls, after one that does not count."""
    call()
    seconds: list[float] = []
    while len(seconds) < REPEATS and sum(seconds) < LONG:
        begin = clock()
        call()
        seconds.append(clock() - begin)
    return min(seconds)


def random_block(rows: int, shape: Shape) -> sp.csr_array:
    """A block with as many entries in a row as the matrix has, anywhere."""
    degree = max(shape.nonzeros // shape.rows, 1)
    rng = np.random.default_rng(0)
    indices = rng.integers(shape.columns, size=(rows, degree), dtype=np.int32)
    indices.sort(axis=1)
    indptr = np.arange(0, indices.size + 1, degree, dtype=np.int32)
    data = np.ones(indices.size, dtype=np.float32)
    return sp.csr_array((data, indices.ravel(), indptr), shape=(rows, shape.columns))


def _factors(rows: int, shape: Shape, hard: bool) -> tuple[Any, Any]:
    """Factors of some rows and of the columns."""
    rng = np.random.default_rng(1)
    sizes = ((rows, shape.clusters), (shape.columns, shape.column_clusters))
    G, F = (
        as_partition(rng.integers(k, size=n), k) if hard else rng.random((n, k), dtype=np.float32)
        for n, k in sizes
    )
    return G, F


def sweep_calls(method: str, X: sp.csr_array, shape: Shape) -> dict[str, Call]:
    """What a sweep calls on one block, and on the client for the columns, by name."""
    hard = method == "fnmtf"
    constraint: Any = Indicator() if hard else NonNegative()
    G, F = _factors(X.shape[0], shape, hard)
    k, l = shape.clusters, shape.column_clusters
    S, B, XG = np.ones((k, l), np.float32), np.eye(k), np.ones((shape.columns, k), np.float32)
    calls: dict[str, Call] = {
        TURNED: lambda: _turned_product_and_gram(X, G),
        # Step, association and objective of the columns, from products that are there.
        "columns": lambda: (
            constraint.step(F, BlockQuadratic(XG @ S, np.eye(l))),
            *(call(F) for call in (gram, gram, partial(inner, M=XG), partial(inner, M=XG))),
        ),
    }
    if hard:
        return calls | {REASSIGNED: _reassigning(X, G, F)}
    XF = times(X, F)
    A = XF @ S.T
    return calls | {
        "times": lambda: times(X, F),
        "matmul": lambda: np.matmul(XF, S.T),
        "_step_part": lambda: _step_part(G, A, constraint, B, None),
    }


def _reassigning(X: sp.csr_array, G: Partition, F: Partition) -> Call:
    """A pass in which a tenth of the rows move, as in the sweeps after the first ones."""
    codes = np.random.default_rng(3).standard_normal((G.n_clusters, F.n_clusters))
    bias = np.zeros(G.n_clusters)
    settled, _ = reassigned(X, G, F, codes, bias)
    labels = np.where(np.arange(len(G.labels)) % 10 == 0, G.labels, settled.labels)
    before = as_partition(labels, G.n_clusters)
    return lambda: _reassign_and_gram(X, before, F, codes, bias)


def start_calls(X: sp.csr_array, shape: Shape) -> dict[str, Call]:
    """What the normalisation and the spectral start call, by name."""
    width, rng = shape.start_width, np.random.default_rng(2)
    rank = shape.start_rank
    Q = rng.standard_normal((shape.columns, width), dtype=np.float32)
    V = rng.standard_normal((shape.columns, rank), dtype=np.float32)
    Z = times(X, V)
    scaling, sample = fit_scaling(X, "degree"), unit_rows(Z[:SAMPLE])
    labels = np.zeros(X.shape[0], dtype=np.int32)
    model: KMeans = kmeans(sample, shape.clusters, 0, 1)
    return {
        "_as_block": lambda: _as_block(X, "X", *X.shape),
        "_form": lambda: _form(X),
        "_profile": lambda: _profile(X),
        "_degree_scaled_rows": lambda: scaling.apply(X),
        "_as_single": lambda: single_precision(X),
        "times": lambda: times(X, V),
        "squared_times": lambda: squared_times(X, Q),
        "qr": lambda: np.linalg.qr(Q),
        "_weighted_squares": lambda: _weighted_squares(Z, np.ones(rank)),
        "take_columns": lambda: take_columns(Z, slice(1, None)),
        "_over_length": lambda: unit_rows(Z),
        "kmeans": lambda: kmeans(sample, shape.clusters, 0, 5),
        "_nearest": lambda: _nearest(sample, model),
        "_hardened": lambda: _hardened(labels, shape.clusters),
        "squared_norm": lambda: squared_norm(X),
    }


def seconds_of_calls(X: sp.csr_array, shape: Shape, programs: tuple[str, ...]) -> dict[str, float]:
    """Seconds of every call on a block, by ``program/name``.

    They are seconds of one processor, which does not depend on who else uses the machine.
    """
    found = {}
    for program in programs:
        calls = start_calls(X, shape) if program == "start" else sweep_calls(program, X, shape)
        with single_blas_thread(), limit(1), threadpool_limits(1), part_of(shape.blocks):
            for name, call in calls.items():
                found[f"{program}/{name}"] = fastest(call, time.process_time)
        if program == "start":
            found["start/_nearest"] *= X.shape[0] / min(X.shape[0], SAMPLE)
    return found


def rates(
    shape: Shape, blocks: Iterable[sp.csr_array], programs: tuple[str, ...]
) -> dict[str, Rate]:
    """Rates from blocks of one or two sizes; what the client does alone has no rows."""
    measured = [(X.shape[0], seconds_of_calls(X, shape, programs)) for X in blocks]
    rows = [n for n, _ in measured]
    return {key: _rate(key, rows, [m[key] for _, m in measured]) for key in measured[0][1]}


def _rate(key: str, block_rows: list[int], seconds: list[float]) -> Rate:
    """The line through the measured points."""
    if key.endswith(LOCAL):
        return Rate(min(seconds), 0.0)
    if len(seconds) == 1:
        return Rate(0.0, seconds[0] / block_rows[0])
    slope = (seconds[1] - seconds[0]) / (block_rows[1] - block_rows[0])
    slope = min(max(slope, 0.0), seconds[1] / block_rows[1])
    return Rate(seconds[1] - slope * block_rows[1], slope)


@contextmanager
def local_cluster(workers: int) -> Iterator[Client]:
    """Workers with one thread each, in processes of their own."""
    os.environ[VARIABLE] = "1"
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def _nothing(*_: Any) -> int:
    """A task without work."""
    return 0


def constants(workers: int) -> dict[str, float]:
    """Seconds of a task and of a turn, speed of memory and of transfers between two processes."""
    with local_cluster(workers) as client:
        found = _overheads(client)
        if workers > 1:
            found["network"] = _transfer_speed(client, found["turn"])
    a, b = np.ones(BIG // 8), np.ones(BIG // 8)
    return found | {"memory_speed": 3 * BIG / fastest(lambda: np.add(a, b, out=a))}


def _overheads(client: Client) -> dict[str, float]:
    """Seconds of a task and of a turn, from sums over few and many empty parts."""
    few, many = (
        fastest(partial(distribute(client, np.zeros((n, 1)), [1] * n).total, _nothing))
        for n in PARTS
    )
    # A sum has one task for each part, one for what they share, and those that add.
    n_few, n_many = (n + 1 + n // FAN_IN + (n > FAN_IN) for n in PARTS)
    task = max(many - few, 0.0) / (n_many - n_few)
    return {"task": task, "turn": max(few - n_few * task, 0.0)}


def _transfer_speed(client: Client, turn: float) -> float:
    """Bytes per second from one worker to another."""
    here, there = list(client.scheduler_info()["workers"])[:2]
    big = client.submit(np.ones, BIG // 8, workers=here, pure=False)
    client.submit(_nothing, big, workers=here, pure=False).result()
    begin = time.perf_counter()
    client.submit(_nothing, big, workers=there, pure=False).result()
    return BIG / max(time.perf_counter() - begin - turn, SHORTEST)


def _read(files: list[str], block_id: Any = None) -> sp.csr_array:
    """One block of a folder."""
    return sp.csr_array(sp.load_npz(files[block_id[0]]))


def dask_array(folder: Path, X: sp.csr_array, block_rows: int) -> da.Array:
    """A matrix as a Dask array whose chunks the workers read."""
    write_blocks(X, folder, rows_per_block=block_rows)
    files = sorted(map(str, folder.glob("*.npz")))
    chunks = tuple(min(block_rows, X.shape[0] - i) for i in range(0, X.shape[0], block_rows))
    return da.map_blocks(
        _read, files, chunks=(chunks, (X.shape[1],)), dtype=X.dtype, meta=np.empty((0, 0), X.dtype)
    )


def planted(shape: Shape) -> sp.csr_array:
    """A matrix with planted clusters and about as many entries as asked for."""
    degree, k = shape.nonzeros / shape.rows, shape.clusters
    X = make_blocks(shape.rows, shape.columns, k, row_degree=degree, random_state=0).X
    return X.astype(np.float32)


def fits(X: sp.csr_array, shape: Shape, workers: tuple[int, ...]) -> dict[str, float]:
    """Seconds of a sweep of each method, and of a fit up to its first sweep, by workers."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        chunked = dask_array(Path(name) / "blocks", X, shape.rows // shape.blocks)
        for n in workers:
            with local_cluster(n) as client:
                held = client.persist(chunked)
                for method in ("FNMTF", "NMTF"):
                    found[f"{method.lower()}/{n}"] = sweep_seconds(method, held, shape.clusters)
                found[f"start/{n}"] = start_seconds(held, shape.clusters)
            found[f"busy/{n}"] = busy()
    return found


def busy() -> float:
    """Seconds that pass while a processor works one for us: above 1 where others use it too."""
    wall, own, numbers = time.perf_counter(), time.process_time(), np.ones(100_000)
    while time.process_time() - own < LONG:
        numbers *= 1.0
    return (time.perf_counter() - wall) / (time.process_time() - own)


def sweep_seconds(method: str, X: Any, k: int) -> float:
    """Seconds of the fastest sweep after the first."""
    ends: list[float] = []
    model = getattr(cocluster, method)(k, init="random", tol=0, max_iter=SWEEPS, random_state=0)
    model.fit(X, callback=lambda _: ends.append(time.perf_counter()))
    return float(np.diff(ends).min())


def start_seconds(X: Any, k: int) -> float:
    """Seconds from the call of fit to the end of the first sweep, with the spectral start."""
    begin, ends = time.perf_counter(), []
    model = cocluster.FNMTF(k, tol=0, max_iter=1, random_state=0)
    model.fit(X, callback=lambda _: ends.append(time.perf_counter()))
    return ends[0] - begin
