"""Validation of stated pairs, and the fields of links as other modules see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import Protocol

import numpy as np

from cocluster.linalg.types import Array
from cocluster.links.labelling import Labelling
from cocluster.utils.text import quote

# Columns of a file that have a meaning of their own; all others are details of a pair.
COLUMNS = ("a", "b", "relation", "weight")


class StatedLinks(Protocol):
    """The fields of `Links`, for functions that `Links` itself calls and so cannot import it."""

    @property
    def n_samples(self) -> int:
        """Number of samples of the type."""

    @property
    def pairs(self) -> Array:
        """Pairs of positions stated one by one, shape (n_pairs, 2)."""

    @property
    def signs(self) -> Array:
        """+1 must-link, -1 cannot-link, 0 unsure, one per pair."""

    @property
    def weights(self) -> Array:
        """Positive weights, one per pair."""

    @property
    def labellings(self) -> tuple[Labelling, ...]:
        """Partial labellings, which stand for many pairs."""

    @property
    def details(self) -> Mapping[str, Sequence[str]]:
        """Further texts, one per pair, by name."""


def as_pairs(pairs: object, name: str) -> Array:
    """Return pairs as an integer array of shape (p, 2); None gives an empty array."""
    values = np.asarray([] if pairs is None else pairs)
    if values.size == 0:
        # An empty list has neither the shape nor the type that is asked for below.
        return np.empty((0, 2), dtype=np.int64)
    if values.ndim != 2 or values.shape[1] != 2:
        raise ValueError(f"{name} must have shape (n_pairs, 2), got {values.shape}.")
    if values.dtype.kind not in "iu":
        raise TypeError(
            f"{name} must hold integer positions, got {values.dtype}: "
            "sample ids are understood in files (Links.read with ids=)."
        )
    return values.astype(np.int64)


def check_pairs(pairs: Array, n_samples: int) -> None:
    """Refuse positions out of range and pairs of a sample with itself."""
    outside = (pairs < 0) | (pairs >= n_samples)
    if outside.any():
        raise ValueError(
            f"position {pairs[outside][0]} is out of range: the {n_samples} samples have "
            f"positions 0 to {n_samples - 1} (files that count from 1 are read with base=1)."
        )
    loops = pairs[pairs[:, 0] == pairs[:, 1]]
    if len(loops):
        raise ValueError(f"sample {loops[0, 0]} is linked with itself: remove that pair.")


def as_weights(weights: object, n_pairs: int) -> Array:
    """Return one positive finite weight per pair; None gives ones."""
    if weights is None:
        return np.ones(n_pairs)
    values = np.array(weights, dtype=np.float64)  # a copy: the links make it read-only
    if values.shape != (n_pairs,):
        raise ValueError(f"weights must have shape ({n_pairs},), one per pair, got {values.shape}.")
    bad = ~((values > 0) & np.isfinite(values))
    if bad.any():
        raise ValueError(
            f"weights must be positive and finite, got {values[bad][0]} for pair number "
            f"{np.flatnonzero(bad)[0]}: leave a pair that does not count out."
        )
    return values


def as_signs(signs: object, n_pairs: int) -> Array:
    """Return one sign per pair: +1, -1, or 0 (unsure)."""
    values = np.asarray(signs)
    if values.shape != (n_pairs,):
        raise ValueError(f"signs must have shape ({n_pairs},), one per pair, got {values.shape}.")
    wrong = values[~np.isin(values, (1, -1, 0))]
    if len(wrong):
        raise ValueError(
            f"signs must be +1 (must-link), -1 (cannot-link) or 0 (unsure), got {wrong[0]}."
        )
    return values.astype(np.int8)  # a byte per pair is plenty


def as_ids(ids: Sequence[object] | Array | None, n_samples: int) -> Array | None:
    """Return sample ids as unique texts, one per sample."""
    if ids is None:
        return None
    texts = np.array([str(name) for name in ids], dtype=object)
    check_length(texts, n_samples, "ids")
    names, counts = np.unique(texts, return_counts=True)
    if (counts > 1).any():
        raise ValueError(
            f"ids must be unique, {quote(names[counts > 1][0])} occurs more than once."
        )
    return texts


def common_ids(first: Array | None, second: Array | None) -> Array | None:
    """Return the ids of two sets of links on the same samples, of which either may lack them."""
    if first is None or second is None:
        return second if first is None else first
    if not np.array_equal(first, second):
        raise ValueError("links with different sample ids cannot be merged.")
    return first


def as_details(details: Mapping[str, Sequence[str]], n_pairs: int) -> dict[str, tuple[str, ...]]:
    """Return further columns of texts, one entry per pair, without empty columns."""
    for name, values in details.items():
        if name in COLUMNS:
            raise ValueError(
                f"a detail cannot be called {quote(name)}: that is a column of its own."
            )
        if len(values) != n_pairs:
            raise ValueError(f"detail {quote(name)} has {len(values)} entries for {n_pairs} pairs.")
    return {name: tuple(values) for name, values in details.items() if any(values)}


def stack_details(
    first: tuple[Mapping[str, Sequence[str]], int], second: tuple[Mapping[str, Sequence[str]], int]
) -> dict[str, tuple[str, ...]]:
    """Concatenate the details of two tables, each given with its number of pairs."""
    (above, n_above), (below, n_below) = first, second
    return {
        name: (*above.get(name, ("",) * n_above), *below.get(name, ("",) * n_below))
        for name in (*above, *(name for name in below if name not in above))
    }


def check_length(values: Sized, n_samples: int, name: str) -> None:
    """Refuse values that are not one per sample."""
    if len(values) != n_samples:
        raise ValueError(f"{name} must have one entry per sample: {len(values)} for {n_samples}.")


def no_pairs() -> tuple[Array, Array, Array]:
    """Return the pairs, signs and weights of an empty table."""
    return np.empty((0, 2), dtype=np.int64), np.empty(0, dtype=np.int8), np.empty(0)
