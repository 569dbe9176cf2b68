"""Run something in a process of its own, and kill that: at any moment, or at a moment of writing.

Processes are forked from one that has loaded the libraries, so that the moments lie in the work and
not in the loading, which writes nothing. A process is the first of a group of its own, which is
killed as a whole at moments of chance. At moments of writing the process that writes kills itself,
and those that it has started must see to it that they end.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

CONTEXT = multiprocessing.get_context("forkserver")
# Events of the interpreter that change a folder; what is opened is looked at more closely.
CHANGES = ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.link")
# Seconds that nothing here takes, also on a machine with other work: whoever needs more hangs.
LONGEST = 1800.0
# Places in the numbers that two processes share.
BEGUN, WRITES, KILLED = 0, 1, 2


class Act(Protocol):
    """Something that is done to a folder; it is sent to the process that does it."""

    def act(self, folder: Path) -> None:
        """Do it, or go on with it."""


@dataclass(frozen=True)
class Moment:
    """When to kill: so many seconds after the beginning, or after a number of writes.

    ``writes`` counts changes of the folder; the process ends before it makes that one, or some
    seconds after it was about to.
    """

    seconds: float = 0.0
    writes: int = 0


@dataclass(frozen=True)
class Ended:
    """How a process ended: killed, or by itself; after how many seconds and changes."""

    killed: bool
    code: int | None
    seconds: float
    writes: int
    said: str


def started(what: Act, folder: Path, moment: Moment | None = None) -> Ended:
    """Run something to its end, or until it is killed."""
    # Without a lock, which would outlive whoever is killed.
    shared: Any = CONTEXT.RawArray("l", 3)
    log = folder.with_name(f"{folder.name}.log")
    aim = moment if moment is not None and moment.writes else None
    process = CONTEXT.Process(target=_run, args=(what, folder, log, shared, aim))
    process.start()
    assert process.pid is not None
    while not shared[BEGUN] and process.is_alive():
        time.sleep(0.001)
    begun = time.monotonic()
    if moment is not None and aim is None:
        process.join(moment.seconds)
        if process.is_alive():
            shared[KILLED] = 1
    else:
        process.join(LONGEST)
        if process.is_alive():
            raise TimeoutError(f"{what} does not end.")
    seconds = time.monotonic() - begun
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.join()
    _await_others(process.pid)
    said = log.read_text(encoding="utf-8", errors="replace")[-2000:]
    return Ended(bool(shared[KILLED]), process.exitcode, seconds, shared[WRITES], said)


def _await_others(group: int) -> None:
    """Wait until all that a killed process has started are gone, too.

    On a busy machine they take their time, and the next process would see them still at work: it
    would leave alone what they were writing.
    """
    end = time.monotonic() + LONGEST
    while _alive(group):
        if time.monotonic() > end:
            raise TimeoutError(f"Processes of group {group} do not end.")
        time.sleep(0.005)


def _alive(group: int) -> bool:
    """Whether a process of a group is there that has not ended."""
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it is gone meanwhile
            state, _, own = (place / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(own) == group and state not in ("Z", "X"):
                return True
    return False


def _run(what: Act, folder: Path, log: Path, shared: Any, aim: Moment | None) -> None:
    """The process: alone in its group, and with its words in a file."""
    os.setpgid(0, 0)
    opened = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(opened, 1)
    os.dup2(opened, 2)
    shared[BEGUN] = 1
    sys.addaudithook(_Watch(str(folder), shared, aim))
    what.act(folder)


class _Watch:
    """Counts the changes of a folder, and kills the process at one of them."""

    def __init__(self, folder: str, shared: Any, aim: Moment | None) -> None:
        self.folder, self.shared, self.aim = folder, shared, aim

    def __call__(self, event: str, given: tuple[Any, ...]) -> None:
        if not (event in CHANGES or (event == "open" and _writes(given))):
            return
        if not os.path.abspath(os.fsdecode(_path(given[0]))).startswith(self.folder):
            return
        self.shared[WRITES] += 1
        if self.aim is not None and self.shared[WRITES] == self.aim.writes:
            if self.aim.seconds:
                threading.Timer(self.aim.seconds, self._kill).start()
            else:
                self._kill()

    def _kill(self) -> None:
        self.shared[KILLED] = 1
        os.kill(os.getpid(), signal.SIGKILL)


def _path(given: Any) -> Any:
    """A path; files that are given by number were opened before."""
    return "" if isinstance(given, int) else given


def _writes(given: tuple[Any, ...]) -> bool:
    """Whether a file is opened to write."""
    return bool(given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
