"""Passes over large sparse matrices, as compiled code: the door to `cocluster.linalg._compiled`."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.partitions import Partition
from cocluster.linalg.types import Array
from cocluster.utils import threads

Kernel = Callable[..., None]
# Parts of the rows that threads take in turn: many more than there are threads, so that none waits
# long for the last one, and each with so many entries (a tenth of a millisecond) that to hand it
# out costs little.
N_ROW_PARTS, PART_NONZEROS = 64, 50_000
# Compiling costs seconds: from here on a few sweeps win them back.
COMPILE_FROM_NONZEROS = 4_000_000
# What was compiled by an earlier process is loaded in half a second, which takes a fit to win back.
LOAD_FROM_NONZEROS = 1_000_000
# What is loaded costs nothing more; below this it is no quicker.
USE_FROM_NONZEROS = 200_000


# Like the number of threads, this is a fact about the surroundings of a computation. As an argument
# it would have to pass through every function that is ever applied to a block.
_n_blocks: ContextVar[int] = ContextVar("n_blocks", default=1)


@contextmanager
def part_of(n_blocks: int) -> Iterator[None]:
    """Tell the code inside a ``with`` block that its matrix is one block of ``n_blocks``.

    A block by itself may be too small for compiled passes to pay, while all blocks together are
    large enough.
    """
    token = _n_blocks.set(n_blocks)
    try:
        yield
    finally:
        _n_blocks.reset(token)


def is_compiled(R: Any) -> bool:
    """Whether compiled passes pay for R, alone or with the other blocks it is one of."""
    if not (sp.issparse(R) and R.format in ("csr", "csc") and _numba_is_installed()):
        return False
    return bool(R.nnz * _n_blocks.get() >= _least_nonzeros(R))


def _least_nonzeros(R: Any) -> int:
    """From how many entries on compiled passes pay for matrices of the types of R."""
    if _types(R) in _loaded:
        return min(USE_FROM_NONZEROS, COMPILE_FROM_NONZEROS)
    if _types(R) == _COMMON and _is_stored():
        return min(LOAD_FROM_NONZEROS, COMPILE_FROM_NONZEROS)
    return COMPILE_FROM_NONZEROS


# Types of entries and of indices: code is compiled for each. Of the common ones we can tell whether
# an earlier process has compiled it; this one has loaded it for those that it has used.
_COMMON = (np.dtype(np.float64), np.dtype(np.int32))
_loaded: set[tuple[np.dtype, np.dtype]] = set()


def _types(R: Any) -> tuple[np.dtype, np.dtype]:
    """Types of the entries and of the indices."""
    return R.data.dtype, R.indices.dtype


@cache
def _numba_is_installed() -> bool:
    """Whether there is a compiler at all."""
    return importlib.util.find_spec("numba") is not None


@cache
def _is_stored() -> bool:
    """Whether the folder of the package holds compiled code that fits its source."""
    source = Path(__file__).with_name("_compiled.py")
    stored = source.parent.glob("__pycache__/_compiled.assign-*.nbi")
    # The compiler discards what is older than the source.
    return any(file.stat().st_mtime >= source.stat().st_mtime for file in stored)


def label_sums(R: Any, G: Partition) -> Array:
    """R @ G for a partition."""
    from cocluster.linalg import _compiled

    if R.format == "csr":
        out = np.empty((R.shape[0], G.n_clusters), R.dtype)
        _by_rows(_compiled.minor_label_sums, R, _compact(G), out=out)
        return out
    # Clusters by rows: each entry of a column then falls into the same short stretch of memory.
    shape = (G.n_clusters, R.shape[0])
    return np.ascontiguousarray(
        _in_parts(_compiled.major_label_sums, R, _compact(G), shape=shape).T
    )


def product(R: Any, G: Array) -> Array:
    """R @ G for an array; entries of R are read in the precision of G."""
    from cocluster.linalg import _compiled

    G = np.ascontiguousarray(G)
    shape = (R.shape[0], G.shape[1])
    if R.format == "csr":
        out = np.zeros(shape, G.dtype)
        _by_rows(_compiled.minor_product, R, G, out=out)
        return out
    return _in_parts(_compiled.major_product, R, G, shape=shape, dtype=G.dtype)


def assign(
    R: Any, G: Partition, H: Partition, codes: Array, bias: Array
) -> tuple[Partition, Array]:
    """`cocluster.linalg.assignment.reassigned` of a large csr array."""
    from cocluster.linalg import _compiled

    # A copy, which the kernel changes in place.
    labels = G.labels.astype(np.int32)
    small = (np.ascontiguousarray(M, dtype=R.dtype) for M in (codes, bias))
    arguments = (_compact(H), *small, _unsigned(labels))
    change = _in_parts(_compiled.assign, R, *arguments, shape=(G.n_clusters, R.shape[1]))
    return Partition(labels, G.n_clusters), change.T


def row_information(R: Any) -> float:
    """`cocluster.linalg.matrices.row_information` of a large csr array."""
    from cocluster.linalg import _compiled

    return float(_in_parts(_compiled.row_information, R, shape=(1, 1), dtype=np.float64)[0, 0])


def _by_rows(kernel: Kernel, R: Any, *arguments: Array, out: Array) -> None:
    """Call a kernel for all rows; enough calls for any number of threads to share evenly."""
    n_parts = min(R.nnz // PART_NONZEROS + 1, N_ROW_PARTS)
    threads.run_tasks(lambda rows: kernel(*_arrays(R), *arguments, *rows, out), _cuts(R, n_parts))


def _in_parts(
    kernel: Kernel, R: Any, *arguments: Array, shape: tuple[int, int], dtype: Any = None
) -> Array:
    """The sum of what a kernel adds up over parts of the rows.

    Sums of rounded numbers depend on how they are grouped. So the number of parts depends on the
    data only, and the result is the same for any number of threads.
    """
    # All partial sums together have at most a 32nd as many numbers as the data have entries. The
    # blocks of a larger matrix come one at a time or one per thread and are not parted again.
    most = min(R.nnz // PART_NONZEROS + 1, N_ROW_PARTS) if _n_blocks.get() == 1 else 1
    n_parts = min(max(R.nnz // (32 * max(shape[0] * shape[1], 1)), 2), most)
    parts = np.zeros((n_parts, *shape), dtype or R.dtype)
    tasks = list(zip(_cuts(R, n_parts), parts, strict=True))
    threads.run_tasks(lambda task: kernel(*_arrays(R), *arguments, *task[0], task[1]), tasks)
    # One after the other: a sum over the axis may group them differently.
    total: Array = parts[0]
    for part in parts[1:]:
        total += part
    return total


def _cuts(R: Any, n_parts: int) -> list[tuple[int, int]]:
    """Rows (first, last) of parts with about equally many entries."""
    inner = np.searchsorted(R.indptr, np.linspace(0, R.nnz, n_parts + 1)[1:-1])
    return list(pairwise([0, *inner.tolist(), len(R.indptr) - 1]))


def _arrays(R: Any) -> tuple[Array, Array, Array]:
    """Pointers, indices and entries, for a kernel."""
    _loaded.add(_types(R))
    return R.indptr, _unsigned(R.indices), R.data


def _compact(G: Partition) -> Array:
    """Labels as small unsigned numbers."""
    # In a byte where they fit: labels are read in any order, and those of ten thousand columns then
    # stay in the fastest cache.
    return G.labels.astype(np.uint8) if G.n_clusters <= 256 else _unsigned(G.labels)


def _unsigned(numbers: Array) -> Array:
    """The same memory, read as numbers that cannot be negative."""
    return numbers.view(f"u{numbers.itemsize}")


@dataclass(frozen=True, eq=False)
class ScaledMatrix:
    """diag(rows) R diag(columns) in single precision, known by its products: R is not copied.

    Attributes
    ----------
    matrix : large csr_array or csc_array
        R.
    rows, columns : arrays
        The two diagonals.
    """

    matrix: Any
    rows: Array
    columns: Array
    dtype = np.dtype(np.float32)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of R."""
        return tuple(self.matrix.shape)

    @property
    def T(self) -> ScaledMatrix:
        """The transpose."""
        return ScaledMatrix(self.matrix.T, self.columns, self.rows)

    def __matmul__(self, G: Array) -> Array:
        scaled = product(self.matrix, (G * self.columns[:, None]).astype(self.dtype))
        scaled *= self.rows[:, None].astype(self.dtype)
        return scaled
