"""Commands as a shell runs them, or in this process, which is quicker."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cocluster.cli import main


@dataclass(frozen=True)
class Done:
    """What a command wrote, and its exit code."""

    code: int
    out: str
    err: str


def called(*words: str, cwd: Path, typed: str = "") -> Done:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    before, keyboard = Path.cwd(), sys.stdin
    os.chdir(cwd)
    sys.stdin = io.StringIO(typed)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main([str(word) for word in words])
        raise AssertionError("a command ends with an exit code")
    except SystemExit as left:
        return Done(int(left.code or 0), out.getvalue(), err.getvalue())
    finally:
        os.chdir(before)
        sys.stdin = keyboard


def done(*words: str, cwd: Path, typed: str = "") -> str:
    """What a command that must succeed writes to standard output."""
    found = called(*words, cwd=cwd, typed=typed)
    assert found.code == 0, found.err
    return found.out


def process(*words: str, cwd: Path, **settings: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "cocluster", *words],
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **settings},
    )
