"""What pulls on a factor besides the data."""

from __future__ import annotations

from typing import Protocol

from cocluster.labels import Factor
from cocluster.trifactor.block import BlockQuadratic


class Penalty(Protocol):
    """A term Ω(G) of the objective."""

    def value(self, G: Factor) -> float:
        """Ω(G)."""

    def majorizer(self, G: Factor) -> BlockQuadratic:
        """A block quadratic equal to Ω at G and nowhere below it."""
