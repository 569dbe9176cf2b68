"""Files and folders that appear complete or not at all, and errors that name the file."""

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

# Characters quoted from another library's message: some print everything they could not read.
MAX_REASON = 300
# Prefix of the names of unfinished files and folders.
UNFINISHED = ".cocluster-"


class Unreadable(ValueError):
    """Error for a file, or a part of one, that cannot be read.

    Parameters
    ----------
    name : str
        Name of the file.
    reason : str
        What is wrong, in the words of the library that reads such files.
    """

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            f"{name} cannot be read ({reason}); it may be cut off, damaged or of another kind: "
            "write or get it again."
        )
        self.reason = reason


@contextmanager
def wrap_read_errors(name: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn a library's errors into `Unreadable`, which names the file or the part of it.

    Errors of this package that name the file already pass unchanged, and so do errors that are not
    about its contents: a missing file and too little memory. Subclasses that a library derives from
    these are wrapped.
    """
    try:
        yield
    except MemoryError:
        raise
    except errors as error:
        message = str(error)
        # Libraries name files as well, but in messages of several lines.
        is_named = name in message and "\n" not in message
        kind = type(error)
        if kind is FileNotFoundError or (kind in (ValueError, Unreadable) and is_named):
            raise
        if isinstance(error, Unreadable):
            reason = error.reason  # a part of the file was named: the name of the file is better
        else:
            # The first line says what is wrong; what follows is mostly a dump of the data.
            reason = message.strip().split("\n")[0][:MAX_REASON].strip() or kind.__name__
        raise Unreadable(name, reason) from error


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield a folder to write into, which gets its name only when it is complete.

    An empty folder of that name is replaced. If the ``with`` block fails, nothing is left behind.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = _unfinished_path(target)
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
    """Yield a path to write a file to, which gets its name only when it is complete.

    Until then an existing file of that name stays as it is, and it stays for good if the ``with``
    block fails. Threads or processes that write the same target at once do not see each other's
    unfinished files; the last one to finish wins.
    """
    unfinished = _unfinished_path(target)
    try:
        yield unfinished
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def _unfinished_path(target: Path) -> Path:
    """Return a unique hidden path beside a target, after removing leftovers of ended processes.

    It is in the target's folder, so that the last step is one atomic rename on one disk. It has the
    target's suffix, because some writers add the suffix they miss.
    """
    remove_leftovers(target.parent)
    process = f"{os.getpid()}.{_process_state(os.getpid())[1]}"
    token = secrets.token_hex(8)
    return target.with_name(f"{UNFINISHED}{_machine_id()}-{process}-{token}{target.suffix}")


def remove_leftovers(folder: Path) -> None:
    """Remove unfinished files and folders of processes of this machine that were killed."""
    # Only the machine that a process ran on can tell whether it has ended.
    for leftover in folder.glob(f"{UNFINISHED}{_machine_id()}-*"):
        process, _, start = leftover.name.removeprefix(UNFINISHED).split("-")[1].partition(".")
        if not process.isdigit() or _is_running(int(process), start):
            continue
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            with suppress(OSError):
                leftover.unlink()


def _machine_id() -> str:
    """Return a hash of the host name, which distinguishes machines that share a disk."""
    return f"{zlib.crc32(socket.gethostname().encode()):08x}"


def _is_running(process: int, start: str) -> bool:
    """Return whether a process with this start time runs; True where the system cannot tell."""
    if os.name == "nt":
        return True  # there `os.kill` would end the process
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass  # another user's process, or no valid process number
    state, actual_start = _process_state(process)
    # A killed process keeps its number as a zombie until its parent collects it; later another
    # process may get the number. In a container the same command has the same number each time, so
    # even this process may have the number of the one that was killed.
    return state not in ("Z", "X") and (not actual_start or not start or actual_start == start)


def _process_state(process: int) -> tuple[str, str]:
    """Return the state letter and start time of a process; empty on systems without /proc."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "", ""
    # Fields 3 and 22; the second field, the program name in brackets, was cut off above.
    return fields[0], fields[19]


def open_regular(file: Path, flags: int, mode: int = 0o644) -> int:
    """Open a regular file for writing and return its descriptor.

    A symbolic link, a second hard link or a special file (a pipe, a device) in a folder from a
    stranger could redirect the write to a file elsewhere on the disk. Such a file is never opened,
    or is closed before anything is written.

    Raises
    ------
    PermissionError
        If the file is not a regular file with a single name.
    """
    if file.is_symlink():
        raise PermissionError(_refusal(file, "a symbolic link"))
    # Opening a pipe would wait for a reader; systems without the two flags have the check alone.
    safe_flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(file, flags | safe_flags, mode)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise PermissionError(_refusal(file, "not a regular file")) from None
        raise
    kind = _irregular_kind(os.fstat(descriptor))
    if kind:
        os.close(descriptor)
        raise PermissionError(_refusal(file, kind))
    return descriptor


def check_contained(folder: Path) -> None:
    """Raise PermissionError if a folder contains a link to another place or a special file.

    Writing to such a folder would write to the place that the link leads to.
    """
    for parent, folders, files in os.walk(folder):
        for name in folders:
            if (entry := Path(parent, name)).is_symlink():
                raise PermissionError(_refusal(entry, "a symbolic link"))
        for name in files:
            entry = Path(parent, name)
            # A file that another process is replacing may be gone by now.
            with suppress(FileNotFoundError):
                if kind := _irregular_kind(entry.lstat()):
                    raise PermissionError(_refusal(entry, kind))


def _irregular_kind(status: os.stat_result) -> str:
    """Describe a link or special file; return an empty text for a regular file with one name."""
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


def hidden_sibling(target: Path, suffix: str) -> Path:
    """Return the path of a hidden file beside a target, which may be the current folder.

    >>> hidden_sibling(Path("/home/me/docs"), "lock").as_posix()
    '/home/me/.docs.lock'
    """
    path = Path(os.path.abspath(target))
    return path.with_name(f".{path.name}.{suffix}")


def cache_folder() -> Path:
    """Return the folder for downloads and slow results: ``$XDG_CACHE_HOME/cocluster``.

    By default it is in ``~/.cache``.
    """
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(base or Path.home() / ".cache") / "cocluster"
    except RuntimeError:
        raise FileNotFoundError(
            "There is no home folder to keep files in; set XDG_CACHE_HOME to a folder."
        ) from None
