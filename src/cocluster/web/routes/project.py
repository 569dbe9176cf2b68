"""The project: what it is, its account, its report, undo and redo."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from cocluster.projects.making import report_of
from cocluster.projects.project import Project
from cocluster.report.account import Account
from cocluster.report.colours import CLUSTERS, SCALE, as_hex
from cocluster.report.tables import TABLES, as_csv
from cocluster.web.api import Asked, Endpoint, File, Nothing
from cocluster.web.desk import Desk, NotThere
from cocluster.web.history import read_history

Number = Annotated[int, msgspec.Meta(ge=1)]


class OfRun(Asked):
    """Which run; the last by default."""

    run: Number | None = None


class TableOf(Asked):
    """A part of the account."""

    part: str
    run: Number | None = None


def get_project(desk: Desk, request: Nothing) -> Any:
    """Return the state of the project that a page needs to start."""
    project: Project = desk.project
    history = read_history(project)
    links = project.links
    busy = desk.jobs.busy
    return {
        "name": project.name,
        "folder": desk.folder,
        "samples": len(project.ids),
        "runs": project.runs,
        "views": list(project.dataset.views),
        "texts": project.dataset.texts is not None,
        "columns": desk.columns,
        "pictures": desk.pictures is not None,
        "undo": history.done[-1].what if history.done else None,
        "redo": history.undone[-1].what if history.undone else None,
        "answers": _answers(project),
        "links": None
        if links is None
        else {"must": links.n_must, "cannot": links.n_cannot, "implied": links.n_implied},
        "busy": None if busy is None else busy.shown(),
        "colours": [as_hex(colour) for colour in CLUSTERS],
        "scale": SCALE,
        "stamp": desk.stamp(),
    }


def _answers(project: Project) -> int:
    """Count the answers in the ledger that are in force."""
    return sum(source == "ask" for source in project.ledger.steps().values())


def get_account(desk: Desk, request: OfRun) -> Any:
    """Return the account of a run, as ``account.json`` has it."""
    return File(desk.account_json(desk.number(request.run)), "application/json")


def get_table(desk: Desk, request: TableOf) -> Any:
    """Return one part of the account as a CSV file."""
    account: Account = desk.account(desk.number(request.run))
    if request.part not in TABLES:
        raise NotThere(f"There is no table {request.part!r}; there are {', '.join(TABLES)}.")
    text = as_csv(account.rows(request.part))
    return File(text.encode(errors="backslashreplace"), "text/csv", f"{request.part}.csv")


def get_report(desk: Desk, request: OfRun) -> Any:
    """Return the report: one HTML page that needs no other file."""
    text = report_of(desk.account(desk.number(request.run)))
    return File(text.encode(errors="backslashreplace"), "text/html", "report.html")


def post_undo(desk: Desk, request: Nothing) -> Any:
    """Undo the last action."""
    return desk.undo()


def post_redo(desk: Desk, request: Nothing) -> Any:
    """Redo the last undone action."""
    return desk.redo()


ENDPOINTS = [
    Endpoint("GET", "/project", get_project, "What the project is, and what is going on."),
    Endpoint("GET", "/account", get_account, "The account of a run.", OfRun),
    Endpoint("GET", "/tables/{part}", get_table, "A part of the account.", TableOf, "text/csv"),
    Endpoint("GET", "/report", get_report, "The standalone report.", OfRun, "text/html"),
    Endpoint("POST", "/undo", post_undo, "Undo the last edit, answer or fit."),
    Endpoint("POST", "/redo", post_redo, "Do the last undone thing again."),
]
