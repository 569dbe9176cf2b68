"""Matrices in stores of named arrays (HDF5, zarr), dense or by rows in three arrays (CSR)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.blocks.disk.sources._sizes import (
    budget,
    cell_bytes,
    cut_rows,
    even_rows,
    index_bytes,
    refuse,
)
from cocluster.blocks.disk.sources.base import ERRORS, checked, floating
from cocluster.linalg.npz import PARTS
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import wrap_read_errors

# Opens the store; both libraries offer the same of groups and arrays.
Opener = Callable[[Path], AbstractContextManager[Any]]
# The arrays of a CSR group; its shape is often an attribute instead.
ARRAYS = PARTS[:3]
# Bytes of a row while its size is found out: its pointer, length, cost and their running total.
POINTER_BYTES = 32


@dataclass(frozen=True, eq=False)
class Stored:
    """Source of row ranges of a matrix in a store, which is opened anew for each block.

    `key` is the matrix's place in the store, empty if it is the store itself.
    """

    path: Path
    opened: Opener
    key: str
    shape: tuple[int, int]
    dtype: np.dtype
    row_counts: tuple[int, ...]

    @cached_property
    def _ranges(self) -> list[tuple[int, int]]:
        """First row and end of each block."""
        return list(pairwise(accumulate(self.row_counts, initial=0)))

    @cached_property
    def column_names(self) -> Array | None:
        """Names of the variables of AnnData."""
        return self._names("var")

    @cached_property
    def row_names(self) -> Array | None:
        """Names of the observations of AnnData; read when first asked for."""
        return self._names("obs")

    def describe(self, number: int) -> str:
        """Rows and file."""
        start, stop = self._ranges[number]
        return f"rows {start}:{stop} of {self.path.name}"

    def read(self, number: int) -> InMemory:
        """Block in memory."""
        (start, stop), name = self._ranges[number], self.describe(number)
        with wrap_read_errors(name, *ERRORS), self.opened(self.path) as root:
            matrix = _member(root, self.key)
            load = _dense_rows if _is_array(matrix) else _sparse_rows
            block = load(matrix, start, stop, self.shape[1])
        return checked(block, name, (stop - start, self.shape[1]), self.dtype)

    def _names(self, axis: str) -> Array | None:
        """Index of the frame `axis` of AnnData; None in other stores."""
        with wrap_read_errors(self.path.name, *ERRORS), self.opened(self.path) as root:
            if self.key != "X" or _is_array(root) or axis not in root:
                return None
            frame = root[axis]
            # Attribute "_index" names the column of names, which may be kept as codes and "values".
            index = None if _is_array(frame) else frame.get(frame.attrs.get("_index", "_index"))
            if index is None:
                return None
            values = index if _is_array(index) else index["values"]
            # HDF5 keeps texts as bytes; zarr has texts.
            values = values.asstr() if hasattr(values, "asstr") else values
            return np.asarray(values[:]).astype(object)


def open_stored(path: Path, opened: Opener, memory: int) -> Stored:
    """Source of the matrix in a store: the store itself, or its member X as AnnData has it."""
    with wrap_read_errors(path.name, *ERRORS), opened(path) as root:
        inside = not _is_array(root) and "indptr" not in root
        if inside and "X" not in root:
            raise ValueError(
                f"{path.name} has no matrix X; store the wanted matrix as X, or as one array or "
                f"group with {', '.join(PARTS)}."
            )
        key = "X" if inside else ""
        matrix = _member(root, key)
        measure = _measure_dense if _is_array(matrix) else _measure_sparse
        shape, dtype, row_counts = measure(matrix, path.name, memory)
    return Stored(path, opened, key, shape, dtype, row_counts)


def _measure_dense(
    array: Any, name: str, memory: int
) -> tuple[tuple[int, int], np.dtype, tuple[int, ...]]:
    """Shape, type and rows of blocks of a dense array: whole bands of its chunks."""
    shape = _two_axes(array.shape, name)
    dtype = floating(array.dtype, name)
    row_bytes = shape[1] * cell_bytes(array.dtype, dtype)
    # A chunk is read whole for any of its rows, so a block takes all rows of it.
    band = 1 if array.chunks is None else int(array.chunks[0])
    if array.chunks is not None and min(array.chunks) < 1:
        raise ValueError(f"{name} is damaged: it has chunks of shape {array.chunks}.")
    return shape, dtype, even_rows(shape[0], row_bytes, band, name, memory)


def _measure_sparse(
    group: Any, name: str, memory: int
) -> tuple[tuple[int, int], np.dtype, tuple[int, ...]]:
    """Shape, type and rows of blocks of a CSR group."""
    shape = _sparse_shape(group, name)
    for part in ARRAYS:
        array = group[part]
        chunk = 0 if array.chunks is None else array.chunks[0] * array.dtype.itemsize
        if chunk > budget(memory):
            what = f"A chunk of {part!r} of {name}"
            refuse(what, chunk, memory, ", or store it in smaller chunks")
    dtype = floating(group["data"].dtype, name)
    return shape, dtype, cut_rows(_row_costs(group, shape, dtype, name, memory), name, memory)


def _sparse_shape(group: Any, name: str) -> tuple[int, int]:
    """Shape of a CSR group, after a look at what it holds."""
    # AnnData of today, AnnData before version 0.7, and groups that say nothing.
    layout = str(group.attrs.get("encoding-type", group.attrs.get("h5sparse_format", "csr")))
    if layout.startswith("csc"):
        raise ValueError(
            f"{name} is stored by columns (CSC) and cannot be read by rows; store it by rows, for "
            "example with adata.X = adata.X.tocsr(), and write it again."
        )
    missing = [part for part in ARRAYS if part not in group]
    shape = group.attrs.get("shape", group.attrs.get("h5sparse_shape"))
    if shape is None and "shape" in group:
        shape = group["shape"][:]
    if missing or shape is None:
        raise ValueError(
            f"{name} lacks {', '.join(missing) or 'shape'}; a sparse matrix is a group with "
            f"{', '.join(PARTS)}."
        )
    n, m = _two_axes(shape, name)
    lengths = [group[part].shape[0] for part in ARRAYS]
    if lengths[0] != lengths[1] or lengths[2] != n + 1:
        raise ValueError(
            f"{name} is inconsistent: {n} rows have {lengths[2]} row pointers instead of {n + 1}, "
            f"and {lengths[0]} values {lengths[1]} column indices; write it again."
        )
    return n, m


def _row_costs(
    group: Any, shape: tuple[int, int], dtype: np.dtype, name: str, memory: int
) -> Iterator[Array]:
    """Bytes of rows in memory, as many rows at a time as memory allows."""
    index = index_bytes(shape[1])
    data, indices, indptr = (group[part] for part in ARRAYS)
    entry = cell_bytes(data.dtype, dtype) + cell_bytes(indices.dtype, np.dtype(f"i{index}"))
    step = max(budget(memory) // POINTER_BYTES, 1)
    end = 0
    for start in range(0, shape[0], step):
        stop = min(start + step, shape[0])
        pointers = np.asarray(indptr[start : stop + 1], dtype=np.int64)
        lengths = np.diff(pointers)
        if pointers[0] != end or lengths.min() < 0:
            raise ValueError(
                f"{name} is damaged: the row pointers of rows {start}:{stop} do not start at 0 "
                "and rise; write it again."
            )
        end = pointers[-1]
        yield lengths * entry + index
    if end != data.shape[0]:
        raise ValueError(
            f"{name} is damaged: its row pointers end at {end}, but there are {data.shape[0]} "
            "values; write it again."
        )


def _dense_rows(array: Any, start: int, stop: int, n_columns: int) -> Array:
    """Rows of a dense array."""
    return np.asarray(array[start:stop])


def _sparse_rows(group: Any, start: int, stop: int, n_columns: int) -> sp.csr_array:
    """Rows of a CSR group."""
    # Only the stretch of entries that belongs to these rows is read.
    pointers = np.asarray(group["indptr"][start : stop + 1])
    entries = slice(int(pointers[0]), int(pointers[-1]))
    data, indices = (np.asarray(group[part][entries]) for part in ("data", "indices"))
    return sp.csr_array((data, indices, pointers - pointers[0]), shape=(stop - start, n_columns))


def _two_axes(shape: Any, name: str) -> tuple[int, int]:
    """Shape of a matrix that is not empty."""
    sizes = tuple(int(size) for size in shape)
    if len(sizes) != 2 or 0 in sizes:
        raise ValueError(f"{name} has shape {sizes}; store a matrix with rows and columns.")
    return sizes


def _member(root: Any, key: str) -> Any:
    """Member of a store, or the store itself."""
    return root[key] if key else root


def _is_array(element: Any) -> bool:
    """Whether an element of a store is an array, not a group."""
    return hasattr(element, "dtype")
