"""The association S between the clusters of two types, given both factors.

Every rule sees three small matrices: ``cross`` = Gᵀ R H, ``left`` = Gᵀ G and ``right`` = Hᵀ H.
Where only the entries are known at which W is 1, not 0, it sees ``counts`` = Gᵀ W H instead, and
``fitted`` = Gᵀ (W ∘ G S Hᵀ) H.
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

    def start_known(self, cross: Array, counts: Array) -> Array:
        """S for given factors and unknown entries, without an earlier S."""

    def step_known(
        self, S: Array, cross: Array, fitted: Array, counts: Array | None = None
    ) -> Array:
        """An S no worse than the given one, on the known entries; counts of hard factors only."""


def known_means(cross: Array, counts: Array, shrinkage: float = 0.0) -> Array:
    """Means of the known entries of every block, drawn to the mean of all.

    Parameters
    ----------
    cross, counts : arrays of one shape
        Sums and numbers of the known entries, by block.
    shrinkage : float
        As many entries at the mean of all are added to each block. A block without a known entry
        is at that mean in any case.

    Examples
    --------
    >>> known_means(np.array([[6.0, 0.0]]), np.array([[2.0, 0.0]]))
    array([[3., 3.]])
    """
    overall = cross.sum() / max(counts.sum(), EPS)
    total = counts + shrinkage
    return np.asarray(
        np.divide(
            cross + shrinkage * overall, total, out=np.full_like(total, overall), where=total > 0
        )
    )


@dataclass(frozen=True)
class Free:
    """Least squares: S = (Gᵀ G)⁺ Gᵀ R H (Hᵀ H)⁺. Block means for indicator factors.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import TriFactorization
    >>> X = np.kron([[5.0, 1.0], [1.0, 5.0]], np.ones((3, 3)))
    >>> labels = TriFactorization(2, association=Free(), random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1]), bool(labels[0] == labels[3])
    (True, False)
    """

    carries_scale: ClassVar[bool] = True

    def start(self, cross: Array, left: Array, right: Array) -> Array:
        """The minimiser."""
        return np.asarray(pseudo_inverse(left) @ cross @ pseudo_inverse(right))

    def step(self, S: Array, cross: Array, left: Array, right: Array) -> Array:
        """The minimiser."""
        return self.start(cross, left, right)

    def start_known(self, cross: Array, counts: Array) -> Array:
        """The minimiser for indicator factors."""
        return known_means(cross, counts)

    def step_known(
        self, S: Array, cross: Array, fitted: Array, counts: Array | None = None
    ) -> Array:
        """The minimiser for indicator factors."""
        if counts is None:
            raise ValueError(
                "A Free association with unknown entries needs Indicator factors; use "
                "NonNegativeAssociation with others."
            )
        return self.start_known(cross, counts)


@dataclass(frozen=True)
class NonNegativeAssociation:
    r"""S >= 0: :math:`S \leftarrow S \circ [G^T R H / (G^T G S H^T H)]^p`, from least squares.

    ``diagonal`` starts S diagonal; multiplicative steps keep it so.

    Parameters
    ----------
    exponent : float
        The p of the rule.
    diagonal : bool
        Whether S starts diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import TriFactorization
    >>> X = np.kron([[5.0, 1.0], [1.0, 5.0]], np.ones((3, 3)))
    >>> parts = {"association": NonNegativeAssociation()}
    >>> labels = TriFactorization(2, **parts, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1]), bool(labels[0] == labels[3])
    (True, False)
    """

    carries_scale: ClassVar[bool] = True
    exponent: float = 1.0
    diagonal: bool = False

    def start(self, cross: Array, left: Array, right: Array) -> Array:
        """Least squares, made positive."""
        return self._positive(Free().start(cross, left, right))

    def _positive(self, S: Array) -> Array:
        """S without zeros and negative entries."""
        # A thousandth of the largest entry: multiplicative steps never leave an exact zero, and
        # entries much smaller than this would take many steps to grow.
        S = np.maximum(S, EPS + 1e-3 * np.abs(S).max())
        return np.diag(np.diag(S)) if self.diagonal else S

    def step(self, S: Array, cross: Array, left: Array, right: Array) -> Array:
        """One multiplicative step."""
        return self._stepped(S, cross, left @ S @ right)

    def _stepped(self, S: Array, cross: Array, fitted: Array) -> Array:
        """S times the power of what the data ask for over what the model has."""
        # Where data are signed, what pulls S down goes below the line. On non-negative data nothing
        # does, and the maxima only guard against rounding.
        ratio = np.maximum(cross, 0) / np.maximum(fitted + np.maximum(-cross, 0), EPS)
        return np.asarray(S * ratio**self.exponent)

    def start_known(self, cross: Array, counts: Array) -> Array:
        """Means of the known entries, weighted by both factors."""
        return self._positive(known_means(cross, counts))

    def step_known(
        self, S: Array, cross: Array, fitted: Array, counts: Array | None = None
    ) -> Array:
        """One multiplicative step."""
        return self._stepped(S, cross, fitted)


@dataclass(frozen=True)
class Identity:
    """S = I: two-factor models, where the clusters of both types are the same.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import TriFactorization
    >>> X = np.kron([[5.0, 1.0], [1.0, 5.0]], np.ones((3, 3)))
    >>> labels = TriFactorization(2, association=Identity(), random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1]), bool(labels[0] == labels[3])
    (True, False)
    """

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

    def start_known(self, cross: Array, counts: Array) -> Array:
        """The identity."""
        return self.start(cross, np.eye(len(cross)), np.eye(len(cross.T)))

    def step_known(
        self, S: Array, cross: Array, fitted: Array, counts: Array | None = None
    ) -> Array:
        """The identity."""
        return S


def pseudo_inverse(M: Array) -> Array:
    """Inverse of a positive semi-definite matrix on its range: empty clusters give zeros."""
    sizes = np.diag(M)
    if np.count_nonzero(M) == np.count_nonzero(sizes):
        # Diagonal, as it is for indicators: exact and without a decomposition.
        return np.diag(safe_inverse(np.where(sizes > NONE * sizes.max(), sizes, 0)))
    return np.asarray(np.linalg.pinv(M, rcond=NONE, hermitian=True))
