"""``cocluster edit``: rename, merge, split, part, move, undo."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from cocluster.cli.progress import Progress
from cocluster.cli.reading import opened
from cocluster.cli.shown import overview
from cocluster.cli.terminal import printable, show
from cocluster.projects import Project
from cocluster.projects.changing import Change, change, cluster_called, undo


def run(asked: Namespace) -> int:
    """Change a project, and show the clusters that it has then."""
    progress: Progress = asked.progress
    project = opened(asked.project)
    with project.writing():
        if asked.edit == "undo":
            number, account, done = undo(project)
            done = f"undone: {done}"
        else:
            edit, done = _edit(asked, project)
            progress.begin(done)
            number, account = change(project, edit, done)
    progress.end()
    show(account.to_json() if asked.json else overview(account))
    progress.note(f"{printable(done)}; run {number} of {printable(project.folder)}")
    return 0


def _edit(asked: Namespace, project: Project) -> tuple[Change, str]:
    """What to do, and how to call it."""

    def called(text: str) -> int:
        return cluster_called(project, text)

    if asked.edit == "rename":
        cluster = called(asked.cluster)
        return lambda edits: edits.rename(cluster, asked.name), f"rename {cluster} {asked.name}"
    if asked.edit == "merge":
        clusters = [called(text) for text in asked.clusters]
        return lambda edits: edits.merge(clusters), f"merge {' '.join(map(str, clusters))}"
    if asked.edit == "split":
        cluster = called(asked.cluster)
        return lambda edits: edits.split(cluster, asked.parts), f"split {cluster} {asked.parts}"
    samples = _positions(project, asked.samples)
    if asked.edit == "part":
        done = f"part {len(samples)} samples in {asked.parts}"
        return lambda edits: edits.part(samples, asked.parts), done
    cluster = called(asked.to)
    return lambda edits: edits.move(samples, cluster), f"move {' '.join(asked.samples)} {cluster}"


def _positions(project: Project, called: list[str]) -> list[Any]:
    """Positions of samples by their ids."""
    place = {name: i for i, name in enumerate(project.ids.tolist())}
    unknown = [name for name in called if name not in place]
    if unknown:
        some = ", ".join(list(place)[:5])
        raise ValueError(f"There is no sample {unknown[0]!r}; samples are called {some}, ...")
    return [place[name] for name in called]
