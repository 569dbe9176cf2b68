"""One run of a project: how the fit went, the labels, the model and the account, in plain files."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.io.models import FORMAT, check_format, read_value, write_value
from cocluster.linalg.types import Array
from cocluster.report.sorted_matrix import Grid
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.optional import versions
from cocluster.utils.text import as_json, file_names, json_object, quote, read_table, write_table

# Where sums of large matrices are kept.
GRIDS = "grids"
# What a run calls the last step of the ledger that there was when it was written.
HEARD = "heard"


@dataclass(frozen=True, eq=False)
class NewRun:
    """What is written of a run.

    Attributes
    ----------
    model : fitted model
    ids : mapping of type to names
        Of types without, objects are called by their position.
    order : int array or None
        Order in which samples are listed: that of the file they came from.
    about : mapping
        What else is known: seconds, the number of the run it came from, what was done.
    names : mapping of cluster to name
        As given by people.
    account : Account or None
    grids : mapping of view to Grid
        Of large data, what the first picture of them is drawn from.
    """

    model: Any
    ids: Mapping[str, Array]
    order: Array | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    account: Any = None
    grids: Mapping[str, Grid] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class StoredRun:
    """A run in its folder; what it holds is read when asked for."""

    folder: Path

    @property
    def about(self) -> dict[str, Any]:
        """What ``run.json`` says."""
        place = self.folder / "run.json"
        with wrap_read_errors(str(place), UnicodeDecodeError):
            content = json_object(place.read_text(encoding="utf-8"), str(place))
        # Runs of the first versions had no number.
        check_format({"format": FORMAT, **content}, str(place))
        return content

    @property
    def model(self) -> Any:
        """The fitted model, which predicts as it did."""
        if not (self.folder / "model.json").exists():
            raise ValueError(
                f"{self.folder} holds the labels of a run but no model: an older version of "
                "cocluster wrote it. Fit again to have one."
            )
        model = read_value(self.folder, "model")
        if getattr(model, "labels_", None) is None:
            raise ValueError(f"{self.folder / 'model.json'} holds no fitted model; fit again.")
        return model

    @property
    def account(self) -> Any:
        """The account of the run; None if there is none."""
        from cocluster.report.account import Account

        file = self.folder / "account.json"
        if not file.exists():
            return None
        place = str(file)
        with wrap_read_errors(place, KeyError, TypeError, ValueError, AttributeError):
            return Account.from_dict(json_object(file.read_text(encoding="utf-8"), place))

    @property
    def grids(self) -> dict[str, Grid]:
        """Sums of the sorted matrices of large data, by view."""
        if not (self.folder / f"{GRIDS}.json").exists():
            return {}
        place = f"{self.folder.name}/{GRIDS}.json"
        with wrap_read_errors(place, KeyError, TypeError, AttributeError):
            return {view: Grid.of(kept) for view, kept in read_value(self.folder, GRIDS).items()}

    def labels(self, name: str = "samples") -> dict[str, int]:
        """Cluster of every object of a type, by what it is called."""
        place = str(self.folder / "run.json")
        with wrap_read_errors(place, AttributeError):
            called = self.about.get("files", {}).get(name, f"labels_{name}.csv")
        # Such files lie beside this one; another path would lead out of the project.
        if not isinstance(called, str) or Path(called).name != called:
            raise ValueError(
                f"{place} names {quote(called)} for labels, which is no file beside it."
            )
        file = self.folder / called
        if not file.is_file():
            raise ValueError(f"{self.folder} has no labels of {name!r}.")
        with wrap_read_errors(str(file), KeyError, ValueError, TypeError, csv.Error):
            return {row["name"]: int(row["cluster"]) for row in read_table(file)}


def write_run(folder: Path, run: NewRun) -> None:
    """All files of a run into a folder that is there and empty."""
    labels = run.model.labels_by_type_
    files = {name: f"labels_{plain}.csv" for name, plain in file_names(labels).items()}
    write_value(folder, "model", run.model)
    for number, (name, own) in enumerate(labels.items()):
        # The samples come first.
        order = run.order if number == 0 else None
        _write_labels(folder / files[name], run.ids.get(name), own, order)
    if run.account is not None:
        text = as_json(run.account.as_dict())
        (folder / "account.json").write_text(f"{text}\n", encoding="utf-8")
    if run.grids:
        write_value(folder, GRIDS, {view: grid.plain() for view, grid in run.grids.items()})
    summary = {"format": FORMAT, "time": _now(), **run.about, **_summary(run.model)}
    summary |= {"files": files, "names": {str(i): name for i, name in run.names.items()}}
    # Last, and with all letters escaped: its presence says that the run is whole.
    (folder / "run.json").write_text(
        json.dumps(summary, indent=1, default=_plain) + "\n", encoding="ascii"
    )


def _write_labels(file: Path, names: Array | None, labels: Array, order: Array | None) -> None:
    """One object a line; its position is its name where it has none."""
    called = [str(i) for i in range(len(labels))] if names is None else names
    places = range(len(labels)) if order is None else order.tolist()
    write_table(file, ("name", "cluster"), ((called[i], int(labels[i])) for i in places))


def _summary(model: Any) -> dict[str, Any]:
    """Method, parameters, versions, and how the fit went."""
    # `CoCluster` chooses a method and keeps it as `model_`: that one is what ran.
    fitted = getattr(model, "model_", model)
    report = {
        name: {"satisfied": int(links.n_satisfied), "violated": int(links.n_violated)}
        for name, links in fitted.links_report_.items()
    }
    return {
        "estimator": type(model).__name__,
        "method": fitted.method_name,
        "parameters": model.get_params(deep=False),
        "sizes": {name: len(own) for name, own in model.labels_by_type_.items()},
        "objective": float(fitted.objective_),
        "sweeps": int(fitted.n_iter_),
        "converged": bool(fitted.converged_),
        "links": report,
        "versions": versions(),
    }


def _plain(value: Any) -> Any:
    """A parameter in JSON: numbers and short arrays as they are, all else in words."""
    if isinstance(value, np.generic | np.ndarray) and value.size <= 100:
        return value.tolist()
    return repr(value)[:200]


def _now() -> str:
    """The time, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
