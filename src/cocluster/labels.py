"""A hard clustering as a factor: one label per object instead of a 0/1 matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.matrices import Array


@dataclass(frozen=True, eq=False)
class Partition:
    """The indicator matrix G in {0, 1}^(n x k) with one 1 per row, held as labels."""

    labels: Array
    n_clusters: int

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the indicator matrix."""
        return len(self.labels), self.n_clusters

    @property
    def sizes(self) -> Array:
        """Number of objects in each cluster."""
        return np.bincount(self.labels, minlength=self.n_clusters)

    def __getitem__(self, index: Array) -> Partition:
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


# An array or a Partition. Which one, the constraint knows; to the type checker it is anything.
Factor = Any


def as_partition(labels: Array, n_clusters: int) -> Partition:
    """Labels of any integer type as a partition with compact storage."""
    return Partition(np.ascontiguousarray(labels, dtype=np.int32), n_clusters)


def as_array(factor: Factor) -> Array:
    """The factor as an array, for those who look at it."""
    return factor.dense() if isinstance(factor, Partition) else np.asarray(factor)


def unchanged(before: Factor, after: Factor) -> bool:
    """Whether two hard factors put every object in the same cluster."""
    return (
        isinstance(before, Partition)
        and isinstance(after, Partition)
        and np.array_equal(before.labels, after.labels)
    )


def fill_empty(partition: Partition, gain: Array) -> Partition:
    """Each empty cluster takes the object that gains most by being alone."""
    labels, sizes = partition.labels.copy(), partition.sizes
    best_first = iter(np.argsort(-gain, kind="stable"))
    for empty in np.flatnonzero(sizes == 0):
        i = next(i for i in best_first if sizes[labels[i]] > 1)
        sizes[labels[i]] -= 1
        sizes[empty] += 1
        labels[i] = empty
    return Partition(labels, partition.n_clusters)
