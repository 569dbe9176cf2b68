"""One writer at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from cocluster.utils.files import hidden_beside, open_regular

# The byte that is locked on Windows, where nobody else can read what is locked: far behind the
# number of the process, which others are to read.
FAR = 1 << 30


@contextmanager
def sole_writer(target: Path) -> Iterator[None]:
    """Let nobody else write something as long as the ``with`` block lasts.

    The lock is a hidden file beside the target, so that it also serves for what does not exist
    yet. It ends with the process, however that ends.

    Raises
    ------
    BlockingIOError
        If another process holds it; the sentence names that process.
    PermissionError
        If the lock file is a link or a special file, which somebody else has put there.
    """
    file = hidden_beside(target, "lock")
    opened = _locked(file, target)
    try:
        os.ftruncate(opened, 0)
        os.write(opened, f"{os.getpid()}\n".encode())
        yield
    finally:
        _let_go(file, opened)


def _take(opened: int) -> None:
    """Lock an open file until it is closed, or raise OSError."""
    posix, windows = _module("fcntl"), _module("msvcrt")
    if posix is not None:
        posix.flock(opened, posix.LOCK_EX | posix.LOCK_NB)
    elif windows is not None:
        os.lseek(opened, FAR, os.SEEK_SET)
        windows.locking(opened, windows.LK_NBLCK, 1)
        os.lseek(opened, 0, os.SEEK_SET)
    # With neither it is Python in a browser, where there is no other process.


def _module(name: str) -> Any:
    """A module that only some systems have."""
    try:
        return import_module(name)
    except ImportError:
        return None


def _let_go(file: Path, opened: int) -> None:
    """Remove and unlock the file."""
    try:
        # Removed before it is let go: who waits for it looks whether it is still there.
        file.unlink(missing_ok=True)
    except PermissionError:
        os.close(opened)
        # Windows removes no file that is open; after this one it may be that of the next writer.
        with suppress(PermissionError):
            file.unlink(missing_ok=True)
    else:
        os.close(opened)


def _locked(file: Path, target: Path) -> int:
    """The open and locked file."""
    while True:
        opened = open_regular(file, os.O_RDWR | os.O_CREAT)
        try:
            _take(opened)
            # A writer that has just ended may have removed the file in between.
            if file.exists() and os.fstat(opened).st_ino == file.stat().st_ino:
                return opened
        except OSError:
            number = file.read_text(encoding="ascii", errors="replace").strip()
            by = f" (number {number})" if number else ""
            os.close(opened)
            raise BlockingIOError(
                f"{target} is being written by another process{by}; wait until that has ended."
            ) from None
        os.close(opened)
