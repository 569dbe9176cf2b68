"""Folders that are written whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to write into, which appears under its name only when it is complete.

    An empty folder of that name is replaced.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    # Beside the target, so that the last step is one rename on one disk.
    unfinished = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        yield unfinished
        unfinished.chmod(0o755)
        if target.exists():
            target.rmdir()
        unfinished.rename(target)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise


@contextmanager
def broken(file: Path, *errors: type[Exception]) -> Iterator[None]:
    """Turn errors of a library into one that names the file."""
    try:
        yield
    except FileNotFoundError:
        raise
    except errors as error:
        reason = f"{error}".strip().split("\n")[0] or type(error).__name__
        raise ValueError(
            f"{file.name} cannot be read as {file.suffix or 'a'} file ({reason}); it may be cut "
            "off or of another kind, get it again."
        ) from error


@contextmanager
def unreadable(name: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn errors of a library into one that names the block; those that name it stay."""
    try:
        yield
    except FileNotFoundError:
        raise
    except errors as error:
        if name in str(error):
            raise
        reason = f"{error}".strip().split("\n")[0] or type(error).__name__
        raise ValueError(
            f"{name} cannot be read ({reason}); the file may be cut off or damaged, write it again."
        ) from error
