"""Methods by name, with options that are read from their signatures."""

from __future__ import annotations

import inspect
import json
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from cocluster.cli.parser import Parser, commands, parser_of
from cocluster.methods.auto import CoCluster
from cocluster.methods.catalogue import METHODS

# What the command has options of its own for.
OWN = ("n_clusters", "n_column_clusters", "method", "random_state")


def options_of(name: str) -> dict[str, inspect.Parameter]:
    """Parameters of a method that can be typed, by name; those of "auto" are `CoCluster`'s."""
    kind = CoCluster if name == "auto" else METHODS[name].estimator
    return {
        key: parameter
        for key, parameter in inspect.signature(kind).parameters.items()
        if key not in OWN
    }


def model_of(asked: Namespace, n_clusters: int) -> Any:
    """The estimator that was asked for, not fitted."""
    given = _given(asked)
    common = inspect.signature(CoCluster).parameters
    if asked.method == "auto" or all(name in common for name in given):
        # The front door numbers clusters by their size, and says how probable they are.
        return CoCluster(
            n_clusters,
            asked.method,
            n_column_clusters=asked.column_clusters,
            random_state=asked.seed,
            **given,
        )
    kind = METHODS[asked.method].estimator
    known = inspect.signature(kind).parameters
    if "n_column_clusters" in known:
        given["n_column_clusters"] = asked.column_clusters
    elif asked.column_clusters is not None:
        raise ValueError(f"Method {asked.method!r} has no groups of features; leave them out.")
    return kind(n_clusters, random_state=asked.seed, **given)


def check(asked: Namespace) -> None:
    """Refuse a method that there is not, and options that it has not, before any long work."""
    if asked.method != "auto" and asked.method not in METHODS:
        listed = ", ".join(("auto", *METHODS))
        raise ValueError(f"There is no method {asked.method!r}; there are {listed}.")
    model_of(asked, asked.clusters or 2)


def _given(asked: Namespace) -> dict[str, Any]:
    """Options of the method that were typed."""
    parser = Parser(prog="cocluster fit", add_help=False)
    for name, parameter in options_of(asked.method).items():
        parser.add_argument(f"--{name.replace('_', '-')}", dest=name, type=_value(parameter))
    known, unknown = parser.parse_known_args(asked.rest)
    if unknown:
        typed = parser_of(commands(), "fit")
        typed.error(
            f"unrecognized arguments: {' '.join(unknown)}; `cocluster methods {asked.method}` "
            "lists the options of the method"
        )
    return {name: value for name, value in vars(known).items() if value is not None}


def _value(parameter: inspect.Parameter) -> Any:
    """How the text of an option is read: as the kind of value that it has by default."""
    default = parameter.default

    def read(text: str) -> Any:
        if isinstance(default, str):
            return text
        try:
            # Numbers, true, false, null and lists, as JSON writes them.
            return json.loads(text.lower() if text in ("True", "False") else text)
        except ValueError:
            return text

    return read


def typed(words: Sequence[str]) -> str:
    """A command as it was typed, for a shell."""
    import shlex

    return shlex.join(["cocluster", *words])
