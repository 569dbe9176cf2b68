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


def run(asked: Namespace) -> int:
    """Write a report; Markdown and JSON go to standard output unless a file is named."""
    project = opened(asked.project)
    account = account_of(project, asked.run)
    made = {"html": lambda: report_of(account), "md": account.to_markdown, "json": account.to_json}
    text: str = made[asked.format]()
    asked.progress.end()
    if asked.out is None and asked.format != "html":
        show(text)
        return 0
    target = project.folder / REPORT if asked.out is None else Path(asked.out)
    with new_file(target) as unfinished:
        unfinished.write_text(text, encoding="utf-8", errors="backslashreplace")
    tell(f"written to {printable(target)}")
    return 0
