"""A lock that lets one process at a time write a file or folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from cocluster.utils.files import hidden_sibling, open_regular

# Offset of the byte that is locked on Windows, where locked bytes cannot be read: far behind the
# process number, which other processes read.
LOCK_OFFSET = 1 << 30


@contextmanager
def write_lock(target: Path) -> Iterator[None]:
    """Hold the exclusive right to write a target inside a ``with`` block.

    The lock is a hidden file beside the target, so that it also serves for a target that does not
    exist yet. It ends with the process, however that ends.

    Raises
    ------
    BlockingIOError
        If another process holds the lock; the message names that process.
    PermissionError
        If the lock file is a link or a special file, which somebody else has put there.
    """
    file = hidden_sibling(target, "lock")
    descriptor = _acquire(file, target)
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        _release(file, descriptor)


def _acquire(file: Path, target: Path) -> int:
    """Open and lock the lock file and return its descriptor."""
    while True:
        descriptor = open_regular(file, os.O_RDWR | os.O_CREAT)
        try:
            _lock(descriptor)
            # A process that has just released the lock may have removed the file in between.
            if file.exists() and os.fstat(descriptor).st_ino == file.stat().st_ino:
                return descriptor
        except OSError:
            number = file.read_text(encoding="ascii", errors="replace").strip()
            holder = f" (number {number})" if number else ""
            os.close(descriptor)
            raise BlockingIOError(
                f"{target} is being written by another process{holder}; wait until that has ended."
            ) from None
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Lock an open file until it is closed, or raise OSError."""
    posix, windows = _optional_module("fcntl"), _optional_module("msvcrt")
    if posix is not None:
        posix.flock(descriptor, posix.LOCK_EX | posix.LOCK_NB)
    elif windows is not None:
        os.lseek(descriptor, LOCK_OFFSET, os.SEEK_SET)
        windows.locking(descriptor, windows.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    # Python in a browser has neither module, and there is no other process.


def _optional_module(name: str) -> Any:
    """Import a module of the standard library that not every system has, or return None."""
    try:
        return import_module(name)
    except ImportError:
        return None


def _release(file: Path, descriptor: int) -> None:
    """Remove the lock file and close it."""
    try:
        # Removed before it is closed: `_acquire` checks whether the file it locked still exists.
        file.unlink(missing_ok=True)
    except PermissionError:
        os.close(descriptor)
        # Windows cannot remove an open file; after closing it may belong to the next writer.
        with suppress(PermissionError):
            file.unlink(missing_ok=True)
    else:
        os.close(descriptor)
