"""The association S between the clusters of two types, given both factors.

Every rule sees three small matrices: ``cross`` = Gᵀ R H, ``left`` = Gᵀ G and ``right`` = Hᵀ H.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from cocluster.linalg.matrices import EPS, safe_inverse
from cocluster.linalg.types import Array

# Eigenvalues below this share of the largest count as zero: in double precision they are rounding.
NONE = 1e-12


class Association(Protocol):
    """How the association S of a relation follows from its two factors G and H."""

    @property
    def carries_scale(self) -> bool:
        """Whether S can take over the scale of the data, so that factors may have any."""

    def start(self, cross: Array, left: Array, right: Array) -> Array:
        """S for given factors, without an earlier S."""

    def step(self, S: Array, cross: Array, left: Array, right: Array) -> Array:
        """An S no worse than the given one."""


@dataclass(frozen=True)
class Free:
    """Least squares: S = (Gᵀ G)⁺ Gᵀ R H (Hᵀ H)⁺. Block means for indicator factors."""

    carries_scale: ClassVar[bool] = True

    def start(self, cross: Array, left: Array, right: Array) -> Array:
        """The minimiser."""
        return np.asarray(pseudo_inverse(left) @ cross @ pseudo_inverse(right))

    def step(self, S: Array, cross: Array, left: Array, right: Array) -> Array:
        """The minimiser."""
        return self.start(cross, left, right)


@dataclass(frozen=True)
class NonNegativeAssociation:
    r"""S >= 0: :math:`S \leftarrow S \circ [G^T R H / (G^T G S H^T H)]^p`, from least squares.

    ``diagonal`` starts S diagonal; multiplicative steps keep it so.
    """

    carries_scale: ClassVar[bool] = True
    exponent: float = 1.0
    diagonal: bool = False

    def start(self, cross: Array, left: Array, right: Array) -> Array:
        """Least squares, made positive."""
        S = Free().start(cross, left, right)
        # A thousandth of the largest entry: multiplicative steps never leave an exact zero, and
        # entries much smaller than this would take many steps to grow.
        S = np.maximum(S, EPS + 1e-3 * np.abs(S).max())
        return np.diag(np.diag(S)) if self.diagonal else S

    def step(self, S: Array, cross: Array, left: Array, right: Array) -> Array:
        """One multiplicative step."""
        # Both maxima guard against rounding: on non-negative data neither term is below zero.
        ratio = np.maximum(cross, 0) / np.maximum(left @ S @ right, EPS)
        return np.asarray(S * ratio**self.exponent)


@dataclass(frozen=True)
class Identity:
    """S = I: two-factor models, where the clusters of both types are the same."""

    carries_scale: ClassVar[bool] = False

    def start(self, cross: Array, left: Array, right: Array) -> Array:
        """The identity."""
        if len(left) != len(right):
            raise ValueError(
                f"Identity needs one number of clusters for all types, got {len(left)} and "
                f"{len(right)}; leave n_column_clusters=None or use another association."
            )
        return np.eye(len(left))

    def step(self, S: Array, cross: Array, left: Array, right: Array) -> Array:
        """The identity."""
        return S


def pseudo_inverse(M: Array) -> Array:
    """Inverse of a positive semi-definite matrix on its range: empty clusters give zeros."""
    sizes = np.diag(M)
    if np.count_nonzero(M) == np.count_nonzero(sizes):
        # Diagonal, as it is for indicators: exact and without a decomposition.
        return np.diag(safe_inverse(np.where(sizes > NONE * sizes.max(), sizes, 0)))
    return np.asarray(np.linalg.pinv(M, rcond=NONE, hermitian=True))
