"""zarr stores: a dense array, a CSR group, or AnnData."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cocluster.blocks.disk.sources.arrays import Stored, open_stored
from cocluster.utils.optional import library

# Files that make a folder a store, of both versions of the format.
MARKS = ("zarr.json", ".zarray", ".zgroup")


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """The store as an array or a group."""
    zarr = library("zarr", "zarr stores", "zarr")
    yield zarr.open(path, mode="r")


def open_zarr(path: Path, memory: int) -> Stored:
    """Source of a 2-D array, of a group with data, indices, indptr and shape, or of ``X``."""
    return open_stored(path, opened, memory)


def is_store(folder: Path) -> bool:
    """Whether a folder is a zarr store."""
    return any((folder / mark).exists() for mark in MARKS)
