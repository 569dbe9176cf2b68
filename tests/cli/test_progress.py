"""What is shown while one waits, on a clock that the test turns."""

from __future__ import annotations

import pytest

from cocluster.cli import progress
from cocluster.cli.progress import PLAIN, Progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still unless it is told to go on."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_pipe_gets_plain_lines_every_few_seconds(clock, capsys):
    shown = Progress()
    shown.begin("choosing")
    for second in range(100):
        clock[0] = float(second)
        shown.share(second / 100, "comparing halves")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "choosing"
    # One for each while, with the time that it took and that it may still take.
    assert len(lines) - 1 == 99 // PLAIN
    assert lines[1] == f"  {PLAIN:.0f}%, comparing halves · {PLAIN:.0f} s · about 1 min 35 s left"
    assert all(letter.isprintable() for line in lines for letter in line)


def test_what_is_quick_is_one_line(clock, capsys):
    shown = Progress()
    shown.begin("reading")
    shown.share(0.5, "half")
    shown.begin("writing")
    assert capsys.readouterr().err.splitlines() == ["reading", "writing"]
