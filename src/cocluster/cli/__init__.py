"""The command line.

    parser.py      commands and options; imports neither numpy nor anything that loads slowly
    terminal.py    output of results and errors
    progress.py    progress line while a command works
    commands/      one module for each command, loaded when it is called: ``run(args) -> int``

Exit codes: 0 success, 1 error in the input, 2 usage error, 130 stopped by Ctrl-C, 143 ended by
SIGTERM.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType

from cocluster.cli.parser import parsed
from cocluster.cli.progress import Progress
from cocluster.cli.terminal import printable, silence, tell

STOPPED, ENDED = 128 + signal.SIGINT, 128 + signal.SIGTERM
# Error numbers of a full disk, an exhausted quota and a file that is too large.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# First step of each command for the progress line, and the argument that holds its path.
BEGINS = {
    **dict.fromkeys(("fit", "choose-k", "convert"), ("reading", "path")),
    **dict.fromkeys(("predict", "explain", "edit", "ask", "report"), ("opening", "project")),
    "compare": ("opening", "first"),
    "serve": ("opening", "path"),
}


def main(words: Sequence[str] | None = None) -> None:
    """Run a command and leave with its exit code."""
    # A standard stream that was closed before the start is None: replace it by the null device.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    # A character that the output encoding lacks is escaped, so that no result is lost.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    with _exit_on_sigterm():
        raise SystemExit(run(sys.argv[1:] if words is None else words))


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """Let SIGTERM end a command like an error does, so that unfinished files are removed."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(ENDED)

    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set signal handlers
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def run(words: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    args = parsed(words)
    args.progress = Progress()
    try:
        # Show progress before the imports, which take a second or more.
        _begin(args)
        command = import_module(f"cocluster.cli.commands.{args.command.replace('-', '_')}")
        code: int = command.run(args)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        args.progress.end()
        tell("stopped.")
        return STOPPED
    except BrokenPipeError:
        # The reader of the pipe has closed it. The files are already written.
        silence(sys.stdout)
        return 0
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        args.progress.end()
        tell(f"error: {printable(_sentence(error))}")
        try:
            sys.stdout.flush()
        except OSError:
            # Standard output fails as well; without this Python would report it again at exit.
            silence(sys.stdout)
        return 1
    finally:
        args.progress.end()


def _begin(args: Namespace) -> None:
    """Show the first step of a command, unless its path is missing: that error comes later."""
    # Options of the method are checked first, because a usage error must be a single line.
    if args.command not in BEGINS or args.rest:
        return
    doing, name = BEGINS[args.command]
    path: str = getattr(args, name) or ""
    # A run of a project is written PROJECT:2.
    project, sign, _ = path.rpartition(":")
    if (path and Path(path).exists()) or (sign and Path(project).is_dir()):
        args.progress.begin(f"{doing} {printable(path)}")


def _sentence(error: BaseException) -> str:
    """Return the message of an error in one line."""
    if isinstance(error, OSError) and error.errno in FULL:
        prefix = f"{error.filename}: " if error.filename is not None else ""
        return f"{prefix}{error.strerror}; make room, then give the command again."
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror.lower()}."
    if isinstance(error, MemoryError):
        return f"There is not enough memory{f' ({error})' if str(error) else ''}."
    return " ".join(str(error).split()) or type(error).__name__
