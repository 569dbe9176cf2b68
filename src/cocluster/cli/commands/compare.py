"""``cocluster compare``: what differs between two runs."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from cocluster.cli.reading import opened
from cocluster.cli.terminal import show, table
from cocluster.projects import Project
from cocluster.report.compare import compare
from cocluster.utils.texts import as_json

# Samples that are listed by name, and ways from cluster to cluster.
SHOWN, WAYS = 20, 5


def run(asked: Namespace) -> int:
    """Compare two runs, of one project or of two with the same samples."""
    first, number = _named(asked.first)
    if asked.second is None:
        second, last = first, None
        number = number or _before(first)
    else:
        second, last = _named(asked.second)
    one, other = first.run(number).labels(), second.run(last).labels()
    common = [name for name in one if name in other]
    if not common:
        raise ValueError(f"{asked.first} and {asked.second} have no sample in common.")
    labels = [np.array([held[name] for name in common]) for held in (one, other)]
    found = compare(*labels)
    asked.progress.end()
    if asked.json:
        show(as_json(_plain(found, common)))
        return 0
    missing = len(one) + len(other) - 2 * len(common)
    show(found.told + (f"\n{missing:,} samples are in one of the two only." if missing else ""))
    moved = [common[m.position] for m in found.samples.moved]
    if moved:
        # By the names that each run has for its clusters, not by numbers that were matched.
        was, now = _names(first, number), _names(second, last)
        ways = [(was(one[name]), now(other[name])) for name in moved]
        show("\n" + table(["samples", "were in", "are in"], _counted(ways)))
        rows = [[name, *way] for name, way in zip(moved, ways, strict=True)]
        show("\n" + table(["sample", "was in", "is in"], rows[:SHOWN]))
    return 0


def _names(project: Project, number: int | None) -> Callable[[int], str]:
    """What clusters of a run are called."""
    account = project.run(number).account
    known = {} if account is None else {own.id: own.name for own in account.samples}
    return lambda label: f"{label} {known.get(label, '')}".strip()


def _counted(ways: list[tuple[str, str]]) -> list[list[Any]]:
    """From where to where most have moved."""
    return [[n, *way] for way, n in Counter(ways).most_common(WAYS)]


def _named(text: str) -> tuple[Project, int | None]:
    """Project and run that go by ``PROJECT`` or ``PROJECT:2``."""
    folder, sign, number = text.rpartition(":")
    if sign and number.isdecimal():
        return opened(folder), int(number)
    return opened(text), None


def _before(project: Project) -> int:
    """The run before the last."""
    runs = project.runs
    if len(runs) < 2:
        raise ValueError(f"{project.folder} has one run only; name a second project to compare.")
    return runs[-2]


def _plain(found: Any, names: list[str]) -> dict[str, Any]:
    """The comparison as JSON, samples by their names."""
    plain: dict[str, Any] = found.to_dict()
    for own in plain["types"].values():
        for moved in own["moved"]:
            moved["name"] = names[moved["position"]]
    return plain
