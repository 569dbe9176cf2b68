"""Project: the folder of a project, opened for reading and for one more run."""

from __future__ import annotations

import csv
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from cocluster.io.dataset import Dataset
from cocluster.io.dataset_folder import read_dataset
from cocluster.io.models import FORMAT, check_format
from cocluster.linalg.types import Array
from cocluster.links import Links
from cocluster.projects.ledger import Ledger, is_edit, sample_ids
from cocluster.projects.runs import HEARD, NewRun, StoredRun, write_run
from cocluster.utils.files import (
    check_contained,
    hidden_sibling,
    new_folder,
    remove_leftovers,
    wrap_read_errors,
)
from cocluster.utils.locks import write_lock
from cocluster.utils.text import as_json, json_object, read_table, write_table

ABOUT, DATA, LINKS, NAMES, RUNS, REPORT = (
    "project.json",
    "data",
    "links.csv",
    "names.csv",
    "runs",
    "report.html",
)
# Links, and who said them.
Said = tuple[Links, str]
# How the hidden folder beside a project is called that holds what is about to be replaced.
OLD = "old"
# What `Dataset.extras` calls the rows that samples had in the file they came from.
FILE_ROW = "file_row"


@dataclass(frozen=True, eq=False)
class Project:
    """A folder with data, links, names and runs; `open_project` opens one.

    Attributes
    ----------
    folder : Path
    about : mapping
        What ``project.json`` says: name, source, how it was read.

    Examples
    --------
    >>> project = open_project("mydocs-cocluster")  # doctest: +SKIP
    >>> project.model.predict(project.dataset.X)  # doctest: +SKIP
    """

    folder: Path
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.about.get("name", self.folder.name))

    @property
    def has_data(self) -> bool:
        """Whether the data are in the folder."""
        return (self.folder / DATA).exists()

    @cached_property
    def dataset(self) -> Dataset:
        """The data, in the order in which they are fitted."""
        if not self.has_data:
            raise ValueError(f"{self.folder} holds no data, only a model; fit again to have both.")
        return read_dataset(self.folder / DATA)

    @cached_property
    def ids(self) -> Array:
        """What the samples are called in files: by name, or by their row in the source."""
        data = self.dataset
        return sample_ids(data.sample_names, data.extras.get(FILE_ROW), len(data))

    @property
    def ledger(self) -> Ledger:
        """All that people said of samples."""
        return Ledger(self.folder / LINKS, self.ids)

    @property
    def links(self) -> Links | None:
        """What is in force of it; None if nothing is."""
        return self.ledger.links() if (self.folder / LINKS).exists() else None

    @property
    def names(self) -> dict[int, str]:
        """Names that people gave to clusters."""
        file = self._latest(NAMES)
        if not file.exists():
            return {}
        with wrap_read_errors(str(file), KeyError, TypeError, ValueError, csv.Error):
            return {int(row["cluster"]): row["name"] for row in read_table(file)}

    @property
    def runs(self) -> list[int]:
        """Numbers of the runs, in order."""
        place = self.folder / RUNS
        if not place.exists():
            return [1] if (self.folder / "run.json").exists() else []
        return sorted(int(run.name) for run in place.iterdir() if run.name.isdecimal())

    def run(self, number: int | None = None) -> StoredRun:
        """A run by its number; by default the last."""
        known = self.runs
        if not known:
            raise ValueError(f"{self.folder} has no finished run; fit first.")
        if number is not None and number not in known:
            listed = ", ".join(map(str, known))
            raise ValueError(f"{self.folder} has no run {number}; there are {listed}.")
        # The folder of a run of the first versions was all there was.
        old = not (self.folder / RUNS).exists()
        return StoredRun(self.folder if old else run_folder(self.folder, number or known[-1]))

    @property
    def model(self) -> Any:
        """The model of the last run."""
        return self.run().model

    @property
    def account(self) -> Any:
        """The account of the last run; None without data."""
        return self.run().account

    @contextmanager
    def writing(self) -> Iterator[Project]:
        """Let nobody else write to the project meanwhile.

        What a killed process was about to do is finished, or taken back, before.
        """
        with write_lock(self.folder):
            self._mend()
            yield self

    def _mend(self) -> None:
        """Bring names, report and ledger to the last run."""
        if not self.runs:
            return
        self._bring_forward()
        heard = self.run().about.get(HEARD)
        if heard is not None and self.has_data:
            # An edit is in the ledger a moment before its run is there. Without the run nobody
            # has seen it, and it will be made again.
            steps = self.ledger.steps()
            for step in [n for n, source in steps.items() if n > heard and is_edit(source)]:
                self.ledger.undo(step, "interrupted")

    def _latest(self, name: str) -> Path:
        """Where names or report of the last run are: beside the runs, or not yet brought there."""
        known = self.runs
        fresh = run_folder(self.folder, known[-1]) / name if known else self.folder / name
        return fresh if fresh.exists() else self.folder / name

    def _bring_forward(self) -> None:
        """Put names and report of the last run beside the runs, where they are looked for."""
        for name in (NAMES, REPORT):
            fresh = self._latest(name)
            if fresh.parent != self.folder:
                os.replace(fresh, self.folder / name)

    def add_run(self, run: NewRun, report: str | None = None, said: Said | None = None) -> int:
        """Write one more run, and the names and the report that go with it; returns its number.

        With ``said``, a step of the ledger is written with it: both, or neither.
        """
        number = max(self.runs, default=0) + 1
        heard = (self.ledger.last if self.has_data else 0) + (said is not None)
        with new_folder(run_folder(self.folder, number)) as unfinished:
            # Written with the run and brought forward afterwards: whoever is killed in between
            # leaves them where the next one finds them.
            write_names(unfinished, run.names)
            if report is not None:
                (unfinished / REPORT).write_text(
                    report, encoding="utf-8", errors="backslashreplace"
                )
            write_run(unfinished, replace(run, about={**run.about, HEARD: heard}))
            if said is not None:
                # Last, when nothing is left to do but a rename: a disk may become full before.
                self.ledger.add(*said)
        self._bring_forward()
        return number


def open_project(folder: str | os.PathLike[str]) -> Project:
    """Open the folder of a project, or of a run that an older version wrote.

    Parameters
    ----------
    folder : path

    Returns
    -------
    Project
        ``dataset``, ``links``, ``names``, ``model``, ``account``, and ``runs``.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no such folder, or if it is no project or one of a newer format.
    PermissionError
        If a file of the project is a symbolic or hard link or a special file: whoever writes to
        the project would change a file elsewhere.

    Examples
    --------
    >>> import tempfile, numpy as np, cocluster
    >>> X = np.kron([[5, 0], [1, 5]], np.ones((3, 4)))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = cocluster.CoCluster(2, random_state=0).fit(X).save(f"{place}/blocks", data=X)
    ...     cocluster.open_project(folder).runs
    [1]
    """
    place = Path(folder)
    if not place.exists() and hidden_sibling(place, OLD).exists():
        with write_lock(place):
            _put_back(place)
    if not place.exists():
        raise FileNotFoundError(f"There is no folder {place}.")
    file = place / ABOUT
    if not file.exists():
        if (place / "run.json").exists():
            check_contained(place)
            return Project(place)
        raise ValueError(
            f"{place} is no project of cocluster: it has no {ABOUT}. `cocluster fit` makes one."
        )
    check_contained(place)
    # The next writer would do it, but there may be none.
    remove_leftovers(place)
    with wrap_read_errors(str(file), UnicodeDecodeError):
        about = json_object(file.read_text(encoding="utf-8"), str(file))
    check_format(about, str(file))
    return Project(place, about)


@contextmanager
def new_project(folder: str | os.PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """A folder to write a project into, which appears under its name only when it is complete.

    It is made at once, so that a place where nothing can be written is found before any long work.
    What an ended process has left of an unfinished one is removed.

    Parameters
    ----------
    folder : path
        Of the project. If it exists and is not empty, it is refused.
    force : bool
        Whether it is replaced instead; it stays as it is until the new one is complete.
    """
    target = Path(folder)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with write_lock(target):
            _put_back(target)
            if not force:
                _refuse(target)
            yield from _replacing(target)
    except PermissionError as error:
        raise PermissionError(
            f"Nothing can be written to {target.parent} ({error.strerror}); name another folder "
            "with --out."
        ) from None


def _refuse(target: Path) -> None:
    """Keep what is there, unless it is an empty folder."""
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise FileExistsError(
            f"{target} exists already; name another folder with --out, or replace it with --force."
        )


def _replacing(target: Path) -> Iterator[Path]:
    """An unfinished folder that takes the target's place at the end."""
    # With fixed names, because only one process at a time comes here: what is there is left over.
    unfinished, old = hidden_sibling(target, "unfinished"), hidden_sibling(target, OLD)
    for left in (unfinished, old):
        shutil.rmtree(left, ignore_errors=True)
    unfinished.mkdir()
    try:
        yield unfinished
        if target.exists():
            target.rename(old)
        unfinished.rename(target)
        if old.exists():
            # Renamed before it is removed: half of it must never be put back.
            old.rename(unfinished)
    except BaseException:
        _put_back(target)
        raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _put_back(target: Path) -> None:
    """Undo half a replacement: whoever was at it has ended between its two steps."""
    old = hidden_sibling(target, OLD)
    if not target.exists() and old.exists():
        old.rename(target)


def write_about(folder: Path, about: Mapping[str, Any]) -> None:
    """Write ``project.json``."""
    content = {"format": FORMAT, **about}
    (folder / ABOUT).write_text(as_json(content, indent=1) + "\n", encoding="utf-8")


def write_names(folder: Path, names: Mapping[int, str]) -> None:
    """Write ``names.csv``."""
    write_table(folder / NAMES, ("cluster", "name"), sorted(names.items()))


def run_folder(folder: Path, number: int) -> Path:
    """Where a run is."""
    return folder / RUNS / f"{number:03d}"


def checksum(source: Path) -> str:
    """SHA-256 of a file, or of the names and contents of all files of a folder."""
    total = hashlib.sha256()
    files = [source] if source.is_file() else sorted(f for f in source.rglob("*") if f.is_file())
    for file in files:
        if source.is_dir():
            total.update(os.fsencode(file.relative_to(source).as_posix()))
        with file.open("rb") as opened:
            total.update(hashlib.file_digest(opened, "sha256").digest())
    return total.hexdigest()
