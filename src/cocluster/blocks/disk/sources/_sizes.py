"""How many rows a block may have: one block takes at most an eighth of the memory."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NoReturn

import numpy as np

from cocluster.blocks.disk.memory import readable
from cocluster.linalg.checked import MOST_INT32
from cocluster.linalg.types import Array

# Besides the block in use, one is read ahead, and reading and products need as much again.
SHARE = 8
# Bytes of a row pointer of 64 bits.
POINTER = 8
# More blocks than any data have: a damaged file may announce any number of rows.
MOST_BLOCKS = 10_000_000


def budget(memory: int) -> int:
    """Bytes that one block may take."""
    return memory // SHARE


def refuse(what: str, needed: int, memory: int, remedy: str) -> NoReturn:
    """Say how much memory is needed."""
    raise ValueError(
        f"{what} takes {readable(needed)}, but one block may take an eighth of the memory, and "
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
        what = "One row" if band == 1 else f"A chunk of {band} rows"
        remedy = "" if band == 1 else ", or store it in chunks of fewer rows"
        refuse(f"{what} of {name}", band * row_bytes, memory, remedy)
    rows = min(bands * band, n_rows)
    full, rest = divmod(n_rows, rows)
    if full > MOST_BLOCKS:
        raise ValueError(f"{name} announces {n_rows:,} rows; it is damaged, or allow more memory.")
    return (rows,) * full + (rest,) * (rest > 0)


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
                largest = max(int(part.max()) for part in chain([piece], pieces))
                refuse(f"The largest row of {name}", largest + POINTER, memory, "")
            counts.append(rows)
            first, before = last, int(ends[last - 1]) if last else 0
            rows = taken = 0
    return (*counts, rows) if rows else tuple(counts)
