"""``cocluster data``: data sets that can be fetched."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from cocluster.cli.terminal import show, table
from cocluster.datasets import list_datasets
from cocluster.utils.text import as_json


def run(args: Namespace) -> int:
    """List the data sets of a kind."""
    infos = list_datasets(args.kind)
    if args.json:
        show(as_json([asdict(info) for info in infos]))
        return 0
    rows = [
        [info.name, info.kind, f"{info.shape[0]} x {info.shape[1]}", info.classes, info.licence]
        for info in infos
    ]
    show(table(["name", "kind", "size", "classes", "licence"], rows))
    return 0
