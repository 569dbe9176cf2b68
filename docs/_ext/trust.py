"""Write the tables of `trust.md` from the results of the runs (``benchmarks/results``)."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from written import put

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
NOT_RUN = "*Not run yet: `{command}` writes `benchmarks/results/{file}`.*"


def count_table(file: str, command: str) -> Iterator[str]:
    """Yield the lines of a table of counts, with the column sums at the end."""
    path = RESULTS / file
    if not path.exists():
        yield NOT_RUN.format(command=command, file=file)
        return
    with path.open(newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    first, *others = rows[0]
    counts = {name for name in others if all(row[name].isdecimal() for row in rows)}
    yield f"| {first} | {' | '.join(others)} |\n|---|{'---:|' * len(others)}"
    for row in rows:
        cells = [f"{int(row[name]):,}" if name in counts else row[name] for name in others]
        yield f"| {row[first]} | {' | '.join(cells)} |"
    # Peaks of memory occur one after the other, so their sum has no meaning.
    summed = counts - {"peak_mb"}
    sums = [f"**{sum(int(r[name]) for r in rows):,}**" if name in summed else "" for name in others]
    yield f"| **all** | {' | '.join(sums)} |"


def coverage() -> Iterator[str]:
    """Yield the lines of the table of test coverage by layer."""
    file = RESULTS / "coverage.json"
    if not file.exists():
        yield NOT_RUN.format(command="make coverage", file=file.name)
        return
    layers: dict[str, dict[str, int]] = json.loads(file.read_text(encoding="utf-8"))
    yield "| layer | lines | branches | covered |\n|---|---:|---:|---:|"
    for name, layer in layers.items():
        covered = layer["covered_lines"] + layer["covered_branches"]
        share = covered / (layer["lines"] + layer["branches"])
        yield f"| {name} | {layer['lines']:,} | {layer['branches']:,} | {share:.1%} |"


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "faults.md": lambda: count_table("faults.csv", "make faults"),
    "fuzz.md": lambda: count_table("fuzz.csv", "make fuzz"),
    "drawn.md": lambda: count_table("drawn.csv", "make fuzz"),
    "coverage.md": coverage,
}


def write(app: Any) -> None:
    """Write the tables that `trust.md` includes."""
    for name, table in TABLES.items():
        put(Path(app.srcdir) / "_written" / name, "\n".join(table()) + "\n")


def setup(app: Any) -> dict[str, bool]:
    """Register `write` to run before Sphinx reads the pages."""
    app.connect("builder-inited", write, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
