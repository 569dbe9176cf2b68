"""What the library means by a matrix and by a factor: the operations it asks of them.

    Matrix      a shape, and products with factors: all that a factorisation needs
      InMemory    entries can be looked at
        Array       a numpy array
        Sparse      a scipy csr_array
      Operator    known by its products
        Blocked     rows in blocks on disk or on a cluster (`cocluster.blocks`)

    Factor      one row per object, one column per cluster
      Array       memberships
      Hard        one label per object (`cocluster.linalg.partitions.Partition`)
      SpreadRows  either of them, its rows on the workers of a cluster

The guards tell them apart by what they offer, not by class: this floor need not know the floors
above it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    # Only for the type checker, which has it built in; Python itself has it from 3.13 on.
    from typing_extensions import TypeIs

Array = np.ndarray


class Sparse(Protocol):
    """A compressed sparse matrix: entries ``data``, row after row, in columns ``indices``."""

    data: Array
    indices: Array
    indptr: Array
    has_canonical_format: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""

    @property
    def dtype(self) -> np.dtype:
        """Type of the entries."""

    @property
    def size(self) -> int:
        """Number of stored entries."""

    @property
    def nnz(self) -> int:
        """Number of stored entries."""

    @property
    def format(self) -> str:
        """csr, or csc for the transpose of one."""

    @property
    def T(self) -> Any:
        """The transpose."""

    def __matmul__(self, other: Any, /) -> Any:
        """Product with a factor of the columns."""

    def __getitem__(self, index: Any, /) -> Any:
        """Some rows, columns or entries."""

    def __sub__(self, other: Any, /) -> Any:
        """Difference, entry by entry."""

    def __abs__(self) -> Any:
        """Absolute values."""

    def sum(self, axis: Any = None, dtype: Any = None) -> Any:
        """Sums along an axis."""

    def mean(self, axis: Any = None, dtype: Any = None) -> Any:
        """Means along an axis."""

    def max(self) -> Any:
        """Largest entry."""

    def min(self) -> Any:
        """Smallest entry."""

    def astype(self, dtype: Any, /) -> Any:
        """The same in another precision."""

    def copy(self) -> Any:
        """A copy that may be changed."""

    def tocsr(self) -> Any:
        """By rows."""

    def tocoo(self) -> Any:
        """By entries."""

    def toarray(self) -> Array:
        """As a numpy array."""

    def multiply(self, other: Any, /) -> Any:
        """Product, entry by entry."""

    def maximum(self, other: Any, /) -> Any:
        """Maximum, entry by entry."""

    def log1p(self) -> Any:
        """log(1 + x) of every entry x."""

    def sum_duplicates(self) -> None:
        """Add up entries that are stored at one place, in place."""


class Operator(Protocol):
    """A matrix that is known by its products."""

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

    def squared_norm(self) -> float:
        """Sum of all squared entries."""


class Blocked(Operator, Protocol):
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
        """Values of the rows, where the blocks want them."""

    def fits(self, n_clusters: int) -> None:
        """Raise ValueError if there is no room for factors of so many columns."""


class Hard(Protocol):
    """A factor of zeros with a single one in each row, held as labels."""

    @property
    def labels(self) -> Array:
        """Cluster of each object."""

    @property
    def n_clusters(self) -> int:
        """Number of clusters, some of which may be empty."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of objects and clusters."""

    @property
    def sizes(self) -> Array:
        """Number of objects in each cluster."""

    def __getitem__(self, index: Any, /) -> Any:
        """Some rows."""

    def gram(self) -> Array:
        """Gᵀ G."""

    def inner(self, M: Any) -> Array:
        """Gᵀ M."""

    def dense(self, dtype: Any = ...) -> Array:
        """The matrix of zeros and ones."""


class SpreadRows(Protocol):
    """A factor whose rows live with the blocks of the data; see `cocluster.blocks.dask.spread`."""

    hard: bool
    dtype: np.dtype

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of objects and clusters."""

    @property
    def sizes(self) -> Array:
        """Number of objects in each cluster of a hard factor."""

    def __getitem__(self, index: Any, /) -> Any:
        """Some rows, here."""

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

    def gather(self) -> Any:
        """All rows, here."""

    def map(self, function: Callable[..., Any], *shared: Any, **form: Any) -> Self:
        """A function of every part."""

    def made(self) -> Self:
        """The same, its parts being computed from now on."""

    def put(self, positions: Array, values: Any) -> Self:
        """The same with some rows replaced."""


InMemory = Array | Sparse
Matrix = InMemory | Operator
Factor = Array | Hard | SpreadRows


def is_sparse(R: Any) -> TypeIs[Sparse]:
    """Whether R is a sparse matrix of scipy."""
    return bool(sp.issparse(R))


def is_operator(R: Any) -> TypeIs[Operator]:
    """Whether the entries of R cannot be looked at: it is in blocks or known by its products."""
    return hasattr(R, "squared_norm")


def is_blocked(R: Any) -> TypeIs[Blocked]:
    """Whether R is in blocks of rows that are not together in memory (`cocluster.blocks`)."""
    return hasattr(R, "reassigned")


def is_spread(G: Any) -> TypeIs[SpreadRows]:
    """Whether the rows of a factor live on the workers of a cluster (`cocluster.blocks`)."""
    return hasattr(G, "gather")
