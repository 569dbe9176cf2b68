"""An earlier run, made the last one again: runs are only ever added."""

from __future__ import annotations

from typing import Any

from cocluster.projects.changing import EDITED
from cocluster.projects.making import file_order, names_by_type, report_of
from cocluster.projects.project import Project
from cocluster.projects.runs import NewRun


def restored(project: Project, number: int, again: bool = False, said: int | None = None) -> int:
    """Add a run that is the same as an earlier one, with its names; returns the new number.

    Parameters
    ----------
    project : Project
        Held by `Project.writing`.
    number : int
        The earlier run.
    again : bool
        Whether what made that run is done again, after the last run there is; else one goes back.
    said : int, optional
        The step of the ledger that says again what it said.
    """
    run = project.run(number)
    model, told, about = run.model, run.account, run.about
    # With what it came from, so that an edit that led to it can still be undone.
    kept: dict[str, Any] = {key: about[key] for key in (*EDITED, "seconds") if key in about}
    if again and "parent" in kept:
        # To undo it leads here, and takes back the step that is in force, not the one of then.
        kept |= {"parent": project.runs[-1]} | ({} if said is None else {"step": said})
    names = {int(i): name for i, name in about["names"].items()}
    copy = NewRun(
        model,
        names_by_type(model, project.dataset),
        file_order(project.dataset),
        {**kept, "restored": number},
        names,
        told,
        run.grids,
    )
    return project.add_run(copy, None if told is None else report_of(told))
