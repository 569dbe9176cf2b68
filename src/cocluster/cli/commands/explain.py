"""``cocluster explain``: what clusters are about."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from cocluster.cli.reading import opened
from cocluster.cli.shown import details, overview
from cocluster.cli.terminal import show
from cocluster.projects.changing import cluster_called
from cocluster.report.encoding import encoded
from cocluster.utils.texts import as_json


def run(asked: Namespace) -> int:
    """Show all clusters of a project, or one of them."""
    project = opened(asked.project)
    account = account_of(project, asked.run)
    asked.progress.end()
    if asked.cluster is None:
        show(account.to_json() if asked.json else f"{overview(account)}\n")
        if not asked.json:
            show("\n\n".join(details(account, cluster) for cluster in account.samples))
        return 0
    wanted = cluster_called(project, asked.cluster, account)
    cluster = next(c for c in account.samples if c.id == wanted)
    show(as_json(encoded(cluster)) if asked.json else details(account, cluster))
    return 0


def account_of(project: Any, number: int | None) -> Any:
    """The account of a run."""
    account = project.run(number).account
    if account is None:
        raise ValueError(
            f"{project.folder} has no account of its clusters, because it was written without "
            "the data; fit again with `cocluster fit`."
        )
    return account
