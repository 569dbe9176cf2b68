"""AnnData files (``.h5ad``), of which only the rows wanted are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cocluster.blocks.disk.sources.arrays import Stored, open_stored
from cocluster.utils.optional import library


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """The file as a group."""
    h5py = library("h5py", ".h5ad files", "omics")
    with h5py.File(path, "r") as file:
        yield file


def open_h5ad(path: Path, memory: int) -> Stored:
    """Source of ``.X`` of an AnnData file, dense or CSR."""
    return open_stored(path, opened, memory)
