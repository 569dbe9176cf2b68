"""Projects by their folder: opened once in each process, and held while something is written."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from cocluster.projects import Project, open_project

# Seconds that one waits for another writer: an answer is written in a moment, an edit of a small
# project in seconds.
PATIENCE = 10.0
PAUSE = 0.05


@lru_cache(maxsize=1)
def project_at(folder: str) -> Project:
    """The project of a folder, whose data are read once."""
    return open_project(folder)


@contextmanager
def held(project: Project) -> Iterator[Project]:
    """Be the only writer of a project; waits a little for others, then says who they are."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            holding = project.writing()
            holding.__enter__()
            break
        except BlockingIOError:
            if time.monotonic() > end:
                raise
            time.sleep(PAUSE)
    try:
        yield project
    finally:
        holding.__exit__(None, None, None)


def say_again(project: Project, step: int) -> int:
    """Write a step of the ledger that was undone once more; returns its new number."""
    source = next(line.source for line in project.ledger.lines() if line.step == step)
    return project.ledger.add(project.ledger.stated(step), source)
