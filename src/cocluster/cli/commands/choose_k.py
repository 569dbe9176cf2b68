"""``cocluster choose-k``: how many clusters there are."""

from __future__ import annotations

from argparse import Namespace

from cocluster.cli.progress import Progress
from cocluster.cli.terminal import printable, show, table
from cocluster.utils.text import as_json


def run(args: Namespace) -> int:
    """Select the number of clusters and show the candidates."""
    progress: Progress = args.progress
    from cocluster import choose_n_clusters
    from cocluster.cli import STOPPED
    from cocluster.cli.reading import read_data

    dataset = read_data(args, progress)
    progress.begin("choosing the number of clusters")
    with progress.stoppable("what is known so far is shown"):
        choice = choose_n_clusters(
            dataset.data, args.max, random_state=args.seed, callback=progress.share
        )
    progress.end()
    if args.json:
        show(as_json(choice.as_dict()))
    else:
        show(printable(choice.reason))
        for side in choice.sides[:1]:
            rows = [[line.k, f"{line.share:.0%}", f"{line.stability:.3f}"] for line in side.table]
            show("\n" + table(["clusters", "found again", "stability"], rows))
    return STOPPED if progress.stopping else 0
