"""RowBlocks: a matrix in blocks of rows that need not fit in memory together.

All that estimators ask of it are sums over blocks and results that go with the rows:

    X @ F           one result per row          Xᵀ @ G, ‖X‖², sums     added up over blocks
    X.rowwise(f)    the same matrix, every block transformed by f when it is used
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.krylov import squared_times
from cocluster.linalg.matrices import (
    as_dense,
    column_counts,
    column_degrees,
    column_sums,
    is_nonnegative,
    pair_dots,
    row_squares,
    row_sums,
    squared_norm,
    times,
)
from cocluster.linalg.partitions import Partition, gathered
from cocluster.linalg.types import Array, Factor, InMemory, Matrix

Function = Callable[..., Any]


class Interrupted(RuntimeError):
    """Error for a fit that ends early because blocks are lost, for example with a Dask cluster.

    ``run`` is the `Run` with the results until then, or None if there are none.
    """

    run: Any = None


@dataclass(frozen=True, eq=False)
class Profile:
    """What one pass over the blocks finds out about a matrix.

    Attributes
    ----------
    signed : int
        Blocks with entries below zero.
    entries : int
        Stored entries.
    degrees : array of shape (n_columns,)
        Sums of absolute values.
    present : array of shape (n_columns,)
        Rows in which the column is not zero.
    """

    signed: int
    entries: int
    degrees: Array
    present: Array


class RowBlocks(ABC):
    """A matrix in blocks of rows.

    The functions of `cocluster.linalg` that are marked as delegating call the methods of the same
    name here, so most code never asks whether it has row blocks or a matrix in memory.

    Attributes
    ----------
    row_counts : tuple of int
        Rows of each block.
    shape, dtype : as of an array
    row_names, column_names : arrays or None
        Names of the samples and of the features, where the data have them.
    """

    row_counts: tuple[int, ...]
    shape: tuple[int, int]
    dtype: np.dtype
    ndim = 2
    row_names: Array | None = None
    column_names: Array | None = None
    # Bytes that rows picked from all blocks may take: a gigabyte, where nothing else is said.
    memory_for_rows: int = 2**30

    @abstractmethod
    def rowwise(self, function: Callable[..., Matrix], *shared: Any) -> Self:
        """The matrix with ``function(block, *shared)`` for every block, of the same shape."""

    @abstractmethod
    def total(self, function: Function, *shared: Any, along: tuple[Any, ...] = ()) -> Any:
        """Sum over blocks of ``function(block, *parts, *shared)``.

        ``along`` are factors of the rows: each block gets its part of them.
        """

    @abstractmethod
    def collect(self, function: Function, *shared: Any, along: tuple[Any, ...] = ()) -> list[Any]:
        """The results of ``function(block, *parts, *shared)``, one for each block, in memory."""

    @abstractmethod
    def rows(self, function: Function, *shared: Any, along: tuple[Any, ...] = ()) -> Factor:
        """The results of ``function(block, *parts, *shared)``, put below each other.

        The function must give one row for each row of its block.
        """

    def assigns(self) -> bool:
        """Always: one pass gives labels and what follows from them, and passes are what costs."""
        return True

    @abstractmethod
    def reassigned(
        self, G: Factor, H: Partition, codes: Array, bias: Array
    ) -> tuple[Factor, Array]:
        """`cocluster.linalg.assignment.reassigned` of all rows, in one pass over the blocks."""

    @abstractmethod
    def placed(self, values: Factor) -> Factor:
        """Values of the rows (labels, a factor), brought to where the blocks are."""

    @abstractmethod
    def __getitem__(self, positions: Array) -> Matrix:
        """Some rows, in memory."""

    @abstractmethod
    def fits(self, n_clusters: int) -> None:
        """Raise ValueError if memory is too small for factors with ``n_clusters`` columns."""

    def rows_in_memory(self) -> int:
        """How many rows may be held in memory together."""
        # An entry has a value and an index of 8 bytes at most.
        return int(self.memory_for_rows * self.shape[0] // max(16 * self.size, 1))

    @property
    def T(self) -> Turned:
        """The transposed matrix, for products."""
        return Turned(self)

    def __matmul__(self, F: Factor) -> Factor:
        return self.rows(times, F)

    def times(self, F: Factor) -> Factor:
        """X F, also of a partition F: it goes to every block as it is."""
        return self @ F

    def turned_times(self, G: Factor) -> Array:
        """Xᵀ G."""
        return np.asarray(self.total(turned_product, along=(G,)))

    def squared_times(self, Q: Array) -> Array:
        """XᵀX Q in one pass: of a product that is as long as the data only sums are needed."""
        return np.asarray(self.total(squared_times, Q))

    # Profile and norm are kept: each takes a pass over the data, which do not change, and is asked
    # for again by every check, scaling and objective.
    @cached_property
    def profile(self) -> Profile:
        """Signs, sizes and degrees, in one pass."""
        return Profile(*self.total(_profile))

    @property
    def size(self) -> int:
        """Stored entries."""
        return self.profile.entries

    def is_nonnegative(self) -> bool:
        """Whether no entry is below zero."""
        return self.profile.signed == 0

    def magnitude(self) -> float:
        """The largest sum of a column of absolute values, which is known: an upper bound."""
        largest = float(self.profile.degrees.max(initial=0))
        # Infinite where a sum is beyond all numbers; the entries are not.
        return min(largest, float(np.finfo(np.float64).max))

    def column_degrees(self) -> Array:
        """Sum of absolute values of each column."""
        return self.profile.degrees

    def column_counts(self) -> Array:
        """Number of rows in which each column is not zero."""
        return self.profile.present

    @cached_property
    def _squared_norm(self) -> float:
        return float(self.total(squared_norm))

    def squared_norm(self) -> float:
        """Sum of all squares."""
        return self._squared_norm

    def sum(self, axis: int, dtype: Any = None) -> Array:
        """Sums of the rows (axis 1) or of the columns (axis 0), in double precision."""
        if axis == 0:
            # Without negative entries sums are degrees, which are known.
            degrees = self.profile.degrees if self.is_nonnegative() else None
            return np.asarray(self.total(column_sums) if degrees is None else degrees)
        return np.asarray(gathered(self.rows(row_sums)))

    def row_squares(self) -> Array:
        """Squared length of each row, in double precision."""
        return np.asarray(gathered(self.rows(row_squares)))

    def pair_dots(self, pairs: Array) -> Array:
        """Inner products of pairs of rows, which are few: those rows are read once."""
        rows, at = np.unique(pairs, return_inverse=True)
        return pair_dots(self[rows], at.reshape(-1, 2))

    def gram(self) -> Array:
        """Xᵀ X in double precision, as an array: for few columns."""
        return np.asarray(self.total(_column_gram))


@dataclass(frozen=True, eq=False)
class Turned:
    """The transpose of a `RowBlocks`: products with it are sums over blocks."""

    matrix: RowBlocks

    @property
    def shape(self) -> tuple[int, int]:
        """Columns and rows of the matrix."""
        return self.matrix.shape[1], self.matrix.shape[0]

    @property
    def dtype(self) -> np.dtype:
        """Type of the entries."""
        return self.matrix.dtype

    @property
    def row_counts(self) -> tuple[int, ...]:
        """Those of the matrix."""
        return self.matrix.row_counts

    @property
    def T(self) -> RowBlocks:
        """The matrix."""
        return self.matrix

    def squared_norm(self) -> float:
        """Sum of all squares."""
        return self.matrix.squared_norm()

    def __matmul__(self, G: Factor) -> Array:
        return self.matrix.turned_times(G)

    def times(self, G: Factor) -> Array:
        """Xᵀ G, also of a partition G: each block gets its part of it."""
        return self @ G


def turned_product(X: Matrix, G: Factor) -> Array:
    """Xᵀ G of one block."""
    return np.asarray(times(X.T, G))


def _profile(X: InMemory) -> tuple[int, int, Array, Array]:
    """The fields of `Profile` for one block."""
    return int(not is_nonnegative(X)), X.size, column_degrees(X), column_counts(X)


def _column_gram(X: InMemory) -> Array:
    """Xᵀ X of one block, in double precision."""
    return np.asarray(as_dense(X.T @ X), dtype=np.float64)


def stacked(parts: Sequence[Any]) -> Any:
    """Matrices, arrays or partitions of consecutive rows, put below each other."""
    if isinstance(parts[0], Partition):
        return Partition(np.concatenate([p.labels for p in parts]), parts[0].n_clusters)
    if sp.issparse(parts[0]):
        return sp.csr_array(sp.vstack(parts, format="csr"))
    return np.concatenate(parts)


def plus(a: Any, b: Any) -> Any:
    """a + b, element by element for tuples."""
    return tuple(map(plus, a, b)) if isinstance(a, tuple) else a + b
