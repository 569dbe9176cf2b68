"""``cocluster serve``: the workbench, a page on this machine that shows and edits a project."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from cocluster.cli.parser import parsed
from cocluster.cli.progress import Progress
from cocluster.cli.terminal import printable, show, tell
from cocluster.utils.optional import library


def run(args: Namespace) -> int:
    """Serve a project; a file or folder of data is fitted first, unless that was done before."""
    for name in ("starlette", "uvicorn", "msgspec"):
        library(name, "Pages of the workbench", "web")
    from cocluster.cli.reading import is_project, opened
    from cocluster.web.launch import open_browser
    from cocluster.web.serve import serve

    path = args.path or _only_project()
    if not is_project(path):
        path = _fit_file(path, args.progress)
    project = opened(path)
    project.dataset  # noqa: B018 - a project without data is refused before the page opens

    def ready(address: str) -> None:
        args.progress.end()
        show(address)
        # The server keeps running, so a program that waits for the address needs it flushed.
        sys.stdout.flush()
        tell("the workbench is at this address, which is good for one use; Ctrl-C ends it.")
        if args.open:
            open_browser(address)

    serve(project, host=args.host, port=args.port, exposed=args.expose, ready=ready)
    return 0


def _only_project() -> str:
    """Return the only project in the current folder; ValueError if there are none or several."""
    from cocluster.cli.reading import is_project

    projects = [str(path) for path in (Path(), *sorted(Path().iterdir())) if is_project(str(path))]
    if len(projects) != 1:
        listed = ": " + ", ".join(map(printable, projects)) if projects else ""
        raise ValueError(
            f"There {'is no project' if not projects else 'are several projects'} in this "
            f"folder{listed}; name a project, or a file to begin with."
        )
    return projects[0]


def _fit_file(path: str, progress: Progress) -> str:
    """Return the project of a file, fitted now or by an earlier call."""
    from cocluster.cli.commands import fit
    from cocluster.cli.reading import is_project

    if not Path(path).exists():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    target = f"{Path(path).resolve().name.split('.')[0]}-cocluster"
    if is_project(target):
        tell(f"{printable(target)} is there already, and is opened.")
        return target
    args = parsed(["fit", path, "--out", target])
    args.progress = progress
    fit.run(args)
    return target
