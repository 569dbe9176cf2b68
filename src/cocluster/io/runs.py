"""A finished run as a folder: plain files that any tool reads, never pickle."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.types import Array
from cocluster.utils.files import new_folder
from cocluster.utils.versions import versions


def write_run(
    folder: str | os.PathLike[str],
    model: Any,
    data: RelationalData,
    *,
    about: Mapping[str, Any] | None = None,
) -> Path:
    """Write a fitted model to a new folder, all of it or nothing.

    The folder holds ``run.json`` (method, by the name that `CoCluster` takes, parameters, versions,
    how the fit went, and whatever ``about`` adds), ``labels_TYPE.csv`` with the name and the
    cluster of every object, and ``factors.npz`` with the factors and associations where the method
    has them.
    """
    target = Path(folder)
    if target.exists():
        raise FileExistsError(f"{target} exists already; name a new folder or remove it first.")
    with new_folder(target) as unfinished:
        _write_parts(unfinished, model, data, dict(about or {}))
    return target


def _write_parts(folder: Path, model: Any, data: RelationalData, about: dict[str, Any]) -> None:
    """All files of a run."""
    for name, labels in model.labels_by_type_.items():
        _write_labels(folder / f"labels_{name}.csv", data.names.get(name), labels)
    np.savez_compressed(folder / "factors.npz", **_arrays(model))
    summary = {**about, **_summary(model, data)}
    (folder / "run.json").write_text(json.dumps(summary, indent=2, default=str) + "\n")


def _write_labels(file: Path, names: Array | None, labels: Array) -> None:
    """One object a line; its position is its name where it has none."""
    with file.open("w", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(["name", "cluster"])
        writer.writerows(zip(range(len(labels)) if names is None else names, labels, strict=True))


def _arrays(model: Any) -> dict[str, Any]:
    """Factors by type and associations by number."""
    # Methods that find labels only (spectral ones, k-means) have neither.
    factors = {f"factor_{name}": G for name, G in getattr(model, "factors_", {}).items()}
    associations = getattr(model, "associations_", ())
    return factors | {f"association_{r}": S for r, S in enumerate(associations)}


def _summary(model: Any, data: RelationalData) -> dict[str, Any]:
    """Method, parameters, versions, and how the fit went."""
    # `CoCluster` chooses a method and keeps it as `model_`: that one is what ran.
    fitted = getattr(model, "model_", model)
    report = {
        name: {"satisfied": int(links.n_satisfied), "violated": int(links.n_violated)}
        for name, links in fitted.links_report_.items()
    }
    return {
        "method": fitted.method_name,
        "parameters": fitted.get_params(deep=False),
        "sizes": data.sizes,
        "objective": float(fitted.objective_),
        "sweeps": int(fitted.n_iter_),
        "converged": bool(fitted.converged_),
        "links": report,
        "versions": versions(),
    }
