"""From data and a fitted model to what a project keeps of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.io.dataset import Dataset
from cocluster.io.dataset_folder import write_dataset
from cocluster.linalg.types import Array
from cocluster.links import Links
from cocluster.projects.ledger import sample_ids
from cocluster.projects.project import DATA, FILE_ROW, Project, Said, write_about
from cocluster.projects.runs import NewRun
from cocluster.report.account import Account, account
from cocluster.report.images import thumbnails
from cocluster.report.page import page
from cocluster.report.sorted_matrix import grids_to_store
from cocluster.utils.text import is_unicode

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
    options : mapping
        How it was read: arguments of `read`.
    about : mapping
        What else ``run.json`` is to say.
    """

    model: Any
    dataset: Dataset
    links: Links | None = None
    names: Mapping[int, str] = field(default_factory=dict)
    choice: Any = None
    _: KW_ONLY
    seconds: float | None = None
    command: str = ""
    source: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
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
            options=self.options,
            command=self.command or None,
            thumbnail=thumbnails(self.source, self.dataset.sample_names) if self.source else None,
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
            grids_to_store(self.model, self.dataset),
        )


def keep(project: Project, fitted: Fitted, said: Said | None = None) -> tuple[int, Any]:
    """Write a fit as one more run of a project; returns its number and its account.

    With ``said``, also the step of the ledger that it comes from.
    """
    run = fitted.run()
    (project.folder / RESERVE).unlink(missing_ok=True)
    number = project.add_run(run, report_of(run.account), said)
    return number, run.account


def report_of(told: Account) -> str:
    """The report of an account; what is no proper Unicode, and cannot be in a page, is escaped."""
    if is_unicode(told.to_json()):
        return page(told)
    return page(Account.from_dict(_escaped(told.as_dict())))


def _escaped(value: Any) -> Any:
    """Plain values whose texts can all be written."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {_escaped(key): _escaped(part) for key, part in value.items()}
    return [_escaped(part) for part in value] if isinstance(value, list) else value


def file_order(dataset: Dataset) -> Array | None:
    """Samples in the order of the file they came from."""
    rows = dataset.extras.get(FILE_ROW)
    return None if rows is None else np.argsort(rows, kind="stable")


def names_by_type(model: Any, dataset: Dataset | None) -> Mapping[str, Array]:
    """Names of the objects of every type that has some."""
    fitted = getattr(model, "model_", model)
    names = dict(fitted._form.names)
    center = next(iter(model.labels_by_type_))
    if dataset is not None:
        rows = dataset.extras.get(FILE_ROW)
        names |= dataset.feature_names
        names[center] = sample_ids(dataset.sample_names, rows, len(dataset))
    elif fitted._sample_names is not None:
        names[center] = fitted._sample_names
    return names
