"""From data and a fitted model to what a project keeps of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.io.dataset import Dataset
from cocluster.io.stored import write_dataset
from cocluster.linalg.types import Array
from cocluster.links import Links
from cocluster.projects.project import DATA, FILE_ROW, Project, write_about
from cocluster.projects.runs import NewRun
from cocluster.projects.saving import names_by_type
from cocluster.report.account import account
from cocluster.report.page import page

# What a run takes on the disk at most, but for very large data: bytes of the report and the
# account, and bytes for each object (labels, names, factors).
RUN_BYTES, OBJECT_BYTES = 8_000_000, 400
RESERVE = ".reserve"


def in_order(dataset: Dataset) -> Dataset:
    """The samples in an order that does not depend on how they were stored.

    So the same texts have the same clusters, be they in one file or in many. Their rows in the
    file are kept beside them, and results are listed in that order.
    """
    rows = {FILE_ROW: np.arange(len(dataset))}
    numbered = replace(dataset, extras={**dataset.extras, **rows})
    return numbered.select(dataset.canonical_order())


def begun(folder: Path, dataset: Dataset, about: Mapping[str, Any]) -> Project:
    """A project with its data, and with room on the disk for a first run."""
    content = {"name": dataset.name, "read": dataset.reading.to_json(), **about}
    write_about(folder, content)
    (folder / DATA).mkdir()
    write_dataset(folder / DATA, dataset)
    reserve(folder, RUN_BYTES + OBJECT_BYTES * sum(dataset.data.sizes.values()))
    return Project(folder, content)


def reserve(folder: Path, size: int) -> None:
    """Take room on the disk, so that a full one is noticed before any long work."""
    with (folder / RESERVE).open("wb") as opened:
        try:
            # Where the system cannot reserve, nothing is lost but the warning in time.
            getattr(os, "posix_fallocate", lambda *given: None)(opened.fileno(), 0, size)
        except OSError as error:
            raise OSError(
                f"There is no room on the disk for the results, about {size / 1e6:.0f} MB "
                f"({error.strerror}); make room, or name a folder elsewhere with --out."
            ) from None


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fit, and what is known of it.

    Attributes
    ----------
    model : fitted model
    dataset : Dataset
    links : Links or None
        Those of the fit.
    names : mapping of cluster to name
    choice : Choice or None
        How the number of clusters was chosen.
    seconds : float or None
    command : str
        That was typed.
    source : str
        File or folder that was read.
    about : mapping
        What else ``run.json`` is to say.
    """

    model: Any
    dataset: Dataset
    links: Links | None = None
    names: Mapping[int, str] = field(default_factory=dict)
    choice: Any = None
    seconds: float | None = None
    command: str = ""
    source: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)

    def account(self) -> Any:
        """All that is to be told of it."""
        return account(
            self.model,
            self.dataset,
            links=self.links,
            names=self.names,
            choice=self.choice,
            seconds=self.seconds,
            source=self.source or None,
            command=self.command or None,
        )

    def run(self) -> NewRun:
        """What is written of it."""
        about = {"command": self.command, "seconds": self.seconds, **self.about}
        if self.choice is not None:
            about["choice"] = self.choice.as_dict()
        return NewRun(
            self.model,
            names_by_type(self.model, self.dataset),
            file_order(self.dataset),
            about,
            self.names,
            self.account(),
        )


def keep(project: Project, fitted: Fitted) -> tuple[int, Any]:
    """Write a fit as one more run of a project; returns its number and its account."""
    run = fitted.run()
    (project.folder / RESERVE).unlink(missing_ok=True)
    number = project.add_run(run, page(run.account))
    return number, run.account


def file_order(dataset: Dataset) -> Array | None:
    """Samples in the order of the file they came from."""
    rows = dataset.extras.get(FILE_ROW)
    return None if rows is None else np.argsort(rows, kind="stable")
