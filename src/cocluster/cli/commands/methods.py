"""``cocluster methods``: list of methods, and the options of one."""

from __future__ import annotations

import inspect
import textwrap
from argparse import Namespace
from typing import Any

from cocluster.cli.terminal import show, table
from cocluster.methods.catalogue import METHODS
from cocluster.methods.cocluster import CoCluster
from cocluster.projects.models import options_of
from cocluster.utils.text import as_json

# Wide enough for formulas of docstrings, narrow enough for any terminal.
WIDTH = 88


def run(args: Namespace) -> int:
    """List all methods, or show one."""
    if args.name is None:
        _list_methods(args.json)
        return 0
    if args.name != "auto" and args.name not in METHODS:
        raise ValueError(f"There is no method {args.name!r}; there are {', '.join(METHODS)}.")
    _show_method(args.name, args.json)
    return 0


def _list_methods(as_values: bool) -> None:
    """List the methods with their capabilities."""
    rows = []
    for name, method in METHODS.items():
        marks = (method.negative, method.many_types, method.soft, method.blocks)
        rows.append([name, *("yes" if mark else "" for mark in marks), method.title])
    heads = ["name", "any sign", "many types", "soft", "by blocks", "what"]
    if as_values:
        show(as_json([dict(zip(heads, row, strict=True)) for row in rows]))
    else:
        show(table(heads, rows))


def _show_method(name: str, as_values: bool) -> None:
    """Show the options and the description of a method."""
    kind: Any = CoCluster if name == "auto" else METHODS[name].estimator
    options = {f"--{key.replace('_', '-')}": p.default for key, p in options_of(name).items()}
    text = inspect.getdoc(kind) or ""
    if as_values:
        show(as_json({"name": name, "options": options, "about": text}))
        return
    rows = [[option, repr(default)] for option, default in options.items()]
    show(table(["option", "default"], rows))
    show("\n" + textwrap.indent(text, "  "))
