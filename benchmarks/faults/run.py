"""Kill every command many times, and write down what came out."""

from __future__ import annotations

import csv
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks.faults.killing import CONTEXT, Ended, Moment, started
from benchmarks.faults.scenes import Scene, scenes
from benchmarks.faults.serving import Serve
from cocluster.utils.files import new_file

RESULTS = Path(__file__).parents[1] / "results" / "faults.csv"
FIELDS = ("command", "kills", "aimed", "compared", "failures")
# Kills in a row before one is let to go on: so that leftovers would pile up.
IN_A_ROW = 3
# Seconds after the beginning of a change at which some aimed kills come: as long as a small file
# takes to be written.
LATER = 0.004
# Kills between two lines of the table: a run that is stopped loses no more than these.
PART = 40
# Of the time that an undisturbed run takes, moments of chance lie in this much.
SPAN = 1.1
Report = Callable[[str, int, int], None]


@dataclass
class Tally:
    """What came out for one command, ``before`` being failures of earlier runs."""

    kills: int = 0
    aimed: int = 0
    compared: int = 0
    before: int = 0
    failures: list[str] = field(default_factory=list)

    @staticmethod
    def of(file: Path, command: str) -> Tally:
        """What earlier runs have found."""
        row = _rows(file).get(command, dict.fromkeys(FIELDS, 0))
        kills, aimed, compared, failures = (int(row[name]) for name in FIELDS[1:])
        return Tally(kills, aimed, compared, failures)

    def row(self, command: str) -> dict[str, Any]:
        """A line of the table."""
        counts = {"kills": self.kills, "aimed": self.aimed, "compared": self.compared}
        return {"command": command, **counts, "failures": self.before + len(self.failures)}


@dataclass(frozen=True)
class Undisturbed:
    """A scene that was run to its end: its beginning, its result, and how long it took."""

    scene: Scene
    start: Path
    result: Any
    ended: Ended

    @staticmethod
    def of(scene: Scene, place: Path) -> Undisturbed:
        """Run a scene once, in a place of its own."""
        start = place / "start"
        start.mkdir(parents=True)
        _done(started(_Prepare(scene), start))
        folder = fresh(start, place / "undisturbed")
        ended = _done(started(scene, folder))
        return Undisturbed(scene, start, scene.result(folder), ended)


Law = Callable[[Undisturbed, Path], None]


@dataclass(frozen=True)
class _Prepare:
    """The beginning of a scene, made in a process of its own, too."""

    scene: Scene

    def act(self, folder: Path) -> None:
        self.scene.prepare(folder)


def kill_often(known: Undisturbed, kills: int, tally: Tally, rng: random.Random) -> Iterator[int]:
    """Kill a scene so often; yields after each kill."""
    done = 0
    while done < kills:
        folder = fresh(known.start, known.start.with_name("killed"))
        for _ in range(min(IN_A_ROW, kills - done)):
            moment = _moment(known.ended, rng)
            ended = started(known.scene, folder, moment)
            if not ended.killed:
                if ended.code:
                    tally.failures.append(f"{known.scene}: cannot go on: {ended.said}")
                break
            done += 1
            tally.kills += 1
            tally.aimed += bool(moment.writes)
            _held(tally, known, _whole, folder, moment)
            yield done
        tally.compared += 1
        _held(tally, known, _gone_on, folder, moment)


def _whole(known: Undisturbed, folder: Path) -> None:
    """Look at what is left after a kill."""
    known.scene.check(folder)


def _gone_on(known: Undisturbed, folder: Path) -> None:
    """Go on to the end, and compare."""
    _done(started(known.scene, folder))
    known.scene.check(folder)
    assert known.scene.result(folder) == known.result, "the result is another one"
    # The lock of a killed writer stays, one small file, until there is another writer.
    hidden = [file for file in folder.rglob(".*") if file.suffix != ".lock"]
    assert not hidden, f"{[str(file.relative_to(folder)) for file in hidden]} are left"


def _held(tally: Tally, known: Undisturbed, law: Law, folder: Path, moment: Moment) -> None:
    """Note where something that must hold does not."""
    try:
        law(known, folder)
    # Whatever it is: that is what is looked for.
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        tally.failures.append(f"{known.scene}, last killed at {moment}: {what}")


def _moment(ended: Ended, rng: random.Random) -> Moment:
    """By turns: any moment, the moment before a change, and a little later."""
    kind = rng.randrange(3) if ended.writes else 0
    if kind == 0:
        return Moment(seconds=rng.uniform(0, SPAN * ended.seconds))
    writes = rng.randint(1, ended.writes)
    return Moment(rng.uniform(0, LATER) if kind == 2 else 0.0, writes)


def fresh(start: Path, folder: Path) -> Path:
    """A copy of a beginning, and nothing else there."""
    shutil.rmtree(folder, ignore_errors=True)
    for file in folder.parent.glob(f"{folder.name}.*"):
        file.unlink()
    shutil.copytree(start, folder)
    return folder


def _done(ended: Ended) -> Ended:
    """A process that has ended well."""
    if ended.code:
        raise RuntimeError(f"It ended with {ended.code}: {ended.said}")
    return ended


def run(
    kills: int,
    only: Sequence[str] = (),
    seed: int = 0,
    file: Path = RESULTS,
    report: Report = print,
) -> list[str]:
    """Kill each command so many times, write the table, and return what went wrong.

    It goes on where the last run ended.

    Parameters
    ----------
    kills : int
        For each command in all runs, shared by its scenes.
    only : sequence of str
        Commands; all by default.
    seed : int
        Of the moments.
    file : path
        Where lines of other commands stay as they are.
    report : callable of (what, done, total)
    """
    CONTEXT.set_forkserver_preload(["benchmarks.faults.loaded"])
    chosen: dict[str, list[Scene]] = {}
    for scene in [*scenes(), Serve()]:
        if not only or scene.command in only:
            chosen.setdefault(scene.command, []).append(scene)
    unknown = set(only) - set(chosen)
    if unknown:
        raise ValueError(f"There is no command {min(unknown)!r} to kill.")
    troubles: list[str] = []
    for number, (command, own) in enumerate(chosen.items()):
        tally = Tally.of(file, command)
        while tally.kills < kills:
            part = min(PART, kills - tally.kills)
            # Other moments than those of the parts before.
            rng = random.Random(f"{seed} {tally.kills}")
            for done in _killed(own, part, tally, rng):
                what = f"{command}, {len(tally.failures)} failures"
                report(what, number * kills + done, len(chosen) * kills)
            write_row(file, tally.row(command))
        troubles += tally.failures
    return troubles


def _killed(own: list[Scene], kills: int, tally: Tally, rng: random.Random) -> Iterator[int]:
    """Kill the scenes of a command; yields how many kills there were."""
    shares = [len(range(i, kills, len(own))) for i in range(len(own))]
    for scene, share in zip(cycle(own), shares, strict=False):
        with tempfile.TemporaryDirectory(prefix="cocluster-faults-") as place:
            known = Undisturbed.of(scene, Path(place))
            for _ in kill_often(known, share, tally, rng):
                yield tally.kills


def _rows(file: Path) -> dict[str, dict[str, Any]]:
    """Lines of the table by command."""
    if not file.exists():
        return {}
    with file.open(newline="", encoding="utf-8") as opened:
        return {row["command"]: row for row in csv.DictReader(opened)}


def write_row(file: Path, row: dict[str, Any]) -> None:
    """Put the line of a command into the table, in the place of an older one."""
    rows = _rows(file) | {row["command"]: row}
    with new_file(file) as unfinished, unfinished.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[command] for command in sorted(rows))
