"""Results of a benchmark that is one table of rows: kept as CSV, shown as a page."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
Row = dict[str, Any]


def run_and_write(name: str, rows: Iterable[Row], report: Callable[[list[Row]], str]) -> None:
    """Make all rows, say each as soon as it is there, and write results/NAME.{csv,md}."""
    found = []
    for row in rows:
        print(row, flush=True)
        found.append(row)
    with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, found[0])
        writer.writeheader()
        writer.writerows(found)
    (RESULTS / f"{name}.md").write_text(report(found), encoding="utf-8")
