"""Undo and redo of all that was done to a project, kept in ``history.json`` beside the ledger.

It is written after the thing itself. What a killed server, or another program, has done without a
note is found in the ledger and in the runs when the history is read, and can be undone, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from cocluster.projects import Project
from cocluster.projects.ledger import is_edit
from cocluster.utils.files import new_file, wrap_read_errors
from cocluster.utils.text import json_object

FILE = "history.json"
# Actions that can be undone: nobody goes back further one by one.
LONGEST = 500


@dataclass(frozen=True)
class Action:
    """Something that was done.

    Attributes
    ----------
    what : str
        In words, as a command says it.
    said : int or None
        The step of the ledger that it wrote.
    unsaid : int or None
        The step of the ledger that it took back.
    run : int or None
        The run that it made.
    before : int or None
        The run that was the last one before.
    """

    what: str
    said: int | None = None
    unsaid: int | None = None
    run: int | None = None
    before: int | None = None


@dataclass(frozen=True)
class History:
    """What can be undone, and what can be done again, the next one at the end of each.

    ``seen`` is the last run that is known to it, ``heard`` the last step of the ledger.
    """

    done: tuple[Action, ...] = ()
    undone: tuple[Action, ...] = ()
    seen: int = 0
    heard: int = 0

    def with_action(self, action: Action) -> History:
        """After something new, nothing can be done again."""
        return replace(self, done=(*self.done, action)[-LONGEST:], undone=())

    def after_undo(self, **changed: Any) -> History:
        """The last action goes to the other side; ``changed`` are attributes of it."""
        action = replace(self.done[-1], **changed)
        return replace(self, done=self.done[:-1], undone=(*self.undone, action))

    def after_redo(self, **changed: Any) -> History:
        """The same the other way."""
        action = replace(self.undone[-1], **changed)
        return replace(self, done=(*self.done, action), undone=self.undone[:-1])


def read_history(project: Project) -> History:
    """The history as it was written, and what the project says beyond."""
    file = _file(project)
    if not file.exists():
        # Of a project that others have made, the last thing they did can be undone.
        return _reconciled(project, History(seen=max(project.runs, default=1) - 1))
    with wrap_read_errors(str(file), KeyError, TypeError, ValueError):
        content = json_object(file.read_text(encoding="utf-8"), str(file))
        done, undone = ([Action(**entry) for entry in content[key]] for key in ("done", "undone"))
        seen, heard = int(content["seen"]), int(content["heard"])
    return _reconciled(project, History(tuple(done), tuple(undone), seen, heard))


def write_history(project: Project, history: History) -> None:
    """Write it, all or nothing; whoever calls holds the project."""
    with new_file(_file(project)) as unfinished:
        unfinished.write_text(json.dumps(asdict(history)) + "\n", encoding="utf-8")


def _reconciled(project: Project, history: History) -> History:
    """Leave out what others have undone, and add what they have done."""
    ledger = project.ledger
    force, runs = ledger.steps(), project.runs
    kept = [
        action
        for action in history.done
        if (action.run is not None and action.run in runs)
        or action.said in force
        or (action.unsaid is not None and action.unsaid not in force)
    ]
    lines = {line.step: line for line in ledger.lines()}
    for step, source in force.items():
        if step > history.heard and not is_edit(source):
            line = lines[step]
            kept.append(Action(f"{line.relation} {line.a} {line.b}", said=step))
    for run in [number for number in runs if number > history.seen]:
        about = project.run(run).about
        if about.get("parent") and "restored" not in about:
            said = about.get("step")
            kept.append(Action(how(about), said=said, run=run, before=about["parent"]))
    # After something new, nothing can be done again.
    new = len(kept) and kept[-1] not in history.done
    seen = max(runs, default=history.seen)
    heard = max(lines, default=history.heard)
    return History(tuple(kept), () if new else history.undone, seen, heard)


def how(about: Mapping[str, Any]) -> str:
    """How a run came about, in words, from its ``run.json``."""
    if "restored" in about:
        return f"back to run {about['restored']}"
    if "edit" in about:
        return str(about["edit"])
    if about.get("parent") and not about.get("command"):
        return "fit with the answers"
    return f"fit {about.get('method', '')}".strip()


def _file(project: Project) -> Path:
    """Where it is written."""
    return project.folder / FILE
