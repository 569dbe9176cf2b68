"""Files and folders appear whole or not at all, whoever else writes beside them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from cocluster.utils.files import Unreadable, cache_folder, new_file, new_folder, wrap_read_errors


def test_a_file_appears_when_it_is_complete(tmp_path):
    target = tmp_path / "x.txt"
    target.write_text("old")
    with new_file(target) as unfinished:
        unfinished.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_that_is_not_finished_leaves_the_old_one(tmp_path):
    target = tmp_path / "x.txt"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), new_file(target) as unfinished:
        unfinished.write_text("n" * (1 // 0))
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_many_writers_of_one_file_do_not_clash(tmp_path):
    target = tmp_path / "x.txt"

    def write(number):
        with new_file(target) as unfinished:
            unfinished.write_text(str(number) * 1000)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert len(set(target.read_text())) == 1
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_is_not_finished_leaves_nothing(tmp_path):
    with pytest.raises(IsADirectoryError), new_folder(tmp_path / "x") as unfinished:
        unfinished.write_text("a folder is no file")
    assert not list(tmp_path.iterdir())


def test_errors_name_what_cannot_be_read_once():
    named = pytest.raises(ValueError, match=r"^x\.csv cannot be read \(KeyError\)")
    with named, wrap_read_errors("x.csv", KeyError):
        raise KeyError
    named = pytest.raises(ValueError, match=r"^x\.csv lacks a$")
    with named, wrap_read_errors("x.csv", ValueError):
        raise ValueError("x.csv lacks a")
    with pytest.raises(FileNotFoundError), wrap_read_errors("x.csv", OSError):
        raise FileNotFoundError
    with pytest.raises(MemoryError), wrap_read_errors("x.csv", Exception):
        raise MemoryError


def test_errors_of_other_libraries_become_ours_even_if_they_name_the_file():
    class OfALibrary(ValueError):
        pass

    class Absent(FileNotFoundError):
        pass

    lines = ValueError("x.csv is odd.\nPlease see the manual.")
    for error in (OfALibrary("x.csv is odd"), Absent("x.csv has no group"), lines):
        with (
            pytest.raises(Unreadable, match=r"x\.csv cannot be read"),
            wrap_read_errors("x.csv", Exception),
        ):
            raise error


def test_what_a_library_prints_is_cut_off():
    long = pytest.raises(ValueError, match=r"x\.csv cannot be read \(a{100}")
    with long as caught, wrap_read_errors("x.csv", OSError):
        raise OSError("a" * 10_000)
    assert len(str(caught.value)) < 1000


def test_a_part_that_was_named_is_named_once():
    with (
        pytest.raises(ValueError, match=r"^folder/x\.npz cannot be read \(cut off\);") as caught,
        wrap_read_errors("folder/x.npz", ValueError),
        wrap_read_errors("x.npz", OSError),
    ):
        raise OSError("cut off")
    assert str(caught.value).count("cannot be read") == 1


def test_without_a_home_it_is_said_what_to_set(monkeypatch):
    def nobody():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("pathlib.Path.home", nobody)
    with pytest.raises(FileNotFoundError, match="XDG_CACHE_HOME"):
        cache_folder()


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
def test_what_a_process_has_left_goes_though_nobody_has_asked_for_its_end(tmp_path):
    """So it is where the first process of a container does not care for orphans."""
    program = """
import os, signal, sys
from pathlib import Path
from cocluster.utils.files import new_file
with new_file(Path(sys.argv[1], "a.csv")) as unfinished:
    unfinished.touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)])
    os.waitid(os.P_PID, killed.pid, os.WEXITED | os.WNOWAIT)
    assert len(list(tmp_path.iterdir())) == 1
    with new_file(tmp_path / "b.csv") as unfinished:
        unfinished.touch()
    assert [file.name for file in tmp_path.iterdir()] == ["b.csv"]
    assert killed.wait() == -signal.SIGKILL


def test_what_a_living_process_writes_is_left_alone(tmp_path):
    with new_file(tmp_path / "a.csv") as first:
        first.touch()
        with new_file(tmp_path / "b.csv") as second:
            second.touch()
        assert first.exists()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.csv", "b.csv"]


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
def test_what_is_left_goes_though_its_process_has_the_number_of_this_one(tmp_path):
    """So it is in a container, where a command has the same number each time it is started."""
    with new_file(tmp_path / "a.csv") as unfinished:
        ours = unfinished.name
        own = f"-{os.getpid()}."
        begun = ours.partition(own)[2].partition("-")[0]
        left = tmp_path / ours.replace(f"{own}{begun}-", f"{own}{int(begun) - 1}-")
        left.touch()
        unfinished.touch()
        with new_file(tmp_path / "b.csv") as other:
            # What this process is writing stays.
            assert unfinished.exists()
            assert not left.exists()
            other.touch()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.csv", "b.csv"]
