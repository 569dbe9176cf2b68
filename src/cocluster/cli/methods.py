"""Methods by name, with options that are read from their signatures."""

from __future__ import annotations

import inspect
import json
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from cocluster.cli.parser import Parser, commands, parser_of
from cocluster.projects import models
from cocluster.projects.models import options_of


def model_of(asked: Namespace, n_clusters: int) -> Any:
    """The estimator that was asked for, not fitted."""
    return models.model_of(
        asked.method, n_clusters, asked.column_clusters, asked.seed, _given(asked)
    )


def check(asked: Namespace) -> None:
    """Refuse a method that there is not, and options that it has not, before any long work."""
    models.check_method(asked.method)
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
