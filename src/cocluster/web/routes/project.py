"""The project: what it is, its account, its report, undo and redo."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from cocluster.projects.making import report_of
from cocluster.projects.project import Project
from cocluster.report.account import Account
from cocluster.report.account_tables import TABLES, as_csv
from cocluster.report.colours import CLUSTERS, SCALE, as_hex
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


def get_project(desk: Desk, asked: Nothing) -> Any:
    """What a page needs to begin."""
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
    """Answers in force since the last run that knew them."""
    return sum(source == "ask" for source in project.ledger.steps().values())


def get_account(desk: Desk, asked: OfRun) -> Any:
    """The account of a run, as ``account.json`` has it."""
    return File(desk.account_json(desk.number(asked.run)), "application/json")


def get_table(desk: Desk, asked: TableOf) -> Any:
    """One part of the account as a CSV file."""
    told: Account = desk.account(desk.number(asked.run))
    if asked.part not in TABLES:
        raise NotThere(f"There is no table {asked.part!r}; there are {', '.join(TABLES)}.")
    text = as_csv(told.rows(asked.part))
    return File(text.encode(errors="backslashreplace"), "text/csv", f"{asked.part}.csv")


def get_report(desk: Desk, asked: OfRun) -> Any:
    """The report: one HTML page that needs nothing else."""
    text = report_of(desk.account(desk.number(asked.run)))
    return File(text.encode(errors="backslashreplace"), "text/html", "report.html")


def post_undo(desk: Desk, asked: Nothing) -> Any:
    """Take the last thing back."""
    return desk.undo()


def post_redo(desk: Desk, asked: Nothing) -> Any:
    """Do it again."""
    return desk.redo()


ENDPOINTS = [
    Endpoint("GET", "/project", get_project, "What the project is, and what is going on."),
    Endpoint("GET", "/account", get_account, "The account of a run.", OfRun),
    Endpoint("GET", "/tables/{part}", get_table, "A part of the account.", TableOf, "text/csv"),
    Endpoint("GET", "/report", get_report, "The standalone report.", OfRun, "text/html"),
    Endpoint("POST", "/undo", post_undo, "Undo the last edit, answer or fit."),
    Endpoint("POST", "/redo", post_redo, "Do the last undone thing again."),
]
