"""``python -m benchmarks reproduce``: what it says, what it leaves behind, and its exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from benchmarks import __main__ as command
from benchmarks.packs import PACK, WORKING, read_rows
from benchmarks.papers import reproduce
from benchmarks.papers.protocol import Answer, Column, Problem, Sample, Setting, Table
from benchmarks.papers.runner import RUNS, run

ROOT = Path(__file__).parents[2]
CLASSES = np.repeat([0, 1], 6)


def blocks(paper: str, name: str, seed: int) -> Sample:
    return Sample({"words": np.ones((12, 3))}, CLASSES, 2)


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Makes a name stand for a table of five runs; the method may be interrupted at one of them."""
    (tmp_path / "published.csv").write_text("table,row,column,metric,value\n")

    def put(interrupted_at: int | None = None) -> Path:
        def solve(problem: Problem, setting: Setting, seed: int) -> Answer:
            if seed == interrupted_at:
                raise KeyboardInterrupt
            return Answer(CLASSES)

        columns = (Column("toy", solve),)
        table = Table("wang2011", "9", "toys", {"Toy": (None,)}, columns, ("accuracy",), 5)
        monkeypatch.setattr(command, "find", lambda name: reproduce.TableWork(table, tmp_path))
        monkeypatch.setattr(reproduce, "run", partial(run, loader=blocks))
        return tmp_path

    return put


def test_a_run_leaves_a_page_and_a_pack_and_nothing_else(
    toy: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = toy()
    assert command.main(["reproduce", "toy"]) == 0
    assert f"written to {folder / 'table9.md'}" in capsys.readouterr().out
    assert "| Toy | - / 1.000 / - |" in (folder / "table9.md").read_text()
    left = {file.name for file in folder.iterdir()}
    assert left == {"published.csv", "table9.md", PACK, ".working.lock"}
    before = (folder / PACK).read_bytes()
    assert command.main(["reproduce", "toy"]) == 0
    assert (folder / PACK).read_bytes() == before


def test_an_interrupted_run_has_its_page_and_goes_on_where_it_ended(
    toy: Callable[..., Path],
) -> None:
    folder = toy(interrupted_at=3)
    assert command.main(["reproduce", "toy"]) == 130
    assert (folder / "table9.md").exists()
    assert not (folder / WORKING).exists()
    first = read_rows(folder, RUNS)
    assert [row["seed"] for row in first] == ["0", "1", "2"]
    toy()
    assert command.main(["reproduce", "toy"]) == 0
    rows = read_rows(folder, RUNS)
    assert rows[:3] == first
    assert [row["seed"] for row in rows] == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("wang2011/tabel2", "wang2011/table2"),
        ("chen2010/figur5", "chen2010/figure5"),
        ("wang2012", "wang2011"),
        ("xyz", "li2012/table3"),
    ],
)
def test_an_unknown_name_is_one_sentence_with_the_nearest_names(
    name: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["reproduce", name]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert f"There is nothing named '{name}' to reproduce" in said[0]
    assert near in said[0]


def test_a_command_without_a_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["reproduce"], ["repeat", "wang2011"]):
        with pytest.raises(SystemExit, match="2"):
            command.main(words)
    assert "usage: python -m benchmarks" in capsys.readouterr().err


def test_missing_data_are_named_with_the_place_to_put_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COCLUSTER_DATA", raising=False)
    monkeypatch.delenv("COCLUSTER_MIRROR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert command.main(["reproduce", "wang2011/table2", "--quick"]) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert "Put cstr_475x1000.npz " in said
    assert "COCLUSTER_DATA" in said


def test_folders_are_those_of_the_checkout_from_wherever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = list(sys.path)
    monkeypatch.chdir(tmp_path)
    assert reproduce.find("wang2011/table2").folder == ROOT / "benchmarks" / "papers" / "wang2011"
    assert sys.path == path


def test_the_module_is_a_command() -> None:
    words = [sys.executable, "-m", "benchmarks", "reproduce", "nothing"]
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, env=known)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
