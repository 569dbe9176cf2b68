"""The next question to a person, from an interview that follows the ledger of a project.

It lives in a process of its own. Whatever is written to the ledger, here or elsewhere, is taken
over when the next question is asked for, so that nothing has to be told twice.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import clone

from cocluster.interview import Interview, Query
from cocluster.projects import Project
from cocluster.utils.files import new_file
from cocluster.utils.parsing import json_object

WORDS = {1: "same", -1: "different", 0: "unsure"}
# Where the interview is kept beside the ledger, and what it has taken over from that.
INTERVIEW, TALK = "interview.json", "talk.json"
# The same questions whenever one comes back to a project.
SEED = 0


@dataclass(eq=False)
class Talk:
    """An interview, and what it knows of a project.

    Attributes
    ----------
    fitted : str
        How the run was fitted whose clusters are asked about. A fit with the answers changes
        nothing of it, and the interview goes on.
    steps : list of int
        Steps of the ledger that are known to it, in order.
    counts : list of int
        For the last steps, those that it was told: answers of its log that each of them is.
    """

    interview: Interview
    fitted: str
    steps: list[int]
    counts: list[int] = field(default_factory=list)

    @staticmethod
    def of(project: Project) -> Talk:
        """An interview that knows all that is in force."""
        # First, so that what is written meanwhile is found to be new.
        steps = list(project.ledger.steps())
        return Talk(_interview(project), _fitted(project), steps)

    @staticmethod
    def read(project: Project) -> Talk | None:
        """The interview as it was last written; None if there is none that can be gone on with."""
        file = project.folder / TALK
        if not file.exists():
            return None
        try:
            about = json_object(file.read_text(encoding="utf-8"), str(file))
            place = project.folder / INTERVIEW
            interview = Interview.load(place, project.dataset.data, _estimator(project))
            talk = Talk(interview, about["fitted"], about["steps"], about["counts"])
        except (ValueError, KeyError, OSError):
            # Nothing is lost with it but how the questions went on: the answers are in the ledger.
            return None
        return talk if sum(talk.counts) == len(interview.answers) else None

    def write(self, project: Project) -> None:
        """Keep the interview in the project, for the fit and for the next time."""
        self.interview.save(project.folder / INTERVIEW)
        about = {"fitted": self.fitted, "steps": self.steps, "counts": self.counts}
        with new_file(project.folder / TALK) as unfinished:
            unfinished.write_text(json.dumps(about) + "\n", encoding="utf-8")

    def follows(self, project: Project) -> bool:
        """Take over what is new; False if this cannot be done step by step."""
        steps = list(project.ledger.steps())
        if self.fitted != _fitted(project):
            return False
        kept = _common(self.steps, steps)
        while len(self.steps) > kept:
            if not self.counts:
                return False
            for _ in range(self.counts.pop()):
                self.interview.undo()
            self.steps.pop()
        for step in steps[kept:]:
            links = project.ledger.stated(step)
            if links.labellings:
                return False
            for (i, j), sign in zip(links.pairs.tolist(), links.signs.tolist(), strict=True):
                self.interview.answer(i, j, WORDS[int(sign)])
            self.steps.append(step)
            self.counts.append(len(links.pairs))
        return True


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
    talk = _TALKS.get(key) or Talk.read(project)
    if talk is None or not talk.follows(project):
        talk = Talk.of(project)
    _TALKS[key] = talk
    return talk


def _interview(project: Project) -> Interview:
    """An interview about the last run."""
    links = project.links
    return Interview(project.dataset.data, _estimator(project), links=links, random_state=SEED)


def _estimator(project: Project) -> Any:
    """The last run, to be fitted again from where it ended."""
    model = project.model
    estimator = clone(model)
    if "init" in estimator.get_params(deep=False):
        estimator.set_params(init=model.labels_)
    return estimator


def _fitted(project: Project) -> str:
    """Method and parameters of the last run, but for where it began."""
    about = project.run().about
    parameters = {k: v for k, v in about["parameters"].items() if k != "init"}
    return repr((about["estimator"], parameters))


def _common(a: list[int], b: list[int]) -> int:
    """How many entries two lists begin with alike."""
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n
