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
from cocluster.interview.queries import SIGNS, default_kind
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


def run(args: Namespace) -> int:
    """Ask questions, save each answer at once, and fit again at the end."""
    project, progress = opened(args.project), args.progress
    with project.writing():
        progress.begin("looking for good questions")
        talk = Talk.resumed(project, args.seed)
        if talk.counts:
            progress.note(f"  going on after {len(talk.counts):,} earlier answers")
        placing = args.placements
        if placing is None:
            placing = default_kind(len(np.unique(project.model.labels_))) == "place"
        sitting = (_Placements if placing else _Pairs)(project, progress, talk)
        sitting.ask(args.questions)
        if not sitting.steps and not _has_unused_answers(project):
            tell("no answers, so nothing has changed.")
            return 0
        progress.begin(f"clustering again with {len(talk.counts):,} answers")
        # The refit is not saved in the interview file: the next session resumes from the answers,
        # so pauses do not change the result.
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


def _has_unused_answers(project: Project) -> bool:
    """Return whether a killed session left answers that no run has used."""
    ledger = project.ledger
    last_step = project.run().about.get(HEARD, ledger.last)
    return any(step > last_step and source == SOURCE for step, source in ledger.steps().items())


@dataclass(eq=False)
class _Sitting:
    """Session of questions; every answer is written to the ledger at once."""

    project: Project
    progress: Progress
    talk: Talk
    steps: list[int] = field(default_factory=list)

    kind = "pair"

    def ask(self, most: int) -> None:
        """Ask until there are ``most`` answers, no more questions, or the user quits."""
        while len(self.steps) < most:
            queries = self.talk.interview.next_queries(1, self.kind)
            self.progress.end()
            if not queries:
                tell("nothing is left to ask.")
                return
            if not self._ask_one(queries[0], most):
                return

    def _ask_one(self, query: Query, most: int) -> bool:
        """Ask one question; return False if the user quits."""
        raise NotImplementedError

    def _record(self, pairs: list[tuple[int, int]], word: str) -> None:
        """Record an answer for one or more pairs, as unsure if it contradicts earlier ones."""
        interview = self.talk.interview
        before = len(interview.answers)
        try:
            for i, j in pairs:
                interview.answer(i, j, word)
        except ValueError as error:
            tell(f"error: {printable(error)}")
            while len(interview.answers) > before:
                interview.undo()
            # Recorded as unsure, so that the question does not return.
            word, pairs = "unsure", pairs[:1]
            interview.answer(*pairs[0], word)
        links = Links.from_signed(pairs, [SIGNS[word]] * len(pairs), len(self.project.ids))
        step = self.project.ledger.add(links, SOURCE)
        self.talk.told(step, len(pairs))
        self.talk.write(self.project)
        self.steps.append(step)

    def _undo(self) -> bool:
        """Undo the last answer of this session; return False if there is none."""
        if not self.steps:
            tell("there is no answer to undo.")
            return False
        self.project.ledger.undo(self.steps.pop(), SOURCE)
        self.talk.follows(self.project)
        self.talk.write(self.project)
        return True


class _Pairs(_Sitting):
    """Session that asks whether two samples belong together."""

    def _ask_one(self, query: Query, most: int) -> bool:
        tell(f"\n{len(self.steps) + 1} of {most}: do these belong together? ({query.reason})")
        tell(side_by_side(self.project.dataset, query.i, query.j))
        while True:
            key = _read_key(HELP)
            if key == "q":
                return False
            if key == "z":
                if self._undo():
                    return True
            elif key in KEYS:
                self._record([(query.i, query.j)], KEYS[key])
                return True


class _Placements(_Sitting):
    """Session that asks for the group of one sample."""

    kind = "place"

    def _ask_one(self, query: Query, most: int) -> bool:
        dataset, sample = self.project.dataset, query.j
        tell(f"\n{len(self.steps) + 1} of {most}: where does this belong? ({query.reason})")
        tell(bold(title_of(dataset, sample), sys.stderr))
        tell(printable(described(dataset, sample)))
        tell("with")
        for number, core in enumerate(query.options, start=1):
            tell(f"  {number:>3}  {title_of(dataset, core)}  ({self._cluster_names[core]})")
        while True:
            word = _read_word(PLACE_HELP)
            if word == "q":
                return False
            if word == "z":
                if self._undo():
                    return True
            elif word == "u":
                self._record([(query.options[0], sample)], "unsure")
                return True
            elif word == "n":
                self._record([(core, sample) for core in query.options], "different")
                return True
            elif word.isdecimal() and 1 <= int(word) <= len(query.options):
                self._record([(query.options[int(word) - 1], sample)], "same")
                return True

    @cached_property
    def _cluster_names(self) -> list[str]:
        """Return the cluster name of each sample."""
        account, labels = self.project.account, self.project.model.labels_.tolist()
        names = {} if account is None else {cluster.id: cluster.name for cluster in account.samples}
        return [printable(names.get(label, label)) for label in labels]


def _read_word(question: str) -> str:
    """Read a typed word; the end of the input counts as "q"."""
    put(f"{question}: ")
    line = sys.stdin.readline()
    return line.strip().lower() if line else "q"


def _read_key(question: str) -> str:
    """Read a pressed key, or the first letter of a line if there is no terminal."""
    if not sys.stdin.isatty():
        return _read_word(question)[:1]
    try:
        import termios
        import tty
    except ImportError:  # systems without termios read whole lines
        return _read_word(question)[:1]
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
