"""A hard clustering as a factor: one label per object instead of a 0/1 matrix."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.delegating import delegating
from cocluster.linalg.types import Array, Factor


@dataclass(frozen=True, eq=False)
class Partition:
    """The indicator matrix G in {0, 1}^(n x k) with one 1 per row, held as labels.

    Attributes
    ----------
    labels : int array of shape (n,)
        The cluster of each object, from 0 on.
    n_clusters : int
        k; clusters may be empty.
    """

    labels: Array
    n_clusters: int
    hard: ClassVar[bool] = True
    # The least precision there is: what is made together with it takes the precision of the data.
    dtype: ClassVar[np.dtype] = np.dtype(np.float32)

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
        # scipy adds up in the wider of the two types, so the ones of `sparse` make this double.
        return np.asarray(self.sparse().T @ M, dtype=np.float64)

    def astype(self, dtype: Any) -> Partition:
        """Itself: labels have no precision."""
        return self

    def as_array(self) -> Array:
        """See `as_array`."""
        return self.dense()

    def strongest(self) -> Array:
        """See `strongest`."""
        return np.asarray(self.labels, dtype=np.intp)

    def unchanged(self, after: Factor) -> bool:
        """See `unchanged`."""
        return isinstance(after, Partition) and np.array_equal(self.labels, after.labels)

    def with_rows(self, positions: Array, values: Partition) -> Partition:
        """See `with_rows`."""
        return Partition(with_rows(self.labels.copy(), positions, values.labels), self.n_clusters)

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
    return bool(getattr(G, "hard", False))


@delegating
def gathered(G: Any) -> Any:
    """The factor with all its rows in memory, wherever they are now."""
    return G


def as_partition(labels: Array, n_clusters: int) -> Partition:
    """Labels of any integer type as a partition with compact storage."""
    # 32 bits are enough for any number of clusters, and scipy takes them as indices uncopied.
    return Partition(np.ascontiguousarray(labels, dtype=np.int32), n_clusters)


@delegating
def as_array(factor: Array) -> Array:
    """Any factor as an array in memory, objects by clusters: for those who look at entries."""
    return np.asarray(factor)


@delegating
def strongest(G: Array) -> Array:
    """The cluster that each object belongs to most, as an array in memory."""
    return np.asarray(G.argmax(axis=1), dtype=np.intp)


@delegating
def unchanged(before: Factor, after: Factor) -> bool:
    """Whether two partitions in memory put every object in the same cluster.

    False for all other factors. Entries of soft ones hardly ever stand still, and labels that are
    spread over a cluster stay there: if none of them changes, the objective shows it.
    """
    return False


@delegating
def with_rows(M: Array, positions: Array, values: Array) -> Array:
    """M with some rows replaced: an array is changed in place, other factors are made anew."""
    M[positions] = values
    return M


@delegating
def placed(R: Any, values: Any) -> Any:
    """Values of the rows of R (labels, a factor), brought to where the rows are.

    Rows of a matrix in memory, or on disk, go with values in memory: those stay as they are.
    """
    return values


@delegating
def made(G: Array) -> Any:
    """The same factor with its rows computed, now; those that are in memory are."""
    return G


@dataclass(frozen=True, eq=False)
class Ties:
    """Objects that always share a cluster, as must-links say.

    ``component`` has one number per object, from 0 on without gaps: objects with the same number
    are tied.
    """

    component: Array

    @cached_property
    def _membership(self) -> sp.csr_array:
        """Components by objects: products with it are sums over components."""
        return as_partition(self.component, int(self.component.max()) + 1).sparse().T.tocsr()

    @cached_property
    def representative(self) -> Array:
        """The first object of each component."""
        return np.unique(self.component, return_index=True)[1]

    @cached_property
    def tied(self) -> Array:
        """Positions of the objects that are not alone in their component."""
        return np.flatnonzero(np.bincount(self.component)[self.component] > 1)

    def among(self, objects: Array) -> Ties:
        """The ties within some objects, which are numbered anew in the order given."""
        return Ties(np.unique(self.component[objects], return_inverse=True)[1])

    def first(self, M: Array) -> Array:
        """Every row replaced by that of its component's first object."""
        return np.asarray(M[self.representative][self.component])

    def sums(self, M: Array) -> Array:
        """Rows of M summed by component."""
        return np.asarray(self._membership @ M)

    def pooled(self, M: Any) -> Any:
        """Every row of an array, or of rows on a cluster, replaced by the sum over its component.

        Links are few beside the objects, so only tied rows are looked at; of rows on a cluster no
        others travel.
        """
        if not len(self.tied):
            return M
        sums = self._tied.sums(M[self.tied])[self._tied.component]
        return with_rows(copy(M), self.tied, sums)

    @cached_property
    def _tied(self) -> Ties:
        """The ties among the tied objects alone."""
        return self.among(self.tied)

    def between(self, L: sp.csr_array) -> sp.csr_array:
        """A matrix between objects, summed to components."""
        return sp.csr_array(self._membership @ L @ self._membership.T)

    def agreed(self, labels: Array, n_clusters: int) -> Array:
        """Labels by majority within each component."""
        counts = self.sums(as_partition(labels, n_clusters).dense())
        return np.asarray(counts.argmax(axis=1)[self.component])
