"""What every source of row blocks offers, and the checks that all of them share."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from cocluster.linalg.checked import as_matrix, in_bounds
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


def checked(block: InMemory, name: str, shape: tuple[int, int], dtype: np.dtype) -> InMemory:
    """Block in the one form that all formats are read in, or an error that names it."""
    if block.shape != shape:
        raise ValueError(
            f"{name} has {block.shape[0]} rows and {block.shape[1]} columns, but had {shape[0]} "
            f"and {shape[1]} when it was opened; do not change files while they are in use."
        )
    with wrap_read_errors(name, ValueError):
        in_bounds(block)
    return as_matrix(block, name).astype(dtype, copy=False)
