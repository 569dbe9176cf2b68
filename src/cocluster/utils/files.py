"""Files and folders that appear whole or not at all, and errors that name what cannot be read."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import socket
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cocluster.utils.errors import Unreadable

# Letters of what another library says: some print the whole of what they could not read.
LONGEST_REASON = 300
# How names of what is not finished begin.
UNFINISHED = ".cocluster-"


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to write into, which appears under its name only when it is complete.

    An empty folder of that name is replaced. If the ``with`` block fails, nothing is left behind.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = _beside(target)
    unfinished.mkdir()
    try:
        yield unfinished
        if target.exists():
            target.rmdir()
        unfinished.rename(target)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """A path to write a file to, which appears under its name only when it is complete.

    Until then a file of that name stays as it is, and it stays for good if the ``with`` block
    fails. Threads or processes that write the same target at once do not see each other's
    unfinished files; the last one to finish wins.
    """
    unfinished = _beside(target)
    try:
        yield unfinished
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def _beside(target: Path) -> Path:
    """A name that nothing else has; what ended processes have left under such names is removed.

    In the target's folder, so that the last step is one rename on one disk, which cannot be seen
    half done. Hidden, and with the target's ending, because some writers add the ending they miss.
    """
    sweep(target.parent)
    own = f"{os.getpid()}.{_state(os.getpid())[1]}"
    return target.with_name(f"{UNFINISHED}{_machine()}-{own}-{secrets.token_hex(8)}{target.suffix}")


def sweep(folder: Path) -> None:
    """Remove what processes of this machine were writing when they were killed."""
    # Only the machine that a process ran on can tell whether it has ended.
    for left in folder.glob(f"{UNFINISHED}{_machine()}-*"):
        number, _, begun = left.name.removeprefix(UNFINISHED).split("-")[1].partition(".")
        if number.isdigit() and not _runs(int(number), begun):
            remove(left)


def remove(left: Path) -> None:
    """Remove a file, or a folder with all that is in it; what cannot be removed stays."""
    if left.is_dir():
        shutil.rmtree(left, ignore_errors=True)
    else:
        with suppress(OSError):
            left.unlink()


def _machine() -> str:
    """What tells machines apart that share a disk."""
    return f"{zlib.crc32(socket.gethostname().encode()):08x}"


def _runs(process: int, begun: str) -> bool:
    """Whether there is a process that began then; where that cannot be asked for, there is."""
    if os.name == "nt":
        return True  # `os.kill` would end it there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass  # it belongs to someone else, or is no number of a process
    state, since = _state(process)
    # A process that was killed keeps its number (as a "zombie") until its parent asks for its end;
    # and then another one may have the number. In a container the same command has the same one
    # each time, so that this process itself may have that of the one that was killed.
    return state not in ("Z", "X") and (not since or not begun or since == begun)


def _state(process: int) -> tuple[str, str]:
    """What a process does, as one letter, and when it began; empty on systems that do not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "", ""
    # The third and the 22nd of all fields; the name of the program, with its brackets, is second.
    return fields[0], fields[19]


def open_regular(file: Path, flags: int, mode: int = 0o644) -> int:
    """Open a file for writing and return its descriptor, unless it leads to another place.

    A symbolic link, a second hard link or a special file (a pipe, a device) in a folder from a
    stranger would have us write to a file elsewhere on the disk; such a file is never opened, or
    is closed before anything is written.

    Raises
    ------
    PermissionError
        If the file is not a regular file with a single name.
    """
    if file.is_symlink():
        raise PermissionError(_refusal(file, "a symbolic link"))
    # Opening a pipe would wait for a reader; systems without the two flags have the check alone.
    safe = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(file, flags | safe, mode)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise PermissionError(_refusal(file, "not a regular file")) from None
        raise
    kind = _foreign_kind(os.fstat(descriptor))
    if kind:
        os.close(descriptor)
        raise PermissionError(_refusal(file, kind))
    return descriptor


def check_contained(folder: Path) -> None:
    """Raise PermissionError if a file below a folder is a link to another place, or a special file.

    Whoever writes to such a folder would write to the place that the link leads to.
    """
    for parent, folders, files in os.walk(folder):
        for name in folders:
            if (entry := Path(parent, name)).is_symlink():
                raise PermissionError(_refusal(entry, "a symbolic link"))
        for name in files:
            entry = Path(parent, name)
            # A file of another process that is being replaced may be gone by now.
            with suppress(FileNotFoundError):
                if kind := _foreign_kind(entry.lstat()):
                    raise PermissionError(_refusal(entry, kind))


def _foreign_kind(status: os.stat_result) -> str:
    """Say in which way a file is more than a regular file with one name; empty if it is not."""
    if stat.S_ISLNK(status.st_mode):
        return "a symbolic link"
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    return "a hard link, with another name elsewhere" if status.st_nlink > 1 else ""


def _refusal(file: Path, kind: str) -> str:
    return (
        f"{file} is {kind}: writing to it could change a file outside this folder. Replace it by "
        "a copy of its contents, or remove it."
    )


def hidden_beside(target: Path, word: str) -> Path:
    """The hidden file or folder that goes with a target, which may be the current folder.

    >>> hidden_beside(Path("/home/me/docs"), "lock").as_posix()
    '/home/me/.docs.lock'
    """
    whole = Path(os.path.abspath(target))
    return whole.with_name(f".{whole.name}.{word}")


def cache_folder() -> Path:
    """Where downloads and what is slow to make are kept: ``$XDG_CACHE_HOME/cocluster``.

    By default it lies below ``~/.cache``.
    """
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(base or Path.home() / ".cache") / "cocluster"
    except RuntimeError:
        raise FileNotFoundError(
            "There is no home folder to keep files in; set XDG_CACHE_HOME to a folder."
        ) from None


@contextmanager
def unreadable(name: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn errors of a library into a ValueError that names the file or the part of it.

    A sentence of ours that names it already passes unchanged, and so do errors that say nothing of
    its contents: a file that is not there, and too little memory. Of such errors libraries have
    kinds of their own, which are not ours.
    """
    try:
        yield
    except MemoryError:
        raise
    except errors as error:
        said = str(error)
        # Others name files, too, but in several lines.
        named = name in said and "\n" not in said
        if type(error) is FileNotFoundError or (type(error) in (ValueError, Unreadable) and named):
            raise
        raise Unreadable(name, _reason(error)) from error


def _reason(error: Exception) -> str:
    """What is wrong, as a library puts it."""
    if isinstance(error, Unreadable):
        return error.why  # a part of it was named already: its whole name is better
    # The first line says what is wrong; what follows is mostly a dump of the data.
    return f"{error}".strip().split("\n")[0][:LONGEST_REASON].strip() or type(error).__name__
