"""AnnData files (``.h5ad``), of which only the rows wanted are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.blocks.disk.sources.arrays import Stored, open_stored
from cocluster.blocks.disk.sources.trying import refuse_damaged
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.optional import library

# Attributes of a sparse matrix that tell its shape; the second one in files of early versions.
SHAPES = ("shape", "h5sparse_shape")


@contextmanager
def opened(path: Path) -> Iterator[Any]:
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
    return open_stored(path, opened, memory)
