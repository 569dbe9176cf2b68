"""The part of an account on the run: method, parameters, how it went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cocluster.report.compute.material import Material
from cocluster.report.subject import is_model
from cocluster.report.values import Plain, Run
from cocluster.utils.optional import versions

# Longest text of a parameter: arrays and objects are not printed whole.
LONGEST = 80


def run_part(found: Material, seconds: float | None) -> Run:
    """How the clusters were found."""
    model, fitted = found.model, found.fitted
    given = parameters_of(model) if is_model(model) else {}
    history = np.asarray(getattr(fitted, "objective_history_", ()), dtype=np.float64)
    objective = _number(getattr(fitted, "objective_", None))
    converged = getattr(fitted, "converged_", None)
    return Run(
        method=str(getattr(fitted, "method_name", "labels")),
        name=_called(fitted) if is_model(fitted) else "",
        asked=_asked(model),
        parameters=given,
        seed=_seed(given.get("random_state")),
        n_clusters={name: len(own) for name, own in found.clusters.items()},
        versions=versions(),
        seconds=None if seconds is None else float(seconds),
        objective=objective,
        history=tuple(float(value) for value in history if np.isfinite(value)),
        sweeps=int(getattr(fitted, "n_iter_", len(history))),
        converged=None if converged is None else bool(converged),
    )


def parameters_of(model: Any) -> dict[str, Plain]:
    """Parameters of a model as plain values; what is none is told in words."""
    return {str(name): _plain(value) for name, value in model.get_params(deep=False).items()}


def _plain(value: Any) -> Plain:
    """One parameter."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_plain(part)}" for key, part in value.items())[:LONGEST]
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"array of shape {tuple(shape)}"
    text = repr(value)
    return text if len(text) <= LONGEST else f"{type(value).__name__} ({len(text):,} characters)"


def _called(fitted: Any) -> str:
    """The method as people know it: what "auto" does has no name of its own."""
    name = type(fitted).__name__
    return "CoCluster" if getattr(fitted, "method_name", name) == "auto" else name


def _asked(model: Any) -> str:
    """The class that was fitted, with its method where it has several."""
    if not is_model(model):
        return "labels"
    method = getattr(model, "method", None)
    name = type(model).__name__
    return f"{name}({method})" if isinstance(method, str) else name


def _number(value: Any) -> float | None:
    """A finite number, or None."""
    return None if value is None or not np.isfinite(value) else float(value)


def _seed(value: Plain) -> int | str | None:
    """The seed as it was given; an object that draws numbers, in words."""
    return value if value is None or isinstance(value, int) else str(value)
