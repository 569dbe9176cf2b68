"""Checks of parameters, each error one sentence with the remedy."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import Array


def check_integer(value: Any, name: str, at_least: int = 1) -> int:
    """A whole number not below a bound."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if value < at_least:
        raise ValueError(f"{name} must be at least {at_least}, got {value}.")
    return int(value)


def check_number(value: Any, name: str, at_least: float = 0.0) -> float:
    """A finite number not below a bound."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    number = float(value)
    if not at_least <= number < np.inf:
        raise ValueError(f"{name} must be finite and at least {at_least:g}, got {value}.")
    return number


def check_choice(value: Any, name: str, choices: tuple[Any, ...]) -> Any:
    """One of a few values."""
    if not any(value is choice or value == choice for choice in choices):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}.")
    return value


def clusters_by_type(
    data: RelationalData, n_clusters: Any, n_column_clusters: Any
) -> dict[str, int]:
    """Number of clusters of every type; None means as many as the samples have, where they fit."""
    k = check_integer(n_clusters, "n_clusters")
    if k > len(data):
        raise ValueError(
            f"n_clusters={k} is more than n_samples={len(data)}; ask for at most {len(data)}."
        )
    others = [name for name in data.types if name != data.center]
    counts = {data.center: k}
    if not isinstance(n_column_clusters, Mapping):
        n_column_clusters = dict.fromkeys(others, n_column_clusters)
    unknown = set(n_column_clusters) - set(others)
    if unknown:
        raise ValueError(
            f"n_column_clusters names unknown types {sorted(unknown)}; there are {others}."
        )
    for name in others:
        counts[name] = _clusters_of(name, n_column_clusters.get(name), data.size(name), k)
    return counts


def _clusters_of(name: str, wanted: Any, size: int, default: int) -> int:
    """Number of clusters of one type that is not the centre."""
    if wanted is None:
        return min(default, size)
    wanted = check_integer(wanted, f"n_column_clusters of {name}")
    if wanted > size:
        raise ValueError(
            f"n_column_clusters={wanted} is more than the {size} objects of type {name!r}; "
            f"ask for at most {size}."
        )
    return wanted


def check_start(values: Any, size: int, n_clusters: int, name: str) -> Array:
    """Given starting labels (1-D) or memberships (2-D) of one type."""
    array = np.asarray(values)
    if array.shape == (size, n_clusters):
        if not np.isfinite(array).all():
            raise ValueError(f"init for {name} has memberships that are not finite.")
        return array
    if array.shape != (size,) or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(
            f"init for {name} must be {size} integer labels or a {size} x {n_clusters} array of "
            f"memberships, got shape {array.shape} of {array.dtype}."
        )
    if array.min() < 0 or array.max() >= n_clusters:
        raise ValueError(f"init for {name} must hold labels from 0 to {n_clusters - 1}.")
    return array
