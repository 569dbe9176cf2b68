"""The next question to a person, from an interview that follows the ledger of a project.

It lives in a process of its own. Whatever is written to the ledger, here or elsewhere, is taken
over when the next question is asked for, so that nothing has to be told twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from cocluster.interview import Interview
from cocluster.links import Links
from cocluster.projects import Project

WORDS = {1: "same", -1: "different", 0: "unsure"}
# The same questions whenever one comes back to a project.
SEED = 0


@dataclass(eq=False)
class Talk:
    """An interview, and what it knows of a project.

    Attributes
    ----------
    run : int
        The run whose clusters are asked about.
    steps : list of int
        Steps of the ledger that are known to it, in order.
    told : int
        How many of them are answers of its own log, the last ones.
    """

    interview: Interview
    run: int
    steps: list[int]
    told: int = 0

    @staticmethod
    def of(project: Project) -> Talk:
        """An interview that knows all that is in force."""
        # First, so that what is written meanwhile is found to be new.
        steps = list(project.ledger.steps())
        return Talk(_interview(project), project.runs[-1], steps)

    def follows(self, project: Project) -> bool:
        """Take over what is new; False if this cannot be done step by step."""
        steps = list(project.ledger.steps())
        if self.run != project.runs[-1]:
            return False
        kept = _common(self.steps, steps)
        while len(self.steps) > kept:
            if not self.told:
                return False
            self.interview.undo()
            self.steps.pop()
            self.told -= 1
        for step in steps[kept:]:
            links = project.ledger.stated(step)
            if links.labellings or len(links.pairs) != 1:
                return False
            (i, j), sign = links.pairs[0].tolist(), int(links.signs[0])
            self.interview.answer(i, j, WORDS[sign])
            self.steps.append(step)
            self.told += 1
        return True


_TALKS: dict[str, Talk] = {}


def next_question(project: Project, kind: str) -> dict[str, Any]:
    """What to ask next, in plain values; ``question`` is None if nothing is open.

    Parameters
    ----------
    project : Project
    kind : {"pair", "place"}
        Two samples, or a sample and the clusters that it may belong to.
    """
    if kind == "place":
        return {"question": _placement(project)}
    key = str(project.folder)
    talk = _TALKS.get(key)
    if talk is None or not talk.follows(project):
        talk = _TALKS[key] = Talk.of(project)
    found = talk.interview.next_queries(1)
    if not found:
        return {"question": None}
    query = found[0]
    asked = {"kind": "pair", "i": query.i, "j": query.j, "reason": query.reason}
    return {"question": asked}


def refitted(project: Project) -> Any:
    """A model that knows all answers."""
    interview = _interview(project)
    # The first fit is where the second one begins.
    interview.labels  # noqa: B018
    return interview.refit().model


def _interview(project: Project) -> Interview:
    """An interview about the last run."""
    model = project.model
    estimator = clone(model)
    if "init" in estimator.get_params(deep=False):
        estimator.set_params(init=model.labels_)
    links = project.links
    return Interview(project.dataset.data, estimator, links=links, random_state=SEED)


def _placement(project: Project) -> dict[str, Any] | None:
    """The most doubtful sample that nothing is known of, and the clusters in question."""
    told = project.account
    known = _mentioned(project.links)
    typical = {own.id: own.representative[0].position for own in told.samples if own.representative}
    found = [
        (member.margin, member, own)
        for own in told.samples
        for member in own.borderline_members
        if member.position not in known and member.position not in typical.values()
    ]
    if not found:
        return None
    _, member, own = min(found, key=lambda entry: entry[0])
    first = [i for i in (own.id, member.second) if i in typical]
    options = [*first, *(i for i in typical if i not in first)]
    second = told.name_of(told.data.center, member.second)
    return {
        "kind": "place",
        "i": member.position,
        "own": own.id,
        "options": [{"cluster": i, "typical": typical[i]} for i in options],
        "reason": f"between {own.name} and {second}" if second else f"at the border of {own.name}",
    }


def _mentioned(links: Links | None) -> set[int]:
    """Samples that someone has said something of, one by one."""
    return set() if links is None else set(links.pairs.ravel().tolist())


def _common(a: list[int], b: list[int]) -> int:
    """How many entries two lists begin with alike."""
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n
