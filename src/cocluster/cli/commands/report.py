"""``cocluster report``: the report of a run, written anew."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from cocluster.cli.commands.explain import account_of
from cocluster.cli.reading import opened
from cocluster.cli.terminal import printable, show, tell
from cocluster.projects.making import report_of
from cocluster.projects.project import REPORT
from cocluster.utils.files import new_file


def run(args: Namespace) -> int:
    """Write a report; Markdown and JSON go to standard output unless a file is named."""
    project = opened(args.project)
    account = account_of(project, args.run)
    renderers = {
        "html": lambda: report_of(account),
        "md": account.to_markdown,
        "json": account.to_json,
    }
    text: str = renderers[args.format]()
    args.progress.end()
    if args.out is None and args.format != "html":
        show(text)
        return 0
    target = project.folder / REPORT if args.out is None else Path(args.out)
    with new_file(target) as unfinished:
        unfinished.write_text(text, encoding="utf-8", errors="backslashreplace")
    tell(f"written to {printable(target)}")
    return 0
