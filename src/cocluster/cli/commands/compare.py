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
from cocluster.utils.text import as_json

# Number of samples listed by name, and of moves between clusters.
SHOWN, WAYS = 20, 5


def run(args: Namespace) -> int:
    """Compare two runs, of one project or of two with the same samples."""
    first, number = _project_and_run(args.first)
    if args.second is None:
        second, last = first, None
        number = number or _previous_run(first)
    else:
        second, last = _project_and_run(args.second)
    first_labels, second_labels = first.run(number).labels(), second.run(last).labels()
    common = [name for name in first_labels if name in second_labels]
    if not common:
        raise ValueError(f"{args.first} and {args.second} have no sample in common.")
    labels = [
        np.array([run_labels[name] for name in common])
        for run_labels in (first_labels, second_labels)
    ]
    comparison = compare(*labels)
    args.progress.end()
    if args.json:
        show(as_json(_plain(comparison, common)))
        return 0
    missing = len(first_labels) + len(second_labels) - 2 * len(common)
    show(
        comparison.summary
        + (f"\n{missing:,} samples are in one of the two only." if missing else "")
    )
    moved = [common[m.position] for m in comparison.samples.moved]
    if moved:
        # Use the cluster names of each run, not the matched numbers.
        was, now = _names(first, number), _names(second, last)
        ways = [(was(first_labels[name]), now(second_labels[name])) for name in moved]
        show("\n" + table(["samples", "were in", "are in"], _most_common_moves(ways)))
        rows = [[name, *way] for name, way in zip(moved, ways, strict=True)]
        show("\n" + table(["sample", "was in", "is in"], rows[:SHOWN]))
    return 0


def _names(project: Project, number: int | None) -> Callable[[int], str]:
    """Return a function that formats a label of a run with its cluster name."""
    account = project.run(number).account
    names = {} if account is None else {cluster.id: cluster.name for cluster in account.samples}
    return lambda label: f"{label} {names.get(label, '')}".strip()


def _most_common_moves(ways: list[tuple[str, str]]) -> list[list[Any]]:
    """Return the most frequent moves between clusters with their counts."""
    return [[n, *way] for way, n in Counter(ways).most_common(WAYS)]


def _project_and_run(text: str) -> tuple[Project, int | None]:
    """Parse the project and the run in ``PROJECT`` or ``PROJECT:2``."""
    folder, sign, number = text.rpartition(":")
    if sign and number.isdecimal():
        return opened(folder), int(number)
    return opened(text), None


def _previous_run(project: Project) -> int:
    """Return the number of the run before the last."""
    runs = project.runs
    if len(runs) < 2:
        raise ValueError(f"{project.folder} has one run only; name a second project to compare.")
    return runs[-2]


def _plain(comparison: Any, names: list[str]) -> dict[str, Any]:
    """Return the comparison as JSON values, with sample names."""
    plain: dict[str, Any] = comparison.to_dict()
    for changes in plain["types"].values():
        for moved in changes["moved"]:
            moved["name"] = names[moved["position"]]
    return plain
