"""DaskRows: rows in parts on the workers of a Dask cluster, one part for each block of a matrix.

Tasks are submitted with ``pure=False``: Dask would otherwise hash all arguments to find out whether
it knows the result already, which for blocks of data costs more than the task.
"""

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
from cocluster.blocks.dask.tasks import Recipe, build_step, run
from cocluster.blocks.rows import Interrupted, stacked
from cocluster.linalg.matrices import gram, inner, n_bytes
from cocluster.linalg.partitions import Partition, as_array, is_hard, strongest
from cocluster.linalg.types import Array, Factor

# What the client raises when its cluster is gone.
LOST = (CancelledError, CommClosedError, KilledWorker, TimeoutError, ClosedClientError)
# Partial sums that one task adds up: few enough for them to fit on one worker, many enough for the
# sum over a thousand blocks to take four rounds.
FAN_IN = 8


@sizeof.register(sp.csr_array)
def _sparse_bytes(X: sp.csr_array) -> int:
    """Bytes of a block: Dask knows scipy's older matrices only, and would move these for free."""
    return n_bytes(X)


@sizeof.register(Partition)
def _partition_bytes(G: Partition) -> int:
    """Bytes of the labels of a partition."""
    return int(G.labels.nbytes)


class ClusterLost(Interrupted):
    """The Dask cluster disappeared during a computation."""


@dataclass(frozen=True, eq=False)
class DaskRows:
    """Rows in parts: blocks of a matrix, a factor, or products, each part where its block is.

    Only sums over all parts, and rows that are asked for, travel to the client. Parts are computed
    when they are needed: what is mapped and then summed is one task. A part that is lost with its
    worker is computed again from what it was made of.

    Attributes
    ----------
    client : distributed.Client
    source : tuple of futures, or Recipe
        The parts (arrays, sparse arrays or `Partition`), or how to make them.
    row_counts : tuple of int
        Rows of each part.
    width : int
        Number of columns; 0 where a row is a single number, such as a label.
    dtype : type of the entries
    hard : bool
        Whether the parts are partitions.
    known : dict of str to array
        Sums over all parts that have been computed, by name, so that no one asks the workers twice.
    """

    client: Client
    source: tuple[Future, ...] | Recipe
    row_counts: tuple[int, ...]
    width: int
    dtype: np.dtype
    hard: bool = False
    known: dict[str, Array] = field(default_factory=dict)

    @cached_property
    def parts(self) -> tuple[Future, ...]:
        """Futures of the parts, submitted once."""
        source: Any = self.source
        return source if self.is_made else tuple(self._submit(source))

    @property
    def is_made(self) -> bool:
        """Whether the parts are on the workers or being computed there."""
        # A cached property is in the dict of the object from the first time it was asked for.
        return not isinstance(self.source, Recipe) or "parts" in vars(self)

    def made(self) -> DaskRows:
        """The same with its parts being computed from now on: for what is used more than once."""
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
        along: tuple[DaskRows, ...] = (),
        width: int | None = None,
        dtype: Any = None,
        hard: bool = False,
    ) -> DaskRows:
        """``function(part, *parts of along, *shared)`` of every part, with as many rows.

        ``width``, ``dtype`` and ``hard`` describe the result where it differs in them: it is not
        computed yet, so it cannot be looked at.
        """
        return DaskRows(
            self.client,
            Recipe(function, (self, *along), shared),
            self.row_counts,
            self.width if width is None else width,
            np.dtype(self.dtype if dtype is None else dtype),
            hard,
        )

    def rowwise(self, function: Callable[..., Any], *shared: Any) -> DaskRows:
        """``function(part, *shared)`` of every part, of the same shape."""
        return self.map(function, *shared)

    def total(
        self, function: Callable[..., Any], *shared: Any, along: tuple[DaskRows, ...] = ()
    ) -> Any:
        """The sum of ``function(part, *parts of along, *shared)``, always in the same order."""
        return self._sum(self._submit(Recipe(function, (self, *along), shared)))

    def rows_and_total(
        self, function: Callable[..., Any], *shared: Any, along: tuple[DaskRows, ...] = ()
    ) -> tuple[tuple[Future, ...], Any]:
        """For a function with two results: the first of each part, there, and the others' sum."""
        pairs = self._submit(Recipe(function, (self, *along), shared))
        with _name_lost_cluster():
            stay = self.client.map(tasks.first, pairs, pure=False)
        terms = self._add_groups(pairs, tasks.second)
        # Dask frees a result when no future points to it: here, as soon as it has been added.
        del pairs
        return tuple(stay), self._sum(terms)

    def _sum(self, terms: list[Future]) -> Any:
        """The sum of some results, here."""
        # As a tree: a single task for all would need all partial sums on one worker.
        while len(terms) > 1:
            terms = self._add_groups(terms, tasks.identity)
        with _name_lost_cluster():
            return terms[0].result()

    def _add_groups(self, terms: list[Future], pick: Callable[[Any], Any]) -> list[Future]:
        """Sums of what is picked from a few results each."""
        groups = [terms[i : i + FAN_IN] for i in range(0, len(terms), FAN_IN)]
        with _name_lost_cluster():
            return list(self.client.map(tasks.add_up, groups, [pick] * len(groups), pure=False))

    def _submit(self, recipe: Recipe) -> list[Future]:
        """One task for each part; what they share is sent once."""
        # As a result of its own, which workers pass on: inside each task it would travel with all.
        columns: list[tuple[Future, ...]] = []
        shared: list[Any] = []
        step = build_step(replace(self, source=recipe), columns, shared)
        with _name_lost_cluster():
            common = self.client.submit(tasks.identity, shared, pure=False)
            n = len(self.row_counts)
            alike = ([step] * n, [common] * n, [n] * n)
            return list(self.client.map(run, *alike, *columns, pure=False))

    def gathered(self) -> Any:
        """Return all rows in the memory of the client."""
        return stacked(self.fetch())

    def as_array(self) -> Array:
        """Return the memberships of all rows as an array of the client."""
        return as_array(self.gathered())

    def strongest(self) -> Array:
        """The cluster of each object, here; memberships stay where they are."""
        return np.asarray(self.map(strongest).gathered())

    def fetch(self) -> list[Any]:
        """Return all parts in the memory of the client."""
        with _name_lost_cluster():
            return list(self.client.gather(list(self.parts)))

    def __getitem__(self, positions: Array) -> Any:
        """Some rows, here, in the order asked for; or some columns, where they are."""
        if isinstance(positions, tuple):
            width = len(range(*positions[1].indices(self.width)))
            return self.map(tasks.take_columns, positions[1], width=width)
        # Sorted, rows of one part are neighbours: each part is asked once, and the answers are put
        # back into the order asked for.
        order = np.argsort(positions, kind="stable")
        picked = [
            self.client.submit(tasks.take_rows, self.parts[number], local, pure=False)
            for number, local, _ in self._by_part(positions[order])
        ]
        with _name_lost_cluster():
            rows = stacked(self.client.gather(picked))
        return rows[np.argsort(order)]

    def put(self, positions: Array, values: Factor) -> DaskRows:
        """The same with some rows replaced; positions in rising order."""
        # Links touch few rows, so only parts that have some of them are made anew.
        parts = list(self.parts)
        for number, local, span in self._by_part(positions):
            parts[number] = self.client.submit(
                tasks.replace_rows, parts[number], local, values[span], pure=False
            )
        return replace(self, source=tuple(parts), known={})

    with_rows = put

    def _by_part(self, positions: Array) -> Iterator[tuple[int, Array, slice]]:
        """For each part with some of the sorted positions: its number, the positions within it,
        and which of the given ones these are.
        """
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

    def inner(self, M: DaskRows) -> Array:
        """Gᵀ M."""
        return np.asarray(self.total(inner, along=(M,)))

    def __matmul__(self, M: Array) -> DaskRows:
        return self.map(np.matmul, M, width=M.shape[1], dtype=np.result_type(self.dtype, M.dtype))

    def __add__(self, other: DaskRows | Array | float) -> DaskRows:
        if isinstance(other, DaskRows):
            return self.map(np.add, along=(other,))
        return self.map(np.add, other)

    __radd__ = __add__

    def __sub__(self, number: float) -> DaskRows:
        return self + -number

    def __mul__(self, other: Array | float) -> DaskRows:
        return self.map(np.multiply, other)

    __rmul__ = __mul__

    def astype(self, dtype: Any) -> DaskRows:
        """The parts in another precision; labels have none."""
        same = self.hard or dtype == self.dtype
        return self if same else self.map(tasks.cast, np.dtype(dtype), dtype=dtype)


def distribute(client: Client, values: Any, row_counts: Sequence[int]) -> DaskRows:
    """Values of all rows (an array or a `Partition`), cut up and sent to the workers."""
    ends = np.cumsum(row_counts)
    cuts = [slice(end - count, end) for end, count in zip(ends, row_counts, strict=True)]
    # By a task and not by scatter: what was scattered is gone with its worker, tasks run again.
    parts = client.map(tasks.identity, [values[cut] for cut in cuts], pure=False)
    width = values.shape[1] if len(values.shape) > 1 else 0
    return DaskRows(client, tuple(parts), tuple(row_counts), width, values.dtype, is_hard(values))


@contextmanager
def _name_lost_cluster() -> Iterator[None]:
    """Turn the errors that a lost cluster raises into one clear error."""
    try:
        yield
    except LOST as error:
        raise ClusterLost(
            f"The Dask cluster was lost ({type(error).__name__}); the clusters of the columns "
            "found until then are kept in the estimator, and its predict gives labels of rows."
        ) from error
