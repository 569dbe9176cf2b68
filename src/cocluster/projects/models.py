"""Estimators by the name of their method, as commands and the workbench ask for them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from cocluster.methods.catalogue import METHODS
from cocluster.methods.cocluster import CoCluster

# What is asked for by itself, not as an option of a method.
OWN = ("n_clusters", "n_column_clusters", "method", "random_state")


def options_of(name: str) -> dict[str, inspect.Parameter]:
    """Parameters of a method that can be typed, by name; those of "auto" are `CoCluster`'s."""
    kind = CoCluster if name == "auto" else METHODS[check_method(name)].estimator
    return {
        key: parameter
        for key, parameter in inspect.signature(kind).parameters.items()
        if key not in OWN
    }


def check_method(name: str) -> str:
    """Refuse a method that there is not."""
    if name != "auto" and name not in METHODS:
        raise ValueError(f"There is no method {name!r}; there are {', '.join(('auto', *METHODS))}.")
    return name


def model_of(
    method: str,
    n_clusters: int,
    n_column_clusters: int | None = None,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """The estimator that was asked for, not fitted.

    Parameters
    ----------
    method : str
        "auto", or a name of the catalogue.
    n_clusters, n_column_clusters : int
    seed : int
    options : mapping, optional
        Further parameters of the method.
    """
    given = dict(options or {})
    common = inspect.signature(CoCluster).parameters
    if check_method(method) == "auto" or all(name in common for name in given):
        # The front door numbers clusters by their size, and says how probable they are.
        return CoCluster(
            n_clusters,
            method,
            n_column_clusters=n_column_clusters,
            random_state=seed,
            **given,
        )
    kind = METHODS[method].estimator
    if "n_column_clusters" in inspect.signature(kind).parameters:
        given["n_column_clusters"] = n_column_clusters
    elif n_column_clusters is not None:
        raise ValueError(f"Method {method!r} has no groups of features; leave them out.")
    return kind(n_clusters, random_state=seed, **given)
