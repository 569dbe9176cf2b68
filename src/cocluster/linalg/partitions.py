"""A hard clustering as a factor: one label per object instead of a 0/1 matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.types import Array, Factor, is_spread


@dataclass(frozen=True, eq=False)
class Partition:
    """The indicator matrix G in {0, 1}^(n x k) with one 1 per row, held as labels."""

    labels: Array
    n_clusters: int

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the indicator matrix."""
        return len(self.labels), self.n_clusters

    @cached_property
    def sizes(self) -> Array:
        """Number of objects in each cluster."""
        return np.bincount(self.labels, minlength=self.n_clusters)

    def gram(self) -> Array:
        """Gᵀ G: the sizes on the diagonal."""
        return np.diag(self.sizes.astype(np.float64))

    def inner(self, M: Array) -> Array:
        """Gᵀ M: rows of M summed by label."""
        return np.asarray(self.sparse().T @ M, dtype=np.float64)

    def __getitem__(self, index: Array | slice) -> Partition:
        return Partition(self.labels[index], self.n_clusters)

    def dense(self, dtype: np.dtype | type = np.float64) -> Array:
        """The indicator matrix as an array."""
        G = np.zeros(self.shape, dtype=dtype)
        G[np.arange(len(self.labels)), self.labels] = 1
        return G

    def sparse(self) -> sp.csr_array:
        """The indicator matrix as a sparse array, one entry a row."""
        n = len(self.labels)
        return sp.csr_array((np.ones(n), self.labels, np.arange(n + 1)), shape=self.shape)


def is_hard(G: Factor) -> bool:
    """Whether a factor is a partition, in memory or spread."""
    return isinstance(G, Partition) or bool(getattr(G, "hard", False))


def gathered(G: Any) -> Any:
    """The factor in memory, wherever its rows live."""
    return G.gather() if is_spread(G) else G


def as_partition(labels: Array, n_clusters: int) -> Partition:
    """Labels of any integer type as a partition with compact storage."""
    return Partition(np.ascontiguousarray(labels, dtype=np.int32), n_clusters)


def as_array(factor: Factor) -> Array:
    """The factor as an array, for those who look at it."""
    factor = gathered(factor)
    return factor.dense() if isinstance(factor, Partition) else np.asarray(factor)


def strongest(G: Any) -> Array:
    """The cluster each object belongs to (most)."""
    if is_spread(G):
        return np.asarray(G.map(strongest).gather())
    return np.asarray(G.labels if isinstance(G, Partition) else G.argmax(axis=1), dtype=np.intp)


def unchanged(before: Factor, after: Factor) -> bool:
    """Whether two hard factors in memory put every object in the same cluster.

    Spread ones are not compared: if no label changes the objective does not either.
    """
    return (
        isinstance(before, Partition)
        and isinstance(after, Partition)
        and np.array_equal(before.labels, after.labels)
    )


@dataclass(frozen=True, eq=False)
class Ties:
    """Objects that move as one: must-link components, one number per object."""

    component: Array

    @cached_property
    def _membership(self) -> sp.csr_array:
        return as_partition(self.component, int(self.component.max()) + 1).sparse().T.tocsr()

    @cached_property
    def representative(self) -> Array:
        """The first object of each component."""
        return np.unique(self.component, return_index=True)[1]

    @cached_property
    def tied(self) -> Array:
        """Objects that are not alone in their component."""
        return np.flatnonzero(np.bincount(self.component)[self.component] > 1)

    def among(self, objects: Array) -> Ties:
        """The ties within some objects."""
        return Ties(np.unique(self.component[objects], return_inverse=True)[1])

    def first(self, M: Array) -> Array:
        """Every row replaced by that of its component's first object."""
        return M[self.representative][self.component]

    def sums(self, M: Array) -> Array:
        """Rows of M summed by component."""
        return self._membership @ M

    def pooled(self, M: Array) -> Array:
        """Every row replaced by the sum over its component."""
        if not len(self.tied):
            return M
        pooled = M.copy()
        pooled[self.tied] = self._tied.sums(M[self.tied])[self._tied.component]
        return pooled

    @cached_property
    def _tied(self) -> Ties:
        """The ties of those that have any: few among many."""
        return self.among(self.tied)

    def between(self, L: sp.csr_array) -> sp.csr_array:
        """A matrix between objects, summed to components."""
        return sp.csr_array(self._membership @ L @ self._membership.T)

    def agreed(self, labels: Array, n_clusters: int) -> Array:
        """Labels by majority within each component."""
        return self.sums(as_partition(labels, n_clusters).dense()).argmax(axis=1)[self.component]
