"""The plan for 100 million x 1 million: tables of the guide "from laptop to cluster".

    python -m benchmarks.speed.plan              # simulate again, from the measurements on record
    python -m benchmarks.speed.plan --measure    # measure first: a few minutes, on a quiet machine

Prints the tables, puts them into docs/how-to/from-laptop-to-cluster.md between their marks and into
plan.csv; measurements are kept in plan_measured.json.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.speed.cluster_memory import needs
from benchmarks.speed.cluster_model import (
    Cluster,
    Rate,
    Rates,
    Shape,
    Simulation,
    after_loss,
    start,
    sweep,
)

HERE = Path(__file__).parent
MEASURED, TABLES = HERE / "plan_measured.json", HERE / "plan.csv"
GUIDE = HERE.parents[1] / "docs" / "how-to" / "from-laptop-to-cluster.md"

SMALL = (
    Shape(100_000, 5_000, 5_000_000, blocks=8),
    Shape(200_000, 10_000, 20_000_000, blocks=8),
    Shape(400_000, 10_000, 40_000_000, blocks=8),
)
LARGE = Shape(100_000_000, 1_000_000, 10_000_000_000, blocks=256, clusters=20, column_clusters=20)
# 32 machines as one rents them: 8 cores, 40 GB/s of memory, 10 Gbit/s of network.
CLUSTER = Cluster(32, 8, 40e9, 1.25e9, latency=5e-4, task=1e-3, turn=2e-2)
LARGE_BLOCK_ROWS = [50_000, 200_000]
WORKERS = (1, 2)
PROGRAMS = ("fnmtf", "nmtf", "start")
# FNMTF ends when no label changes, on planted sets after 5 to 20 sweeps; 200 is NMTF's max_iter.
SWEEPS = {"fnmtf": 30, "nmtf": 200}
READ_SPEED = 2e8
Row = dict[str, Any]
Tables = dict[str, list[Row]]


def measure() -> Row:
    """All that the simulation needs to be told, and real fits to judge it by."""
    from benchmarks.speed import cluster_measure as cluster

    record: Row = {"constants": {str(n): cluster.constants(n) for n in WORKERS}, "small": []}
    for shape in SMALL:
        X = cluster.planted(shape)
        fits = cluster.fits(X, shape, WORKERS)
        shape = replace(shape, nonzeros=int(X.nnz))
        rates = cluster.rates(shape, [X[: shape.rows // shape.blocks]], PROGRAMS)
        record["small"].append({"shape": asdict(shape), "fits": fits, "rates": _plain(rates)})
        print(shape, fits, flush=True)
    blocks = (cluster.random_block(rows, LARGE) for rows in LARGE_BLOCK_ROWS)
    record["large"] = _plain(cluster.rates(LARGE, blocks, PROGRAMS))
    return record


def _plain(rates: Rates) -> dict[str, list[float]]:
    """Rates as lists, for the record."""
    return {key: [rate.fixed, rate.per_row] for key, rate in rates.items()}


def _rates(plain: Mapping[str, list[float]]) -> Rates:
    """Rates from the record."""
    return {key: Rate(*values) for key, values in plain.items()}


def sweep_of(simulation: Simulation, method: str) -> tuple[float, float, int]:
    """Seconds, bytes that travel and tasks of one sweep, after one that fills the lines."""
    program = sweep(method, simulation.shape)
    simulation.run(program)
    sent, tasks = simulation.sent, simulation.tasks
    seconds = simulation.run(program)
    return seconds, simulation.sent - sent, simulation.tasks - tasks


def check_table(record: Row) -> Iterator[Row]:
    """Predicted and measured, at the small end."""
    for case in record["small"]:
        shape, rates = Shape(**case["shape"]), _rates(case["rates"])
        for key, measured in case["fits"].items():
            program, n = key.split("/")
            if program == "busy":
                continue
            constants = {"network": 1e9, **record["constants"][n]}
            simulation = Simulation(shape, Cluster(int(n), **constants), rates)
            if program == "start":
                predicted = simulation.run(start(shape) + sweep("fnmtf", shape))
            else:
                predicted = sweep_of(simulation, program)[0]
            yield {
                "data": f"{shape.rows:,} x {shape.columns:,}, {shape.nonzeros / 1e6:.0f} M entries",
                "what": "start and sweep 1" if program == "start" else f"sweep, {program.upper()}",
                "workers": n,
                "predicted s": predicted,
                "measured s": measured,
                "measured / predicted": measured / predicted,
                "busy": case["fits"][f"busy/{n}"],
            }


def bottleneck(shape: Shape, cluster: Cluster, rates: Rates, method: str) -> str:
    """The cost without which a sweep would be shortest, and the share of the time that saves."""
    no_work = {key: Rate(0.0, 0.0) for key in rates}
    without = {
        "network": (replace(cluster, network=math.inf, latency=0.0), rates),
        "scheduler": (replace(cluster, task=0.0, turn=0.0), rates),
        "work": (replace(cluster, memory_speed=math.inf), no_work),
    }
    left = {name: sweep_of(Simulation(shape, *given), method)[0] for name, given in without.items()}
    name = min(left, key=lambda key: left[key])
    return f"{name} ({1 - left[name] / sweep_of(Simulation(shape, cluster, rates), method)[0]:.0%})"


def plan_row(method: str, shape: Shape, cluster: Cluster, rates: Rates) -> Row:
    """Time and network of one method on one cluster."""
    begin = Simulation(shape, cluster, rates)
    first = begin.run(start(shape))
    seconds, sent, tasks = sweep_of(Simulation(shape, cluster, rates), method)
    reading = shape.nonzeros * 8 / (cluster.workers * READ_SPEED)
    return {
        "method": method.upper(),
        "workers": cluster.workers,
        "blocks": shape.blocks,
        "block MB": shape.block_bytes / 1e6,
        "tasks per sweep": tasks,
        "network per sweep GB": sent / 1e9,
        "sweep s": seconds,
        "waits most for": bottleneck(shape, cluster, rates, method),
        "reading s": reading,
        "start s": first,
        "sweeps": SWEEPS[method],
        "total min": (reading + first + SWEEPS[method] * seconds) / 60,
    }


def plan_table(rates: Rates) -> Iterator[Row]:
    """More workers, one block for each thread."""
    for method in SWEEPS:
        for workers in (16, 32, 64):
            cluster = replace(CLUSTER, workers=workers)
            shape = replace(LARGE, blocks=workers * cluster.threads)
            yield plan_row(method, shape, cluster, rates)


def block_table(rates: Rates) -> Iterator[Row]:
    """Smaller blocks on the same workers."""
    shown = ("method", "blocks", "block MB", "tasks per sweep", "network per sweep GB", "sweep s")
    for method in SWEEPS:
        for blocks in (256, 1024, 4096):
            row = plan_row(method, replace(LARGE, blocks=blocks), CLUSTER, rates)
            yield {name: row[name] for name in shown}


def memory_table() -> Iterator[Row]:
    """GB that a worker, the client and the scheduler hold."""
    for method, sweeps in SWEEPS.items():
        held = needs(method, LARGE, CLUSTER, sweeps)
        parts = {name: n_bytes / 1e9 for name, n_bytes in held.items()}
        row: Row = {"method": method.upper()}
        for phase in ("start", "sweeps"):
            own = [f"{part}, {phase}" for part in ("blocks", "rows", "sums")]
            row[f"worker, {phase}"] = sum(parts[name] for name in own) + parts["shared"]
        yield row | parts


def trouble_table(rates: Rates) -> Iterator[Row]:
    """What a slow worker, a lost worker and a faster network change."""
    for method in SWEEPS:
        simulation = Simulation(LARGE, CLUSTER, rates)
        normal = sweep_of(simulation, method)[0]
        slow = sweep_of(Simulation(LARGE, CLUSTER, rates, slowness={0: 2.0}), method)[0]
        faster = replace(CLUSTER, network=2 * CLUSTER.network)
        row: Row = {"method": method.upper(), "sweep s": normal, "one worker half as fast s": slow}
        row["network twice as fast s"] = sweep_of(Simulation(LARGE, faster, rates), method)[0]
        reading = LARGE.nonzeros * 8 / CLUSTER.workers / (CLUSTER.workers - 1) / READ_SPEED
        for sweeps in (5, 20):
            lost = reading + after_loss(simulation, method, sweeps)
            row[f"worker lost in sweep {sweeps}, extra s"] = lost
        yield row


def tables(record: Row) -> Tables:
    """All tables by the name of their mark in the guide."""
    rates = _rates(record["large"])
    return {
        "check": list(check_table(record)),
        "memory": list(memory_table()),
        "plan": list(plan_table(rates)),
        "blocks": list(block_table(rates)),
        "trouble": list(trouble_table(rates)),
    }


def as_markdown(rows: list[Row]) -> str:
    """A table; numbers with three digits."""
    names = list(rows[0])
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(_shown(row[name]) for name in names)} |" for row in rows]
    return "\n".join(lines)


def _shown(value: Any) -> str:
    """Three digits, without an exponent."""
    if isinstance(value, float):
        digits = 2 - math.floor(math.log10(abs(value))) if value else 0
        return f"{round(value, digits):,.{max(digits, 0)}f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _filled(table: str, marks: re.Match[str]) -> str:
    """A table between the two marks that were found."""
    return f"{marks[1]}{table}\n{marks[2]}"


def put_into(text: str, found: Tables) -> str:
    """The text with every table between its marks."""
    for name, rows in found.items():
        marked = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text, n = marked.subn(partial(_filled, as_markdown(rows)), text)
        if n != 1:
            raise ValueError(f"The guide needs the marks of table {name!r} once, it has {n}.")
    return text


def write_csv(found: Tables, file: Path) -> None:
    """One line for each number."""
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["table", "row", "column", "value"])
        for name, rows in found.items():
            for number, row in enumerate(rows):
                writer.writerows([name, number, column, _shown(v)] for column, v in row.items())


def main() -> None:
    """Measure if asked to, simulate, print and write."""
    if "--measure" in sys.argv[1:]:
        MEASURED.write_text(json.dumps(measure(), indent=1) + "\n")
    found = tables(json.loads(MEASURED.read_text()))
    for name, rows in found.items():
        print(f"\n{name}\n{as_markdown(rows)}")
    write_csv(found, TABLES)
    GUIDE.write_text(put_into(GUIDE.read_text(), found))


if __name__ == "__main__":
    main()
