"""DaskBlocks: a matrix in blocks of rows, on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from distributed import Client, default_client

from cocluster.blocks.dask.rows import DaskRows, distribute
from cocluster.blocks.rows import Function, RowBlocks, turned_product
from cocluster.linalg.assignment import reassigned
from cocluster.linalg.checked import as_matrix
from cocluster.linalg.matrices import gram, times
from cocluster.linalg.partitions import Partition
from cocluster.linalg.types import Array, Factor, InMemory, Matrix


class DaskBlocks(RowBlocks):
    """A matrix whose blocks live on workers; factors of the rows live with them.

    Parameters
    ----------
    blocks : DaskRows
        One csr array or numpy array for each block of rows.
    column_names : array, optional
        Names of the columns, where the data have them.
    """

    def __init__(self, blocks: DaskRows, column_names: Array | None = None) -> None:
        self.blocks, self.column_names = blocks, column_names
        self.row_counts, self.shape, self.dtype = blocks.row_counts, blocks.shape, blocks.dtype

    def rowwise(self, function: Callable[..., Matrix], *shared: Any) -> Self:
        """The matrix with every block transformed, where it is."""
        # Made now: every later pass reads the new blocks, and would transform the old ones again.
        return type(self)(_measure(self.blocks.map(function, *shared).made()), self.column_names)

    def total(self, function: Function, *shared: Any, along: tuple[Any, ...] = ()) -> Any:
        """Sum over blocks; only partial sums travel."""
        return self.blocks.total(function, *shared, along=tuple(map(self.placed, along)))

    def collect(self, function: Function, *shared: Any, along: tuple[Any, ...] = ()) -> list[Any]:
        """Results of all blocks, here."""
        return self.blocks.map(function, *shared, along=tuple(map(self.placed, along))).fetch()

    def rows(self, function: Function, *shared: Any, along: tuple[Any, ...] = ()) -> DaskRows:
        """Results that stay with their blocks."""
        return _measure(self.blocks.map(function, *shared, along=tuple(map(self.placed, along))))

    def reassigned(
        self, G: Factor, H: Partition, codes: Array, bias: Array
    ) -> tuple[DaskRows, Array]:
        """New labels, which stay where the blocks are, and what they change in Xᵀ G, here."""
        # Cluster sizes are wanted next; with the same task they cost no second round trip.
        G = self.placed(G)
        made, (change, squares) = self.blocks.rows_and_total(
            _reassign_and_gram, H, codes, bias, along=(G,)
        )
        return replace(G, source=made, known={"gram": squares}), change

    def __matmul__(self, F: Factor) -> DaskRows:
        # Width and type are worked out here: to ask a worker for them would be a round trip.
        dtype = np.result_type(self.dtype, F.dtype)
        return self.blocks.map(times, F, width=F.shape[1], dtype=dtype)

    def turned_times(self, G: Factor) -> Array:
        """Xᵀ G. Gᵀ G comes along with it and is kept: both are wanted whenever one is."""
        G = self.placed(G)
        product, squares = self.blocks.total(_turned_product_and_gram, along=(G,))
        G.known["gram"] = np.asarray(squares)
        return np.asarray(product)

    def fits(self, n_clusters: int) -> None:
        """Never raises: the memory of the workers is Dask's concern."""

    def placed(self, values: Factor) -> DaskRows:
        """Values of the rows, cut up and sent to the workers unless they are there."""
        if isinstance(values, DaskRows):
            return values
        return distribute(self.blocks.client, values, self.row_counts)

    def __getitem__(self, positions: Array) -> InMemory:
        return self.blocks[positions]


def dask_blocks(X: Any) -> DaskBlocks:
    """The blocks of a Dask array (dense or sparse chunks) or of a Dask DataFrame.

    They are computed on the cluster of the client in scope, checked there, and stay there.
    """
    client = _client()
    if hasattr(X, "columns"):
        # Of a frame only Dask's workers know how many rows a partition has: -1 stands for any.
        names, parts = np.array(list(X.columns), dtype=object), X.to_delayed()
        width, counts = len(names), [-1] * len(parts)
    else:
        names, (parts, counts, width) = None, _chunks(X)
    # All are started at once, and what is asked for below waits for them on the workers.
    read = client.compute(list(parts))
    block_name = [f"block {number} of X" for number in range(len(read))]
    blocks = client.map(_as_block, read, block_name, counts, [width] * len(read), pure=False)
    forms = client.gather(client.map(_form, blocks, pure=False))
    rows = tuple(int(form[0]) for form in forms)
    dtype = np.result_type(*(form[2] for form in forms))
    return DaskBlocks(DaskRows(client, tuple(blocks), rows, width, dtype), names)


def _client() -> Client:
    """The client in scope."""
    try:
        return default_client()
    except ValueError as error:
        raise ValueError(
            "X is a Dask collection but there is no Dask client; start one with "
            "dask.distributed.Client(), or pass X.compute()."
        ) from error


def _chunks(X: Any) -> tuple[list[Any], list[int], int]:
    """Delayed chunks of whole rows of a Dask array, their numbers of rows, and the width."""
    if X.ndim != 2:
        raise ValueError(f"X is a Dask array with {X.ndim} dimensions; pass a matrix.")
    if np.isnan(X.shape[0]) or np.isnan(X.shape[1]):
        raise ValueError(
            "X is a Dask array with chunks of unknown sizes; call X.compute_chunk_sizes() first."
        )
    if len(X.chunks[1]) > 1:
        # Rows must be whole: scaling, products and labels are computed row by row.
        X = X.rechunk({1: -1})
    return X.to_delayed().ravel().tolist(), list(X.chunks[0]), int(X.shape[1])


def _as_block(chunk: Any, block_name: str, n_rows: int, width: int) -> InMemory:
    """A chunk as a checked matrix of the shape it is said to have."""
    block = as_matrix(chunk, block_name, min_size=0)
    if block.shape != (block.shape[0] if n_rows < 0 else n_rows, width):
        raise ValueError(
            f"{block_name} has shape {block.shape} where ({n_rows}, {width}) was declared; "
            "make the chunks as they are declared."
        )
    return block


def _turned_product_and_gram(X: Matrix, G: Factor) -> tuple[Array, Array]:
    """Xᵀ G and Gᵀ G of one block."""
    return turned_product(X, G), gram(G)


def _reassign_and_gram(
    X: Matrix, G: Partition, H: Partition, codes: Array, bias: Array
) -> tuple[Partition, tuple[Array, Array]]:
    """New labels, what they change in Xᵀ G, and Gᵀ G, of one block."""
    after, change = reassigned(X, G, H, codes, bias)
    return after, (change, gram(after))


def _form(part: Any) -> tuple[int, int, np.dtype]:
    """Rows, columns (0 for single numbers) and type of a part."""
    return part.shape[0], part.shape[1] if len(part.shape) > 1 else 0, np.dtype(part.dtype)


def _measure(rows: DaskRows) -> DaskRows:
    """Return the rows with the width and type of their first part."""
    _, width, dtype = rows.client.submit(_form, rows.parts[0], pure=False).result()
    return replace(rows, width=width, dtype=dtype)
