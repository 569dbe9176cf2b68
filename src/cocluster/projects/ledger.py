"""``links.csv`` of a project: all that people said of samples, in order; an undo is a line, too.

The columns are those of every file of links (`cocluster.links.files`), and ``step``: lines that
were written together have one number, and are undone together. So ``cocluster fit --links`` and
`Links.read` take the file of a project in which nothing was undone as it is.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.linalg.types import Array
from cocluster.links import Links
from cocluster.links.files import Numbered, file_format, link_rows, parse_links
from cocluster.utils.files import new_file, open_regular

HEAD = ("a", "b", "relation", "weight", "source", "time", "step")
UNDO = "undo"
# What the number of a step looks like (below zero: of a line that had none); people may have typed
# anything.
STEP = re.compile(r"-?[0-9]{1,12}")
# How the source of an edit begins. Each edit states anew all that edits hold together, so that only
# the last one that is not undone counts.
EDIT = "edit:"
# Labellings of one step are numbered from this multiple of the step: no step has more.
PER_STEP = 1000


@dataclass(frozen=True)
class Line:
    """A line of the ledger: which step, what it says of whom, who said it and when.

    ``undone`` are lines that were taken back; an edit that a later one has replaced is neither in
    force nor undone.
    """

    step: int
    a: str
    b: str
    relation: str
    source: str
    time: str
    in_force: bool
    undone: bool


@dataclass(frozen=True, eq=False)
class Ledger:
    """The ledger of a project.

    Parameters
    ----------
    file : Path
        It need not exist.
    ids : array of str
        What the samples are called in it, in the order of the data.
    """

    file: Path
    ids: Array

    def add(self, links: Links, source: str) -> int:
        """Write links as one step; returns its number."""
        step = self.last + 1
        rows = self._written(links, step)
        self._append([[*row, source, _now(), step] for row in rows])
        return step

    def says(self, links: Links) -> bool:
        """Whether a step that is in force says exactly this."""
        force: dict[int, list[list[str]]] = {}
        for _, row in self._in_force():
            words = [row["a"], row["b"], row["relation"], row.get("weight", "")]
            force.setdefault(int(row["step"]), []).append(words)
        return any(
            [list(map(str, row)) for row in self._written(links, step)] == rows
            for step, rows in force.items()
        )

    def _written(self, links: Links, step: int) -> list[list[Any]]:
        """Links as the first columns of the file."""
        return [
            [row["a"], row["b"], _numbered(row["relation"], step), row["weight"]]
            for row in link_rows(links, self.ids)
        ]

    def undo(self, step: int, source: str = "") -> None:
        """Take a step back; it stays in the file, followed by a line that says so."""
        if step not in self.steps():
            raise ValueError(f"There is no step {step} in {self.file.name} to undo.")
        self._append([["", "", UNDO, "", source, _now(), step]])

    @property
    def last(self) -> int:
        """The number of the last step, in force or not; 0 if there was none."""
        # Those of lines written by hand are below zero.
        return max([0, *(int(row["step"]) for _, row in self._rows())])

    def steps(self) -> dict[int, str]:
        """Steps that are in force, in order, with their source."""
        return {int(row["step"]): row.get("source", "") for _, row in self._in_force()}

    def lines(self) -> list[Line]:
        """All that was ever said, in order, also what was taken back."""
        rows = self._rows()
        undone = {row["step"] for _, row in rows if _is_undo(row)}
        force = {line for line, _ in self._in_force()}
        return [
            Line(
                int(row["step"]),
                row["a"],
                row["b"],
                row["relation"],
                row.get("source", ""),
                row.get("time", ""),
                line in force,
                row["step"] in undone,
            )
            for line, row in rows
            if not _is_undo(row)
        ]

    def stated(self, step: int) -> Links:
        """What one step said, in force or not."""
        rows = [
            (line, row)
            for line, row in self._rows()
            if int(row["step"]) == step and not _is_undo(row)
        ]
        if not rows:
            raise ValueError(f"There is no step {step} in {self.file.name}.")
        return Links(**parse_links(self.file, rows, self.ids, len(self.ids)))

    def links(self, edits: bool | None = None, until: int | None = None) -> Links | None:
        """All that is in force; None if nothing is.

        With ``edits=True`` only what edits say, with False all but that; with ``until`` only what
        was said up to that step.
        """
        rows = self._in_force()
        if until is not None:
            rows = [(i, row) for i, row in rows if int(row["step"]) <= until]
        if edits is not None:
            rows = [(i, row) for i, row in rows if _is_edit(row) == edits]
        if not rows:
            return None
        return Links(**parse_links(self.file, rows, self.ids, len(self.ids)))

    def _rows(self) -> list[Numbered]:
        """All lines; those that someone wrote by hand are one step each."""
        if not self.file.exists():
            return []
        found = []
        for line, row in file_format(self.file).read(self.file):
            step = row.get("step", "").strip()
            found.append((line, row | {"step": step if STEP.fullmatch(step) else str(-line)}))
        return found

    def _in_force(self) -> list[Numbered]:
        """Lines that nothing has undone."""
        rows = self._rows()
        undone = {row["step"] for _, row in rows if _is_undo(row)}
        kept = [(i, row) for i, row in rows if row["step"] not in undone and not _is_undo(row)]
        last = max((int(row["step"]) for _, row in kept if _is_edit(row)), default=0)
        return [(i, row) for i, row in kept if not _is_edit(row) or int(row["step"]) == last]

    def _append(self, rows: list[list[Any]]) -> None:
        """Write lines at the end, all of them or none."""
        self._with_our_columns()
        before = self.file.stat().st_size if self.file.exists() else 0
        content = _as_csv(rows if before else [HEAD, *rows])
        descriptor = open_regular(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        with open(descriptor, "ab", buffering=0) as opened:
            try:
                # One call of the system: what ends the process ends it before or after.
                written = opened.write(content)
                if written != len(content):
                    raise OSError(f"{self.file} could not be written: the disk is full.")
            except BaseException:
                opened.truncate(before)
                raise

    def _with_our_columns(self) -> None:
        """Write a file that someone made by hand anew, if it has other columns than ours.

        All its lines stay, and have a number from then on.
        """
        if not self.file.exists() or self.file.stat().st_size == 0:
            return
        with self.file.open("rb") as opened:
            if opened.readline().strip() == ",".join(HEAD).encode():
                return
        rows = [[row.get(name, "") for name in HEAD] for _, row in self._rows()]
        with new_file(self.file) as unfinished:
            unfinished.write_bytes(_as_csv([HEAD, *rows]))


def sample_ids(names: Array | None, rows: Array | None, n: int) -> Array:
    """What samples are called in links: by name, or by their row in the file they came from.

    Names serve only if they tell all samples apart.
    """
    if names is not None:
        texts = np.array([str(name) for name in names], dtype=object)
        if len(set(texts.tolist())) == n:
            return texts
    places = range(n) if rows is None else rows.tolist()
    return np.array([str(i) for i in places], dtype=object)


def _as_csv(rows: Sequence[Sequence[Any]]) -> bytes:
    """Lines of a file; what is no proper Unicode is escaped."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode(errors="backslashreplace")


def _is_undo(row: dict[str, str]) -> bool:
    """Whether a line takes others back."""
    return row["relation"].strip().lower() == UNDO


def is_edit(source: str) -> bool:
    """Whether a line of this source comes from an edit."""
    return source.startswith(EDIT)


def _is_edit(row: dict[str, str]) -> bool:
    """Whether a line comes from an edit."""
    return is_edit(row.get("source", ""))


def _numbered(word: str, step: int) -> str:
    """A relation; labellings of different steps are kept apart."""
    return re.sub(r":(\d+)$", lambda found: f":{PER_STEP * step + int(found[1])}", word)


def _now() -> str:
    """The time, to the second, as every country writes it in files."""
    return datetime.now(UTC).isoformat(timespec="seconds")
