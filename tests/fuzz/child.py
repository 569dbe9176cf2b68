"""A process that tries cases one after the other under limits, and writes down what it finds."""

from __future__ import annotations

import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import sys
import tempfile
import traceback
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# Bytes that a case may take beyond what the process has when it begins. Files of cases are small,
# so that readers allow them 64 MB (`cocluster.io.options`); texts and tables take several
# times as much while they are parsed.
ROOM = 1 << 30
# Seconds that a case may compute: sound ones take milliseconds.
SECONDS = 20.0
# Seconds that HDF5 files may be probed, see `cocluster.blocks.disk.sources.hdf5_probe`: hundreds of
# times what sound ones of this size take. Files that never come to an end are not rare.
SECONDS_OF_TRIAL = 0.5
# Where a child notes how many cases are done, and which one is being tried.
COUNT, CASE, FAILURES = "count", "case", "failures.jsonl"
# Compiled as it stands, and would not be with marks in it.
UNSEEN = ("cocluster.linalg._compiled", "cocluster.graphs._compiled")
# Inputs worth keeping, in the repository.
CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True)
class Order:
    """What a child is told to do: cases ``first`` to ``last`` of a target, in a folder."""

    target: str
    first: int
    last: int
    folder: str
    guided: bool = False
    corpus: str = str(CORPUS)
    # Where a guided run keeps what it finds; by default with the folder.
    kept: str = ""


def work(order: Order) -> None:
    """Try all cases of an order."""
    if order.guided:
        _guided(order)
    # Only now, because guided runs must see the library being loaded.
    from tests.fuzz.mutators import mutated
    from tests.fuzz.targets import TARGETS, all_seeds

    target = TARGETS[order.target]
    seeds = all_seeds(target, Path(order.corpus))
    trial = Trial(order, target)
    for number in range(order.first, order.last):
        # A number is a case, whatever was tried before it.
        rng = random.Random(f"{target.name} {number}")
        # First the sound ones as they are.
        data = (
            seeds[number] if number < len(seeds) else mutated(rng.choice(seeds), target.file, rng)
        )
        trial(data)


def _guided(order: Order) -> None:
    """Let atheris choose cases by the lines of the library that they reach; does not return."""
    import atheris

    with atheris.instrument_imports(["cocluster"], list(UNSEEN)):
        from tests.fuzz.mutators import LONGEST, mutated
        from tests.fuzz.targets import TARGETS, all_seeds
    target = TARGETS[order.target]
    found = Path(order.kept or f"{order.folder}/corpus")
    found.mkdir(exist_ok=True)
    for number, data in enumerate(all_seeds(target, Path(order.corpus))):
        (found / f"seed{number}").write_bytes(data)
    with atheris.instrument_imports(["cocluster"], list(UNSEEN)):
        # Reads the sound inputs, and with that loads what is loaded when first needed.
        trial = Trial(order, target)

    def change(data: bytes, most: int, seed: int) -> bytes:
        return mutated(bytes(data), target.file, random.Random(seed))[:most]

    options = [
        f"-runs={order.last - order.first}", f"-seed={order.first + 1}", f"-max_len={LONGEST}",
        # Limits are kept by `watch` and by the system.
        f"-artifact_prefix={order.folder}/", "-timeout=1000000", "-rss_limit_mb=0",
        "-verbosity=0", "-print_final_stats=0",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, str(found)], trial, custom_mutator=change)
    atheris.Fuzz()
    os._exit(0)


class Trial:
    """Tries one case after another."""

    def __init__(self, order: Order, target: Any) -> None:
        from cocluster.blocks.disk.sources import hdf5_probe

        self.target, self.folder = target, Path(order.folder)
        self.place, self.aside = self.folder / "place", self.folder / "aside"
        for folder in (self.place, self.aside):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        # What readers unpack must be gone afterwards.
        tempfile.tempdir = str(self.aside)
        hdf5_probe.SECONDS = SECONDS_OF_TRIAL
        self.number = order.first
        self._note()
        for data in target.seeds():
            # Once without limits: whatever is loaded or compiled on first use.
            self._judged(data)
        limit = _virtual_bytes() + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    def __call__(self, data: bytes) -> None:
        """Try a case."""
        (self.folder / CASE).write_bytes(data)
        # It ends the process, also in the midst of compiled code.
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        what, trace = self._judged(bytes(data))
        if what:
            line = {"number": self.number, "what": what, "trace": trace}
            kept = self.folder / f"failed{self.number}"
            kept.write_bytes(data)
            with (self.folder / FAILURES).open("a") as file:
                file.write(json.dumps(line) + "\n")
        self.number += 1
        self._note()

    def _note(self) -> None:
        """Say how far it is, and the most memory that was taken so far."""
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        (self.folder / COUNT).write_bytes(struct.pack("QQ", self.number, most))

    def _judged(self, data: bytes) -> tuple[str, str]:
        """What is wrong with what became of a case, and where; empty if nothing."""
        from tests.fuzz.targets import lay_out, sentence_of

        place = lay_out(self.target, data, self.place)
        before = {file.name for file in self.place.iterdir()}
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                self.target.run(place)
                what, trace = "", ""
            except Exception as error:
                what = sentence_of(error, place)
                trace = traceback.format_exc(limit=-8)[-3000:] if what else ""
        for one in warned:
            if not what and not _expected(str(one.message), self.target.warns):
                what, trace = (
                    f"a warning: {one.category.__name__}",
                    f"{one.filename}: {one.message}",
                )
        if not what and {file.name for file in self.place.iterdir()} != before:
            what = "files left beside the case"
        if not what and any(self.aside.iterdir()):
            what = f"temporary files left: {[file.name for file in self.aside.iterdir()][:3]}"
        for folder in (self.place, self.aside):
            _empty(folder)
        return what, trace


def _expected(message: str, pattern: str | None) -> bool:
    """Whether a warning is documented."""
    return pattern is not None and re.match(pattern, message) is not None


def _empty(folder: Path) -> None:
    """Remove all that is in a folder."""
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink()


def _virtual_bytes() -> int:
    """Address space of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


if __name__ == "__main__":
    work(Order(**json.loads(sys.argv[1])))

__all__ = ["CORPUS", "Order", "Trial", "asdict", "work"]
