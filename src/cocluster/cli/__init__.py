"""The command line.

    parser.py      what can be typed; knows neither numpy nor anything that takes long to load
    terminal.py    how results and errors are written
    progress.py    what is shown meanwhile
    commands/      one module for each command, loaded when it is called: ``run(asked) -> int``

Exit codes: 0 done, 1 something is wrong with what was given, 2 with how it was typed, 130 stopped
by Ctrl-C, 143 ended by someone else (SIGTERM).
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
# What systems say of a disk, a share of it or a file that can hold no more.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# What each command begins with, and the argument that says of what.
BEGINS = {
    **dict.fromkeys(("fit", "choose-k", "convert"), ("reading", "path")),
    **dict.fromkeys(("predict", "explain", "edit", "ask", "report"), ("opening", "project")),
    "compare": ("opening", "first"),
    "serve": ("opening", "path"),
}


def main(words: Sequence[str] | None = None) -> None:
    """Run a command and leave with its exit code."""
    # What was closed before the command began is missing; nothing is read or shown there.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    # A letter that a terminal or a pipe cannot show is escaped: it must not lose a result.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    with _ended_in_order():
        raise SystemExit(run(sys.argv[1:] if words is None else words))


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM end a command like an error does: what is not finished is removed."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(ENDED)

    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may ask for signals
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def run(words: Sequence[str]) -> int:
    """Run a command; returns its exit code."""
    asked = parsed(words)
    asked.progress = Progress()
    try:
        # Before anything is loaded, which takes a second or more: who types a command wants to see
        # it begin.
        _begin(asked)
        command = import_module(f"cocluster.cli.commands.{asked.command.replace('-', '_')}")
        code: int = command.run(asked)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        asked.progress.end()
        tell("stopped.")
        return STOPPED
    except BrokenPipeError:
        # Whoever reads has seen enough. What is to be kept is in files by now.
        silence(sys.stdout)
        return 0
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        asked.progress.end()
        tell(f"error: {printable(_sentence(error))}")
        try:
            sys.stdout.flush()
        except OSError:
            # The result cannot be written either; Python would complain of that at the end.
            silence(sys.stdout)
        return 1
    finally:
        asked.progress.end()


def _begin(asked: Namespace) -> None:
    """Say what is done first; nothing of what is not there, which is an error of its own."""
    # Options that only a method may know are checked first: a usage error is one line.
    if asked.command not in BEGINS or asked.rest:
        return
    doing, name = BEGINS[asked.command]
    path: str = getattr(asked, name) or ""
    # A run of a project is written PROJECT:2.
    project, sign, _ = path.rpartition(":")
    if (path and Path(path).exists()) or (sign and Path(project).is_dir()):
        asked.progress.begin(f"{doing} {printable(path)}")


def _sentence(error: BaseException) -> str:
    """What is wrong, in one line."""
    if isinstance(error, OSError) and error.errno in FULL:
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror}; make room, then give the command again."
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror.lower()}."
    if isinstance(error, MemoryError):
        return f"There is not enough memory{f' ({error})' if str(error) else ''}."
    return " ".join(str(error).split()) or type(error).__name__
