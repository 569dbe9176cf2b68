"""The command line.

    parser.py      what can be typed; knows neither numpy nor anything that takes long to load
    terminal.py    how results and errors are written
    progress.py    what is shown meanwhile
    commands/      one module for each command, loaded when it is called: ``run(asked) -> int``

Exit codes: 0 done, 1 something is wrong with what was given, 2 with how it was typed, 130 stopped.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from cocluster.cli.parser import parsed
from cocluster.cli.terminal import printable, tell

STOPPED = 128 + signal.SIGINT


def main(words: Sequence[str] | None = None) -> None:
    """Run a command and leave with its exit code."""
    # A letter that a terminal or a pipe cannot show is escaped: it must not lose a result.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    raise SystemExit(run(sys.argv[1:] if words is None else words))


def run(words: Sequence[str]) -> int:
    """Run a command; returns its exit code."""
    asked = parsed(words)
    command = import_module(f"cocluster.cli.commands.{asked.command.replace('-', '_')}")
    try:
        code: int = command.run(asked)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        tell("stopped.")
        return STOPPED
    except BrokenPipeError:
        # Whoever reads has seen enough. What is to be kept is in files by now.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        tell(f"error: {printable(_sentence(error))}")
        return 1


def _sentence(error: BaseException) -> str:
    """What is wrong, in one line."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror.lower()}."
    if isinstance(error, MemoryError):
        return f"There is not enough memory{f' ({error})' if str(error) else ''}."
    return " ".join(str(error).split()) or type(error).__name__
