"""``cocluster convert``: data of any kind as another file."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from cocluster.cli.progress import Progress
from cocluster.cli.reading import read_data
from cocluster.cli.terminal import printable
from cocluster.io.readwrite import WRITERS, write
from cocluster.projects.making import file_order


def run(args: Namespace) -> int:
    """Read data and write them in another format."""
    target = Path(args.target)
    if target.suffix.lower() not in WRITERS:
        raise ValueError(f"{target.name}: data are written as {', '.join(WRITERS)}.")
    if target.exists() and not args.force:
        raise FileExistsError(f"{target} exists already; replace it with --force.")
    progress: Progress = args.progress
    dataset = read_data(args, progress)
    # The samples of a project are written in the order of its source file.
    order = file_order(dataset)
    dataset = dataset if order is None else dataset.select(order)
    write(dataset, target)
    progress.end()
    progress.note(f"{len(dataset):,} samples written to {printable(target)}")
    return 0
