"""What is stated, as the functions of this package see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from cocluster.linalg.types import Array
from cocluster.links.labelling import Labelling


class Stated(Protocol):
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
