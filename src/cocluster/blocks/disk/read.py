"""Blocks on disk, read one after the other while the last one is worked on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from os import PathLike
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from cocluster.blocks.disk.memory import parse_memory, readable
from cocluster.blocks.disk.sources import Source, open_source
from cocluster.blocks.rows import Function, RowBlocks, plus, stacked
from cocluster.linalg import passes
from cocluster.linalg.assignment import reassigned
from cocluster.linalg.partitions import Partition
from cocluster.linalg.types import Array, Factor, InMemory

# At a time there are the block at work, the next one, a scaled copy and a transposed one; a block
# takes an eighth of the memory at most (`open_source`).
BLOCKS_AT_ONCE = 4
# Arrays of the width of a factor that a sweep holds for the rows: factor, products, forces.
FACTORS_AT_ONCE = 6


class StoredBlocks(RowBlocks):
    """A matrix on disk, see `open_blocks`.

    Factors of rows and columns are in memory, blocks are read anew in every pass.

    Parameters
    ----------
    source : Source
        Reads the blocks.
    memory : int
        Bytes that blocks and factors may take together, besides the interpreter itself.
    transforms : tuple of (function, shared)
        What is done to each block after it is read, one after the other: see `rowwise`.
    """

    def __init__(
        self,
        source: Source,
        memory: int,
        transforms: tuple[tuple[Callable[..., InMemory], tuple[Any, ...]], ...] = (),
    ) -> None:
        self.source, self.memory, self._transforms = source, memory, transforms
        # Half of it is for blocks, and none are read while picked rows are worked on. A scaled copy
        # of these takes as much again.
        self.memory_for_rows = memory // 4
        self.row_counts, self.shape = source.row_counts, source.shape
        self.row_names, self.column_names = source.row_names, source.column_names
        self._ends = np.cumsum(self.row_counts)
        # What the transformations make of no rows has the type of what they make of all.
        nothing = sp.csr_array((0, self.shape[1]), dtype=source.dtype)
        self.dtype = np.dtype(self._transform(nothing).dtype)

    def rowwise(self, function: Callable[..., InMemory], *shared: Any) -> Self:
        """The matrix with every block transformed as it is read."""
        return type(self)(self.source, self.memory, (*self._transforms, (function, shared)))

    def total(self, function: Function, *shared: Any, along: tuple[Any, ...] = ()) -> Any:
        """Sum over blocks, in their order."""
        return reduce(plus, self._results(function, shared, along))

    def collect(self, function: Function, *shared: Any, along: tuple[Any, ...] = ()) -> list[Any]:
        """Results of all blocks."""
        return list(self._results(function, shared, along))

    def rows(self, function: Function, *shared: Any, along: tuple[Any, ...] = ()) -> Any:
        """Results of the blocks below each other."""
        return stacked(self.collect(function, *shared, along=along))

    def reassigned(
        self, G: Any, H: Partition, codes: Array, bias: Array
    ) -> tuple[Partition, Array]:
        """New labels, and what they change: added up as the blocks go by."""
        labels_by_block, change = [], np.zeros((self.shape[1], G.n_clusters), self.dtype)
        for labels, block_change in self._results(reassigned, (H, codes, bias), (G,)):
            labels_by_block.append(labels)
            change += block_change
        return stacked(labels_by_block), change

    def placed(self, values: Factor) -> Factor:
        """The values themselves: factors are in memory."""
        return values

    def __getitem__(self, positions: Array) -> InMemory:
        # Sorted, so that each block is read once however the positions are mixed.
        order = np.argsort(positions, kind="stable")
        owner = np.searchsorted(self._ends, positions[order], side="right")
        picked = []
        for number in np.unique(owner).tolist():
            local = positions[order][owner == number] - self._rows(number).start
            picked.append(self._transform(self.source.read(number))[local])
        return stacked(picked)[np.argsort(order)]

    def fits(self, n_clusters: int) -> None:
        """Raise ValueError if memory is too small for factors with ``n_clusters`` columns."""
        block = self.memory // 8
        factors = FACTORS_AT_ONCE * sum(self.shape) * n_clusters * self.dtype.itemsize
        needed = BLOCKS_AT_ONCE * block + factors
        if needed > self.memory:
            raise ValueError(
                f"memory={readable(self.memory)} is too small for {n_clusters} clusters of "
                f"{self.shape[0]} rows and {self.shape[1]} columns; open the data with "
                f"memory={readable(2 * factors)!r} or more."
            )

    def _results(
        self, function: Function, shared: tuple[Any, ...], along: tuple[Any, ...]
    ) -> Iterator[Any]:
        """The function of one block after the other; the next is read in the meantime."""
        # One reader: a disk reads one file after the other fastest, and a second block that waits
        # would only take memory.
        with ThreadPoolExecutor(max_workers=1) as reader:
            coming = reader.submit(self.source.read, 0)
            for number in range(len(self.row_counts)):
                block = coming.result()
                if number + 1 < len(self.row_counts):
                    coming = reader.submit(self.source.read, number + 1)
                rows = self._rows(number)
                parts = [values[rows] for values in along]
                # Left before the result is handed out: what the caller does with it is not part of
                # a block.
                with passes.part_of(len(self.row_counts)):
                    result = function(self._transform(block), *parts, *shared)
                yield result

    def _rows(self, number: int) -> slice:
        """Rows of a block."""
        end = int(self._ends[number])
        return slice(end - self.row_counts[number], end)

    def _transform(self, block: InMemory) -> InMemory:
        """A block as the transformations make it."""
        for function, shared in self._transforms:
            block = function(block, *shared)
        return block


def open_blocks(path: str | PathLike[str], *, memory: str | int = "1GB") -> StoredBlocks:
    """Open data that do not fit in memory; any estimator that works by blocks fits them.

    Parameters
    ----------
    path : path
        A folder of CSR row blocks (``.npz``, see `write_blocks`), a ``zarr`` store, ``parquet`` in
        long format (sample, feature, value), or ``.h5ad``.
    memory : int or str such as "500MB", "2GB"
        What blocks and factors may take together.

    Returns
    -------
    StoredBlocks
        To be given to ``fit``, ``predict`` and ``transform`` as a matrix.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from cocluster import FNMTF, write_blocks
    >>> X = np.kron([[5.0, 1.0], [1.0, 5.0]], np.ones((3, 4)))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     stored = open_blocks(write_blocks(X, f"{place}/blocks", rows_per_block=2))
    ...     labels = FNMTF(2, random_state=0).fit(stored).labels_
    >>> bool((labels == FNMTF(2, random_state=0).fit(X).labels_).all())
    True
    """
    allowed = parse_memory(memory)
    return StoredBlocks(open_source(path, allowed), allowed)
