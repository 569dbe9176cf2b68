"""A few kills of every command, so that the long run (`make faults`) cannot rot."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.faults.run import Tally, write_row

ROOT = Path(__file__).parents[2]
COMMANDS = {"ask", "choose-k", "edit", "fit", "reproduce"}


@pytest.mark.skipif(os.name == "nt", reason="needs fork and signals")
def test_a_few_kills_break_nothing(tmp_path: Path) -> None:
    # The workbench takes seconds to start, and tests/web/test_browser.py kills it, too.
    found = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks", "faults", "--kills", "4"),
            *("--out", str(tmp_path / "faults.csv"), "--only", *sorted(COMMANDS)),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert found.returncode == 0, found.stdout + found.stderr
    with (tmp_path / "faults.csv").open(newline="") as opened:
        rows = {row["command"]: row for row in csv.DictReader(opened)}
    assert set(rows) == COMMANDS
    for row in rows.values():
        assert (row["kills"], row["failures"]) == ("4", "0")
        assert int(row["compared"]) > 0


def test_a_stopped_run_is_gone_on_with(tmp_path: Path) -> None:
    file = tmp_path / "faults.csv"
    assert Tally.of(file, "fit") == Tally()
    write_row(file, Tally(40, 20, 15, failures=["lost"]).row("fit"))
    write_row(file, Tally(8, 4, 3).row("ask"))
    assert Tally.of(file, "fit") == Tally(40, 20, 15, before=1)
    again = Tally.of(file, "fit")
    again.failures.append("lost again")
    write_row(file, again.row("fit"))
    assert Tally.of(file, "fit").before == 2
    assert Tally.of(file, "ask") == Tally(8, 4, 3)
