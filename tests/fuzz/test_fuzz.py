"""Damaged input of every kind gives a sound result or one sentence; a few seeds of each target."""

from __future__ import annotations

import faulthandler
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("anndata")
pytest.importorskip("zarr")

if not Path("/proc/self/statm").exists():
    pytest.skip("limits are those of Linux", allow_module_level=True)

from tests.fuzz import __main__ as long_run
from tests.fuzz import targets as known
from tests.fuzz.child import Order
from tests.fuzz.mutators import mutated
from tests.fuzz.targets import TARGETS, Target
from tests.fuzz.watch import Outcome, run


def told(outcome: Outcome) -> str:
    """What went wrong, for the one who has to mend it."""
    return "\n".join(f"case {one.number}: {one.what}\n{one.trace}" for one in outcome.failures[:3])


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_input_gives_a_result_or_a_sentence(name: str, tmp_path: Path):
    outcome = run(Order(name, 0, TARGETS[name].cases, str(tmp_path)))
    assert not outcome.failures, told(outcome)
    assert outcome.cases == TARGETS[name].cases


@pytest.mark.parametrize("name", ["csv", "jsonl", "gz", "zip", "cluto", "npz", "mat"])
def test_a_number_is_a_case(name: str):
    target = TARGETS[name]
    for seed in target.seeds():
        one, other = (
            [mutated(seed, target.file, random.Random(number)) for number in range(20)]
            for _ in range(2)
        )
        assert one == other
        assert len(set(one)) > 10


# What a case may do, and what must be said of it.
HARM = {
    "crash": (lambda: os.kill(os.getpid(), signal.SIGSEGV), "ended with code -11"),
    "hang": (lambda: _spin(), "does not end"),
    "memory": (lambda: bytearray(1 << 31), "MemoryError"),
    "foreign": (lambda: {}["x"], "KeyError"),
    "warning": (lambda: __import__("warnings").warn("odd", stacklevel=1), "a warning"),
    "files": (lambda: __import__("tempfile").mkstemp(), "temporary files left"),
    "speechless": (lambda: _raise(ValueError("no")), "does not name the file"),
    "several lines": (lambda: _raise(ValueError("toy.csv\n is bad")), "not one sentence"),
}


def _spin() -> None:
    while True:
        pass


def _raise(error: Exception) -> None:
    raise error


class Harmful:
    """A target whose third case does harm."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __call__(self, place: Path) -> None:
        if place.read_bytes() == b"harm":
            HARM[self.kind][0]()


@pytest.mark.parametrize("kind", HARM)
def test_harm_is_seen_and_the_other_cases_are_tried(kind: str, tmp_path: Path, monkeypatch):
    # In this process, because a child of the server has targets of its own.
    from tests.fuzz import child, watch

    target = Target("harm", "toy.csv", lambda: [b"good"] * 3, Harmful(kind))
    monkeypatch.setitem(known.TARGETS, "harm", target)
    monkeypatch.setattr(child, "SECONDS", 0.3)
    corpus = tmp_path / "corpus" / "harm"
    corpus.mkdir(parents=True)
    (corpus / "found").write_bytes(b"harm")
    monkeypatch.setattr(watch, "_start", _forked)
    order = Order("harm", 0, 8, str(tmp_path / "place"), corpus=str(corpus.parent))
    outcome = run(order)
    assert outcome.cases == 8
    assert HARM[kind][1] in outcome.failures[0].what
    assert outcome.failures[0].number == 3
    assert outcome.failures[0].data == b"harm"


class _Forked:
    """A copy of this process that does what it is told."""

    def __init__(self, order: Order) -> None:
        from tests.fuzz.child import work

        (Path(order.folder) / "count").unlink(missing_ok=True)
        self.exitcode: int | None = None
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            # The crash is meant.
            faulthandler.disable()
            try:
                work(order)
            finally:
                os._exit(0)

    def is_alive(self) -> bool:
        time.sleep(0.01)
        done, status = os.waitpid(self.pid, os.WNOHANG)
        if done:
            self.exitcode = os.waitstatus_to_exitcode(status)
        return not done

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def join(self) -> None:
        pass


def _forked(order: Order) -> _Forked:
    return _Forked(order)


def test_the_table_adds_up(tmp_path: Path):
    line = long_run.Line(10, 0, 1, 2.5, 100)
    found = Outcome(5, [], 1.0, 200 * 1024)
    assert line.with_outcome(found, guided=True) == long_run.Line(15, 5, 1, 3.5, 200)
    long_run.write_table(tmp_path / "fuzz.csv", {"csv": line, "npz": line})
    assert long_run.read_table(tmp_path / "fuzz.csv") == {"csv": line, "npz": line}
    assert long_run.read_table(long_run.TABLE).keys() <= TARGETS.keys()
