"""A program that reads HDF5 files on trial, so that a damaged one ends it and not us.

It is run by `trying.py` in a process of its own, by its path: so it imports nothing of this
library, and is ready in a moment. Each line that it reads is a file to try, as JSON; it answers
each by a line that is empty, or says what is wrong. A file that crashes the library or keeps it
busy for ever gets no answer.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import h5py

# Bytes of values that are read at a time.
_STEP = 16_000_000


def tried(path: str, most_read: int) -> None:
    """Look at everything in a file, and read all values if they are not too many."""
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
        here = [array for array in arrays if not array.external and not array.is_virtual]
        small = sum(_n_bytes(array) for array in here) <= most_read
        for array in here:
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


def bounded(most_memory: int, seconds: float) -> None:
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
        given = json.loads(line)
        bounded(given["most_memory"], given["seconds"])
        try:
            tried(given["path"], given["most_read"])
            found = ""
        except Exception as error:
            found = " ".join(str(error).split()) or type(error).__name__
        print(found.encode("ascii", "backslashreplace").decode(), flush=True)


if __name__ == "__main__":
    main()
