"""Spread: what has one part for each block of rows, on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from dask.sizeof import sizeof
from distributed import Client, Future, KilledWorker
from distributed.client import ClosedClientError
from distributed.comm import CommClosedError

from cocluster.blocks.dask import tasks
from cocluster.blocks.dask.recipe import Recipe, flattened, run
from cocluster.blocks.rows import stacked
from cocluster.linalg.matrices import gram, inner, n_bytes
from cocluster.linalg.partitions import Partition
from cocluster.linalg.types import Array, Factor
from cocluster.utils.errors import Interrupted

# What a cluster that is gone makes its client raise.
LOST = (CancelledError, CommClosedError, KilledWorker, TimeoutError, ClosedClientError)
# Partial sums that one task adds up.
FAN_IN = 8


@sizeof.register(sp.csr_array)
def _bytes_of_sparse(X: sp.csr_array) -> int:
    """Dask knows the older matrices only, and would think a block free to move."""
    return n_bytes(X)


@sizeof.register(Partition)
def _bytes_of_partition(G: Partition) -> int:
    """As many as its labels take."""
    return int(G.labels.nbytes)


class ClusterLost(Interrupted):
    """The Dask cluster disappeared during a computation."""


@dataclass(frozen=True, eq=False)
class Spread:
    """Rows in parts: blocks of a matrix, a factor, or products, each part where its block is.

    Only sums over all parts, and rows that are asked for, travel. Parts are made when they are
    needed: what is mapped and then summed is one task. A part that is lost with its worker is
    computed again from what it was made of.

    Attributes
    ----------
    client : distributed.Client
    source : futures of arrays, sparse arrays or `Partition`; or how to make them
    row_counts : tuple of int
    width : int
        Number of columns.
    dtype : type of the entries
    hard : bool
        Whether the parts are partitions.
    """

    client: Client
    source: tuple[Future, ...] | Recipe
    row_counts: tuple[int, ...]
    width: int
    dtype: np.dtype
    hard: bool = False
    # Sums over all parts that have been computed, by name, so that nobody asks the workers twice.
    known: dict[str, Array] = field(default_factory=dict)

    @cached_property
    def parts(self) -> tuple[Future, ...]:
        """The parts, made once."""
        return (
            tuple(self._submitted(self.source)) if isinstance(self.source, Recipe) else self.source
        )

    @property
    def is_made(self) -> bool:
        """Whether the parts are there, or on their way."""
        return not isinstance(self.source, Recipe) or "parts" in vars(self)

    def made(self) -> Spread:
        """The same, its parts being computed from now on: for what is used more than once."""
        return replace(self, source=self.parts)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows of all parts, and columns."""
        return sum(self.row_counts), self.width

    @property
    def ndim(self) -> int:
        """2, or 1 for labels and other single numbers."""
        return 2 if self.width else 1

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def sizes(self) -> Array:
        """Number of objects in each cluster of a hard factor."""
        return np.diag(self.gram()).astype(np.intp)

    def map(
        self,
        function: Callable[..., Any],
        *shared: Any,
        along: tuple[Spread, ...] = (),
        width: int | None = None,
        dtype: Any = None,
        hard: bool = False,
    ) -> Spread:
        """``function(part, *parts of along, *shared)`` of every part, with as many rows."""
        return Spread(
            self.client,
            Recipe(function, (self, *along), shared),
            self.row_counts,
            self.width if width is None else width,
            np.dtype(self.dtype if dtype is None else dtype),
            hard,
        )

    def rowwise(self, function: Callable[..., Any], *shared: Any) -> Spread:
        """``function(part, *shared)`` of every part, of the same shape."""
        return self.map(function, *shared)

    def total(
        self, function: Callable[..., Any], *shared: Any, along: tuple[Spread, ...] = ()
    ) -> Any:
        """The sum of the results, always in the same order."""
        return self._sum(self._submitted(Recipe(function, (self, *along), shared)))

    def rows_and_total(
        self, function: Callable[..., Any], *shared: Any, along: tuple[Spread, ...] = ()
    ) -> tuple[tuple[Future, ...], Any]:
        """Of two results of every part the first, which stays, and the sum of the second."""
        pairs = self._submitted(Recipe(function, (self, *along), shared))
        with _lost_cluster_named():
            stay = self.client.map(tasks.first, pairs, pure=False)
        left = self._added_up(pairs, tasks.second)
        del pairs  # summands are let go as soon as they are added
        return tuple(stay), self._sum(left)

    def _sum(self, left: list[Future]) -> Any:
        """The sum of some results, here."""
        while len(left) > 1:
            left = self._added_up(left, tasks.same)
        with _lost_cluster_named():
            return left[0].result()

    def _added_up(self, left: list[Future], pick: Callable[[Any], Any]) -> list[Future]:
        """Sums of what is picked from a few results each."""
        groups = [left[i : i + FAN_IN] for i in range(0, len(left), FAN_IN)]
        with _lost_cluster_named():
            return list(self.client.map(tasks.added, groups, [pick] * len(groups), pure=False))

    def _submitted(self, recipe: Recipe) -> list[Future]:
        """One task for each part; what they share is sent once."""
        columns: list[tuple[Future, ...]] = []
        shared: list[Any] = []
        step = flattened(replace(self, source=recipe), columns, shared)
        with _lost_cluster_named():
            common = self.client.submit(tasks.same, shared, pure=False)
            n = len(self.row_counts)
            alike = ([step] * n, [common] * n, [n] * n)
            return list(self.client.map(run, *alike, *columns, pure=False))

    def gather(self) -> Factor:
        """All rows, here."""
        return stacked(self.fetch())

    def fetch(self) -> list[Any]:
        """All parts, here."""
        with _lost_cluster_named():
            return list(self.client.gather(list(self.parts)))

    def __getitem__(self, positions: Array) -> Factor:
        """Some rows, here, in the order asked for; or some columns, where they are."""
        if isinstance(positions, tuple):
            width = len(range(*positions[1].indices(self.width)))
            return self.map(tasks.picked_columns, positions[1], width=width)
        order = np.argsort(positions, kind="stable")
        picked = [
            self.client.submit(tasks.taken, self.parts[number], local, pure=False)
            for number, local, _ in self._by_part(positions[order])
        ]
        with _lost_cluster_named():
            found = stacked(self.client.gather(picked))
        return found[np.argsort(order)]

    def put(self, positions: Array, values: Factor) -> Spread:
        """The same with some rows replaced; positions in rising order."""
        parts = list(self.parts)
        for number, local, chosen in self._by_part(positions):
            parts[number] = self.client.submit(
                tasks.put, parts[number], local, values[chosen], pure=False
            )
        return replace(self, source=tuple(parts), known={})

    def _by_part(self, positions: Array) -> Iterator[tuple[int, Array, slice]]:
        """Sorted positions by part: its number, positions within it, and which those are."""
        ends = np.cumsum(self.row_counts)
        cuts = np.searchsorted(positions, ends)
        first = 0
        for number, cut in enumerate(cuts.tolist()):
            if cut > first:
                begin = ends[number] - self.row_counts[number]
                yield number, positions[first:cut] - begin, slice(first, cut)
                first = cut

    def gram(self) -> Array:
        """Gᵀ G, computed once."""
        if "gram" not in self.known:
            self.known["gram"] = np.asarray(self.total(gram))
        return self.known["gram"]

    def inner(self, M: Spread) -> Array:
        """Gᵀ M."""
        return np.asarray(self.total(inner, along=(M,)))

    def __matmul__(self, M: Array) -> Spread:
        return self.map(np.matmul, M, width=M.shape[1], dtype=np.result_type(self.dtype, M.dtype))

    def __add__(self, other: Spread | Array | float) -> Spread:
        if isinstance(other, Spread):
            return self.map(np.add, along=(other,))
        return self.map(np.add, other)

    __radd__ = __add__

    def __sub__(self, number: float) -> Spread:
        return self + -number

    def __mul__(self, other: Array | float) -> Spread:
        return self.map(np.multiply, other)

    __rmul__ = __mul__

    def astype(self, dtype: Any) -> Spread:
        """The parts in another precision."""
        return self if dtype == self.dtype else self.map(tasks.cast, np.dtype(dtype), dtype=dtype)


def spread(client: Client, values: Any, row_counts: Sequence[int]) -> Spread:
    """Values of all rows (an array or a `Partition`), cut up and sent to the workers."""
    ends = np.cumsum(row_counts)
    cuts = [slice(end - count, end) for end, count in zip(ends, row_counts, strict=True)]
    parts = client.map(tasks.same, [values[cut] for cut in cuts], pure=False)
    hard = isinstance(values, Partition)
    width = values.shape[1] if len(values.shape) > 1 else 0
    dtype = np.dtype(np.float32) if hard else values.dtype
    return Spread(client, tuple(parts), tuple(row_counts), width, dtype, hard)


@contextmanager
def _lost_cluster_named() -> Iterator[None]:
    """Whatever a lost cluster raises becomes one clear error."""
    try:
        yield
    except LOST as error:
        raise ClusterLost(
            f"The Dask cluster was lost ({type(error).__name__}); the clusters of the columns "
            "found until then are kept in the estimator, and its predict gives labels of rows."
        ) from error
