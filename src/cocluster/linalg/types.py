"""What the library means by a matrix and by a factor: the operations it asks of them.

    Matrix      a shape, and products with factors: all that a factorisation needs
      InMemory    a numpy array or a scipy csr_array, whose entries can be looked at
      Blocked     rows in blocks on disk or on a cluster (`cocluster.blocks`)
      operators   known by their products alone, as X Xᵀ is (`cocluster.graphs.similarity`)
    Factor      one row per object, one column per cluster
      Array       memberships
      Partition   one label per object (`cocluster.linalg.partitions`)
      SpreadRows  either of them, its rows on the workers of a cluster

The guards tell them apart by what they offer, not by class: this floor need not know the floors
above it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

if TYPE_CHECKING:
    # Only for the type checker, which has it built in; Python itself has it from 3.13 on.
    from typing_extensions import TypeIs

Array = np.ndarray

# A numpy array or a csr_array. scipy has no types, so the checker knows nothing of the latter.
InMemory = Any


class Matrix(Protocol):
    """What every data matrix offers."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""

    @property
    def dtype(self) -> np.dtype:
        """Type of the entries."""

    @property
    def T(self) -> Any:
        """The transpose."""

    def __matmul__(self, other: Any, /) -> Any:
        """Product with a factor of the columns."""


class Factor(Protocol):
    """What every factor offers; sums over its rows are in `cocluster.linalg.matrices`."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of objects and clusters."""

    @property
    def dtype(self) -> np.dtype:
        """Type of the entries."""

    def __getitem__(self, index: Any, /) -> Any:
        """Some rows."""


class Blocked(Matrix, Protocol):
    """Blocks of rows that are not together in memory; see `cocluster.blocks.rows.RowBlocks`."""

    row_counts: tuple[int, ...]
    row_names: Array | None
    column_names: Array | None

    @property
    def size(self) -> int:
        """Number of stored entries."""

    @property
    def profile(self) -> Any:
        """Signs, sizes and degrees of the columns."""

    def __getitem__(self, positions: Array, /) -> Any:
        """Some rows, in memory."""

    def rowwise(self, function: Callable[..., Any], *shared: Any) -> Self:
        """The matrix with every block transformed."""

    def total(self, function: Callable[..., Any], *shared: Any, along: Any = ()) -> Any:
        """Sum of a function over the blocks."""

    def collect(self, function: Callable[..., Any], *shared: Any, along: Any = ()) -> list[Any]:
        """Results of a function for every block."""

    def rows(self, function: Callable[..., Any], *shared: Any, along: Any = ()) -> Any:
        """Results of a function with one row for each row."""

    def row_squares(self) -> Array:
        """Squared length of each row."""

    def reassigned(self, G: Any, H: Any, codes: Array, bias: Array) -> tuple[Any, Array]:
        """See `cocluster.linalg.assignment.reassigned`."""

    def placed(self, values: Any) -> Any:
        """Values of the rows, brought to where the blocks are."""

    def fits(self, n_clusters: int) -> None:
        """Raise ValueError if memory is too small for factors with ``n_clusters`` columns."""


class SpreadRows(Factor, Protocol):
    """A factor whose rows live with the blocks of the data; see `cocluster.blocks.dask.rows`."""

    hard: bool

    @property
    def sizes(self) -> Array:
        """Number of objects in each cluster of a hard factor."""

    def __mul__(self, other: Any, /) -> Any:
        """Columns scaled."""

    def __matmul__(self, other: Any, /) -> Any:
        """Every row times a small matrix."""

    def astype(self, dtype: Any, /) -> Any:
        """The same in another precision."""

    def gram(self) -> Array:
        """Gᵀ G."""

    def inner(self, M: Any) -> Array:
        """Gᵀ M."""

    @property
    def ndim(self) -> int:
        """2, or 1 for labels and other single numbers."""

    def gathered(self) -> Any:
        """All rows, in memory."""

    def map(self, function: Callable[..., Any], *shared: Any, **form: Any) -> Self:
        """A function of every part."""

    def made(self) -> Self:
        """The same with its parts being computed from now on."""

    def put(self, positions: Array, values: Any) -> Self:
        """The same with some rows replaced."""


def is_operator(R: Any) -> bool:
    """Whether the entries of R cannot be looked at: it is in blocks or known by its products."""
    # Of what is in memory we compute the norm ourselves; all others must know their own.
    return hasattr(R, "squared_norm")


def is_blocked(R: Any) -> TypeIs[Blocked]:
    """Whether R is in blocks of rows that are not together in memory (`cocluster.blocks`)."""
    # Not by products, norms or row counts: the transpose of row blocks has those as well.
    return hasattr(R, "reassigned")


def is_distributed(G: Any) -> TypeIs[SpreadRows]:
    """Whether the rows of a factor live on the workers of a cluster (`cocluster.blocks`)."""
    return hasattr(G, "gathered")
