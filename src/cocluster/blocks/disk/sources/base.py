"""The interface of row block sources, the checks they share, and the sizes of their blocks."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NoReturn, Protocol

import numpy as np

from cocluster.blocks.disk.memory import readable
from cocluster.linalg.checked import MOST_INT32, as_matrix, in_bounds
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import wrap_read_errors

# What libraries raise when a file is cut off or of another kind.
ERRORS = (
    OSError, KeyError, ValueError, TypeError, AttributeError, RuntimeError, IndexError,
    ArithmeticError,
)  # fmt: skip


class Source(Protocol):
    """A matrix on disk in blocks of consecutive rows, read one block at a time.

    Reading keeps no file open and changes nothing: blocks may be read in any order, by several
    threads at once.
    """

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the whole."""

    @property
    def dtype(self) -> np.dtype:
        """float32 if every block is stored so, else float64; all blocks are read as this."""

    @property
    def row_counts(self) -> tuple[int, ...]:
        """Rows of each block."""

    @property
    def column_names(self) -> Array | None:
        """Object array; None if the format has none."""

    @property
    def row_names(self) -> Array | None:
        """Object array; None if the format has none."""

    def read(self, number: int) -> InMemory:
        """Block as a canonical csr_array or a C-ordered array."""

    def describe(self, number: int) -> str:
        """What messages call the block."""


def floating(stored: np.dtype, name: str) -> np.dtype:
    """Type in which stored numbers are read: float32 stays, all others become float64."""
    if stored.kind not in "fiub":
        raise ValueError(f"{name} holds {stored} values; store numbers.")
    return np.dtype(np.float32 if stored.itemsize == 4 and stored.kind == "f" else np.float64)


def check_block(block: InMemory, name: str, shape: tuple[int, int], dtype: np.dtype) -> InMemory:
    """Block in the one form that all formats are read in, or an error that names it."""
    if block.shape != shape:
        raise ValueError(
            f"{name} has {block.shape[0]} rows and {block.shape[1]} columns, but had {shape[0]} "
            f"and {shape[1]} when it was opened; do not change files while they are in use."
        )
    with wrap_read_errors(name, ValueError):
        in_bounds(block)
    return as_matrix(block, name).astype(dtype, copy=False)


# Besides the block in use, one is read ahead, and reading and products need as much again.
SHARE = 8
# Bytes of a row pointer of 64 bits.
POINTER = 8
# More blocks than any data have: a damaged file may announce any number of rows.
MOST_BLOCKS = 10_000_000


def budget(memory: int) -> int:
    """Bytes that one block may take."""
    return memory // SHARE


def refuse(label: str, needed: int, memory: int, remedy: str) -> NoReturn:
    """Say how much memory is needed."""
    raise ValueError(
        f"{label} takes {readable(needed)}, but one block may take an eighth of the memory, and "
        f"{readable(memory)} is allowed; allow at least {readable(SHARE * needed)}{remedy}."
    )


def index_bytes(n_columns: int) -> int:
    """Bytes of one index of a sparse block."""
    return 4 if n_columns <= MOST_INT32 else 8


def cell_bytes(stored: np.dtype, read_as: np.dtype) -> int:
    """Bytes of one number while it is read; both forms are there while one is made the other."""
    return read_as.itemsize + (stored.itemsize if stored != read_as else 0)


def even_rows(n_rows: int, row_bytes: int, band: int, name: str, memory: int) -> tuple[int, ...]:
    """Rows of blocks of equal size, each of whole bands of `band` rows (chunks of a store)."""
    bands = budget(memory) // (band * row_bytes)
    if bands == 0:
        label = "One row" if band == 1 else f"A chunk of {band} rows"
        remedy = "" if band == 1 else ", or store it in chunks of fewer rows"
        refuse(f"{label} of {name}", band * row_bytes, memory, remedy)
    rows = min(bands * band, n_rows)
    full, remainder = divmod(n_rows, rows)
    if full > MOST_BLOCKS:
        raise ValueError(f"{name} announces {n_rows:,} rows; it is damaged, or allow more memory.")
    return (rows,) * full + (remainder,) * (remainder > 0)


def cut_rows(costs: Iterable[Array], name: str, memory: int) -> tuple[int, ...]:
    """Rows of blocks that hold as many rows as fit; `costs` are bytes of rows, in pieces."""
    # A sparse block has one row pointer more than rows.
    limit = budget(memory) - POINTER
    counts: list[int] = []
    rows = taken = 0
    pieces = iter(costs)
    for piece in pieces:
        # The running total is searched for where a block is full, instead of adding row by row.
        ends = np.cumsum(piece)
        first = before = 0
        while first < len(piece):
            last = int(np.searchsorted(ends, before + limit - taken, side="right"))
            rows += last - first
            if last == len(piece):
                taken += int(ends[-1]) - before
                break
            if rows == 0:
                largest = max(int(costs.max()) for costs in chain([piece], pieces))
                refuse(f"The largest row of {name}", largest + POINTER, memory, "")
            counts.append(rows)
            first, before = last, int(ends[last - 1]) if last else 0
            rows = taken = 0
    return (*counts, rows) if rows else tuple(counts)
