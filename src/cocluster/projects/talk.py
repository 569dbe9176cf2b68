"""An interview that follows the ledger of a project, and is kept beside it.

Whatever is written to the ledger, here or elsewhere, is taken over when the next question is asked
for, so that nothing has to be told twice. Whoever comes back goes on where the interview was: two
sittings ask the same as one, and end with the same clusters.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import clone

from cocluster.interview import Interview
from cocluster.projects.project import Project
from cocluster.utils.files import new_file
from cocluster.utils.text import json_object

# How the ledger calls answers.
SOURCE = "ask"
WORDS = {1: "same", -1: "different", 0: "unsure"}
# Where the interview is kept beside the ledger, and what it has taken over from that.
INTERVIEW, TALK = "interview.json", "talk.json"


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
    def of(project: Project, seed: int = 0) -> Talk:
        """An interview that knows all that is in force."""
        # First, so that what is written meanwhile is found to be new.
        steps = list(project.ledger.steps())
        interview = Interview(
            project.dataset.data, _estimator(project), links=project.links, random_state=seed
        )
        return Talk(interview, _fitted(project), steps)

    @staticmethod
    def resumed(project: Project, seed: int = 0) -> Talk:
        """The interview of a project with all that is in force: the one of before, if there is one.

        ``seed`` is that of a new one; the one of before goes on with its own.
        """
        talk = Talk.read(project)
        return talk if talk is not None and talk.follows(project) else Talk.of(project, seed)

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
        # Killed between the two files: the last answers are taken over from the ledger once more.
        while len(interview.answers) > sum(talk.counts):
            interview.undo()
        return talk if sum(talk.counts) == len(interview.answers) else None

    def write(self, project: Project) -> None:
        """Keep the interview in the project, for the fit and for the next time."""
        self.interview.save(project.folder / INTERVIEW)
        about = {"fitted": self.fitted, "steps": self.steps, "counts": self.counts}
        with new_file(project.folder / TALK) as unfinished:
            unfinished.write_text(json.dumps(about) + "\n", encoding="utf-8")

    def told(self, step: int, n_answers: int) -> None:
        """Note that the last answers of the interview are a step of the ledger."""
        self.steps.append(step)
        self.counts.append(n_answers)

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
            self.told(step, len(links.pairs))
        return True


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
