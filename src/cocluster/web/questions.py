"""The next question to a person, in plain values; it is looked for in a process of its own."""

from __future__ import annotations

from typing import Any

from cocluster.interview import Query
from cocluster.projects import Project
from cocluster.projects.talk import Talk

_TALKS: dict[str, Talk] = {}


def next_question(project: Project, kind: str) -> dict[str, Any]:
    """What to ask next, in plain values; ``question`` is None if nothing is open.

    Parameters
    ----------
    project : Project
    kind : {"pair", "place"}
        Two samples, or a sample and the groups that it may belong to, each given by a typical one.

    Returns
    -------
    dict
        ``question``; ``decided``, how many samples the answers have given another group; and
        ``advice``, a sentence on the number of clusters, or nothing.
    """
    talk = _talk(project)
    found = talk.interview.next_queries(1, kind)
    # After the question: with it the interview may have begun a new group.
    talk.write(project)
    return {
        "question": _plain(found[0], kind) if found else None,
        "decided": sum(entry.n_decided for entry in talk.interview.answers),
        "advice": talk.interview.advice,
    }


def _plain(query: Query, kind: str) -> dict[str, Any]:
    """A question as a page takes it."""
    told = {"kind": kind, "reason": query.reason, "changes": query.changes}
    if kind == "place":
        return {**told, "sample": query.j, "options": list(query.options)}
    return {**told, "i": query.i, "j": query.j}


def refitted(project: Project) -> Any:
    """A model that knows all answers."""
    # Anew, because the process that asks goes on with the interview, and this one only fits.
    _TALKS.pop(str(project.folder), None)
    return _talk(project).interview.refit().model


def _talk(project: Project) -> Talk:
    """The interview of a project, with all that is in force."""
    key = str(project.folder)
    talk = _TALKS.get(key)
    if talk is None or not talk.follows(project):
        talk = Talk.resumed(project)
    _TALKS[key] = talk
    return talk
