"""Tables of `trust.md`, from the files that the runs have written (``benchmarks/results``)."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from written import put

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
NOTHING = "*Not run yet: `{command}` writes `benchmarks/results/{file}`.*"


def counted(file: str, command: str) -> Iterator[str]:
    """A table of counts as it is, and below it the sums."""
    place = RESULTS / file
    if not place.exists():
        yield NOTHING.format(command=command, file=file)
        return
    with place.open(newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    first, *others = rows[0]
    counts = {name for name in others if all(row[name].isdecimal() for row in rows)}
    yield f"| {first} | {' | '.join(others)} |\n|---|{'---:|' * len(others)}"
    for row in rows:
        cells = [f"{int(row[name]):,}" if name in counts else row[name] for name in others]
        yield f"| {row[first]} | {' | '.join(cells)} |"
    # Peaks of memory come one after the other, and do not add up.
    added = counts - {"peak_mb"}
    sums = [f"**{sum(int(r[name]) for r in rows):,}**" if name in added else "" for name in others]
    yield f"| **all** | {' | '.join(sums)} |"


def coverage() -> Iterator[str]:
    """Shares of lines and branches that the tests run, floor by floor."""
    file = RESULTS / "coverage.json"
    if not file.exists():
        yield NOTHING.format(command="make coverage", file=file.name)
        return
    floors: dict[str, dict[str, int]] = json.loads(file.read_text(encoding="utf-8"))
    yield "| floor | lines | branches | covered |\n|---|---:|---:|---:|"
    for name, own in floors.items():
        share = (own["covered_lines"] + own["covered_branches"]) / (own["lines"] + own["branches"])
        yield f"| {name} | {own['lines']:,} | {own['branches']:,} | {share:.1%} |"


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "faults.md": lambda: counted("faults.csv", "make faults"),
    "fuzz.md": lambda: counted("fuzz.csv", "make fuzz"),
    "drawn.md": lambda: counted("drawn.csv", "make fuzz"),
    "coverage.md": coverage,
}


def write(app: Any) -> None:
    """Write the tables that the page includes."""
    for name, table in TABLES.items():
        put(Path(app.srcdir) / "_written" / name, "\n".join(table()) + "\n")


def setup(app: Any) -> dict[str, bool]:
    """Write before the pages are read."""
    app.connect("builder-inited", write, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
