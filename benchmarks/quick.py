"""A small slice of the papers' tables and of the leaderboard, in less than ten minutes.

    python -m benchmarks.quick

Runs are written to a temporary folder: no recorded figure is touched. What there are no data for is
named and skipped.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.leaderboard.methods import COMPARED
from benchmarks.leaderboard.run import run as run_leaderboard
from benchmarks.leaderboard.tables import table as means
from benchmarks.papers.page import write_page
from benchmarks.papers.protocol import Table
from benchmarks.papers.runner import require_data
from benchmarks.papers.runner import run as run_table
from benchmarks.papers.tables import TABLES

SLICES = {
    "chen2010/table5": ("CT1", "CT4", "BT4"),
    "chen2008/table5": ("Graft-Phos", "England-Heart"),
    "wang2011/table2": ("CSTR",),
    "li2012/table2": ("LungCancer",),
    "zhang2012/table4": ("Medulloblastoma",),
}
SETS = ("colon_alon_62x2000", "cstr_475x1000", "oh5", "re0", "umist_575x644", "classic3")
# Seconds from the beginning after which no further run of a table, or of the leaderboard, begins.
TABLES_UNTIL, ALL_UNTIL = 360.0, 520.0
LIMIT = 5


class OutOfTime(Exception):
    """The time for the tables is up."""


def reproduce(table: Table, end: float) -> bool:
    """Print the page of a table, run as far as the time goes; whether it was run to its end."""
    home = Path(__file__).parent / "papers" / table.paper

    def watch(job: Any, done: int, total: int) -> None:
        if time.monotonic() > end:
            raise OutOfTime(f"The time was up after {done} of {total} runs.")

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(home / "published.csv", folder)
        note = ""
        try:
            run_table(table, folder, quick=True, report=watch)
        except OutOfTime as error:
            note = f"\n{error}"
        page = write_page(table, folder, quick=True).read_text(encoding="utf-8")
    print(page.split("\n## Settings chosen")[0] + note, flush=True)
    return not note


def tables(start: float) -> int:
    """Print all slices of tables; how many there were data and time for."""
    count = 0
    for i, (name, rows) in enumerate(SLICES.items(), start=1):
        whole = TABLES[name]
        part = replace(whole, sets={row: whole.sets[row] for row in rows}, quick_sets=())
        try:
            require_data(part, quick=True)
        except (OSError, ValueError) as error:
            print(f"{name} ({', '.join(rows)}) is skipped: {error}\n")
            continue
        # What a slice leaves of its share goes to those after it, and none takes that of others.
        count += reproduce(part, start + TABLES_UNTIL * i / len(SLICES))
    return count


def leaderboard(start: float) -> int:
    """Print the means of CoCluster and the peers; how many sets there were data and time for."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for row in run_leaderboard(Path(name), list(SETS), list(COMPARED), limit=LIMIT, seeds=1):
            rows.append(row)
            if time.monotonic() > start + ALL_UNTIL:
                break
    frame = pd.DataFrame(rows, columns=["set", "method", "nmi", "accuracy", "seconds"])
    finished = frame.groupby("set")["method"].transform("size") == len(COMPARED)
    sets = list(dict.fromkeys(frame.loc[finished, "set"]))
    if sets:
        print(f"# Leaderboard: {', '.join(sets)}\n")
        print(means(frame[finished]).to_string(float_format="%.3f"))
    return len(sets)


def main() -> None:
    """Both, and what was run."""
    start = time.monotonic()
    found, sets = tables(start), leaderboard(start)
    seconds = time.monotonic() - start
    print(
        f"\nRun to the end: {found} of {len(SLICES)} slices of tables, {sets} of {len(SETS)} sets "
        f"of the leaderboard, in {seconds:.0f} s."
    )
    if not (found or sets):
        print("To run what is named above, set COCLUSTER_DATA to the folder with its files.")


if __name__ == "__main__":
    # As everywhere in the benchmarks: one thread for each fit.
    with threadpool_limits(1):
        main()
