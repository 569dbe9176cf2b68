"""Matrices on disk in many formats, read in blocks of rows."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from cocluster.blocks.disk.memory import readable
from cocluster.blocks.disk.sources.arrays import is_store, open_h5ad, open_zarr
from cocluster.blocks.disk.sources.base import Source
from cocluster.blocks.disk.sources.folder import ENDINGS, open_files
from cocluster.blocks.disk.sources.parquet import open_parquet

__all__ = ["Source", "open_source"]

UNDERSTOOD = (
    "a folder of row blocks (.npz, .npy; see write_blocks), a zarr store, parquet in long format "
    "(a file or a folder), or an .h5ad file"
)


def open_source(path: str | os.PathLike[str], memory: int) -> Source:
    """Open a matrix on disk, of which one block at a time is read.

    ==========================  ==================================================================
    folder of ``.npz``          CSR row blocks as `scipy.sparse.save_npz` and `write_blocks` write
                                them, or dense blocks as the only array; in natural order of names
    ``.npy``                    dense blocks, alone or in a folder; read by rows
    zarr                        a 2-D array, a group with data, indices, indptr and shape (CSR),
                                or AnnData, whose ``X`` is read
    ``.parquet``                long format: columns sample, feature, value; a file or a folder.
                                Sorted into row blocks in a temporary folder (see `tempfile`)
    ``.h5ad``                   AnnData, whose ``X`` is read, dense or CSR
    ==========================  ==================================================================

    Parameters
    ----------
    path : path
    memory : int
        Bytes; one block takes at most an eighth of it.

    Returns
    -------
    Source
    """
    source = _open_path(Path(path), memory)
    # Columns without entries take no room on disk, but a place in whatever counts columns.
    needed = source.shape[1] * np.dtype(float).itemsize
    if needed > memory:
        raise ValueError(
            f"{Path(path).name} has {source.shape[1]:,} columns, and a number for each of them "
            f"takes {readable(needed)} where {readable(memory)} is allowed; allow more, or get the "
            "file again if it should have fewer."
        )
    return source


def _open_path(path: Path, memory: int) -> Source:
    """Source of a file or folder by what it is called, or holds."""
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    if path.is_dir():
        return _open_folder(path, memory)
    if path.stat().st_size == 0:
        raise ValueError(f"{path.name} is empty.")
    ending = path.suffix.lower()
    if ending in ENDINGS:
        return open_files([path], memory)
    if ending == ".h5ad":
        return open_h5ad(path, memory)
    if ending == ".parquet":
        return open_parquet(path, memory)
    raise ValueError(f"{path.name}: files that end so are not read; give {UNDERSTOOD}.")


def _open_folder(folder: Path, memory: int) -> Source:
    """Source of a folder by what it holds."""
    # A store first: its chunks may have any names.
    if is_store(folder):
        return open_zarr(folder, memory)
    blocks = [file for file in folder.iterdir() if file.suffix.lower() in ENDINGS]
    tables = any(folder.rglob("*.parquet"))
    if blocks and tables:
        raise ValueError(f"Folder {folder.name} holds both blocks and parquet; keep one kind.")
    if blocks:
        return open_files(blocks, memory, folder)
    if tables:
        return open_parquet(folder, memory)
    raise ValueError(f"Folder {folder.name} holds no data that are understood; give {UNDERSTOOD}.")
