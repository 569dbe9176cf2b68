"""The workbench, and someone who edits in it: every action is confirmed by an answer."""

from __future__ import annotations

import http.client
import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.faults.scenes import NAME, begin, check_project, given, told
from cocluster.projects import Project, open_project

# What is done: a request, and whether the folder shows that it was done.
Action = tuple[str, dict[str, Any], Callable[[Project], bool]]
# Where the client notes what was confirmed, beside the folder.
CONFIRMED = "confirmed"


@dataclass(frozen=True)
class Serve:
    """``cocluster serve``: links, a name, a merge, an undo; what is done is not done again."""

    command: str = "serve"

    def prepare(self, folder: Path) -> None:
        begin(folder)
        _note(folder).unlink(missing_ok=True)

    def act(self, folder: Path) -> None:
        read, write = os.pipe()
        server = os.fork()
        if not server:
            os.dup2(write, 1)
            given(folder, "serve", NAME, "--no-open", "--port=0")
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as printed:
            address = printed.readline().strip()
            try:
                _work(folder, address)
            except (OSError, http.client.HTTPException):
                # The server is gone. What it has started has half a second to notice, too.
                time.sleep(0.5)
                _, how = os.waitpid(server, os.WNOHANG)
                if not (os.WIFSIGNALED(how) and os.WTERMSIG(how) == signal.SIGKILL):
                    raise
            else:
                os.kill(server, signal.SIGTERM)
                os.waitpid(server, 0)

    def check(self, folder: Path) -> None:
        project = check_project(folder)
        assert project is not None
        file = _note(folder)
        confirmed = int(file.read_text() or 0) if file.exists() else 0
        for path, _, is_done in ACTIONS[:confirmed]:
            # An undo takes away what the link before it has said.
            assert is_done(project), f"{path} was confirmed, and is lost"

    def result(self, folder: Path) -> Any:
        project = open_project(folder / NAME)
        return told(project), len(project.runs)


def _note(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.{CONFIRMED}")


def _work(folder: Path, address: str) -> None:
    """Do all actions that are not done yet, and wait for the end of each."""
    place, _, token = address.removeprefix("http://").partition("/?token=")
    if not token:
        raise ConnectionError("The server has ended before it was ready.")
    client = _Client(place, token)
    for number, (path, asked, is_done) in enumerate(ACTIONS, start=1):
        if not is_done(open_project(folder / NAME)):
            job = client.sent("POST", path, asked).get("job")
            while job is not None and job["state"] in ("waiting", "running"):
                time.sleep(0.02)
                job = client.sent("GET", f"/jobs/{job['id']}")["job"]
            assert job is None or job["state"] == "done", job
        _note(folder).write_text(str(number))


class _Client:
    """A browser that was let in."""

    def __init__(self, place: str, token: str) -> None:
        self.line = http.client.HTTPConnection(place, timeout=60)
        self.line.request("GET", f"/?token={token}")
        answer = self.line.getresponse()
        answer.read()
        cookie = (answer.getheader("set-cookie") or "").split(";")[0]
        self.headers = {"cookie": cookie, "origin": f"http://{place}"}
        self.headers["content-type"] = "application/json"

    def sent(self, method: str, path: str, asked: dict[str, Any] | None = None) -> Any:
        """What is answered."""
        body = None if asked is None else json.dumps(asked)
        self.line.request(method, f"/api/v1{path}", body, self.headers)
        answer = self.line.getresponse()
        content = json.loads(answer.read())
        assert answer.status == 200, (path, content)
        return content


def _linked(i: int, j: int) -> Callable[[Project], bool]:
    """Whether two samples were ever linked."""

    def look(project: Project) -> bool:
        wanted = {str(project.ids[i]), str(project.ids[j])}
        return any({line.a, line.b} == wanted for line in project.ledger.lines())

    return look


def _named(project: Project) -> bool:
    return "second" in project.names.values()


def _merged(project: Project) -> bool:
    return any("merge" in str(project.run(n).about.get("edit")) for n in project.runs)


def _undone(project: Project) -> bool:
    return any(line.undone for line in project.ledger.lines() if not line.source.startswith("edit"))


def _link(i: int, j: int) -> dict[str, Any]:
    return {"i": i, "j": j, "relation": "unsure"}


ACTIONS: tuple[Action, ...] = (
    ("/links", _link(0, 9), _linked(0, 9)),
    ("/clusters/rename", {"cluster": 1, "name": "second"}, _named),
    ("/links", _link(1, 20), _linked(1, 20)),
    ("/clusters/merge", {"clusters": [0, 2]}, _merged),
    ("/links", _link(2, 30), _linked(2, 30)),
    ("/undo", {}, _undone),
)
