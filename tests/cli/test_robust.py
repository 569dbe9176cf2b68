"""What goes wrong is said in one line, and nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from cocluster import open_project
from cocluster.projects import ledger
from cocluster.projects.making import reserve
from cocluster.utils.locks import write_lock
from tests.cli.files import blocks, write_csv
from tests.cli.run import called, done, process


@pytest.fixture
def table(tmp_path):
    return write_csv(tmp_path, blocks())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fit", "nothing.csv", "-k", "2"), "There is no file or folder nothing.csv."),
        (("fit", "table.csv", "-k", "20"), "n_samples=8"),
        (("fit", "table.csv", "-k", "2", "--method", "magic"), "itcc"),
        (("fit", "table.csv", "-k", "2", "--out", "."), "exists already"),
        (("fit", "table.csv", "-k", "2", "--links", "none.csv"), "There is no file none.csv"),
        (("fit", "table.csv", "-k", "2", "--text", "body"), "has no column 'body'"),
        (("fit", "table.csv", "-k", "2", "--view", "x"), "--view embeddings=emb.npy"),
        (("predict", "nothing", "table.csv"), "There is no folder nothing."),
        (("explain", "."), "is no project"),
        (("explain", "o[/x]"), "There is no folder o[/x]."),
    ],
)
def test_errors_are_one_sentence_and_leave_nothing(words, said, table, tmp_path):
    found = called(*words, cwd=tmp_path)
    assert (found.code, found.out) == (1, "")
    assert said in found.err.splitlines()[-1]
    assert "Traceback" not in found.err
    assert [file.name for file in tmp_path.iterdir()] == [table.name]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("fit",),
        ("fit", "table.csv", "-k", "three"),
        ("fit", "table.csv", "-k", "0"),
        ("fit", "table.csv", "--bogus"),
        ("frobnicate",),
        ("explain", "x", "y", "z"),
        ("fit", "table.csv", "--method"),
        ("completion", "tcsh"),
        ("edit", "x", "merge"),
    ],
)
def test_usage_errors_are_one_line_and_exit_2(words, table, tmp_path):
    found = called(*words, cwd=tmp_path)
    assert (found.code, found.out) == (2, "")
    assert found.err.count("\n") == 1
    assert "--help" in found.err


def test_help_and_version_load_no_numbers(tmp_path):
    """So they are there at once."""
    program = """
import sys
from cocluster.cli import main
for words in (["--help"], ["fit", "--help"], ["--version"], ["edit", "x", "merge", "--help"]):
    try:
        main(words)
    except SystemExit as left:
        assert not left.code
print(*({"numpy", "scipy", "sklearn", "pandas"} & set(sys.modules)), file=sys.stderr)
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert not found.stderr.strip()
    assert "cocluster fit" in found.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "table.csv", "-k", "2", "--method", "itcc", "--force"),
        ("ask", "table-cocluster"),
        ("predict", "table-cocluster", "table.csv"),
        ("edit", "table-cocluster", "rename", "0", "first"),
        ("explain", "table-cocluster"),
        ("compare", "table-cocluster:1", "table-cocluster:1"),
        ("report", "table-cocluster"),
        ("convert", "table.csv", "table.npz"),
        ("choose-k", "table.csv"),
    ],
)
def test_the_first_line_comes_before_anything_is_loaded(words, table, tmp_path):
    """So it is there within a second, however long the rest takes to load."""
    (tmp_path / "table-cocluster").mkdir()
    program = f"""
import os, sys
from cocluster.cli import main
class First:
    def write(self, text):
        loaded = [name for name in ("numpy", "scipy", "sklearn") if name in sys.modules]
        os.write(1, f"{{text}}|{{loaded}}".encode())
        os._exit(0)
    def isatty(self):
        return False
sys.stderr = First()
main({list(words)!r})
"""
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path
    )
    line, loaded = found.stdout.split("|")
    assert line.split()[0] in ("reading", "opening")
    assert line.split()[1] in words
    assert loaded == "[]"


def test_an_existing_folder_is_replaced_only_by_force(table, tmp_path):
    done("fit", "table.csv", "-k", "2", cwd=tmp_path)
    before = open_project(tmp_path / "table-cocluster").run().about["time"]
    assert called("fit", "table.csv", "-k", "3", cwd=tmp_path).code == 1
    assert open_project(tmp_path / "table-cocluster").run().about["time"] == before
    done("fit", "table.csv", "-k", "3", "--force", cwd=tmp_path)
    assert open_project(tmp_path / "table-cocluster").model.n_clusters == 3


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the owner of all may write")
def test_a_folder_that_cannot_be_written_is_noticed_before_the_fit(table, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    found = called("fit", "table.csv", "-k", "2", "--out", "closed/x", cwd=tmp_path)
    assert found.code == 1
    assert "clustering" not in found.err


def test_a_place_below_a_file_is_noticed_before_the_fit(table, tmp_path):
    found = called("fit", "table.csv", "-k", "2", "--out", "table.csv/x", cwd=tmp_path)
    assert found.code == 1
    assert "clustering" not in found.err
    assert "Traceback" not in found.err


def test_a_full_disk_is_noticed_before_the_fit(table, tmp_path, monkeypatch):
    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    found = called("fit", "table.csv", "-k", "2", cwd=tmp_path)
    assert found.code == 1
    assert "no room on the disk" in found.err
    assert "clustering" not in found.err
    assert [file.name for file in tmp_path.iterdir()] == [table.name]
    with pytest.raises(OSError, match="no room"):
        reserve(tmp_path, 10)


def test_a_ledger_that_cannot_be_written_whole_stays_as_it_was(table, tmp_path, monkeypatch):
    (tmp_path / "links.csv").write_text("a,b,relation\ndoc0,doc1,same\n")
    done("fit", "table.csv", "-k", "2", "--links", "links.csv", cwd=tmp_path)
    project = open_project(tmp_path / "table-cocluster")
    before = (project.folder / "links.csv").read_bytes()
    links = project.links

    class Full:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *given):
            self.file.close()

        def __getattr__(self, name):
            return getattr(self.file, name)

        def write(self, content):
            return self.file.write(content[:10])

    def open_full(*arguments, **options):
        return Full(open(*arguments, **options))

    monkeypatch.setattr(ledger, "open", open_full, raising=False)
    with pytest.raises(OSError, match="disk is full"):
        project.ledger._append([["doc0", "doc2", "must-link", 1.0, "", "", 9]])
    monkeypatch.undo()
    assert (project.folder / "links.csv").read_bytes() == before
    assert project.links.n_must == links.n_must


def test_a_second_writer_is_told_who_is_the_first(table, tmp_path):
    done("fit", "table.csv", "-k", "2", cwd=tmp_path)
    with write_lock(tmp_path / "table-cocluster"):
        found = called("edit", "table-cocluster", "rename", "0", "x", cwd=tmp_path)
        again = called("fit", "table.csv", "-k", "2", "--force", cwd=tmp_path)
        # Reading is free.
        assert called("explain", "table-cocluster", cwd=tmp_path).code == 0
    for refused in (found, again):
        assert refused.code == 1
        assert f"being written by another process (number {os.getpid()})" in refused.err
    assert called("edit", "table-cocluster", "rename", "0", "x", cwd=tmp_path).code == 0


def test_names_with_markup_and_control_characters_are_shown_as_they_are(tmp_path):
    rows = blocks("[/x][red]\x1b[31m")
    write_csv(tmp_path, rows, "odd[x].csv")
    found = called("fit", "odd[x].csv", "-k", "2", cwd=tmp_path)
    assert found.code == 0, found.err
    assert "[/x][red]" in found.out
    assert "\x1b" not in found.out
    assert "odd[x]-cocluster/report.html" in found.err


def test_what_a_terminal_cannot_show_is_escaped_not_lost(tmp_path):
    rows = [
        ["id", "größe", "東京", "b", "c"],
        ["é", 9, 9, 1, 1],
        ["ü", 1, 1, 9, 9],
        ["z", 9, 8, 1, 1],
    ]
    write_csv(tmp_path, rows)
    found = process(
        "fit", "table.csv", "-k", "2", cwd=tmp_path, LC_ALL="C", PYTHONIOENCODING="ascii"
    )
    assert found.returncode == 0, found.stderr
    assert rb"\xf6" in found.stdout
    assert set(open_project(tmp_path / "table-cocluster").run().labels()) == {"é", "ü", "z"}


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_a_closed_pipe_loses_nothing(table, tmp_path):
    command = f"{sys.executable} -m cocluster fit table.csv -k 2 --json | true"
    found = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path)
    assert "Traceback" not in found.stderr
    assert "Exception ignored" not in found.stderr
    assert open_project(tmp_path / "table-cocluster").runs == [1]


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_ctrl_c_keeps_what_was_found_and_exits_130(tmp_path):
    rng_rows = [["id", *(f"f{j}" for j in range(40))]]
    rng_rows += [[f"s{i}", *((i * j * 7919) % 13 for j in range(40))] for i in range(400)]
    write_csv(tmp_path, rng_rows)
    words = [
        "fit",
        "table.csv",
        "-k",
        "8",
        "--method",
        "nmtf",
        "--max-iter",
        "1000000",
        "--tol",
        "0",
    ]
    running = subprocess.Popen(
        [sys.executable, "-m", "cocluster", *words],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
    )
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith("clustering"):
            break
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode == 130
    assert not open_project(tmp_path / "table-cocluster").run().about["converged"]


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_a_killed_fit_leaves_nothing_or_all_and_the_next_one_cleans_up(table, tmp_path):
    folder = tmp_path / "table-cocluster"
    for wait in (0.4, 0.8, 1.2, 1.6, 2.0):
        running = subprocess.Popen(
            [sys.executable, "-m", "cocluster", "fit", "table.csv", "-k", "2", "--force"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=tmp_path,
        )
        time.sleep(wait)
        running.kill()
        running.wait()
        if folder.exists():
            project = open_project(folder)
            assert len(project.model.labels_) == len(project.dataset) == 8
            assert (folder / "report.html").exists()
    done("fit", "table.csv", "-k", "2", "--force", cwd=tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {"table.csv", "table-cocluster"}


def test_an_old_run_is_still_read(table, tmp_path):
    old = tmp_path / "old"
    old.mkdir()
    (old / "run.json").write_text('{"method": "auto", "sizes": {"samples": 8}}')
    (old / "labels_samples.csv").write_text(
        "name,cluster\n" + "".join(f"doc{i},{i % 2}\n" for i in range(8))
    )
    project = open_project(old)
    assert project.run().labels()["doc3"] == 1
    with pytest.raises(ValueError, match="an older version of cocluster wrote it"):
        project.model  # noqa: B018
    done("fit", "table.csv", "-k", "2", cwd=tmp_path)
    assert "samples moved" in done("compare", "old", "table-cocluster", cwd=tmp_path)
