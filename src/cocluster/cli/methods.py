"""Estimators from the command line, with options read from their signatures."""

from __future__ import annotations

import inspect
import json
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from cocluster.cli.parser import Parser, commands, parser_of
from cocluster.projects import models
from cocluster.projects.models import options_of


def model_of(args: Namespace, n_clusters: int) -> Any:
    """Return the unfitted estimator that the arguments describe."""
    return models.model_of(
        args.method, n_clusters, args.column_clusters, args.seed, _typed_options(args)
    )


def check(args: Namespace) -> None:
    """Refuse an unknown method or an unknown option of it before any long computation."""
    models.check_method(args.method)
    model_of(args, args.clusters or 2)


def _typed_options(args: Namespace) -> dict[str, Any]:
    """Return the options of the method that were typed, by parameter name."""
    parser = Parser(prog="cocluster fit", add_help=False)
    for name, parameter in options_of(args.method).items():
        parser.add_argument(f"--{name.replace('_', '-')}", dest=name, type=_value(parameter))
    typed_options, unknown = parser.parse_known_args(args.rest)
    if unknown:
        fit_parser = parser_of(commands(), "fit")
        fit_parser.error(
            f"unrecognized arguments: {' '.join(unknown)}; `cocluster methods {args.method}` "
            "lists the options of the method"
        )
    return {name: value for name, value in vars(typed_options).items() if value is not None}


def _value(parameter: inspect.Parameter) -> Any:
    """Return the function that parses an option, according to its default value."""
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
    """Return the typed command, quoted for a shell."""
    import shlex

    return shlex.join(["cocluster", *words])
