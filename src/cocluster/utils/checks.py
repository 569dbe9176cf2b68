"""Validation of parameters; every error is one sentence that names the remedy."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from cocluster.utils.text import quote

RandomState = int | np.random.RandomState | np.random.Generator | None


def is_integer(value: Any) -> bool:
    """Return whether a value is an integer of Python or numpy; True and 1.0 are not."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Return whether a value is a real number of Python or numpy; True is not."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def check_integer(value: Any, name: str, at_least: int = 1) -> int:
    """Return an integer parameter; raise if it is none or below its lower bound."""
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer, got {quote(value)}.")
    if value < at_least:
        raise ValueError(f"{name} must be at least {at_least}, got {value}.")
    return int(value)


def check_number(value: Any, name: str, at_least: float = 0.0) -> float:
    """Return a real parameter; raise if it is not finite or below its lower bound."""
    if not is_number(value):
        raise TypeError(f"{name} must be a number, got {quote(value)}.")
    number = float(value)
    # Written so that NaN, for which every comparison is false, is refused as well.
    if not at_least <= number < np.inf:
        raise ValueError(f"{name} must be finite and at least {at_least:g}, got {value}.")
    return number


def check_choice(value: Any, name: str, choices: tuple[Any, ...]) -> Any:
    """Return a parameter that has a fixed set of choices; raise if it is not in the set."""
    if not any(value is choice or value == choice for choice in choices):
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, choices))}, got {quote(value)}."
        )
    return value


def check_start(values: Any, size: int, n_clusters: int, name: str) -> np.ndarray:
    """Return the initial labels (1-D) or memberships (2-D) of one type, or raise."""
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


def generator(random_state: RandomState) -> np.random.Generator:
    """Return the random generator that a ``random_state`` parameter stands for."""
    if isinstance(random_state, np.random.RandomState):
        # Seeded by a draw, so that a second fit with the same object differs, as in scikit-learn.
        random_state = int(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"random_state must be None, an integer >= 0, a RandomState or a Generator to seed "
            f"from, got {random_state!r}."
        ) from error


def broadcast(value: Any, names: Iterable[str]) -> Mapping[str, Any]:
    """Return a value for each name: a mapping unchanged, any other value repeated.

    >>> broadcast(3, ["words", "authors"])
    {'words': 3, 'authors': 3}
    >>> broadcast({"words": 3}, ["words", "authors"])
    {'words': 3}
    """
    return value if isinstance(value, Mapping) else dict.fromkeys(names, value)
