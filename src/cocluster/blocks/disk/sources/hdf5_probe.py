"""A probe for HDF5 files: a child process reads a file before this process does.

The HDF5 library does not withstand damaged files: some crash the interpreter, some keep it busy
for ever. The child process takes that risk and is replaced when it ends.

This module is also the program of the child, run by its path: it imports nothing of this package,
so that the child is ready at once. Each line the child reads is a file to probe, as JSON; it
answers with a line that is empty or says what is wrong. A file that crashes the library or keeps it
busy for ever gets no answer.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

# The program of the child process: this module.
PROGRAM = Path(__file__)
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
        fault = _process().ask(file, seconds)
    except OSError:
        return  # a system without processes, such as a browser, has to take files as they are
    if fault is None:
        raise ValueError(
            "the library for HDF5 crashes on it or does not get to its end in "
            f"{seconds:.0f} seconds"
        )
    if fault:
        raise ValueError(fault)


class _Probe:
    """The process, which is started when it is first needed, and again when it has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: subprocess.Popen[str] | None = None
        # A process that was forked off has no right to the pipes of its parent.
        self.owner = os.getpid()

    def ask(self, file: Path, seconds: float) -> str | None:
        """What is wrong with a file; None without an answer."""
        request = {
            "path": str(file.resolve()),
            "most_read": MOST_READ,
            "most_memory": MOST_MEMORY,
            "seconds": seconds,
        }
        with self._lock:
            running = self._start()
            assert running.stdin is not None
            running.stdin.write(json.dumps(request) + "\n")
            running.stdin.flush()
            return self._answer(running, PATIENCE * seconds)

    def _start(self) -> subprocess.Popen[str]:
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


_probe = _Probe()


def _process() -> _Probe:
    """The trial of this process."""
    global _probe
    if _probe.owner != os.getpid():
        _probe = _Probe()
    return _probe


@atexit.register
def _end() -> None:
    """End the process with ours."""
    if _probe.owner == os.getpid():
        _probe.close()


# Bytes of values that are read at a time.
_STEP = 16_000_000


def probe(path: str, most_read: int) -> None:
    """Look at everything in a file, and read all values unless they exceed ``most_read`` bytes."""
    import h5py

    with h5py.File(path, "r") as file:
        arrays: list[Any] = []

        def look(_: str, item: Any) -> None:
            dict(item.attrs)
            if isinstance(item, h5py.Dataset):
                arrays.append(item)
            else:
                [item.get(key, getlink=True) for key in item]

        look("/", file)
        file.visititems(look)
        local = [array for array in arrays if not array.external and not array.is_virtual]
        small = sum(_n_bytes(array) for array in local) <= most_read
        for array in local:
            _read(array, whole=small)


def _n_bytes(array: Any) -> int:
    """Bytes that an array takes in memory."""
    return 0 if array.shape is None else array.size * array.dtype.itemsize


def _read(array: Any, whole: bool) -> None:
    """Read an array piece by piece; of a large file only the first and the last piece."""
    if array.chunks is not None:
        # Where the pieces lie is a tree of its own in the file, which may be damaged, too.
        last = array.id.get_num_chunks() - 1
        if last >= 0:
            array.id.get_chunk_info(last)
    if not array.shape:
        if array.shape is not None:
            array[()]
        return
    row = max(_n_bytes(array) // max(array.shape[0], 1), 1)
    step = max(_STEP // row, 1)
    starts = range(0, array.shape[0], step)
    for start in starts if whole else {*starts[:1], *starts[-1:]}:
        array[start : start + step]


def limit_resources(most_memory: int, seconds: float) -> None:
    """Let this process take no more memory beyond what it has, and time to compute, than given."""
    try:
        import resource
        import signal
        from pathlib import Path

        # Time of the processor, so that a busy machine makes nothing seem damaged. The signal ends
        # the process, also in the midst of compiled code.
        signal.setitimer(signal.ITIMER_PROF, seconds)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, AttributeError, OSError):
        return  # no such system; whoever asks does not wait for ever
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = pages * resource.getpagesize() + most_memory
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard < 0 else min(wanted, hard), hard))


def main() -> None:
    """Try one file after the other, until there are no more."""
    warnings.simplefilter("ignore")
    print(flush=True)  # ready
    for line in sys.stdin:
        request = json.loads(line)
        limit_resources(request["most_memory"], request["seconds"])
        try:
            probe(request["path"], request["most_read"])
            fault = ""
        except Exception as error:
            fault = " ".join(str(error).split()) or type(error).__name__
        print(fault.encode("ascii", "backslashreplace").decode(), flush=True)


if __name__ == "__main__":
    main()
