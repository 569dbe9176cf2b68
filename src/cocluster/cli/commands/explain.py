"""``cocluster explain``: description of the clusters."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import msgspec

from cocluster.cli.reading import opened
from cocluster.cli.shown import details, overview
from cocluster.cli.terminal import show
from cocluster.projects.changing import cluster_called
from cocluster.report.tables import plain
from cocluster.utils.text import as_json


def run(args: Namespace) -> int:
    """Show all clusters of a project, or one of them."""
    project = opened(args.project)
    account = account_of(project, args.run)
    args.progress.end()
    if args.cluster is None:
        show(account.to_json() if args.json else f"{overview(account)}\n")
        if not args.json:
            show("\n\n".join(details(account, cluster) for cluster in account.samples))
        return 0
    number = cluster_called(project, args.cluster, account)
    cluster = next(c for c in account.samples if c.id == number)
    show(as_json(plain(msgspec.to_builtins(cluster))) if args.json else details(account, cluster))
    return 0


def account_of(project: Any, number: int | None) -> Any:
    """Return the account of a run; ValueError if it has none."""
    account = project.run(number).account
    if account is None:
        raise ValueError(
            f"{project.folder} has no account of its clusters, because it was written without "
            "the data; fit again with `cocluster fit`."
        )
    return account
