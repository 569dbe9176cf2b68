"""Progress line on standard error: the current task and the time it may still take."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import log
from types import FrameType
from typing import Any

from cocluster.cli.terminal import cut, is_terminal, put, tell, width

# Seconds between two updates of the line on a terminal.
REFRESH = 0.2
# Seconds between two lines in a pipe or a log file: often enough to follow, and short enough to
# read after an hour.
PLAIN = 5.0
# Control sequence that erases the line before it is rewritten.
CLEAR = "\r\033[K"


class Progress:
    """Progress line on standard error, rewritten in place; in a pipe a line every few seconds."""

    def __init__(self) -> None:
        self._live = is_terminal(sys.stderr)
        self._task, self._started, self._last_update = "", time.monotonic(), 0.0
        self.stopping = False

    def begin(self, task: str) -> None:
        """Start the next task and show it."""
        self.end()
        self._task, self._started, self._last_update = task, time.monotonic(), 0.0
        if self._live:
            self.update("")
        else:
            self._last_update = self._started
            tell(task)

    def update(self, detail: str, seconds_left: float | None = None) -> None:
        """Show the progress of the task; ``seconds_left`` is the estimated remaining time."""
        now = time.monotonic()
        if now - self._last_update < (REFRESH if self._live else PLAIN):
            return
        self._last_update = now
        fields = [self._task, detail, duration(now - self._started)]
        if seconds_left is not None:
            fields.append(f"about {duration(seconds_left)} left")
        if not self._live:
            tell("  " + " · ".join(field for field in fields[1:] if field))
            return
        line = cut(" · ".join(field for field in fields if field), width(sys.stderr) - 1)
        put(f"{CLEAR}{line}")

    def end(self) -> None:
        """End the task and erase its line."""
        if self._live and self._task:
            put(CLEAR)
        self._task = ""

    def note(self, line: str) -> None:
        """Write a line that stays above the progress line."""
        task, started = self._task, self._started
        self.end()
        tell(line)
        self._task, self._started = task, started

    def share(self, done: float, stage: str) -> bool:
        """Show the finished share of the task; return whether the user has stopped it."""
        spent = time.monotonic() - self._started
        self.update(f"{done:.0%}, {stage}", spent * (1 - done) / done if done > 0 else None)
        return self.stopping

    @contextmanager
    def stoppable(self, outcome: str) -> Iterator[None]:
        """Let the first Ctrl-C request a clean stop and the second one stop at once."""

        def stop(number: int, frame: FrameType | None) -> None:
            if self.stopping:
                raise KeyboardInterrupt
            self.stopping = True
            self.note(f"stopping; {outcome} (Ctrl-C again: at once, and nothing is kept)")

        before: Any = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


class Sweeps:
    """Callback of `fit` that shows its sweeps."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self._history: list[float] = []
        self._started = time.monotonic()

    def __call__(self, state: Any) -> bool:
        if state.sweep <= 1:
            self._history, self._started = [], time.monotonic()
        self._history.append(float(state.objective))
        spent = time.monotonic() - self._started
        n_sweeps = sweeps_left(self._history)
        seconds_left = None if n_sweeps is None else n_sweeps * spent / len(self._history)
        self.progress.update(f"sweep {state.sweep}, objective {state.objective:.6g}", seconds_left)
        return self.progress.stopping


def duration(seconds: float) -> str:
    """Format a duration in hours, minutes and seconds.

    >>> duration(7.4), duration(125), duration(7300)
    ('7 s', '2 min 5 s', '2 h 1 min')
    """
    minutes, remainder = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {remainder} s" if minutes else f"{remainder} s"


def sweeps_left(history: list[float], tol: float = 1e-5) -> int | None:
    """Estimate the sweeps until one gains less than ``tol`` times the first objective.

    Gains fall by about the same factor from sweep to sweep. None if the history does not show it.

    >>> sweeps_left([10.0, 5.0, 2.5, 1.25])
    14
    """
    if len(history) < 3:
        return None
    before, last = history[-3] - history[-2], history[-2] - history[-1]
    goal = tol * abs(history[0])
    if not 0 < last < before or goal <= 0:
        return None
    return max(0, round(log(goal / last) / log(last / before))) if last > goal else 0
