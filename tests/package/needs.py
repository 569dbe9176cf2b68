"""What the package declares, and what comes with it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


def declared() -> dict[str, list[Requirement]]:
    """Requirements of the core, which is called "", and of each extra; without the package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = {"": project["dependencies"], **project["optional-dependencies"]}
    parsed = {name: [Requirement(text) for text in own] for name, own in listed.items()}
    return {name: [r for r in own if r.name != "cocluster"] for name, own in parsed.items()}


def with_theirs(requirements: Iterable[Requirement]) -> Iterator[Distribution]:
    """Packages, and those that they need in turn, as far as they are installed."""
    waiting = list(requirements)
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        wanted = waiting.pop()
        key = wanted.name.lower(), frozenset(wanted.extras)
        if key in seen:
            continue
        seen.add(key)
        try:
            found = distribution(wanted.name)
        except PackageNotFoundError:
            continue  # of an extra that was not asked for here
        yield found
        for further in map(Requirement, found.requires or ()):
            marks = [{"extra": extra} for extra in wanted.extras or ("",)]
            if further.marker is None or any(further.marker.evaluate(mark) for mark in marks):
                waiting.append(further)
