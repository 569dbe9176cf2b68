"""``cocluster ask``: questions about samples, answered by a person, then a new fit."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cocluster.cli.beside import described, side_by_side, title_of
from cocluster.cli.progress import Progress
from cocluster.cli.reading import opened
from cocluster.cli.shown import overview
from cocluster.cli.terminal import bold, printable, put, show, tell
from cocluster.interview import Query
from cocluster.interview.kinds import usual_kind
from cocluster.interview.knowledge import SIGNS
from cocluster.links import Links
from cocluster.projects import Project
from cocluster.projects.changing import carried_names
from cocluster.projects.making import Fitted, keep
from cocluster.projects.runs import HEARD
from cocluster.projects.talk import SOURCE, Talk

KEYS = {"s": "same", "d": "different", "u": "unsure"}
HELP = "s same · d different · u unsure · z undo · q quit"
PLACE_HELP = (
    "number of its group · n none of these, a group of its own · u unsure · z undo · q quit"
)


def run(asked: Namespace) -> int:
    """Ask, keep each answer at once, and cluster again at the end."""
    project, progress = opened(asked.project), asked.progress
    with project.writing():
        progress.begin("looking for good questions")
        talk = Talk.resumed(project, asked.seed)
        if talk.counts:
            progress.note(f"  going on after {len(talk.counts):,} earlier answers")
        placing = asked.placements
        if placing is None:
            placing = usual_kind(len(np.unique(project.model.labels_))) == "place"
        sitting = (_Placements if placing else _Pairs)(project, progress, talk)
        sitting.ask(asked.questions)
        if not sitting.steps and not _unheard(project):
            tell("no answers, so nothing has changed.")
            return 0
        progress.begin(f"clustering again with {len(talk.counts):,} answers")
        # Not written to the file of the interview: the next sitting goes on from the answers, so
        # that it does not matter where one has paused.
        model = talk.interview.refit().model
        names = carried_names(project, project.model, model)
        about = {"parent": project.runs[-1], "asked": len(sitting.steps)}
        number, account = keep(
            project, Fitted(model, project.dataset, project.links, names, about=about)
        )
    progress.end()
    show(overview(account))
    if talk.interview.advice:
        tell(f"  note: {printable(talk.interview.advice)}")
    tell(f"run {number} of {printable(project.folder)}; report: {project.folder / 'report.html'}")
    return 0


def _unheard(project: Project) -> bool:
    """Whether there are answers that no run knows: those of a sitting that was killed."""
    ledger = project.ledger
    heard = project.run().about.get(HEARD, ledger.last)
    return any(step > heard and source == SOURCE for step, source in ledger.steps().items())


@dataclass(eq=False)
class _Sitting:
    """Questions and answers; every answer is a step of the ledger as soon as it is given."""

    project: Project
    progress: Progress
    talk: Talk
    steps: list[int] = field(default_factory=list)

    kind = "pair"

    def ask(self, most: int) -> None:
        """Ask until there are so many answers, no more questions, or no more patience."""
        while len(self.steps) < most:
            queries = self.talk.interview.next_queries(1, self.kind)
            self.progress.end()
            if not queries:
                tell("nothing is left to ask.")
                return
            if not self._one(queries[0], most):
                return

    def _one(self, query: Query, most: int) -> bool:
        """One question; False to end."""
        raise NotImplementedError

    def _say(self, pairs: list[tuple[int, int]], word: str) -> None:
        """Take one answer, which may be of several pairs; unsure if it contradicts others."""
        interview = self.talk.interview
        before = len(interview.answers)
        try:
            for i, j in pairs:
                interview.answer(i, j, word)
        except ValueError as error:
            tell(f"error: {printable(error)}")
            while len(interview.answers) > before:
                interview.undo()
            # So that it is not asked again.
            word, pairs = "unsure", pairs[:1]
            interview.answer(*pairs[0], word)
        links = Links.from_signed(pairs, [SIGNS[word]] * len(pairs), len(self.project.ids))
        step = self.project.ledger.add(links, SOURCE)
        self.talk.told(step, len(pairs))
        self.talk.write(self.project)
        self.steps.append(step)

    def _take_back(self) -> bool:
        """Undo the last answer of this sitting, if there is one."""
        if not self.steps:
            tell("there is no answer to undo.")
            return False
        self.project.ledger.undo(self.steps.pop(), SOURCE)
        self.talk.follows(self.project)
        self.talk.write(self.project)
        return True


class _Pairs(_Sitting):
    """Do these two belong together?"""

    def _one(self, query: Query, most: int) -> bool:
        tell(f"\n{len(self.steps) + 1} of {most}: do these belong together? ({query.reason})")
        tell(side_by_side(self.project.dataset, query.i, query.j))
        while True:
            key = _key(HELP)
            if key == "q":
                return False
            if key == "z":
                if self._take_back():
                    return True
            elif key in KEYS:
                self._say([(query.i, query.j)], KEYS[key])
                return True


class _Placements(_Sitting):
    """To which group does this one belong?"""

    kind = "place"

    def _one(self, query: Query, most: int) -> bool:
        dataset, sample = self.project.dataset, query.j
        tell(f"\n{len(self.steps) + 1} of {most}: where does this belong? ({query.reason})")
        tell(bold(title_of(dataset, sample), sys.stderr))
        tell(printable(described(dataset, sample)))
        tell("with")
        for number, core in enumerate(query.options, start=1):
            tell(f"  {number:>3}  {title_of(dataset, core)}  ({self._clusters[core]})")
        while True:
            word = _line(PLACE_HELP)
            if word == "q":
                return False
            if word == "z":
                if self._take_back():
                    return True
            elif word == "u":
                self._say([(query.options[0], sample)], "unsure")
                return True
            elif word == "n":
                self._say([(core, sample) for core in query.options], "different")
                return True
            elif word.isdecimal() and 1 <= int(word) <= len(query.options):
                self._say([(query.options[int(word) - 1], sample)], "same")
                return True

    @cached_property
    def _clusters(self) -> list[str]:
        """What the cluster of each sample is called."""
        account, labels = self.project.account, self.project.model.labels_.tolist()
        known = {} if account is None else {own.id: own.name for own in account.samples}
        return [printable(known.get(label, label)) for label in labels]


def _line(question: str) -> str:
    """A word that is typed; the end of the input is "q"."""
    put(f"{question}: ")
    line = sys.stdin.readline()
    return line.strip().lower() if line else "q"


def _key(question: str) -> str:
    """A key that is pressed, or the first letter of a line where there is no keyboard."""
    if not sys.stdin.isatty():
        return _line(question)[:1]
    try:
        import termios
        import tty
    except ImportError:  # systems that have lines only
        return _line(question)[:1]
    put(f"{question}: ")
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    try:
        tty.setcbreak(keyboard)
        key = sys.stdin.read(1)
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
    tell(key)
    return key.lower() if key else "q"
