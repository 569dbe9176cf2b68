"""The run of an account: method, parameters, number of clusters, reproduction and citation."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Mapping
from typing import Any

import numpy as np

from cocluster.methods.n_clusters.result import Choice, Line, Side
from cocluster.report.report_input import ReportInput
from cocluster.report.values import (
    CandidateNumber,
    Citation,
    MergeTree,
    NumberOfClusters,
    Plain,
    RecommendedNumbers,
    Reproduce,
    Run,
)
from cocluster.utils.optional import versions

# Longest text of a parameter, in characters: arrays and objects are not printed whole.
MAX_PARAMETER_LENGTH = 80
# Standard deviations of chance below which the agreement of two halves is not significant.
CHANCE_DEVIATIONS = 3


def describe_run(source: ReportInput, seconds: float | None) -> Run:
    """Return the method, its parameters and the course of the run."""
    method = source.method
    parameters = _parameters(source.model)
    history = np.asarray(getattr(method, "objective_history_", ()), dtype=np.float64)
    objective, converged = getattr(method, "objective_", None), getattr(method, "converged_", None)
    seed = parameters.get("random_state")
    return Run(
        method=str(getattr(method, "method_name", "labels")),
        name=_class_name(method),
        asked=_requested(source.model),
        parameters=parameters,
        # A generator is described in words.
        seed=seed if seed is None or isinstance(seed, int) else str(seed),
        n_clusters={name: len(clusters) for name, clusters in source.clusters.items()},
        versions=versions(),
        seconds=None if seconds is None else float(seconds),
        objective=float(objective) if objective is not None and np.isfinite(objective) else None,
        history=tuple(float(value) for value in history if np.isfinite(value)),
        sweeps=int(getattr(method, "n_iter_", len(history))),
        converged=None if converged is None else bool(converged),
    )


def _parameters(model: Any) -> dict[str, Plain]:
    """Return the parameters of a model as plain values; none for labels."""
    if model is None:
        return {}
    parameters = model.get_params(deep=False)
    return {str(name): _plain_parameter(value) for name, value in parameters.items()}


def _plain_parameter(value: Any) -> Plain:
    """Return a parameter as a plain value; arrays and objects are described in words."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        pairs = [f"{key}: {_plain_parameter(element)}" for key, element in value.items()]
        return ", ".join(pairs)[:MAX_PARAMETER_LENGTH]
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"array of shape {tuple(shape)}"
    text = repr(value)
    if len(text) <= MAX_PARAMETER_LENGTH:
        return text
    return f"{type(value).__name__} ({len(text):,} characters)"


def _class_name(method: Any) -> str:
    """Return the class of the method; "CoCluster" for its default, and nothing for labels."""
    name = "" if method is None else type(method).__name__
    return "CoCluster" if getattr(method, "method_name", name) == "auto" else name


def _requested(model: Any) -> str:
    """Return the fitted class and its ``method`` parameter, such as ``CoCluster(auto)``."""
    if model is None:
        return "labels"
    method, name = getattr(model, "method", None), type(model).__name__
    return f"{name}({method})" if isinstance(method, str) else name


def describe_choice(
    choice: Choice | None, n_clusters: Mapping[str, int]
) -> NumberOfClusters | None:
    """Return the numbers of clusters that were tried, and the reason for the recommended one.

    ``n_clusters`` are those of the fit, by type; merge trees are cut there.
    """
    if choice is None:
        return None
    sides = tuple(
        RecommendedNumbers(
            side.name, side.coarse, side.stable, side.fine, tuple(map(_candidate, side.table))
        )
        for side in choice.sides
    )
    trees = tuple(
        _merge_tree(side, n_clusters[name])
        for name, side in choice.trees.items()
        if side.tree and name in n_clusters
    )
    return NumberOfClusters(choice.reason, choice.complete, sides, trees)


def _merge_tree(side: Side, n_clusters: int) -> MergeTree:
    """Return the merge tree of one type."""
    words = side.words or ("",) * len(side.leaves)
    return MergeTree(side.name, n_clusters, side.leaves, words, side.tree)


def _candidate(line: Line) -> CandidateNumber:
    """Return one candidate number of clusters with the agreement that chance would give."""
    chance = CHANCE_DEVIATIONS * line.null / max(line.possible, line.null) if line.null > 0 else 0.0
    return CandidateNumber(line.k, line.share, line.stability, chance, line.icl)


def describe_reproduction(
    source: ReportInput, file: str | None, options: Mapping[str, Any], command: str | None
) -> Reproduce:
    """Return the Python code and the command that give the same clusters.

    ``options`` are the arguments of `read` for the file.
    """
    model = source.model
    if model is None:
        return Reproduce("", command or "")
    steps = ["import cocluster"]
    if file is None:
        steps.append("# data: what was clustered")
    else:
        arguments = "".join(f", {name}={value!r}" for name, value in options.items())
        steps += ["from cocluster.io import read", "", f"data = read({file!r}{arguments})"]
        if _is_canonically_ordered(source):
            steps.append("data = data.select(data.canonical_order())")
    fitted = "data.data" if source.annotations is not None else "data"
    steps += [
        f"model = cocluster.{type(model).__name__}({_changed_parameters(model)}).fit({fitted})",
        "account = cocluster.account(model, data)",
    ]
    return Reproduce("\n".join(steps), command or _fit_command(model, file))


def _is_canonically_ordered(source: ReportInput) -> bool:
    """Return whether the samples are in the order that does not depend on the file."""
    order = getattr(source.annotations, "canonical_order", None)
    return order is not None and bool((np.diff(order()) == 1).all())


def _changed_parameters(model: Any) -> str:
    """Return the parameters that differ from their defaults, as arguments of a call."""
    signature = inspect.signature(type(model)).parameters
    default = {name: parameter.default for name, parameter in signature.items()}
    return ", ".join(
        f"{name}={value!r}"
        for name, value in model.get_params(deep=False).items()
        if repr(value) != repr(default.get(name)) and not hasattr(value, "shape")
    )


def _fit_command(model: Any, file: str | None) -> str:
    """Return the command line that fits a file or folder; empty without one."""
    if file is None:
        return ""
    # A leading ~ is expanded by the shell and must not be quoted.
    quoted = file if re.fullmatch(r"[\w./~-]+", file) else shlex.quote(file)
    words = ["cocluster", "fit", quoted, "-k", str(model.n_clusters)]
    method = getattr(model, "method", None) or getattr(model, "method_name", "auto")
    if method != "auto":
        words += ["--method", str(method)]
    seed = getattr(model, "random_state", None)
    if isinstance(seed, int):
        words += ["--seed", str(seed)]
    return " ".join(words)


def cite_method(source: ReportInput) -> Citation:
    """Return the title, the objective and the references in the docstring of the method."""
    if source.model is None:
        return Citation("", "", ())
    # A subclass that changes only the start has the objective and references of its parent.
    documents = [inspect.getdoc(kind) or "" for kind in type(source.method).__mro__]
    title = documents[0].strip().splitlines()[0].rstrip(".") if documents[0] else ""
    formulas = (_formula(text) for text in documents)
    references = (_references(text) for text in documents)
    return Citation(title, next(filter(None, formulas), ""), next(filter(None, references), ()))


def _formula(text: str) -> str:
    """Return the first displayed formula of a docstring, in LaTeX."""
    match = re.search(r"\.\. math::(.+?)\n\s*\n", text, re.DOTALL)
    return " ".join(match[1].split()) if match else ""


def _references(text: str) -> tuple[str, ...]:
    """Return the references of a docstring, one line each."""
    match = re.search(r"References\n-+\n(.*?)(?=\n\n\S|\Z)", text, re.DOTALL)
    if not match:
        return ()
    return tuple(" ".join(entry.split()) for entry in re.split(r"\.\. \[\d+\]", match[1])[1:])
