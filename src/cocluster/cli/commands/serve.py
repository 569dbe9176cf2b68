"""``cocluster serve``: the workbench, a page on this machine that shows and edits a project."""

from __future__ import annotations

import sys
import webbrowser
from argparse import Namespace
from pathlib import Path

from cocluster.cli.parser import parsed
from cocluster.cli.progress import Progress
from cocluster.cli.terminal import printable, show, tell
from cocluster.utils.optional import library


def run(asked: Namespace) -> int:
    """Serve a project; a file or folder of data is fitted first, unless that was done before."""
    for name in ("starlette", "uvicorn", "msgspec"):
        library(name, "Pages of the workbench", "web")
    from cocluster.cli.reading import is_project, opened
    from cocluster.web.serve import serve

    path = asked.path or _only_project()
    if not is_project(path):
        path = _fitted(path, asked.progress)
    project = opened(path)
    project.dataset  # noqa: B018 - a project without data is refused before the page opens

    def ready(address: str) -> None:
        asked.progress.end()
        show(address)
        # The server goes on: a program that waits for the address would never get it.
        sys.stdout.flush()
        tell("the workbench is at this address, which is good for one use; Ctrl-C ends it.")
        if asked.open:
            webbrowser.open(address)

    serve(project, host=asked.host, port=asked.port, exposed=asked.expose, ready=ready)
    return 0


def _only_project() -> str:
    """The project of the current folder, if there is one only."""
    from cocluster.cli.reading import is_project

    found = [str(place) for place in (Path(), *sorted(Path().iterdir())) if is_project(str(place))]
    if len(found) != 1:
        listed = ": " + ", ".join(map(printable, found)) if found else ""
        raise ValueError(
            f"There {'is no project' if not found else 'are several projects'} in this "
            f"folder{listed}; name a project, or a file to begin with."
        )
    return found[0]


def _fitted(path: str, progress: Progress) -> str:
    """The project of a file: fitted now, or by an earlier call."""
    from cocluster.cli.commands import fit
    from cocluster.cli.reading import is_project

    if not Path(path).exists():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    target = f"{Path(path).resolve().name.split('.')[0]}-cocluster"
    if is_project(target):
        tell(f"{printable(target)} is there already, and is opened.")
        return target
    asked = parsed(["fit", path, "--out", target])
    asked.progress = progress
    fit.run(asked)
    return target
