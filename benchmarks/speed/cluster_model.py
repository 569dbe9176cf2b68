"""What a sweep on a Dask cluster costs: its tasks, scheduled one by one on model machines.

A program is the list of calls that the code makes (`sweep`, `start`; a test compares them with the
calls of a real fit). `Simulation` gives each task to the worker that has its block, moves what
has to travel over lines of limited speed, and lets a single scheduler hand out the tasks. The time
of one task on one block is not modelled but measured (`cluster_measure`).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from cocluster.blocks.dask.rows import FAN_IN
from cocluster.linalg.krylov import BLOCK_MULTIPLE

INDEX = 4
# Bytes read and written for one byte of a sum.
ADD_TRAFFIC = 3
# Blocks of the Krylov space that the start of planted data took; the code stops by its residuals.
START_BLOCKS = 6
TURNED = "_turned_product_and_gram"
REASSIGNED = "_reassign_and_gram"
READERS = (
    "times",
    TURNED,
    REASSIGNED,
    "_as_block",
    "squared_times",
    "_profile",
    "_degree_scaled_rows",
    "_as_single",
)


@dataclass(frozen=True)
class Shape:
    """A matrix, the clusters asked for, and the blocks it is cut into."""

    rows: int
    columns: int
    nonzeros: int
    blocks: int
    clusters: int = 10
    column_clusters: int = 10
    itemsize: int = 4

    @property
    def block_rows(self) -> float:
        """Rows of a block."""
        return self.rows / self.blocks

    @property
    def block_bytes(self) -> float:
        """Indices and entries of a block."""
        return self.nonzeros / self.blocks * (INDEX + self.itemsize)

    @property
    def start_width(self) -> int:
        """Columns of a block of the Krylov space of the spectral start."""
        return -(-self.start_rank // (2 * BLOCK_MULTIPLE)) * BLOCK_MULTIPLE

    @property
    def start_rank(self) -> int:
        """Singular vectors that the spectral start looks for."""
        return max(self.clusters, self.column_clusters)


@dataclass(frozen=True)
class Cluster:
    """Workers that are alike; speeds in bytes per second, times in seconds.

    ``task`` is what the scheduler needs for one task, ``turn`` what it takes to ask for one result
    and to have it.
    """

    workers: int
    threads: int = 1
    memory_speed: float = math.inf
    network: float = math.inf
    latency: float = 0.0
    task: float = 0.0
    turn: float = 0.0


@dataclass(frozen=True)
class Rate:
    """Seconds of one task: a fixed part, and one that grows with the rows of the block."""

    fixed: float
    per_row: float

    def seconds(self, rows: float) -> float:
        """Seconds for a block of so many rows."""
        return self.fixed + self.per_row * rows


Rates = Mapping[str, Rate]


@dataclass(frozen=True)
class Step:
    """One call: a map over blocks, a sum over blocks, or work of the client.

    Attributes
    ----------
    program, names : whose they are, and the functions that one task calls on its block
    shared : bytes that every worker needs for it
    total : bytes of the result of a block where results are summed, else None
    asked : bytes that pass between workers and client, who waits for them; None: it does not
    kept : whether a task more for each block keeps what stays of its result
    local : whether the client does it alone
    """

    program: str
    names: tuple[str, ...]
    shared: float = 0
    total: float | None = None
    asked: float | None = None
    kept: bool = False
    local: bool = False

    @property
    def passes(self) -> int:
        """How often it reads the matrix."""
        return sum(name in READERS for name in self.names)


def sweep(method: str, shape: Shape) -> list[Step]:
    """One sweep of FNMTF (hard factors) or NMTF (soft): the rows, then the columns."""
    k, l, m, size = shape.clusters, shape.column_clusters, shape.columns, shape.itemsize
    columns, total = Step(method, ("columns",), local=True), m * k * size + 8 * k * k
    if method == "fnmtf":
        shared = m * INDEX + 8 * (k * l + k)
        return [Step(method, (REASSIGNED,), shared=shared, total=total, kept=True), columns]
    shared = m * l * size + k * l * size + 8 * k * k
    return [
        Step(method, ("times", "matmul", "_step_part"), shared=shared),
        Step(method, (TURNED,), total=total),
        columns,
    ]


def start(shape: Shape, n_blocks: int = START_BLOCKS) -> list[Step]:
    """Reading, normalisation, spectral start, and the state of FNMTF that follows from it."""
    width, m, rank = shape.start_width, shape.columns, shape.start_rank
    labels, Q = shape.rows * INDEX, m * width * shape.itemsize
    own = partial(Step, "start")
    profile, scaled = (
        own(("_profile",), total=16 * m),
        own(("_degree_scaled_rows",), 8 * m, asked=0),
    )
    power = own(("squared_times",), shared=Q, total=Q)
    embedding = ("times", "take_columns", "_over_length")
    return [
        own(("_as_block",)),
        own(("_form",), asked=0),
        *[profile, scaled, profile, own(("_as_single",), asked=0), scaled],
        *[power, own(("qr",), local=True)] * n_blocks,
        own(embedding, shared=m * rank * shape.itemsize),
        own(("_weighted_squares",), asked=8 * shape.rows),
        own(("kmeans",), local=True),
        own(("_nearest",), shared=8 * rank * shape.clusters, asked=labels),
        own(("_hardened",), asked=labels),
        Step("fnmtf", (TURNED,), total=sweep("fnmtf", shape)[0].total),
        own(("squared_norm",), total=8),
    ]


@dataclass
class Simulation:
    """List scheduling of programs on a cluster; times in seconds since its beginning.

    ``homes`` is the worker of each block (in turn, as Dask hands out chunks that are read), and
    ``slowness`` the factor of the time of each worker. What all workers need is fetched by each
    from the one that had it first, the worst that can happen.
    """

    shape: Shape
    cluster: Cluster
    rates: Rates
    homes: Sequence[int] = ()
    slowness: Mapping[int, float] = field(default_factory=dict)
    clock: float = 0.0
    sent: float = 0.0
    tasks: int = 0

    def __post_init__(self) -> None:
        n = self.cluster.workers
        self.homes = self.homes or [block % n for block in range(self.shape.blocks)]
        self.free = [[0.0] * self.cluster.threads for _ in range(n)]
        self.up, self.down = [0.0] * n, [0.0] * n
        self.done = [0.0] * len(self.homes)
        self.handed_out = 0.0

    def run(self, program: Iterable[Step]) -> float:
        """Seconds until all of it is done."""
        before = self.clock
        for step in program:
            if step.local:
                self.clock += self._seconds(step)
            else:
                self._call(step)
        self.clock = max([self.clock, *self.done])
        return self.clock - before

    def _call(self, step: Step) -> None:
        """One map over all blocks, and the sum of its results where it has one."""
        arrivals, seconds = self._shared(step.shared), self._seconds(step)
        self.done = [
            self._task(home, seconds, max(arrivals[home], own))
            for home, own in zip(self.homes, self.done, strict=True)
        ]
        if step.kept:
            self.done = [
                self._task(home, 0.0, own) for home, own in zip(self.homes, self.done, strict=True)
            ]
        if step.total is not None:
            self._fetched(self._summed(step.total), step.total)
        elif step.asked is not None:
            self._fetched(max(self.done), step.asked)

    def _fetched(self, when: float, n_bytes: float) -> None:
        """The client has waited for something that came by way of the scheduler."""
        self.sent += 2 * n_bytes
        self.clock = when + self.cluster.turn + 2 * n_bytes / self.cluster.network

    def _seconds(self, step: Step) -> float:
        """Seconds of one task; all threads of a worker read its memory at once."""
        rows = self.shape.block_rows
        measured = sum(self.rates[f"{step.program}/{name}"].seconds(rows) for name in step.names)
        reading = self.cluster.threads * self.shape.block_bytes / self.cluster.memory_speed
        return max(measured, step.passes * reading)

    def _shared(self, n_bytes: float) -> list[float]:
        """When each worker has it: client to scheduler, to one worker, and from there to all."""
        self._handed()
        at_first = self.clock + 2 * n_bytes / self.cluster.network + self.cluster.latency
        self.sent += (self.cluster.workers + 1) * n_bytes
        each = n_bytes / self.cluster.network
        return [at_first + number * each for number in range(self.cluster.workers)]

    def _handed(self) -> float:
        """When the scheduler has handed out one more task."""
        self.tasks += 1
        self.handed_out = max(self.handed_out, self.clock) + self.cluster.task
        return self.handed_out

    def _task(self, worker: int, seconds: float, ready: float) -> float:
        """When a task ends that one worker does."""
        start = max(ready, self._handed(), heapq.heappop(self.free[worker]))
        end = start + seconds * self.slowness.get(worker, 1.0)
        heapq.heappush(self.free[worker], end)
        return end

    def _summed(self, n_bytes: float) -> float:
        """When the sum of all results is there, FAN_IN of them at a time."""
        left = list(zip(self.done, self.homes, strict=True))
        while len(left) > 1:
            groups = [left[i : i + FAN_IN] for i in range(0, len(left), FAN_IN)]
            left = [self._added(group, n_bytes) for group in groups]
        return left[0][0]

    def _added(self, group: list[tuple[float, int]], n_bytes: float) -> tuple[float, int]:
        """A sum on the worker, of those that have a part of it, that can begin first."""
        owners = [owner for _, owner in group]
        worker = min(owners, key=lambda owner: max(self.down[owner], self.free[owner][0]))
        ready = max(self._moved(when, owner, worker, n_bytes) for when, owner in group)
        seconds = ADD_TRAFFIC * (len(group) - 1) * n_bytes / self.cluster.memory_speed
        return self._task(worker, seconds, ready), worker

    def _moved(self, when: float, source: int, target: int, n_bytes: float) -> float:
        """When a result is at another worker: lines carry one thing after the other."""
        if source == target:
            return when
        begin = max(when, self.up[source], self.down[target])
        end = begin + self.cluster.latency + n_bytes / self.cluster.network
        self.up[source] = self.down[target] = end
        self.sent += n_bytes
        return end


def after_loss(simulation: Simulation, method: str, sweeps: int) -> float:
    """Seconds to make again what one worker had after some sweeps, by all others.

    Labels and memberships follow from those before them, so the row side of all sweeps is repeated
    for the blocks that were lost.
    """
    shape, n = simulation.shape, simulation.cluster.workers
    lost = math.ceil(shape.blocks / n)
    others = replace(simulation.cluster, workers=n - 1)
    again = Simulation(shape, others, simulation.rates, [i % (n - 1) for i in range(lost)])
    again.run([step for step in start(shape) if "_degree_scaled_rows" in step.names][:1])
    rows = sweep(method, shape)[:1]
    return again.clock + sum(again.run(rows) for _ in range(sweeps))
