"""Full disks, closed doors, gone listeners, other clocks: a sentence, and nothing is lost."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from cocluster import Links, open_project
from cocluster.cli.commands import ask
from cocluster.projects import ledger
from tests.cli.files import blocks, write_csv, write_jsonl
from tests.cli.run import called, done, process

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a shell and signals")
COCLUSTER = f"{shlex.quote(sys.executable)} -m cocluster"


@pytest.fixture
def table(tmp_path):
    return write_csv(tmp_path, blocks())


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A project that is copied by those who change it."""
    place = tmp_path_factory.mktemp("fitted")
    write_csv(place, blocks())
    done("fit", "table.csv", "-k", "2", cwd=place)
    return place


@pytest.fixture
def project(fitted, tmp_path):
    shutil.copytree(fitted, tmp_path, dirs_exist_ok=True)
    return tmp_path / "table-cocluster"


def shell(line, cwd, **settings):
    return subprocess.run(
        ["sh", "-c", line],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, **settings},
    )


def alone(script, cwd):
    """Run a script where one may mount disks that nobody else sees."""
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"]).returncode:
        pytest.skip("needs the right to mount a disk of one's own")
    words = ["unshare", "-rm", "sh", "-ec", script]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True)


def one_sentence(found):
    assert "Traceback" not in found.stderr
    assert "Exception ignored" not in found.stderr
    return found.stderr.splitlines()[-1]


def test_a_full_disk_keeps_the_project_as_it_was(project, tmp_path):
    # First not a byte is free, then as much as half a run takes.
    script = f"""
    mkdir disk; mount -t tmpfs -o size=6m tmpfs disk; cp -r table-cocluster disk/p
    dd if=/dev/zero of=disk/filler bs=4k 2>/dev/null || true
    find disk/p | sort > before
    {COCLUSTER} edit disk/p merge 0 1 || echo ended with $?
    truncate -s -32k disk/filler
    {COCLUSTER} edit disk/p merge 0 1 || echo ended with $?
    find disk/p | sort | diff before -
    {COCLUSTER} explain disk/p
    rm disk/filler; {COCLUSTER} edit disk/p merge 0 1
    find disk -name '.*'
    """
    found = alone(script, tmp_path)
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("ended with 1") == 2
    sentence = "No space left on device; make room, then give the command again."
    assert found.stderr.count(sentence) == 2
    assert "Traceback" not in found.stderr
    # All eight are one cluster now, and nothing hidden is left.
    assert found.stdout.splitlines()[-1].split()[1] == "8"


def test_a_folder_on_a_disk_that_is_read_only(project, tmp_path):
    """Reading is free, writing is refused with a sentence, before any work; so it is with HOME."""
    script = f"""
    mkdir disk; mount -t tmpfs tmpfs disk; cp -r table-cocluster table.csv disk
    mount -o remount,ro disk; cd disk; export HOME=$PWD XDG_CACHE_HOME=
    {COCLUSTER} explain table-cocluster
    {COCLUSTER} doctor
    {COCLUSTER} edit table-cocluster rename 0 x || echo ended with $?
    {COCLUSTER} fit table.csv -k 2 --out new || echo ended with $?
    {COCLUSTER} fit table.csv -k 2 --out ../elsewhere
    """
    found = alone(script, tmp_path)
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("ended with 1") == 2
    assert found.stderr.lower().count("read-only file system") == 2
    assert "Traceback" not in found.stderr
    assert open_project(tmp_path / "elsewhere").runs == [1]


def test_no_home_at_all(table, tmp_path):
    """Not in the environment, and not in the list of users either."""
    program = (
        "import os, pwd; os.environ.pop('HOME', None); os.environ.pop('XDG_CACHE_HOME', None)\n"
        "def nobody(*given): raise KeyError\n"
        "pwd.getpwuid = nobody\n"
        "from cocluster.cli import main; main()"
    )
    for words in (["fit", "table.csv", "-k", "2"], ["doctor"], ["explain", "table-cocluster"]):
        found = subprocess.run(
            [sys.executable, "-c", program, *words], cwd=tmp_path, capture_output=True, text=True
        )
        assert found.returncode == 0, found.stderr
    assert open_project(tmp_path / "table-cocluster").runs == [1]


def test_results_that_cannot_be_written_are_an_error(project, tmp_path):
    found = shell(f"{COCLUSTER} explain table-cocluster > /dev/full", tmp_path)
    assert found.returncode == 1
    assert one_sentence(found).startswith("error: ")


@pytest.mark.parametrize("closing", ["2>&1 >out | true", "2>/dev/full", "<&- >&- 2>&-"])
def test_a_fit_goes_on_though_nobody_listens(closing, table, tmp_path):
    found = shell(f"{COCLUSTER} fit table.csv -k 2 {closing}", tmp_path)
    assert found.returncode == 0
    assert open_project(tmp_path / "table-cocluster").runs == [1]
    assert list(tmp_path.glob(".*")) == []


def test_answers_of_a_closed_keyboard_are_none(project, tmp_path):
    found = shell(f"{COCLUSTER} ask table-cocluster <&-", tmp_path)
    assert found.returncode == 0, found.stderr
    assert one_sentence(found).endswith("no answers, so nothing has changed.")


def test_sigterm_leaves_nothing_unfinished(tmp_path):
    rows = [["id", *(f"f{j}" for j in range(40))]]
    rows += [[f"s{i}", *((i * j * 7919) % 13 for j in range(40))] for i in range(400)]
    write_csv(tmp_path, rows)
    endless = ["--method", "nmtf", "--max-iter", "1000000", "--tol", "0"]
    running = subprocess.Popen(
        [sys.executable, "-m", "cocluster", "fit", "table.csv", "-k", "8", *endless],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        cwd=tmp_path,
    )
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith("clustering"):
            break
    running.send_signal(signal.SIGTERM)
    _, said = running.communicate(timeout=600)
    assert running.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in said
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]


def test_of_two_processes_one_wins_whole(table, tmp_path):
    words = [sys.executable, "-m", "cocluster", "fit", "table.csv", "-k", "2"]
    both = [
        subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    said = [one.communicate()[1].decode() for one in both]
    # The other one is told that the folder is being written, or that it is there by now.
    assert sorted(one.returncode for one in both) == [0, 1], said
    refused = said[[one.returncode for one in both].index(1)]
    assert "another process" in refused or "exists already" in refused
    assert open_project(tmp_path / "table-cocluster").runs == [1]
    assert list(tmp_path.glob(".*")) == []


def test_the_order_of_the_ledger_does_not_hang_on_the_clock(project, monkeypatch):
    """Answers are in the order in which they were given, also if the clock was put back."""
    now = datetime(2030, 1, 1, tzinfo=UTC)
    times = iter([now, now - timedelta(days=400), now - timedelta(days=800)])
    monkeypatch.setattr(ledger, "_now", lambda: next(times).isoformat())
    book = open_project(project).ledger
    for j in (1, 2):
        book.add(Links.from_pairs([(0, j)], n_samples=8), "ask")
    book.undo(1, "ask")
    assert list(book.steps()) == [2]
    stated = [line.time for line in book.lines()]
    assert stated == sorted(stated, reverse=True)
    links = open_project(project).links
    assert links is not None
    assert links.n_must == 1


def test_every_letter_is_read_and_written_in_the_plainest_locale(tmp_path):
    rows = [["id", "größe", "東京", "b", "c"]]
    rows += [["é", 9, 9, 1, 1], ["ü", 1, 1, 9, 9], ["z", 9, 8, 1, 1]]
    file = tmp_path / "größe.csv"
    write_csv(tmp_path, rows, "plain.csv").rename(file)
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for words in (("fit", file.name, "-k", "2", "--out", "p"), ("report", "p")):
        found = process(*words, cwd=tmp_path, **plain)
        assert found.returncode == 0, found.stderr
    assert set(open_project(tmp_path / "p").run().labels()) == set("éüz")
    assert "größe" in (tmp_path / "p" / "report.html").read_text(encoding="utf-8")


def test_an_edit_in_the_current_folder(project):
    assert called("edit", ".", "rename", "0", "x", cwd=project).code == 0
    assert open_project(project).names == {0: "x"}


def test_what_is_left_of_killed_processes_goes_with_the_next_write(project, tmp_path):
    program = """
import os, signal
from pathlib import Path
from cocluster.utils.files import new_file, new_folder
with new_folder(Path("table-cocluster/runs/002")) as half, new_file(Path("x.csv")) as other:
    (half / "a").touch(); other.touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path)
    assert len([*tmp_path.glob(".*.csv"), *(project / "runs").glob(".*")]) == 2
    assert open_project(project).runs == [1]
    done("edit", "table-cocluster", "rename", "0", "x", cwd=tmp_path)
    done("predict", "table-cocluster", "table.csv", "--out", "x.csv", cwd=tmp_path)
    assert not [*tmp_path.glob(".*"), *(project / "runs").glob(".*")]


def test_a_replacement_that_was_killed_halfway_is_put_back(project, tmp_path):
    os.rename(project, tmp_path / ".table-cocluster.old")
    assert open_project(project).runs == [1]
    os.rename(project, tmp_path / ".table-cocluster.old")
    assert "exists already" in called("fit", "table.csv", "-k", "2", cwd=tmp_path).err


def test_names_and_report_of_a_run_are_found_though_its_writer_was_killed(project, tmp_path):
    done("edit", "table-cocluster", "rename", "0", "fresh", cwd=tmp_path)
    # As it is when the process ends after the run and before the rest.
    for name in ("names.csv", "report.html"):
        os.rename(project / name, project / "runs" / "002" / name)
    (project / "names.csv").write_text("cluster,name\n0,stale\n")
    assert open_project(project).names == {0: "fresh"}
    with open_project(project).writing() as held:
        assert "fresh" in (project / "report.html").read_text()
        assert held.names == {0: "fresh"}


def test_an_edit_without_its_run_is_taken_back(project, tmp_path):
    done("edit", "table-cocluster", "move", "doc0", "--to", "1", cwd=tmp_path)
    shutil.rmtree(project / "runs" / "002")
    assert open_project(project).links is not None
    with open_project(project).writing() as held:
        assert held.links is None


@pytest.mark.parametrize("kind", [(), ("--placements",)])
def test_answers_of_a_session_that_was_killed_are_gone_on_with(kind, tmp_path, monkeypatch):
    """The result is that of a session without a break."""
    words = ("ask", "docs-cocluster", *kind)
    keys = ["1", "2", "1"] if kind else ["s", "d", "u", "s"]
    for name in ("whole", "broken"):
        (tmp_path / name).mkdir()
        write_jsonl(tmp_path / name)
        done("fit", "docs.jsonl", "-k", "3", cwd=tmp_path / name)
    done(*words, cwd=tmp_path / "whole", typed="\n".join(keys))

    def killed(*given):
        raise KeyboardInterrupt

    for answered in range(1, len(keys)):
        # As it is when the process ends after the last answer.
        with monkeypatch.context() as patched:
            patched.setattr(ask, "keep", killed)
            found = called(*words, cwd=tmp_path / "broken", typed=keys[answered - 1])
        assert found.code == 130
        assert open_project(tmp_path / "broken" / "docs-cocluster").runs == [1]
    # The last answers are in the ledger, too: without another one they are clustered with.
    with monkeypatch.context() as patched:
        patched.setattr(ask, "keep", killed)
        called(*words, cwd=tmp_path / "broken", typed=keys[-1])
    assert "going on after" in called(*words, cwd=tmp_path / "broken").err
    whole, broken = (open_project(tmp_path / n / "docs-cocluster") for n in ("whole", "broken"))
    assert broken.model.labels_.tolist() == whole.model.labels_.tolist()
    assert [(line.a, line.b, line.in_force) for line in broken.ledger.lines()] == [
        (line.a, line.b, line.in_force) for line in whole.ledger.lines()
    ]
    assert "nothing has changed" in called(*words, cwd=tmp_path / "broken").err


def test_links_of_a_file_that_is_given_again_are_said_once(project, tmp_path):
    """So a fit that was killed can be given again as it was typed."""
    (tmp_path / "links.csv").write_text("a,b,relation\ndoc0,doc1,same\ndoc0,doc7,different\n")
    for _ in range(2):
        done("fit", "table-cocluster", "-k", "2", "--links", "links.csv", cwd=tmp_path)
    assert len(open_project(project).ledger.lines()) == 2
    (tmp_path / "links.csv").write_text("a,b,relation\ndoc0,doc2,same\n")
    done("fit", "table-cocluster", "-k", "2", "--links", "links.csv", cwd=tmp_path)
    assert len(open_project(project).ledger.lines()) == 3
