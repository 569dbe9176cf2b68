"""What is killed: a beginning, a command that can be given again, what must hold, and a result."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from cocluster.cli import run as command
from cocluster.links import Links
from cocluster.projects import Project, open_project

SUBJECTS = (
    "cat dog mouse pet food fur tail paw bark purr vet leash bowl whisker kitten puppy",
    "moon orbit rocket launch star planet shuttle crew engine dock lander mars comet",
    "tea leaf cup kettle green black oolong steep boil pot saucer milk sugar lemon brew",
)
TEXTS = 60
NAME = "docs-cocluster"
# Of an account and a run: what differs between two runs of the same.
PASSING = ("seconds", "time", "command", "source", "checksum", "versions", "made")


class Scene(Protocol):
    """Something that can be killed, and gone on with."""

    @property
    def command(self) -> str:
        """What it is called in the table."""

    def prepare(self, folder: Path) -> None:
        """Make what there is at the beginning."""

    def act(self, folder: Path) -> None:
        """Give the command, as one would who goes on."""

    def check(self, folder: Path) -> None:
        """Raise if something is not whole."""

    def result(self, folder: Path) -> Any:
        """What an undisturbed run and one that was gone on with have in common."""


@dataclass(frozen=True)
class Fit:
    """``cocluster fit`` of a file: where nothing is, or in the place of another project."""

    over: bool = False
    command: str = "fit"

    def prepare(self, folder: Path) -> None:
        write_texts(folder / "docs.jsonl")
        if self.over:
            given(folder, "fit", "docs.jsonl", "-k", "2")

    def act(self, folder: Path) -> None:
        given(folder, "fit", "docs.jsonl", "-k", "3", "--force")

    def check(self, folder: Path) -> None:
        check_project(folder, absent=not self.over)

    def result(self, folder: Path) -> Any:
        return told(open_project(folder / NAME))


@dataclass(frozen=True)
class FitMore:
    """``cocluster fit`` of a project, once more, with links from a file."""

    command: str = "fit"

    def prepare(self, folder: Path) -> None:
        begin(folder)
        lines = [f"doc00,doc{i:02d},same" for i in (3, 6)] + ["doc00,doc01,different"]
        (folder / "links.csv").write_text("a,b,relation\n" + "\n".join(lines) + "\n")

    def act(self, folder: Path) -> None:
        if len(open_project(folder / NAME).runs) < 2:
            given(folder, "fit", NAME, "-k", "3", "--links", "links.csv")

    def check(self, folder: Path) -> None:
        check_project(folder)

    def result(self, folder: Path) -> Any:
        return told(open_project(folder / NAME))


@dataclass(frozen=True)
class Edit:
    """``cocluster edit``: a name, then what is given, then an undo of the last."""

    words: tuple[str, ...]
    undone: bool = False
    command: str = "edit"

    def prepare(self, folder: Path) -> None:
        begin(folder)

    def act(self, folder: Path) -> None:
        todo = [("rename", "1", "second"), self.words, *([("undo",)] if self.undone else [])]
        # Every edit is a run, so their number says how far one is.
        for words in todo[len(open_project(folder / NAME).runs) - 1 :]:
            given(folder, "edit", NAME, *words)

    def check(self, folder: Path) -> None:
        project = check_project(folder)
        assert project is not None
        if len(project.runs) > 1:
            assert "second" in project.names.values(), "a name is lost"

    def result(self, folder: Path) -> Any:
        project = open_project(folder / NAME)
        assert "second" in (folder / NAME / "report.html").read_text(encoding="utf-8")
        return told(project), len(project.runs)


@dataclass(frozen=True)
class Ask:
    """``cocluster ask``, with keys that come through a pipe; each writes one step."""

    keys: tuple[str, ...]
    placements: bool = False
    command: str = "ask"

    def prepare(self, folder: Path) -> None:
        begin(folder)

    def act(self, folder: Path) -> None:
        project = open_project(folder / NAME)
        if len(project.runs) == 1:
            typed(self.keys[_pressed(project) :])
            given(folder, "ask", NAME, *(["--placements"] if self.placements else []))

    def check(self, folder: Path) -> None:
        project = check_project(folder)
        assert project is not None
        assert _pressed(project) <= len(self.keys), "an answer is there twice"

    def result(self, folder: Path) -> Any:
        project = open_project(folder / NAME)
        assert _pressed(project) == len(self.keys), "an answer is lost"
        return told(project)


@dataclass(frozen=True)
class ChooseK:
    """``cocluster choose-k``, which writes nothing but its answer."""

    command: str = "choose-k"

    def prepare(self, folder: Path) -> None:
        write_texts(folder / "docs.jsonl")

    def act(self, folder: Path) -> None:
        with redirect_stdout(io.StringIO()) as answer:
            given(folder, "choose-k", "docs.jsonl", "--max", "6", "--json")
        # For the one who compares: the command itself writes no file.
        folder.with_name(f"{folder.name}.answer").write_text(answer.getvalue())

    def check(self, folder: Path) -> None:
        assert [file.name for file in folder.iterdir()] == ["docs.jsonl"], "a file is left"

    def result(self, folder: Path) -> Any:
        return lasting(json.loads(folder.with_name(f"{folder.name}.answer").read_text()))


@dataclass(frozen=True)
class Reproduce:
    """``python -m benchmarks reproduce`` of a table with two methods on planted blocks."""

    command: str = "reproduce"

    def prepare(self, folder: Path) -> None:
        (folder / "published.csv").write_text("table,row,column,metric,value\n")

    def act(self, folder: Path) -> None:
        from functools import partial
        from unittest.mock import patch

        from benchmarks import __main__ as commands
        from benchmarks.papers import reproduce
        from benchmarks.papers.protocol import Column, Table
        from benchmarks.papers.runner import run
        from benchmarks.papers.solvers import method

        columns = tuple(Column(name, method(name)) for name in ("fnmtf", "itcc"))
        table = Table("wang2011", "9", "blocks", {"Blocks": (None,)}, columns, ("accuracy",), 4)
        work = reproduce.TableWork(table, folder)
        planted = partial(run, loader=_planted)
        # The names of real tables stand for real data, which take hours.
        with (
            patch.object(commands, "find", lambda name: work),
            patch.object(reproduce, "run", planted),
        ):
            assert commands.main(["reproduce", "blocks"]) == 0

    def check(self, folder: Path) -> None:
        from benchmarks.packs import read_rows

        rows = read_rows(folder, "runs.csv")
        keys = [(row["method"], row["seed"]) for row in rows]
        assert len(set(keys)) == len(keys), "a run is there twice"
        assert all(row["versions"] for row in rows), "a run is there by half"
        page = folder / "table9.md"
        assert not page.exists() or page.read_text().endswith("\n"), "half a page is there"

    def result(self, folder: Path) -> Any:
        from benchmarks.packs import read_rows

        rows = [lasting(row) for row in read_rows(folder, "runs.csv")]
        return rows, sorted(file.name for file in folder.iterdir() if file.suffix != ".lock")


def scenes() -> list[Scene]:
    """All but the workbench."""
    pairs = ("s", "d", "u", "s", "d", "s")
    return [
        Fit(),
        Fit(over=True),
        FitMore(),
        Ask(pairs),
        Ask(("1", "u", "1", "1"), placements=True),
        ChooseK(),
        Edit(("merge", "0", "2")),
        Edit(("move", "doc00", "doc03", "--to", "1"), undone=True),
        Reproduce(),
    ]


def write_texts(file: Path) -> None:
    """Texts on three subjects, with some words of the others, so that there is work to do."""
    rng = np.random.default_rng(0)
    words = [word for subject in SUBJECTS for word in subject.split()]
    lines = []
    for i in range(TEXTS):
        own = rng.choice(SUBJECTS[i % 3].split(), 14)
        mixed = np.where(rng.random(14) < 0.3, rng.choice(words, 14), own)
        lines.append(json.dumps({"id": f"doc{i:02d}", "text": " ".join(mixed)}))
    file.write_text("\n".join(lines) + "\n")


def begin(folder: Path) -> None:
    """A project with one run."""
    write_texts(folder / "docs.jsonl")
    given(folder, "fit", "docs.jsonl", "-k", "3")


def given(folder: Path, *words: str) -> None:
    """A command, given in a folder."""
    os.chdir(folder)
    code = command(words)
    if code:
        raise RuntimeError(f"cocluster {' '.join(words)} ended with {code}.")


def typed(keys: tuple[str, ...]) -> None:
    """Keys that the next command reads from a pipe."""
    read, write = os.pipe()
    os.write(write, "".join(f"{key}\n" for key in keys).encode())
    os.close(write)
    sys.stdin = os.fdopen(read)


def check_project(folder: Path, absent: bool = False) -> Project | None:
    """Raise unless the project is whole, or not there if it may be."""
    # Hidden files may be left by one that was killed, but must not pile up: the lock, one folder
    # that was not finished, and one file.
    hidden = sum(len(list(place.glob(".*"))) for place in (folder, *_folders(folder / NAME)))
    assert hidden <= 3, f"{hidden} hidden files are left"
    if absent and not (folder / NAME).exists():
        return None
    project = open_project(folder / NAME)
    assert len(project.dataset) == TEXTS
    for number in project.runs:
        run = project.run(number)
        assert len(run.model.labels_) == len(run.labels()) == TEXTS
        assert sum(cluster.size for cluster in run.account.samples) == TEXTS
        assert run.about["names"] is not None
    clusters = {cluster.id for cluster in project.account.samples}
    assert set(project.names) <= clusters, "names of clusters that there are not"
    if project.links is not None:
        project.links.check()
    report = (folder / NAME / "report.html").read_text(encoding="utf-8")
    assert report.rstrip().endswith("</html>"), "half a report is there"
    return project


def _folders(project: Path) -> Iterator[Path]:
    """The folders of a project, but not those that were not finished."""
    yield from (place for place in (project, project / "runs", project / "data") if place.exists())


def told(project: Project) -> dict[str, Any]:
    """All that a project says."""
    links = project.links
    said = set() if links is None else _said(links)
    labels = {name: own.tolist() for name, own in project.model.labels_by_type_.items()}
    account = lasting(project.account.as_dict())
    return {"labels": labels, "names": project.names, "links": said, "account": account}


def _said(links: Links) -> set[tuple[int, ...]]:
    """What links say; said twice is said once."""
    pairs = zip(links.pairs.tolist(), links.signs.tolist(), strict=True)
    groups = {tuple(labelling.codes.tolist()) for labelling in links.labellings}
    return {(*pair, int(sign)) for pair, sign in pairs} | groups


def lasting(value: Any) -> Any:
    """Plain values without times."""
    if isinstance(value, dict):
        return {key: lasting(part) for key, part in value.items() if key not in PASSING}
    return [lasting(part) for part in value] if isinstance(value, list | tuple) else value


def _pressed(project: Project) -> int:
    """Keys whose answers are in the ledger."""
    return len({line.split(",")[-1] for line in _ledger(project)})


def _ledger(project: Project) -> list[str]:
    """Lines of the ledger, as they are in the file."""
    file = project.folder / "links.csv"
    return file.read_text(encoding="utf-8").splitlines()[1:] if file.exists() else []


def _planted(paper: str, name: str, seed: int) -> Any:
    """Blocks with some noise."""
    from benchmarks.papers.protocol import Sample

    labels = np.repeat([0, 1], 15)
    rates = 1 + 4 * (labels[:, None] == np.arange(12) % 2)
    X = np.random.default_rng(seed).poisson(rates).astype(float)
    return Sample({"words": X}, labels, 2)
