"""The pages on trust: figures come from files of runs, and what is named is there."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

import pytest

from benchmarks.coverage import floors
from tests.docs.pages import DOCS

ROOT = DOCS.parent
sys.path.insert(0, str(DOCS / "_ext"))
import trust  # noqa: E402

# A path of the repository: with a folder, or with an ending.
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]+|[\w-]+\.(?:md|cff|toml|py|lock))`")
# Named because it is missing.
MISSING = {"paper.md"}


@pytest.mark.parametrize("name", ["trust.md", "checklists.md"])
def test_every_file_that_is_named_is_there(name):
    named = set(PATH.findall((DOCS / name).read_text(encoding="utf-8"))) - MISSING
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_counts_are_shown_as_they_are_in_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(trust, "RESULTS", tmp_path)
    assert "Not run yet" in "".join(trust.count_table("faults.csv", "make faults"))
    with (tmp_path / "faults.csv").open("w", newline="") as opened:
        csv.writer(opened).writerows(
            [["command", "kills", "failures"], ["fit", 1200, 0], ["ask", 30, 1]]
        )
    *_, first, second, total = trust.count_table("faults.csv", "make faults")
    assert (first, second) == ("| fit | 1,200 | 0 |", "| ask | 30 | 1 |")
    assert total == "| **all** | **1,230** | **1** |"


def test_coverage_is_summed_by_floor(tmp_path, monkeypatch):
    def file(lines, covered, branches, both):
        names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
        return {"summary": dict(zip(names, (lines, covered, branches, both), strict=True))}

    found = floors(
        {
            "files": {
                "src/cocluster/utils/files.py": file(10, 10, 0, 0),
                "src/cocluster/utils/locks.py": file(20, 10, 10, 0),
                "src/cocluster/metrics.py": file(5, 5, 5, 5),
            }
        }
    )
    assert list(found) == ["the rest", "utils", "all"]
    (tmp_path / "coverage.json").write_text(json.dumps(found))
    monkeypatch.setattr(trust, "RESULTS", Path(tmp_path))
    *_, utils, everything = trust.coverage()
    assert utils == "| utils | 30 | 10 | 50.0% |"
    assert everything.endswith("| 60.0% |")
