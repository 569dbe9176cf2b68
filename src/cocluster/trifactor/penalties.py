"""What pulls on a factor besides the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from cocluster.labels import Factor, as_array
from cocluster.matrices import Array, Matrix
from cocluster.trifactor.block import BlockQuadratic


class Penalty(Protocol):
    """A term Ω(G) of the objective."""

    def value(self, G: Factor) -> float:
        """Ω(G)."""

    def majorizer(self, G: Factor) -> BlockQuadratic:
        """A block quadratic equal to Ω at G and nowhere below it."""


def no_pull(G: Factor) -> tuple[Array, Array]:
    """A = 0 and B = 0 for a factor, in a precision that does not raise that of the data."""
    dtype = G.dtype if isinstance(G, np.ndarray) else np.float32
    return np.zeros(G.shape, dtype), np.zeros((G.shape[1], G.shape[1]))


@dataclass(frozen=True, eq=False)
class PairTerms:
    r""":math:`tr(G^T L G) = \sum_{ij} L_{ij} g_i \cdot g_j` for a symmetric L.

    With a Laplacian it pulls neighbours together, with positive entries it pushes pairs apart.
    """

    matrix: Matrix

    def value(self, G: Factor) -> float:
        """tr(Gᵀ L G)."""
        dense = as_array(G)
        return float(np.sum(dense * (self.matrix @ dense)))

    def majorizer(self, G: Factor) -> BlockQuadratic:
        """The term itself: it is quadratic."""
        return BlockQuadratic(*no_pull(G), self.matrix)
