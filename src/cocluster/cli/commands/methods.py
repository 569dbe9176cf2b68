"""``cocluster methods``: what there is, and the options of one."""

from __future__ import annotations

import inspect
import textwrap
from argparse import Namespace
from typing import Any

from cocluster.cli.terminal import show, table
from cocluster.methods.auto import CoCluster
from cocluster.methods.catalogue import METHODS
from cocluster.projects.models import options_of
from cocluster.utils.texts import as_json

# Wide enough for formulas of docstrings, narrow enough for any terminal.
WIDTH = 88


def run(asked: Namespace) -> int:
    """List all methods, or show one."""
    if asked.name is None:
        _all(asked.json)
        return 0
    if asked.name != "auto" and asked.name not in METHODS:
        raise ValueError(f"There is no method {asked.name!r}; there are {', '.join(METHODS)}.")
    _one(asked.name, asked.json)
    return 0


def _all(as_values: bool) -> None:
    """What each takes and gives."""
    rows = []
    for name, method in METHODS.items():
        marks = (method.negative, method.many_types, method.soft, method.blocks)
        rows.append([name, *("yes" if mark else "" for mark in marks), method.title])
    heads = ["name", "any sign", "many types", "soft", "by blocks", "what"]
    if as_values:
        show(as_json([dict(zip(heads, row, strict=True)) for row in rows]))
    else:
        show(table(heads, rows))


def _one(name: str, as_values: bool) -> None:
    """Options of a method, and what it is."""
    kind: Any = CoCluster if name == "auto" else METHODS[name].estimator
    options = {f"--{key.replace('_', '-')}": p.default for key, p in options_of(name).items()}
    text = inspect.getdoc(kind) or ""
    if as_values:
        show(as_json({"name": name, "options": options, "about": text}))
        return
    rows = [[option, repr(default)] for option, default in options.items()]
    show(table(["option", "default"], rows))
    show("\n" + textwrap.indent(text, "  "))
