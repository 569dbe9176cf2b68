"""One writer at a time, in this process and in others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cocluster.utils.locks import write_lock


class Windows:
    """What `msvcrt` does: bytes of a file are locked from its current place on."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        self.taken: dict[tuple[int, int], int] = {}

    def locking(self, opened: int, mode: int, n: int) -> None:
        assert (mode, n) == (self.LK_NBLCK, 1)
        place = os.fstat(opened).st_ino, os.lseek(opened, 0, os.SEEK_CUR)
        holder = self.taken.get(place)
        # A number that was closed may be given to the next one who opens a file.
        if holder not in (None, opened) and _is_open(holder, place[0]):
            raise PermissionError(13, "Permission denied")
        self.taken[place] = opened


def _is_open(number: int, inode: int) -> bool:
    try:
        return os.fstat(number).st_ino == inode
    except OSError:
        return False


@pytest.fixture
def without_fcntl(monkeypatch) -> None:
    """A system like Windows: other locks, and an open file cannot be removed."""
    unlink, open_ones = Path.unlink, Windows()
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", open_ones)

    def careful(file: Path, missing_ok: bool = False) -> None:
        inode = file.stat().st_ino if file.exists() else -1
        if any(_is_open(own, inode) for (i, _), own in open_ones.taken.items() if i == inode):
            raise PermissionError(13, "Permission denied")
        unlink(file, missing_ok)

    monkeypatch.setattr(Path, "unlink", careful)


@pytest.mark.usefixtures("without_fcntl")
def test_systems_without_fcntl_have_one_writer_too(tmp_path):
    test_a_second_writer_is_refused_until_the_first_has_ended(tmp_path)


def test_in_a_browser_there_is_nobody_else(tmp_path, monkeypatch):
    for name in ("fcntl", "msvcrt"):
        monkeypatch.setitem(sys.modules, name, None)
    with write_lock(tmp_path / "new"):
        assert (tmp_path / ".new.lock").read_text() == f"{os.getpid()}\n"
    assert not list(tmp_path.iterdir())


def test_a_second_writer_is_refused_until_the_first_has_ended(tmp_path):
    target = tmp_path / "new"
    with write_lock(target):
        with pytest.raises(BlockingIOError, match=rf"number {os.getpid()}"), write_lock(target):
            pass
        with write_lock(tmp_path / "other"):
            pass
    with write_lock(target):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_the_lock_of_a_killed_process_is_free(tmp_path):
    program = f"""
import pathlib, time
from cocluster.utils.locks import write_lock
with write_lock(pathlib.Path({str(tmp_path / "new")!r})):
    print("locked", flush=True)
    time.sleep(60)
"""
    held = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert held.stdout is not None
    assert held.stdout.readline() == "locked\n"
    with pytest.raises(BlockingIOError, match=rf"number {held.pid}"), write_lock(tmp_path / "new"):
        pass
    held.send_signal(signal.SIGKILL)
    held.communicate()
    with write_lock(tmp_path / "new"):
        pass


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_a_lock_that_is_a_link_is_refused_and_its_target_stays(tmp_path, link):
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("years of work")
    link(thesis, tmp_path / ".new.lock")
    with pytest.raises(PermissionError, match=r"\.new\.lock is a"), write_lock(tmp_path / "new"):
        pass
    assert thesis.read_text() == "years of work"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_lock_that_is_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / ".new.lock")
    with pytest.raises(PermissionError, match="not a regular file"), write_lock(tmp_path / "new"):
        pass
