"""The plan of the guide: its programs are those of the code, its simulation obeys simple laws."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

import cocluster
from benchmarks.speed import plan
from benchmarks.speed.cluster_memory import needs
from benchmarks.speed.cluster_model import (
    REASSIGNED,
    TURNED,
    Cluster,
    Rate,
    Shape,
    Simulation,
    Step,
    after_loss,
    start,
    sweep,
)
from cocluster.blocks.dask.rows import DaskRows
from cocluster.blocks.dask.tasks import Recipe
from cocluster.datasets import make_blocks
from cocluster.linalg import kmeans, subspace
from cocluster.linalg.partitions import Partition

# Of Dask itself: sockets it leaves to be closed, ports that are in use.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:.*:UserWarning:distributed"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
SHAPE = Shape(600, 80, 0, blocks=12, clusters=3, column_clusters=4)
SECONDS = 0.25


@pytest.fixture(scope="module")
def rows() -> Iterator[da.Array]:
    planted = make_blocks(SHAPE.rows, SHAPE.columns, 3, 4, pattern="checkerboard", random_state=0)
    X = planted.X.astype(np.float32)
    step = SHAPE.rows // SHAPE.blocks
    chunks = ((step,) * SHAPE.blocks, (SHAPE.columns,))
    with (
        LocalCluster(
            n_workers=2, processes=False, dashboard_address=":0", silence_logs=50
        ) as cluster,
        Client(cluster),
    ):
        yield da.map_blocks(
            lambda block_id: X[block_id[0] * step : (block_id[0] + 1) * step],
            chunks=chunks,
            dtype=X.dtype,
            meta=np.empty((0, 0), X.dtype),
        )


def n_bytes(value: Any) -> int:
    """Bytes of arrays and labels, also inside tuples."""
    if isinstance(value, tuple):
        return sum(map(n_bytes, value))
    return value.labels.nbytes if isinstance(value, Partition) else getattr(value, "nbytes", 0)


def steps_of(recipe: Recipe) -> Iterator[tuple[str, int]]:
    """Functions that one task calls, and the bytes that all tasks share for each."""
    for other in recipe.inputs:
        if not other.is_made:
            yield from steps_of(other.source)
    yield recipe.function.__name__, n_bytes(recipe.shared)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every call on blocks: its functions, bytes shared, and bytes of the sum (None: no sum)."""
    found: list[Any] = []
    submitted, summed = DaskRows._submit, DaskRows._sum

    def record(self: DaskRows, recipe: Recipe) -> Any:
        names, shared = zip(*steps_of(recipe), strict=True)
        found.append([names, sum(shared), None])
        return submitted(self, recipe)

    def record_sum(self: DaskRows, left: list[Any]) -> Any:
        result = summed(self, left)
        found[-1][2] = n_bytes(result)
        return result

    monkeypatch.setattr(DaskRows, "_submit", record)
    monkeypatch.setattr(DaskRows, "_sum", record_sum)
    return found


def on_blocks(program: list[Step]) -> list[Step]:
    """The steps of a program that are calls on a `DaskRows`; it is not there when X is read."""
    reading = ("_as_block", "_form")
    return [step for step in program if not step.local and step.names[0] not in reading]


def assert_same_calls(found: list[Any], program: list[Step]) -> None:
    """The same functions in the same tasks, and the same bytes wherever a step has many."""
    steps = on_blocks(program)
    assert [names for names, _, _ in found] == [step.names for step in steps]
    for (_, shared, total), step in zip(found, steps, strict=True):
        assert (total is None) == (step.total is None)
        if {"times", REASSIGNED}.intersection(step.names):
            assert shared == step.shared
        if {TURNED, REASSIGNED}.intersection(step.names):
            assert total == step.total


@pytest.mark.parametrize("method", ["fnmtf", "nmtf"])
def test_a_sweep_makes_the_calls_of_the_program(
    method: str, rows: da.Array, calls: list[Any]
) -> None:
    ends: list[int] = []
    model = getattr(cocluster, method.upper())
    model(3, 4, init="random", tol=0, max_iter=2, random_state=0).fit(
        rows, callback=lambda _: ends.append(len(calls))
    )
    assert_same_calls(calls[ends[0] : ends[1]], sweep(method, SHAPE))


def test_the_start_makes_the_calls_of_the_program(
    rows: da.Array, calls: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The program is that of large data: small data are held in full precision, and k-means sees
    # all of their rows.
    monkeypatch.setattr(subspace, "SINGLE_FROM_ENTRIES", 0)
    monkeypatch.setattr(kmeans, "SAMPLE", SHAPE.rows // 2)
    cocluster.FNMTF(3, 4, max_iter=1, random_state=0).fit(rows)
    # The search ends by its residuals, after as many blocks as the data need.
    program = start(SHAPE, sum(names == ("squared_times",) for names, _, _ in calls))
    assert_same_calls(calls[: len(on_blocks(program))], program)


def simulated(cluster: Cluster, program: list[Step], **options: Any) -> Simulation:
    """A simulation that has run a program with tasks of equal length."""
    names = [f"{step.program}/{name}" for step in program for name in step.names]
    rates = dict.fromkeys(names, Rate(SECONDS, 0.0))
    simulation = Simulation(SHAPE, cluster, rates, **options)
    simulation.run(program)
    return simulation


@pytest.mark.parametrize(("workers", "threads"), [(1, 1), (2, 1), (2, 3), (12, 1)])
def test_without_other_costs_the_work_is_shared_evenly(workers: int, threads: int) -> None:
    program = [Step("p", ("f",)), Step("p", ("g",), total=8), Step("p", ("h",), local=True)]
    spent = simulated(Cluster(workers, threads), program).clock
    at_once = SHAPE.blocks // (workers * threads)
    assert spent == pytest.approx(SECONDS * (2 * at_once + 1))


def test_all_partial_sums_but_one_travel_where_no_worker_has_two() -> None:
    size = 1000
    cluster = Cluster(SHAPE.blocks, network=1e6)
    step = Step("p", ("f",), total=size)
    # Each sum but the last, and the result to the client by way of the scheduler.
    assert simulated(cluster, [step]).sent == (SHAPE.blocks - 1 + 2) * size


def test_a_scheduler_that_needs_time_bounds_the_tasks() -> None:
    cluster = Cluster(SHAPE.blocks, task=10 * SECONDS)
    simulation = simulated(cluster, [Step("p", ("f",))])
    assert simulation.tasks == SHAPE.blocks + 1
    assert simulation.clock == pytest.approx(simulation.tasks * cluster.task + SECONDS)


@pytest.mark.parametrize("method", ["fnmtf", "nmtf"])
def test_slower_machines_are_not_faster(method: str) -> None:
    cluster, program = Cluster(3, network=1e4, latency=0.01, task=0.01), sweep(method, SHAPE)
    normal = simulated(cluster, program).clock
    assert simulated(cluster, program, slowness={1: 2.0}).clock > normal
    assert simulated(replace(cluster, network=5e3), program).clock > normal
    assert simulated(replace(cluster, turn=1.0), program).clock > normal


@pytest.mark.parametrize("method", ["fnmtf", "nmtf"])
def test_a_late_loss_costs_more_than_an_early_one(method: str) -> None:
    program = [*start(SHAPE), *sweep(method, SHAPE)]
    simulation = simulated(Cluster(4), program)
    early, late = (after_loss(simulation, method, sweeps) for sweeps in (1, 9))
    assert 0 < early < late


def test_memory_grows_as_said() -> None:
    one, two = (needs("nmtf", SHAPE, Cluster(2), sweeps) for sweeps in (1, 2))
    assert two["scheduler"] - one["scheduler"] == SHAPE.columns * 4 * SHAPE.itemsize
    half = needs("nmtf", SHAPE, Cluster(4), 1)
    assert half["blocks, sweeps"] == one["blocks, sweeps"] / 2


def test_the_guide_shows_the_tables_of_the_record() -> None:
    guide = plan.GUIDE.read_text()
    assert plan.put_into(guide, plan.tables(json.loads(plan.MEASURED.read_text()))) == guide


def test_missing_marks_are_named() -> None:
    with pytest.raises(ValueError, match="check"):
        plan.put_into("no marks", {"check": [{"a": 1}]})


def test_the_code_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", plan.GUIDE.read_text(), re.DOTALL):
        exec(code, space)
    assert len(space["progress"]) == space["on_cluster"].n_iter_
    np.testing.assert_array_equal(space["answers"], space["on_cluster"].labels_)
    assert len(space["from_frame"].labels_) == space["X"].shape[0]
