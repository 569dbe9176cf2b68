"""What the process beside the server does: fits, edits, choices; each is a function of a folder.

A fit holds the project only while its result is written, so that people can go on answering. Each
task takes ``tell``, which sends news to the pages, and returns plain values.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cocluster import choose_n_clusters
from cocluster.projects import Project
from cocluster.projects.changing import Change, carried_names, change
from cocluster.projects.making import Fitted, report_of
from cocluster.projects.models import model_of
from cocluster.projects.restoring import restored
from cocluster.web.inside import looked_into
from cocluster.web.map import write_map
from cocluster.web.questions import next_question, refitted
from cocluster.web.shelf import held, project_at, say_again

Tell = Callable[..., None]
# Seconds between two objectives that are told: more cannot be seen.
OFTEN = 0.1


class Sweeps:
    """Tells how the objective falls; a callback of ``fit``."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._last = tell, 0.0

    def __call__(self, state: Any) -> bool:
        now = time.monotonic()
        if now - self._last >= OFTEN or state.sweep <= 1:
            self._last = now
            self._tell(sweep=int(state.sweep), objective=float(state.objective))
        return False


def fit(
    tell: Tell,
    folder: str,
    method: str,
    clusters: int | None,
    column_clusters: int | None,
    seed: int,
    options: Mapping[str, Any],
    command: str,
) -> dict[str, Any]:
    """One more run."""
    project = project_at(folder)
    links = project.links
    if links is not None:
        links.check()
    choice: Any = None
    if clusters is None:
        choice = _chosen(tell, project, None, seed)
        clusters = choice.rows.stable
    model = model_of(method, clusters, column_clusters, seed, options)
    tell(stage=f"clustering {len(project.ids):,} samples into {clusters}")
    begin = time.perf_counter()
    model.fit(project.dataset.data, links=links, callback=Sweeps(tell))
    seconds = time.perf_counter() - begin
    tell(stage="writing the account")
    before = project.runs[-1] if project.runs else None
    names = {} if before is None else carried_names(project, project.model, model)
    source = str(project.about.get("source", ""))
    return _kept(
        project,
        before,
        Fitted(
            model,
            project.dataset,
            links,
            names,
            choice,
            seconds=seconds,
            command=command,
            source=source,
            about={"parent": before, "asked_on": "workbench"},
        ),
    )


def refit(tell: Tell, folder: str) -> dict[str, Any]:
    """The last run again, with all answers."""
    project = project_at(folder)
    tell(stage="clustering with the answers")
    begin = time.perf_counter()
    before, number = project.model, project.runs[-1]
    model = refitted(project)
    seconds = time.perf_counter() - begin
    tell(stage="writing the account")
    names = carried_names(project, before, model)
    fitted = Fitted(
        model, project.dataset, project.links, names, seconds=seconds, about={"parent": number}
    )
    return _kept(project, number, fitted)


def edit(tell: Tell, folder: str, what: str, **about: Any) -> dict[str, Any]:
    """Rename, merge, split, part or move."""
    project = project_at(folder)
    changed, done = EDITS[what](**about)
    tell(stage=done)
    with held(project):
        before = project.runs[-1]
        number, _ = change(project, changed, done)
        step = project.run(number).about.get("step")
    return {"run": number, "before": before, "step": step, "what": done}


def restore(
    tell: Tell,
    folder: str,
    run: int,
    again: bool = False,
    unsay: int | None = None,
    say: int | None = None,
) -> dict[str, Any]:
    """Go back to a run, or to what made it again; with it, take back a step or say it again."""
    project = project_at(folder)
    tell(stage=f"going back to run {run}")
    with held(project):
        said = None if say is None else say_again(project, say)
        if unsay is not None and unsay in project.ledger.steps():
            project.ledger.undo(unsay, "undo")
        before = project.runs[-1]
        return {"run": restored(project, run, again, said), "said": said, "before": before}


def choose(tell: Tell, folder: str, most: int | None, seed: int) -> dict[str, Any]:
    """How many clusters there are."""
    found: dict[str, Any] = _chosen(tell, project_at(folder), most, seed).as_dict()
    return found


def draw_map(tell: Tell, folder: str) -> dict[str, Any]:
    """Where the samples lie, written beside the runs."""
    tell(stage="drawing the map")
    write_map(project_at(folder))
    return {}


def question(tell: Tell, folder: str, kind: str) -> dict[str, Any]:
    """What to ask next."""
    return next_question(project_at(folder), kind)


def inside(tell: Tell, folder: str, samples: Sequence[int], parts: int) -> dict[str, Any]:
    """What some samples part into."""
    return looked_into(project_at(folder), samples, parts)


def _merge(clusters: Sequence[int]) -> tuple[Change, str]:
    return lambda edits: edits.merge(clusters), f"merge {' '.join(map(str, clusters))}"


def _split(cluster: int, parts: int) -> tuple[Change, str]:
    return lambda edits: edits.split(cluster, parts), f"split {cluster} {parts}"


def _rename(cluster: int, name: str) -> tuple[Change, str]:
    return lambda edits: edits.rename(cluster, name), f"rename {cluster} {name}"


def _move(samples: Sequence[int], cluster: int, called: Sequence[str]) -> tuple[Change, str]:
    return lambda edits: edits.move(samples, cluster), f"move {' '.join(called)} {cluster}"


def _part(samples: Sequence[int], parts: int) -> tuple[Change, str]:
    return lambda edits: edits.part(samples, parts), f"part {len(samples)} samples in {parts}"


EDITS: dict[str, Callable[..., tuple[Change, str]]] = {
    "merge": _merge,
    "split": _split,
    "rename": _rename,
    "move": _move,
    "part": _part,
}
TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    "fit": fit,
    "refit": refit,
    "edit": edit,
    "restore": restore,
    "choose": choose,
    "map": draw_map,
    "question": question,
    "inside": inside,
}


def sentence(error: BaseException) -> str:
    """What is wrong, in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _chosen(tell: Tell, project: Project, most: int | None, seed: int) -> Any:
    """A choice of the number of clusters, with news of how far it is."""

    def share(done: float, what: str) -> bool:
        tell(stage=f"choosing the number of clusters: {done:.0%}, {what}")
        return False

    return choose_n_clusters(project.dataset.data, most, random_state=seed, callback=share)


def _kept(project: Project, before: int | None, fitted: Fitted) -> dict[str, Any]:
    """Write a fit, and say where it is."""
    # The account takes longer than the writing; it needs no lock.
    run = fitted.run()
    report = report_of(run.account)
    with held(project):
        number = project.add_run(run, report)
    return {"run": number, "before": before, "step": None}
