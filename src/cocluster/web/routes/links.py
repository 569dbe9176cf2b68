"""The ledger of links: all that was said, new lines, undo of any, import and export."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from cocluster.interview.knowledge import SIGNS
from cocluster.links import Links
from cocluster.links.closure import Conflict
from cocluster.projects.ledger import Line
from cocluster.web.api import Asked, Endpoint, File, Nothing
from cocluster.web.desk import Desk
from cocluster.web.routes.matrix import Place

# Lines that a page lists: the last ones.
MOST = 2_000
# Samples that are named beside one, to say with whom it is held together.
COMPANIONS = 3


class NewLink(Asked):
    """What someone says of two samples."""

    i: Place
    j: Place
    relation: Literal["same", "different", "unsure"]


class Step(Asked):
    """A step of the ledger, by its number; lines written by hand have negative ones."""

    step: int


class Import(Asked):
    """The content of a file of links, as `Links.read` takes it."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[^/\\]{1,100}\.(csv|tsv|jsonl)$")]
    text: Annotated[str, msgspec.Meta(min_length=1)]


def get_links(desk: Desk, asked: Nothing) -> Any:
    """The ledger, the last line first, with what contradicts and what the clusters do not keep."""
    project = desk.project
    lines = project.ledger.lines()
    links = project.links
    place = {name: i for i, name in enumerate(project.ids.tolist())}
    shown = []
    for line in reversed(lines[-MOST:]):
        a, b = place.get(line.a), place.get(line.b)
        pair = None if a is None or b is None else (a, b)
        why = _broken(desk, links, line, pair) if links is not None and line.in_force else None
        shown.append({**asdict(line), "positions": pair, "why": why, "violated": why is not None})
    conflicts = [] if links is None else links.conflicts()
    return {
        "lines": shown,
        "total": len(lines),
        "conflicts": [_chain(desk, found, lines) for found in conflicts],
    }


def _broken(
    desk: Desk, links: Links, line: Line, pair: tuple[int, int] | None
) -> list[dict[str, Any]] | None:
    """Why a line is not kept: where both are, and with whom they are held together there."""
    if pair is None or not desk.project.runs or line.relation not in ("must-link", "cannot-link"):
        return None
    labels = desk.labels()
    if (labels[pair[0]] == labels[pair[1]]) == (line.relation == "must-link"):
        return None
    component = links.closure().component
    return [
        {
            **_called(desk, i),
            "cluster": int(labels[i]),
            "with": [
                _called(desk, j)
                for j in np.flatnonzero(
                    (component == component[i]) & (labels == labels[i])
                ).tolist()
                if j not in pair
            ][:COMPANIONS],
        }
        for i in pair
    ]


def _chain(desk: Desk, found: Conflict, lines: Sequence[Line]) -> dict[str, Any]:
    """A contradiction: two that are said to differ, and the must-links that join them.

    Each with the step of the ledger that says so; edits say it of many at once.
    """
    ids = desk.project.ids
    said: dict[tuple[frozenset[str], str], Line] = {}
    for line in lines:
        if line.in_force:
            said[frozenset((line.a, line.b)), line.relation] = line

    def link(i: int, j: int, relation: str) -> dict[str, Any]:
        line = said.get((frozenset((str(ids[i]), str(ids[j]))), relation))
        whence = None if line is None else {"source": line.source, "time": line.time}
        step = None if line is None else line.step
        return {"a": _called(desk, i), "b": _called(desk, j), "step": step, "said": whence}

    return {
        "different": link(*found.pair, "cannot-link"),
        "same": [link(i, j, "must-link") for i, j in found.chain],
    }


def _called(desk: Desk, i: int) -> dict[str, Any]:
    """A sample by its id and title."""
    titles = desk.project.dataset.titles
    title = "" if titles is None else str(titles[i])
    return {"position": int(i), "id": str(desk.project.ids[i]), "title": title}


def post_link(desk: Desk, asked: NewLink) -> Any:
    """Add a line; a contradiction is refused with its chain."""
    i, j = desk.position(asked.i), desk.position(asked.j)
    links = Links.from_signed([(i, j)], [SIGNS[asked.relation]], len(desk.project.ids))
    ids = desk.project.ids
    return {"step": desk.say(links, "workbench", f"{asked.relation}: {ids[i]} and {ids[j]}")}


def delete_link(desk: Desk, asked: Step) -> Any:
    """Take a step back; it stays in the file, followed by a line that says so."""
    desk.unsay(asked.step)
    return {"undone": asked.step}


def get_links_file(desk: Desk, asked: Nothing) -> Any:
    """What is in force, as a file that every command takes."""
    links = desk.project.links or Links.from_pairs(n_samples=len(desk.project.ids))
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "links.csv"
        links.write(file, ids=desk.project.ids)
        return File(file.read_bytes(), "text/csv", "links.csv")


def post_links_file(desk: Desk, asked: Import) -> Any:
    """Add all lines of a file as one step, or none."""
    n = len(desk.project.ids)
    with tempfile.TemporaryDirectory() as place:
        # Only its ending is taken from the name.
        file = Path(place) / f"links{Path(asked.name).suffix}"
        file.write_text(asked.text, encoding="utf-8")
        links = Links.read(file, ids=desk.project.ids, n_samples=n)
    step = desk.say(links, f"import {asked.name}", f"import {asked.name}")
    return {"step": step, "must": links.n_must, "cannot": links.n_cannot}


ENDPOINTS = [
    Endpoint("GET", "/links", get_links, "The ledger."),
    Endpoint("POST", "/links", post_link, "Add a line.", NewLink),
    Endpoint("DELETE", "/links/{step}", delete_link, "Undo a step.", Step),
    Endpoint("GET", "/links/file", get_links_file, "What is in force, as CSV.", gives="text/csv"),
    Endpoint("POST", "/links/file", post_links_file, "Import a file.", Import),
]
