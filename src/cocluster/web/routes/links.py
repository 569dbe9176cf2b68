"""The ledger of links: all that was said, new lines, undo of any, import and export."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from cocluster.interview.knowledge import SIGNS
from cocluster.links import Links
from cocluster.links.closure import Conflict
from cocluster.web.api import Asked, Endpoint, File, Nothing
from cocluster.web.desk import Desk
from cocluster.web.routes.matrix import Place

# Lines that a page lists: the last ones.
MOST = 2_000


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
    """The ledger, the last line first, with what the clusters do not keep."""
    project = desk.project
    lines = project.ledger.lines()
    place = {name: i for i, name in enumerate(project.ids.tolist())}
    labels = desk.labels() if project.runs else None
    shown = []
    for line in reversed(lines[-MOST:]):
        a, b = place.get(line.a), place.get(line.b)
        pair = a is not None and b is not None
        broken = False
        if pair and labels is not None and line.in_force:
            same = bool(labels[a] == labels[b])
            broken = (line.relation == "must-link" and not same) or (
                line.relation == "cannot-link" and same
            )
        shown.append(
            {
                "step": line.step,
                "a": line.a,
                "b": line.b,
                "relation": line.relation,
                "source": line.source,
                "time": line.time,
                "in_force": line.in_force,
                "undone": line.undone,
                "violated": broken,
                "positions": [a, b] if pair else None,
            }
        )
    links = project.links
    return {
        "lines": shown,
        "total": len(lines),
        "conflicts": [] if links is None else [_chain(desk, c) for c in links.conflicts()],
    }


def _chain(desk: Desk, found: Conflict) -> dict[str, Any]:
    """A contradiction: two that are said to differ, and the must-links that join them."""
    ids = desk.project.ids
    first, second = (str(ids[i]) for i in found.pair)
    steps = [str(ids[found.pair[0]]), *(str(ids[b]) for _, b in found.chain)]
    return {"pair": [first, second], "chain": steps}


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
