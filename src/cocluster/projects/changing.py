"""What people change in a project: names, and which samples belong together; each can be undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from cocluster.io.dataset import Dataset
from cocluster.links import Links
from cocluster.projects.ledger import EDIT
from cocluster.projects.making import Fitted, keep
from cocluster.projects.project import Project
from cocluster.report.edits import Edits

Change = Callable[[Edits], Edits]
# What a run says of the edit it came from.
EDITED = ("parent", "edit", "step")


def change(project: Project, edit: Change, done: str) -> tuple[int, Any]:
    """Make an edit and fit again where it concerns samples; returns the new run and its account.

    Parameters
    ----------
    project : Project
        Held by `Project.writing`.
    edit : callable from Edits to Edits
        Such as ``lambda edits: edits.merge([2, 5])``.
    done : str
        What was done, in words, for the ledger and for ``run.json``.
    """
    model, dataset = project.model, project.dataset
    edits = edit(_begun(project, model))
    about = {"parent": project.runs[-1], "edit": done}
    if (edits.state.pinned == edits.states[0].pinned).all():
        # Only names have changed.
        return keep(project, Fitted(model, dataset, project.links, edits.names, about=about))
    others = project.ledger.links(edits=False)
    links = edits.links if others is None else edits.links | others
    # A contradiction of what was said before is refused before anything is written.
    links.check()
    fresh = refitted(model, edits.n_clusters, edits.start, dataset, links)
    names = _carried(edits, fresh)
    step = project.ledger.last + 1
    fitted = Fitted(fresh, dataset, links, names, about=about | {"step": step})
    return keep(project, fitted, (edits.links, f"{EDIT} {done}"))


def undo(project: Project) -> tuple[int, Any, str]:
    """Go back to what was before the last edit: the new run, its account, what was undone."""
    last = project.run().about
    if "edit" not in last or last.get("parent") not in project.runs:
        raise ValueError(f"{project.folder}: the last run is no edit, so there is none to undo.")
    before = project.run(last["parent"])
    about = before.about
    if last.get("step") in project.ledger.steps():
        project.ledger.undo(last["step"], "undo")
    names = {int(i): name for i, name in about["names"].items()}
    # With what it came from, so that the next undo goes one further back.
    origin = {key: about[key] for key in EDITED if key in about}
    fitted = Fitted(before.model, project.dataset, project.links, names, about=origin)
    return *keep(project, fitted), str(last["edit"])


def cluster_called(project: Project, called: str, shown: Any = None) -> int:
    """The cluster of samples that goes by a number or by a name, given or generated.

    ``shown`` is an account; by default that of the last run.
    """
    shown = project.account if shown is None else shown
    known = {} if shown is None else {cluster.name: cluster.id for cluster in shown.samples}
    by_name = {name.casefold(): i for name, i in known.items()}
    ids = set(known.values())
    found = int(called) if called.strip().isdecimal() else by_name.get(called.strip().casefold())
    if found is None or found not in ids:
        listed = ", ".join(f"{i} ({name})" for name, i in known.items())
        raise ValueError(f"There is no cluster {called!r}; there are {listed}.")
    return found


def refitted(model: Any, n_clusters: int, start: Any, dataset: Dataset, links: Links | None) -> Any:
    """A fit like that of a model, with other clusters, start and links."""
    twin = clone(model)
    fresh: dict[str, Any] = {"n_clusters": n_clusters}
    if "init" in twin.get_params(deep=False):
        fresh["init"] = start
    return twin.set_params(**fresh).fit(dataset.data, links=links)


def carried_names(project: Project, before: Any, after: Any) -> dict[int, str]:
    """Names that people gave to clusters of a model, by the numbers of another one."""
    return _carried(Edits.of(before, names=project.names), after)


def _begun(project: Project, model: Any) -> Edits:
    """The last run, with the samples that earlier edits hold where they are."""
    edits = Edits.of(model, project.dataset, names=project.names)
    held = project.ledger.links(edits=True)
    if held is None:
        return edits
    pinned = np.zeros(len(held), dtype=bool)
    for labelling in held.labellings:
        pinned[labelling.members] = True
    return replace(edits, states=(replace(edits.state, pinned=pinned),))


def _carried(edits: Edits, model: Any) -> dict[int, str]:
    """Names of the edited clusters, by the numbers of a new fit."""
    after = edits.after(model)
    own = {int(a): int(m) for a, m in zip(after.labels, model.labels_, strict=True)}
    return {own[i]: name for i, name in after.names.items() if i in own}
