"""``cocluster predict``: new samples into the clusters of a project."""

from __future__ import annotations

import csv
import sys
import warnings
from argparse import Namespace
from pathlib import Path
from typing import Any

from cocluster.cli.progress import Progress
from cocluster.cli.reading import opened, tell_notes, views_of
from cocluster.cli.terminal import printable, show
from cocluster.projects.ledger import sample_ids
from cocluster.projects.samples import read_like
from cocluster.utils.files import new_file
from cocluster.utils.text import as_json, write_table

HEAD = ("name", "cluster", "cluster_name", "probability")


def run(args: Namespace) -> int:
    """Predict the clusters of new samples as a CSV table or JSON."""
    progress: Progress = args.progress
    project = opened(args.project)
    # Check the target first: a failed write would lose the predictions.
    target = None if args.out is None else Path(args.out)
    if target is not None and not target.resolve().parent.is_dir():
        raise FileNotFoundError(f"There is no folder {target.parent} to write {target.name} to.")
    progress.begin(f"reading {printable(args.path)}")
    dataset = read_like(project, args.path, views_of(args))
    tell_notes(dataset, progress)
    rows = _rows(project, dataset, progress)
    progress.end()
    if target is not None:
        with new_file(target) as unfinished:
            write_table(unfinished, HEAD, rows)
        progress.note(f"{len(rows):,} samples written to {printable(target)}")
    elif args.json:
        show(as_json([dict(zip(HEAD, row, strict=True)) for row in rows]))
    else:
        csv.writer(sys.stdout, lineterminator="\n").writerows([HEAD, *rows])
    return 0


def _rows(project: Any, dataset: Any, progress: Progress) -> list[tuple[Any, ...]]:
    """Return name, cluster, cluster name and probability of each sample."""
    model, account = project.model, project.account
    names = {c.id: c.name for c in account.samples} if account is not None else project.names
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = model.predict(dataset.data)
        probabilities = _probabilities(model, dataset, labels)
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        progress.note(f"  note: {printable(message)}")
    ids = sample_ids(dataset.sample_names, None, len(dataset))
    return [
        (str(name), int(label), names.get(int(label), ""), probability)
        for name, label, probability in zip(ids, labels, probabilities, strict=True)
    ]


def _probabilities(model: Any, dataset: Any, labels: Any) -> list[Any]:
    """Return the probabilities of the labels; empty texts if the method has none."""
    if not hasattr(model, "predict_proba"):
        return [""] * len(labels)
    shares = model.predict_proba(dataset.data)
    return [round(float(row[label]), 4) for row, label in zip(shares, labels, strict=True)]
