"""``cocluster ask``: questions about samples, answered by a person, then a new fit."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import clone

from cocluster.cli.beside import described, side_by_side, title_of
from cocluster.cli.progress import Progress
from cocluster.cli.reading import opened
from cocluster.cli.shown import overview
from cocluster.cli.terminal import bold, printable, show, tell
from cocluster.interview import Interview
from cocluster.links import Links
from cocluster.projects import Project
from cocluster.projects.changing import carried_names, refitted
from cocluster.projects.making import Fitted, keep

KEYS = {"s": "same", "d": "different", "u": "unsure"}
SIGNS = {"same": 1, "different": -1, "unsure": 0}
HELP = "s same · d different · u unsure · z undo · q quit"


def run(asked: Namespace) -> int:
    """Ask, keep each answer at once, and cluster again at the end."""
    project, progress = opened(asked.project), Progress()
    with project.writing():
        talk: _Talk = (_Placements if asked.placements else _Pairs)(project, progress, asked.seed)
        talk.ask(asked.questions)
        if not talk.steps:
            tell("no answers, so nothing has changed.")
            return 0
        progress.begin(f"clustering again with {len(talk.steps):,} answers")
        before = project.model
        model = talk.refitted()
        names = carried_names(project, before, model)
        about = {"parent": project.runs[-1], "asked": len(talk.steps)}
        number, account = keep(
            project, Fitted(model, project.dataset, project.links, names, about=about)
        )
    progress.end()
    show(overview(account))
    tell(f"run {number} of {printable(project.folder)}; report: {project.folder / 'report.html'}")
    return 0


@dataclass(eq=False)
class _Talk:
    """Questions and answers; every answer is a step of the ledger as soon as it is given."""

    project: Project
    progress: Progress
    seed: int
    steps: list[int] = field(default_factory=list)

    def ask(self, most: int) -> None:
        """Ask until there are so many answers, no more questions, or no more patience."""
        raise NotImplementedError

    def refitted(self) -> Any:
        """A model that knows the answers."""
        raise NotImplementedError

    def _keep(self, pairs: list[tuple[int, int]], signs: list[int]) -> None:
        """Write an answer to the ledger."""
        links = Links.from_signed(pairs, signs, len(self.project.ids))
        self.steps.append(self.project.ledger.add(links, "ask"))

    def _take_back(self) -> bool:
        """Undo the last answer, if there is one."""
        if not self.steps:
            tell("there is no answer to undo.")
            return False
        self.project.ledger.undo(self.steps.pop(), "ask")
        return True


class _Pairs(_Talk):
    """Do these two belong together?"""

    def ask(self, most: int) -> None:
        project = self.project
        self.progress.begin("looking for good questions")
        model = project.model
        estimator = clone(model)
        if "init" in estimator.get_params(deep=False):
            estimator.set_params(init=model.labels_)
        self.interview = Interview(
            project.dataset.data, estimator, links=project.links, random_state=self.seed
        )
        while len(self.steps) < most:
            queries = self.interview.next_queries(1)
            self.progress.end()
            if not queries or not self._one(queries[0], most):
                return

    def _one(self, query: Any, most: int) -> bool:
        """One question; False to end."""
        tell(f"\n{len(self.steps) + 1} of {most}: do these belong together? ({query.reason})")
        tell(side_by_side(self.project.dataset, query.i, query.j))
        while True:
            key = _key(HELP)
            if key == "q":
                return False
            if key == "z":
                if self._take_back():
                    self.interview.undo()
                    return True
            elif key in KEYS:
                return self._answered(query, KEYS[key])

    def _answered(self, query: Any, answer: str) -> bool:
        """Note an answer, unless it contradicts others."""
        try:
            self.interview.answer(query.i, query.j, answer)
        except ValueError as error:
            tell(f"error: {printable(error)}")
            # So that it is not asked again.
            self.interview.answer(query.i, query.j, "unsure")
            answer = "unsure"
        self._keep([(query.i, query.j)], [SIGNS[answer]])
        return True

    def refitted(self) -> Any:
        return self.interview.refit().model


class _Placements(_Talk):
    """To which cluster does this one belong?"""

    def ask(self, most: int) -> None:
        account = self.project.account
        clusters = {cluster.id: cluster for cluster in account.samples}
        self._labels = self.project.model.labels_.copy()
        self._placed: list[tuple[int, int]] = []
        for member, own in _doubtful(account):
            if len(self.steps) >= most or not self._one(member, own, clusters):
                return

    def _one(self, member: Any, own: int, clusters: dict[int, Any]) -> bool:
        """One question; False to end."""
        dataset = self.project.dataset
        tell(f"\n{bold(title_of(dataset, member.position), sys.stderr)}")
        tell(printable(described(dataset, member.position)))
        first = [i for i in (own, member.second) if i in clusters]
        for i in [*first, *(i for i in clusters if i not in first)]:
            tell(f"  {i:>3}  {printable(clusters[i].name)}")
        while True:
            word = _line("number of its cluster · u unsure · z undo · q quit")
            if word == "q":
                return False
            if word == "u":
                return True
            if word == "z":
                if self._take_back():
                    position, before = self._placed.pop()
                    self._labels[position] = before
            elif word.isdecimal() and int(word) in clusters:
                self._place(member.position, own, int(word), clusters)
                return True

    def _place(self, position: int, own: int, chosen: int, clusters: dict[int, Any]) -> None:
        """Note that a sample belongs with the most typical one of a cluster."""
        typical = {i: cluster.representative[0].position for i, cluster in clusters.items()}
        pairs, signs = [(position, typical[chosen])], [1]
        if chosen != own:
            pairs.append((position, typical[own]))
            signs.append(-1)
        self._keep(pairs, signs)
        self._placed.append((position, int(self._labels[position])))
        self._labels[position] = chosen

    def refitted(self) -> Any:
        project = self.project
        model = project.model
        return refitted(model, model.n_clusters, self._labels, project.dataset, project.links)


def _doubtful(account: Any) -> Iterator[tuple[Any, int]]:
    """Samples at the borders of clusters, the most doubtful first, with their cluster."""
    typical = {c.representative[0].position for c in account.samples if c.representative}
    found = [(m, c.id) for c in account.samples for m in c.borderline_members]
    found = [(m, own) for m, own in found if m.position not in typical]
    yield from sorted(found, key=lambda pair: pair[0].margin)


def _line(question: str) -> str:
    """A word that is typed; the end of the input is "q"."""
    print(f"{question}: ", end="", flush=True, file=sys.stderr)
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
    print(f"{question}: ", end="", flush=True, file=sys.stderr)
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    try:
        tty.setcbreak(keyboard)
        key = sys.stdin.read(1)
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
    print(key, file=sys.stderr)
    return key.lower() if key else "q"
