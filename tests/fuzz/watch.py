"""Sees what becomes of the process that tries cases: a crash or a hang is a failure, too."""

from __future__ import annotations

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tests.fuzz.child import CASE, COUNT, FAILURES, SECONDS, Order, work
from tests.processes import CONTEXT

# Seconds that one waits for a case: far more than it may compute, because others may be at work.
LONGEST = 600.0
PAUSE = 0.05
# What one server loads once in a long run, for the processes that it forks for every order. In the
# ordinary tests the server must not have loaded cocluster (`tests.processes`).
PRELOADED = (
    ["tests.fuzz.targets", "tests.fuzz.mutators", "cocluster.io", "cocluster.interview",
     "cocluster.web.app", "anndata", "mudata", "pyarrow.parquet", "zarr", "openpyxl", "PIL.Image",
     "skimage.feature", "pandas", "h5py", "tests.web.projects"]
)  # fmt: skip


@dataclass(frozen=True)
class Failure:
    """A case that ended in something else than a result or a sentence."""

    target: str
    number: int
    what: str
    trace: str
    data: bytes


@dataclass(frozen=True)
class Outcome:
    """What came of an order."""

    cases: int
    failures: list[Failure]
    seconds: float
    # The most memory that the process has had, in kilobytes.
    peak: int


def run(order: Order, told: Callable[[int, int], bool] = lambda done, failed: False) -> Outcome:
    """Have all cases tried; ``told`` is called now and then, and may end it by True."""
    begin = time.monotonic()
    place = Path(order.folder)
    place.mkdir(parents=True, exist_ok=True)
    (place / FAILURES).unlink(missing_ok=True)
    failures: list[Failure] = []
    first, done, peak = order.first, order.first, 0
    while first < order.last:
        process = _start(replace(order, first=first))
        ended, stopped = _awaited(process, place, partial(_asked, told, place, failures))
        done, most = _count(place)
        if stopped and done < first:
            # There was no time for it to begin.
            done = first
            break
        if done < first:
            raise RuntimeError(f"The process for {order.target} cannot be started ({ended}).")
        peak = max(peak, most)
        failures += _written(order.target, place)
        if stopped or done >= order.last:
            break
        if ended == "":
            # Guided runs may end a little early.
            break
        data = (place / CASE).read_bytes() if (place / CASE).exists() else b""
        failures.append(Failure(order.target, done, ended, "", data))
        # On with the next one.
        first = done = done + 1
    return Outcome(max(done - order.first, 0), failures, time.monotonic() - begin, peak)


def _asked(told: Callable[[int, int], bool], place: Path, failures: list[Failure]) -> bool:
    """Whether to stop."""
    return told(done_of(place), len(failures))


def done_of(place: Path) -> int:
    """The number of the case that is being tried."""
    return _count(place)[0]


def _count(place: Path) -> tuple[int, int]:
    """How far a child is, and the memory it has had."""
    try:
        number, most = struct.unpack("QQ", (place / COUNT).read_bytes())
    except (OSError, struct.error):  # nothing is written, or it is being written
        return -1, 0
    return number, most


class _Spawned:
    """A process with a fresh interpreter, as guided runs need."""

    def __init__(self, order: Order) -> None:
        command = [sys.executable, "-m", "tests.fuzz.child", json.dumps(asdict(order))]
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self._process.kill()

    def join(self) -> None:
        self._process.wait()

    @property
    def exitcode(self) -> int | None:
        return self._process.returncode


def _start(order: Order) -> BaseProcess | _Spawned:
    """A process for an order."""
    (Path(order.folder) / COUNT).unlink(missing_ok=True)
    if order.guided:
        return _Spawned(order)
    process = CONTEXT.Process(target=work, args=(order,), daemon=True)
    process.start()
    return process


def _awaited(process: Any, place: Path, stop: Callable[[], bool]) -> tuple[str, bool]:
    """How a process ended: empty if well; and whether it was told to stop."""
    last, since = -1, time.monotonic()
    while process.is_alive():
        time.sleep(PAUSE)
        number = done_of(place)
        if number not in (last, -1):
            last, since = number, time.monotonic()
        if time.monotonic() - since > LONGEST:
            process.kill()
            process.join()
            return "it does nothing, and does not end", False
        if stop():
            process.kill()
            process.join()
            return "", True
    process.join()
    code = process.exitcode
    if code == -signal.SIGPROF:
        return f"it does not end in {SECONDS:g} seconds", False
    return ("" if code == 0 else f"the process ended with code {code}"), False


def _written(target: str, place: Path) -> list[Failure]:
    """Failures that a child has noted."""
    file = place / FAILURES
    if not file.exists():
        return []
    found = []
    for line in file.read_text().splitlines():
        noted = json.loads(line)
        data = (place / f"failed{noted['number']}").read_bytes()
        found.append(Failure(target, noted["number"], noted["what"], noted["trace"], data))
    file.unlink()
    return found


def fast_folder() -> Path:
    """A new folder, in memory where there is such a place: every case is a file."""
    shared = Path("/dev/shm")
    held = shared if shared.is_dir() and os.access(shared, os.W_OK) else None
    return Path(tempfile.mkdtemp(prefix="cocluster-fuzz-", dir=held))


def remove(folder: Path) -> None:
    """Remove a folder."""
    shutil.rmtree(folder, ignore_errors=True)
