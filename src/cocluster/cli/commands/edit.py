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


def run(args: Namespace) -> int:
    """Apply an edit to a project and show its new clusters."""
    progress: Progress = args.progress
    project = opened(args.project)
    with project.writing():
        if args.edit == "undo":
            number, account, done = undo(project)
            done = f"undone: {done}"
        else:
            edit, done = _edit(args, project)
            progress.begin(done)
            number, account = change(project, edit, done)
    progress.end()
    show(account.to_json() if args.json else overview(account))
    progress.note(f"{printable(done)}; run {number} of {printable(project.folder)}")
    return 0


def _edit(args: Namespace, project: Project) -> tuple[Change, str]:
    """Return the edit that was typed, and its description."""

    def cluster_number(text: str) -> int:
        return cluster_called(project, text)

    if args.edit == "rename":
        cluster = cluster_number(args.cluster)
        return lambda edits: edits.rename(cluster, args.name), f"rename {cluster} {args.name}"
    if args.edit == "merge":
        clusters = [cluster_number(text) for text in args.clusters]
        return lambda edits: edits.merge(clusters), f"merge {' '.join(map(str, clusters))}"
    if args.edit == "split":
        cluster = cluster_number(args.cluster)
        return lambda edits: edits.split(cluster, args.parts), f"split {cluster} {args.parts}"
    samples = _positions(project, args.samples)
    if args.edit == "part":
        done = f"part {len(samples)} samples in {args.parts}"
        return lambda edits: edits.part(samples, args.parts), done
    cluster = cluster_number(args.to)
    return lambda edits: edits.move(samples, cluster), f"move {' '.join(args.samples)} {cluster}"


def _positions(project: Project, ids: list[str]) -> list[Any]:
    """Return the positions of samples by their ids."""
    position = {name: i for i, name in enumerate(project.ids.tolist())}
    unknown = [name for name in ids if name not in position]
    if unknown:
        examples = ", ".join(list(position)[:5])
        raise ValueError(f"There is no sample {unknown[0]!r}; samples are called {examples}, ...")
    return [position[name] for name in ids]
