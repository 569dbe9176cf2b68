"""One writer at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _take(opened: int) -> None:
        """Lock the first byte, or raise OSError."""
        msvcrt.locking(opened, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(opened: int) -> None:
        """Lock the file, or raise OSError."""
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def sole_writer(target: Path) -> Iterator[None]:
    """Let nobody else write something as long as the ``with`` block lasts.

    The lock is a hidden file beside the target, so that it also serves for what does not exist
    yet. It ends with the process, however that ends.

    Raises
    ------
    BlockingIOError
        If another process holds it; the sentence names that process.
    """
    file = target.with_name(f".{target.name}.lock")
    opened = _locked(file, target)
    try:
        os.truncate(file, 0)
        os.write(opened, f"{os.getpid()}\n".encode())
        yield
    finally:
        # Removed before it is let go: who waits for it looks whether it is still there.
        file.unlink(missing_ok=True)
        os.close(opened)


def _locked(file: Path, target: Path) -> int:
    """The open and locked file."""
    while True:
        opened = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
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
