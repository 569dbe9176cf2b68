"""The ledger of links: its lines, new links, undo of any step, import and export."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from cocluster.interview.queries import SIGNS
from cocluster.links import Links
from cocluster.links.closure import Conflict
from cocluster.projects.ledger import Line
from cocluster.web.api import Asked, Endpoint, File, Nothing
from cocluster.web.desk import Desk
from cocluster.web.routes.matrix import Place

# Lines that a page lists: the last ones.
MOST = 2_000
# Number of linked samples that are listed to explain why a link is violated.
COMPANIONS = 3


class NewLink(Asked):
    """A link between two samples."""

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


def get_links(desk: Desk, request: Nothing) -> Any:
    """Return the ledger, the last line first, with contradictions and violated links."""
    project = desk.project
    lines = project.ledger.lines()
    links = project.links
    positions = {name: i for i, name in enumerate(project.ids.tolist())}
    lines_json = []
    for line in reversed(lines[-MOST:]):
        a, b = positions.get(line.a), positions.get(line.b)
        pair = None if a is None or b is None else (a, b)
        why = (
            _explain_violation(desk, links, line, pair)
            if links is not None and line.in_force
            else None
        )
        lines_json.append(
            {**asdict(line), "positions": pair, "why": why, "violated": why is not None}
        )
    conflicts = [] if links is None else links.conflicts()
    return {
        "lines": lines_json,
        "total": len(lines),
        "conflicts": [_chain(desk, conflict, lines) for conflict in conflicts],
    }


def _explain_violation(
    desk: Desk, links: Links, line: Line, pair: tuple[int, int] | None
) -> list[dict[str, Any]] | None:
    """Explain a violated link: the clusters of both samples, and samples linked to them."""
    if pair is None or not desk.project.runs or line.relation not in ("must-link", "cannot-link"):
        return None
    labels = desk.labels()
    if (labels[pair[0]] == labels[pair[1]]) == (line.relation == "must-link"):
        return None
    component = links.closure().component
    return [
        {
            **_sample_title(desk, i),
            "cluster": int(labels[i]),
            "with": [
                _sample_title(desk, j)
                for j in np.flatnonzero(
                    (component == component[i]) & (labels == labels[i])
                ).tolist()
                if j not in pair
            ][:COMPANIONS],
        }
        for i in pair
    ]


def _chain(desk: Desk, conflict: Conflict, lines: Sequence[Line]) -> dict[str, Any]:
    """Return a contradiction: a cannot-link, and the must-links that join its two samples.

    Each link has its step of the ledger; one step of an edit has many links.
    """
    ids = desk.project.ids
    line_of: dict[tuple[frozenset[str], str], Line] = {}
    for line in lines:
        if line.in_force:
            line_of[frozenset((line.a, line.b)), line.relation] = line

    def link(i: int, j: int, relation: str) -> dict[str, Any]:
        line = line_of.get((frozenset((str(ids[i]), str(ids[j]))), relation))
        whence = None if line is None else {"source": line.source, "time": line.time}
        step = None if line is None else line.step
        return {
            "a": _sample_title(desk, i),
            "b": _sample_title(desk, j),
            "step": step,
            "said": whence,
        }

    return {
        "different": link(*conflict.pair, "cannot-link"),
        "same": [link(i, j, "must-link") for i, j in conflict.chain],
    }


def _sample_title(desk: Desk, i: int) -> dict[str, Any]:
    """Return the position, id and title of a sample."""
    titles = desk.project.dataset.titles
    title = "" if titles is None else str(titles[i])
    return {"position": int(i), "id": str(desk.project.ids[i]), "title": title}


def post_link(desk: Desk, request: NewLink) -> Any:
    """Add a line; a contradiction is refused with its chain."""
    i, j = desk.position(request.i), desk.position(request.j)
    links = Links.from_signed([(i, j)], [SIGNS[request.relation]], len(desk.project.ids))
    ids = desk.project.ids
    return {"step": desk.say(links, "workbench", f"{request.relation}: {ids[i]} and {ids[j]}")}


def delete_link(desk: Desk, request: Step) -> Any:
    """Take a step back; it stays in the file, followed by a line that says so."""
    desk.unsay(request.step)
    return {"undone": request.step}


def get_links_file(desk: Desk, request: Nothing) -> Any:
    """Return the links in force as a CSV file that every command accepts."""
    links = desk.project.links or Links.from_pairs(n_samples=len(desk.project.ids))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "links.csv"
        links.write(file, ids=desk.project.ids)
        return File(file.read_bytes(), "text/csv", "links.csv")


def post_links_file(desk: Desk, request: Import) -> Any:
    """Add all lines of a file as one step, or none."""
    n = len(desk.project.ids)
    with tempfile.TemporaryDirectory() as folder:
        # Only its ending is taken from the name.
        file = Path(folder) / f"links{Path(request.name).suffix}"
        file.write_text(request.text, encoding="utf-8")
        links = Links.read(file, ids=desk.project.ids, n_samples=n)
    step = desk.say(links, f"import {request.name}", f"import {request.name}")
    return {"step": step, "must": links.n_must, "cannot": links.n_cannot}


ENDPOINTS = [
    Endpoint("GET", "/links", get_links, "The ledger."),
    Endpoint("POST", "/links", post_link, "Add a line.", NewLink),
    Endpoint("DELETE", "/links/{step}", delete_link, "Undo a step.", Step),
    Endpoint("GET", "/links/file", get_links_file, "What is in force, as CSV.", gives="text/csv"),
    Endpoint("POST", "/links/file", post_links_file, "Import a file.", Import),
]
