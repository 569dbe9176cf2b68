"""The long run: ``make fuzz``, or ``python -m tests.fuzz --targets csv,npz --cases 100000``.

It goes on where the last one ended, and writes after every few thousand cases what was tried and
what failed to ``benchmarks/results/fuzz.csv``. Failing inputs are kept in ``.fuzz/failures``. If
atheris is there, cases are chosen by the lines of the library that they reach.
"""

from __future__ import annotations

import argparse
import csv
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz.child import Order
from tests.fuzz.targets import TARGETS
from tests.fuzz.watch import PRELOADED, Outcome, fast_folder, remove, run
from tests.processes import CONTEXT

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "benchmarks" / "results" / "fuzz.csv"
KEPT = ROOT / ".fuzz"
HEAD = ("target", "cases", "guided", "failures", "seconds", "peak_mb")
# Cases between two lines of the table; a guided run loads everything anew for each such part.
PART = 10_000


@dataclass(frozen=True)
class Line:
    """What was tried of a target in all runs: cases, and how many of them were guided."""

    cases: int = 0
    guided: int = 0
    failures: int = 0
    seconds: float = 0.0
    peak_mb: int = 0

    def with_outcome(self, found: Outcome, guided: bool) -> Line:
        """With what one more part gave."""
        return Line(
            self.cases + found.cases,
            self.guided + (found.cases if guided else 0),
            self.failures + len(found.failures),
            round(self.seconds + found.seconds, 1),
            max(self.peak_mb, found.peak // 1024),
        )


def read_table(file: Path) -> dict[str, Line]:
    """Lines by target."""
    if not file.exists():
        return {}
    with file.open(newline="") as stream:
        return {
            row["target"]: Line(
                int(row["cases"]), int(row["guided"]), int(row["failures"]),
                float(row["seconds"]), int(row["peak_mb"]),
            )
            for row in csv.DictReader(stream)
        }  # fmt: skip


def write_table(file: Path, lines: dict[str, Line]) -> None:
    """Lines in the order of the targets."""
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(HEAD)
        for name in [name for name in TARGETS if name in lines]:
            own = lines[name]
            writer.writerow((name, own.cases, own.guided, own.failures, own.seconds, own.peak_mb))


def keep_failures(found: Outcome, folder: Path) -> None:
    """Keep inputs that failed, each beside what it did."""
    for one in found.failures:
        place = folder / one.target.replace(" ", "_")
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{one.number}.input").write_bytes(one.data)
        (place / f"{one.number}.txt").write_text(f"{one.what}\n{one.trace}\n", errors="replace")


def try_target(name: str, before: Line, cases: int, until: float, guided: bool) -> Line:
    """One part of the cases of a target."""
    folder = fast_folder()
    corpus = KEPT / "corpus" / name.replace(" ", "_")
    corpus.mkdir(parents=True, exist_ok=True)
    last = min(before.cases + PART, cases)
    begin, first = time.monotonic(), before.cases
    said = 0.0

    def told(done: int, failed: int) -> bool:
        nonlocal said
        now = time.monotonic()
        if now - said < 1:
            return now > until
        said = now
        spent, tried = now - begin, max(done - first, 1)
        left = (cases - max(done, first)) * spent / tried
        print(
            f"\r{name}: {max(done, first):,} of {cases:,}, {before.failures + failed} failures, "
            f"{left / 60:.0f} minutes left   ",
            end="",
            flush=True,
        )
        return now > until

    order = Order(name, first, last, str(folder), guided, kept=str(corpus))
    try:
        found = run(order, told)
    finally:
        remove(folder)
    keep_failures(found, KEPT / "failures")
    return before.with_outcome(found, guided)


def main() -> None:
    """Try all targets that were asked for."""
    CONTEXT.set_forkserver_preload(PRELOADED)
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000, help="of each target, in all runs")
    parser.add_argument("--targets", default=",".join(TARGETS), help="names with commas between")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="end after so many")
    parser.add_argument("--plain", action="store_true", help="not guided by coverage")
    parser.add_argument("--afresh", action="store_true", help="forget what was tried before")
    asked = parser.parse_args()
    unknown = [name for name in asked.targets.split(",") if name not in TARGETS]
    if unknown:
        parser.error(f"there is no target {unknown[0]!r}; there are {', '.join(TARGETS)}")
    guided = not asked.plain and find_spec("atheris") is not None
    until = time.monotonic() + 60 * asked.minutes
    fresh = set(asked.targets.split(",")) if asked.afresh else set()
    for name in asked.targets.split(","):
        line = read_table(TABLE).get(name, Line()) if name not in fresh else Line()
        while line.cases < asked.cases and time.monotonic() < until:
            line = try_target(name, line, asked.cases, until, guided)
            write_table(TABLE, read_table(TABLE) | {name: line})
        print(f"\r{name}: {line.cases:,} cases, {line.failures} failures{' ' * 30}", flush=True)


if __name__ == "__main__":
    main()
