"""What is shown while one waits: what is being done, and how long it may still take."""

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

# Seconds between two pictures of the same line: faster cannot be read.
REFRESH = 0.2
# Seconds between two lines in a pipe or a log: who follows it sees that it goes on, and the file
# of an hour can still be read.
PLAIN = 5.0
# Blanks the line out before it is written anew.
CLEAR = "\r\033[K"


class Progress:
    """A line on standard error that is written anew; in a pipe plain lines, every few seconds."""

    def __init__(self) -> None:
        self._live = is_terminal(sys.stderr)
        self._what, self._begun, self._shown = "", time.monotonic(), 0.0
        self.stopping = False

    def begin(self, what: str) -> None:
        """The next thing to do."""
        self.end()
        self._what, self._begun, self._shown = what, time.monotonic(), 0.0
        if self._live:
            self.update("")
        else:
            self._shown = self._begun
            tell(what)

    def update(self, detail: str, left: float | None = None) -> None:
        """How far it is; ``left`` are the seconds that it may still take."""
        now = time.monotonic()
        if now - self._shown < (REFRESH if self._live else PLAIN):
            return
        self._shown = now
        parts = [self._what, detail, duration(now - self._begun)]
        if left is not None:
            parts.append(f"about {duration(left)} left")
        if not self._live:
            tell("  " + " · ".join(part for part in parts[1:] if part))
            return
        line = cut(" · ".join(part for part in parts if part), width(sys.stderr) - 1)
        put(f"{CLEAR}{line}")

    def end(self) -> None:
        """Nothing is going on: the line is free for others."""
        if self._live and self._what:
            put(CLEAR)
        self._what = ""

    def note(self, line: str) -> None:
        """Say something that stays."""
        what, begun = self._what, self._begun
        self.end()
        tell(line)
        self._what, self._begun = what, begun

    def share(self, done: float, what: str) -> bool:
        """For work whose extent is known; tells whether to stop."""
        spent = time.monotonic() - self._begun
        self.update(f"{done:.0%}, {what}", spent * (1 - done) / done if done > 0 else None)
        return self.stopping

    @contextmanager
    def stoppable(self, what: str) -> Iterator[None]:
        """Let Ctrl-C end the work in good order; a second one ends it at once."""

        def stop(number: int, frame: FrameType | None) -> None:
            if self.stopping:
                raise KeyboardInterrupt
            self.stopping = True
            self.note(f"stopping; {what} (Ctrl-C again: at once, and nothing is kept)")

        before: Any = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


class Sweeps:
    """Shows the sweeps of a fit; a callback of `fit`."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self._history: list[float] = []
        self._begun = time.monotonic()

    def __call__(self, state: Any) -> bool:
        if state.sweep <= 1:
            self._history, self._begun = [], time.monotonic()
        self._history.append(float(state.objective))
        spent = time.monotonic() - self._begun
        more = sweeps_left(self._history)
        left = None if more is None else more * spent / len(self._history)
        self.progress.update(f"sweep {state.sweep}, objective {state.objective:.6g}", left)
        return self.progress.stopping


def duration(seconds: float) -> str:
    """A time as one says it.

    >>> duration(7.4), duration(125), duration(7300)
    ('7 s', '2 min 5 s', '2 h 1 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def sweeps_left(history: list[float], tol: float = 1e-5) -> int | None:
    """About how many sweeps it takes until one gains less than a share of the objective.

    Gains fall by about the same factor from sweep to sweep. None if that cannot be seen.

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
