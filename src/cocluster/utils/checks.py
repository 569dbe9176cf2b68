"""Checks of parameters, each error one sentence with the remedy."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from cocluster.utils.texts import quoted


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, of Python or of numpy; 1.0 is not one."""
    return _counts_as(numbers.Integral, value)


def is_number(value: Any) -> bool:
    """Whether a value is a real number, whole or not."""
    return _counts_as(numbers.Real, value)


def _counts_as(kind: type, value: Any) -> bool:
    """Whether a value is a number of a kind; True is no number here, though Python counts so."""
    return isinstance(value, kind) and not isinstance(value, bool)


def check_integer(value: Any, name: str, at_least: int = 1) -> int:
    """A whole number not below a bound."""
    if not is_whole(value):
        raise TypeError(f"{name} must be an integer, got {quoted(value)}.")
    if value < at_least:
        raise ValueError(f"{name} must be at least {at_least}, got {value}.")
    return int(value)


def check_number(value: Any, name: str, at_least: float = 0.0) -> float:
    """A finite number not below a bound."""
    if not is_number(value):
        raise TypeError(f"{name} must be a number, got {quoted(value)}.")
    number = float(value)
    # Written so that NaN, which compares with nothing, is refused, too.
    if not at_least <= number < np.inf:
        raise ValueError(f"{name} must be finite and at least {at_least:g}, got {value}.")
    return number


def check_choice(value: Any, name: str, choices: tuple[Any, ...]) -> Any:
    """One of a few values."""
    if not any(value is choice or value == choice for choice in choices):
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, choices))}, got {quoted(value)}."
        )
    return value


def check_start(values: Any, size: int, n_clusters: int, name: str) -> np.ndarray:
    """Given starting labels (1-D) or memberships (2-D) of one type."""
    array = np.asarray(values)
    # With one cluster and one object both forms have one number; memberships have two axes.
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
