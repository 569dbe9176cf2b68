"""Matrices in HDF5 files (AnnData) and zarr stores, dense or by rows in three arrays (CSR)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.blocks.disk.sources.base import (
    ERRORS,
    budget,
    cell_bytes,
    check_block,
    cut_rows,
    even_rows,
    floating,
    index_bytes,
    refuse,
)
from cocluster.blocks.disk.sources.hdf5_probe import refuse_damaged
from cocluster.linalg.npz import PARTS
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.optional import library
from cocluster.utils.text import json_object, shorten

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
        return check_block(block, name, (stop - start, self.shape[1]), self.dtype)

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
    for key in ARRAYS:
        array = group[key]
        chunk = 0 if array.chunks is None else array.chunks[0] * array.dtype.itemsize
        if chunk > budget(memory):
            label = f"A chunk of {key!r} of {name}"
            refuse(label, chunk, memory, ", or store it in smaller chunks")
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
    missing = [key for key in ARRAYS if key not in group]
    shape = group.attrs.get("shape", group.attrs.get("h5sparse_shape"))
    if shape is None and "shape" in group:
        shape = group["shape"][:]
    if missing or shape is None:
        raise ValueError(
            f"{name} lacks {', '.join(missing) or 'shape'}; a sparse matrix is a group with "
            f"{', '.join(PARTS)}."
        )
    n, m = _two_axes(shape, name)
    lengths = [group[key].shape[0] for key in ARRAYS]
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
    data, indices, indptr = (group[key] for key in ARRAYS)
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
    data, indices = (np.asarray(group[key][entries]) for key in ("data", "indices"))
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


# Attributes of a sparse matrix that tell its shape; the second one in files of early versions.
SHAPES = ("shape", "h5sparse_shape")


@contextmanager
def open_hdf5(path: Path) -> Iterator[Any]:
    """The file as a group."""
    h5py = library("h5py", ".h5ad files", "omics")
    with h5py.File(path, "r") as file:
        total_bytes(file, path.name)
        yield file


def total_bytes(file: Any, name: str) -> int:
    """Bytes of all arrays of an HDF5 file; ValueError if some of them lie in other files.

    HDF5 follows links to any file that the user may read, so a file from elsewhere could show what
    it was not given. Only headers are read.
    """
    h5py = library("h5py", ".h5ad files", "omics")
    sizes: list[int] = []

    def look(_: str, item: Any) -> None:
        """Note the size of an array; refuse what points outside."""
        if isinstance(item, h5py.Group):
            links = (item.get(key, getlink=True) for key in item)
            outside = any(isinstance(link, h5py.ExternalLink) for link in links)
            # A sparse matrix takes a number for each of its rows (or columns), however few of them
            # the file has; a damaged one may promise billions.
            shapes = [np.asarray(item.attrs[key]) for key in SHAPES if key in item.attrs]
            sizes.extend(
                8 * int(shape.max(initial=0)) for shape in shapes if shape.dtype.kind in "iuf"
            )
        else:
            sources = item.virtual_sources() if item.is_virtual else ()
            outside = bool(item.external) or any(s.file_name != "." for s in sources)
            sizes.append(item.size * item.dtype.itemsize if item.shape is not None else 0)
        if outside:
            raise ValueError(
                f"{name} points to other files ({item.name}), which are not read; copy the data "
                "into one file."
            )

    look("/", file)
    file.visititems(look)  # every group and array once, whatever the links inside the file
    return sum(sizes)


def open_h5ad(path: Path, memory: int) -> Stored:
    """Source of ``.X`` of an AnnData file, dense or CSR."""
    with wrap_read_errors(path.name, ValueError):
        refuse_damaged(path)
    return open_stored(path, open_hdf5, memory)


# Files that make a folder a store, of both versions of the format.
MARKS = ("zarr.json", ".zarray", ".zgroup")
# Files that name the codecs of arrays, for one array or for all of a store.
METADATA = ("zarr.json", ".zarray", ".zmetadata")


@contextmanager
def open_store(path: Path) -> Iterator[Any]:
    """The store as an array or a group."""
    zarr = library("zarr", "zarr stores", "zarr")
    with warnings.catch_warnings():
        # It warns of descriptions that it mends, such as chunks of no size; `arrays` checks them.
        warnings.simplefilter("ignore", UserWarning)
        store = zarr.open(path, mode="r")
    yield store


def open_zarr(path: Path, memory: int) -> Stored:
    """Source of a 2-D array, of a group with data, indices, indptr and shape, or of ``X``."""
    _refuse_pickle(path)
    return open_stored(path, open_store, memory)


def _refuse_pickle(folder: Path) -> None:
    """Refuse a store whose values are pickled: to read them is to run whatever code they name.

    Older versions of numcodecs do so without a question.
    """
    for file in _metadata(folder):
        text = file.read_text(encoding="utf-8", errors="replace")
        name = shorten(str(file.relative_to(folder)))
        if "pickle" in _codecs(json_object(text, f"{folder.name}, {name}")):
            raise ValueError(
                f"{folder.name} holds pickled values ({name}), which could run "
                "any code when they are read; store numbers, without an object codec."
            )


def _metadata(folder: Path) -> Iterator[Path]:
    """Files of a store that name codecs, also behind links, which zarr follows."""
    seen = set()
    for parent, folders, names in os.walk(folder, followlinks=True):
        if (real := os.path.realpath(parent)) in seen:
            folders.clear()  # a link back: to go on would have no end
        seen.add(real)
        yield from (Path(parent) / name for name in METADATA if name in names)


def _codecs(described: Any) -> set[str]:
    """Names of the codecs in a description of arrays, without the package they are from."""
    if isinstance(described, dict):
        identifiers = (described.get("id"), described.get("name"))
        codecs = {str(name).split(".")[-1].lower() for name in identifiers}
        return codecs.union(*map(_codecs, described.values()))
    return set().union(*map(_codecs, described)) if isinstance(described, list) else set()


def is_store(folder: Path) -> bool:
    """Whether a folder is a zarr store."""
    return any((folder / mark).exists() for mark in MARKS)
