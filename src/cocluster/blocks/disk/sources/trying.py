"""HDF5 files are read on trial by a process of their own before they are read here.

The library for HDF5 was not made for damaged files: some end the interpreter, some keep it busy for
ever. A process that does so instead of us is replaced by another one.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

# What the process runs.
PROGRAM = Path(__file__).with_name("_trial.py")
# Values are all read twice if they take at most so many bytes, which is a matter of a second; of
# more, only all that tells where values are.
MOST_READ = 256_000_000
# What a trial may take: the values that it holds at a time, and what the library keeps.
MOST_MEMORY = 1_000_000_000
# Seconds that a trial may compute, and more for every byte of the file: the slowest way in which
# values are packed gives far more than five million bytes in a second.
SECONDS, SECONDS_PER_BYTE = 10.0, 1 / 5_000_000
# Seconds in which the process must be ready, and how many times as long as it may compute one waits
# for an answer: another may need the processor, and disks are slow.
READY, PATIENCE = 600.0, 60.0


def refuse_damaged(file: Path) -> None:
    """ValueError if a file cannot be read to its end by a process of its own."""
    seconds = SECONDS + SECONDS_PER_BYTE * file.stat().st_size
    try:
        said = _process().ask(file, seconds)
    except OSError:
        return  # a system without processes, such as a browser, has to take files as they are
    if said is None:
        raise ValueError(
            "the library for HDF5 crashes on it or does not get to its end in "
            f"{seconds:.0f} seconds"
        )
    if said:
        raise ValueError(said)


class _Trial:
    """The process, which is started when it is first needed, and again when it has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: subprocess.Popen[str] | None = None
        # A process that was forked off has no right to the pipes of its parent.
        self.owner = os.getpid()

    def ask(self, file: Path, seconds: float) -> str | None:
        """What is wrong with a file; None without an answer."""
        asked = {
            "path": str(file.resolve()),
            "most_read": MOST_READ,
            "most_memory": MOST_MEMORY,
            "seconds": seconds,
        }
        with self._lock:
            running = self._started()
            assert running.stdin is not None
            running.stdin.write(json.dumps(asked) + "\n")
            running.stdin.flush()
            return self._answer(running, PATIENCE * seconds)

    def _started(self) -> subprocess.Popen[str]:
        """A process that is ready."""
        if self._running is None or self._running.poll() is not None:
            # -P: nothing is imported from the folder of the program, nor from the current one.
            self._running = subprocess.Popen(
                [sys.executable, "-P", str(PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            if self._answer(self._running, READY) is None:
                raise OSError("no process can be started")
        return self._running

    def _answer(self, running: subprocess.Popen[str], seconds: float) -> str | None:
        """The next line of the process, which is ended if none comes in time."""
        assert running.stdout is not None
        timer = threading.Timer(seconds, running.kill)
        timer.daemon = True
        timer.start()
        line = running.stdout.readline()
        timer.cancel()
        if line.endswith("\n"):
            return line.strip()
        self.close()
        return None

    def close(self) -> None:
        """End the process."""
        running, self._running = self._running, None
        if running is not None:
            running.kill()
            with running:  # closes the pipes, and waits
                pass


_trial = _Trial()


def _process() -> _Trial:
    """The trial of this process."""
    global _trial
    if _trial.owner != os.getpid():
        _trial = _Trial()
    return _trial


@atexit.register
def _end() -> None:
    """End the process with ours."""
    if _trial.owner == os.getpid():
        _trial.close()
