"""The command line, through its own door."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cocluster.__main__ import main
from cocluster.methods.catalogue import METHODS

BLOCKS = np.kron([[9, 1], [1, 9]], np.ones((4, 3)))


def command(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cocluster", *words], capture_output=True, text=True, cwd=cwd
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "blocks.csv"
    names = [f"doc{i}" for i in range(8)]
    rows = [["id", *(f"word{j}" for j in range(6))]]
    rows += [[name, *row] for name, row in zip(names, BLOCKS.tolist(), strict=True)]
    with file.open("w", newline="") as opened:
        csv.writer(opened).writerows(rows)
    return file


def test_fit_writes_a_run_that_plain_tools_read(table: Path, tmp_path: Path) -> None:
    done = command("fit", table.name, "-k", "2", "--out", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["method"] == "auto"
    assert run["converged"]
    with (tmp_path / "run" / "labels_samples.csv").open() as opened:
        labels = {row["name"]: row["cluster"] for row in csv.DictReader(opened)}
    assert set(labels) == {f"doc{i}" for i in range(8)}
    assert len({labels[f"doc{i}"] for i in range(4)}) == 1 != len(set(labels.values()))
    arrays = np.load(tmp_path / "run" / "factors.npz", allow_pickle=False)
    assert arrays["factor_samples"].shape == (8, 2)


def test_links_are_read_by_name_and_obeyed(table: Path, tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("a,b,relation\ndoc0,doc7,same\n")
    words = ("fit", table.name, "-k", "2", "--links", "links.csv", "--out", "run")
    assert command(*words, cwd=tmp_path).returncode == 0
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["links"] == {"samples": {"satisfied": 1, "violated": 0}}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fit", "nothing.csv", "-k", "2"), "no file or folder"),
        (("fit", "blocks.csv", "-k", "20"), "n_samples=8"),
        (("fit", "blocks.csv", "-k", "2", "--method", "magic"), "'itcc'"),
        (("fit", "blocks.csv", "-k", "2", "--out", "."), "exists already"),
    ],
)
def test_errors_are_one_sentence_and_leave_nothing(
    words: tuple[str, ...],
    said: str,
    table: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["cocluster", *words])
    # Anything but a quiet exit would be a traceback.
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    assert said in " ".join(capsys.readouterr().err.split())
    assert [file.name for file in tmp_path.iterdir()] == [table.name]


def test_the_shell_sees_an_error_without_a_traceback(tmp_path: Path) -> None:
    done = command("fit", "nothing.csv", "-k", "2", cwd=tmp_path)
    assert done.returncode == 1
    assert "no file or folder" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_every_method_is_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["cocluster", "methods"])
    main()
    listed = capsys.readouterr().out
    assert all(name in listed for name in METHODS)
