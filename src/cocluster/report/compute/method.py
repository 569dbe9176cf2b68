"""The part of an account on the method: how to get the same again, and where it was published."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from cocluster.report.compute.material import Material
from cocluster.report.subject import is_model
from cocluster.report.values import Citation, Reproduce


def reproduce_part(
    found: Material, source: str | None, options: Mapping[str, Any], command: str | None
) -> Reproduce:
    """The Python and the command that give the same clusters.

    ``options`` are those of `read` for the source.
    """
    if not is_model(found.model):
        return Reproduce("", command or "")
    model = found.model
    call = f"{type(model).__name__}({_changed(model)})"
    steps = ["import cocluster"]
    if source is not None:
        said = "".join(f", {name}={value!r}" for name, value in options.items())
        steps += ["from cocluster.io import read", "", f"data = read({source!r}{said})"]
        if _in_order(found):
            steps.append("data = data.select(data.canonical_order())")
    fitted = "data.data" if found.described is not None else "data"
    steps += [
        *([] if source is not None else ["# data: what was clustered"]),
        f"model = cocluster.{call}.fit({fitted})",
        "account = cocluster.account(model, data)",
    ]
    return Reproduce("\n".join(steps), command or _command(model, source))


def _in_order(found: Material) -> bool:
    """Whether samples stand in an order that does not depend on the file; chance depends on it."""
    order = getattr(found.described, "canonical_order", None)
    return order is not None and bool((np.diff(order()) == 1).all())


def _changed(model: Any) -> str:
    """The parameters that are not at their default, as they are written in a call."""
    default = {
        name: parameter.default
        for name, parameter in inspect.signature(type(model)).parameters.items()
    }
    given = model.get_params(deep=False)
    return ", ".join(
        f"{name}={value!r}"
        for name, value in given.items()
        if repr(value) != repr(default.get(name)) and not hasattr(value, "shape")
    )


def _command(model: Any, source: str | None) -> str:
    """The command line for a file or folder; empty without one."""
    if source is None:
        return ""
    quoted = (
        source if re.fullmatch(r"[\w./~-]+", source) else "'" + source.replace("'", "'\\''") + "'"
    )
    parts = ["cocluster", "fit", quoted, "-k", str(model.n_clusters)]
    method = getattr(model, "method", None) or getattr(model, "method_name", "auto")
    if method != "auto":
        parts += ["--method", str(method)]
    seed = getattr(model, "random_state", None)
    if isinstance(seed, int):
        parts += ["--seed", str(seed)]
    return " ".join(parts)


def citation_part(found: Material) -> Citation:
    """What the docstring of the method says of it: a line, the formula, the references."""
    if not is_model(found.model):
        return Citation("", "", ())
    # A method that only begins otherwise than its parent has its parent's formula and paper.
    documents = [inspect.getdoc(kind) or "" for kind in type(found.fitted).__mro__]
    title = documents[0].strip().splitlines()[0].rstrip(".") if documents[0] else ""
    formulas = (_formula(text) for text in documents)
    references = (_references(text) for text in documents)
    return Citation(title, next(filter(None, formulas), ""), next(filter(None, references), ()))


def _formula(text: str) -> str:
    """The first displayed formula of a docstring, in LaTeX."""
    match = re.search(r"\.\. math::(.+?)\n\s*\n", text, re.DOTALL)
    return " ".join(match[1].split()) if match else ""


def _references(text: str) -> tuple[str, ...]:
    """The references of a docstring, one line each."""
    match = re.search(r"References\n-+\n(.*?)(?=\n\n\S|\Z)", text, re.DOTALL)
    if not match:
        return ()
    return tuple(" ".join(part.split()) for part in re.split(r"\.\. \[\d+\]", match[1])[1:])
