"""Row blocks written to a folder, from which they are read one at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from cocluster.blocks.disk.sources.folder import LISTED
from cocluster.linalg.checked import as_matrix
from cocluster.linalg.matrices import n_bytes
from cocluster.linalg.types import InMemory
from cocluster.utils.files import new_folder

# Small enough for any memory, large enough for a disk to be read at full speed.
BLOCK_BYTES = 32_000_000


def write_blocks(
    blocks: InMemory | Iterable[InMemory],
    folder: str | os.PathLike[str],
    *,
    rows_per_block: int | None = None,
) -> Path:
    """Write a matrix to a new folder of row blocks, all of it or nothing.

    Parameters
    ----------
    blocks : matrix, or iterable of matrices
        The whole, or consecutive blocks of rows with the same columns, such as a generator that
        never holds more than one. Sparse blocks are written as `scipy.sparse.save_npz` does,
        dense ones as ``.npy``, neither compressed: they are read again in every sweep. A small
        file lists them, so that one that is lost is missed.
    folder : path
        A folder that does not exist yet or is empty.
    rows_per_block : int, optional
        Blocks of more rows are cut; by default those that take more than 32 MB.

    Returns
    -------
    Path
        The folder.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = write_blocks((np.ones((2, 3)) for _ in range(4)), f"{place}/blocks")
    ...     len(list(folder.glob("*.npy")))
    4
    """
    if rows_per_block is not None and rows_per_block < 1:
        raise ValueError(f"rows_per_block must be at least 1, not {rows_per_block}.")
    target = Path(folder)
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise FileExistsError(f"{target} is not empty; name a new folder or remove it first.")
    with new_folder(target) as unfinished:
        rows = {}
        for number, piece in enumerate(_pieces(blocks, rows_per_block)):
            sparse = sp.issparse(piece)
            file = unfinished / f"part-{number:06d}{'.npz' if sparse else '.npy'}"
            if sparse:
                sp.save_npz(file, piece, compressed=False)
            else:
                np.save(file, piece)
            rows[file.name] = piece.shape[0]
        if not rows:
            raise ValueError("There are no blocks to write; pass at least one matrix.")
        (unfinished / LISTED).write_text(json.dumps({"rows": rows}), encoding="utf-8")
    return target


def _pieces(
    blocks: InMemory | Iterable[InMemory], rows_per_block: int | None
) -> Iterator[InMemory]:
    """Checked blocks that are small enough."""
    single = hasattr(blocks, "shape")  # a matrix could be iterated over, too: row by row
    n_columns = None
    for number, block in enumerate([blocks] if single else blocks):
        name = "X" if single else f"block {number}"
        matrix = as_matrix(block, name)
        n_columns = n_columns or matrix.shape[1]
        if matrix.shape[1] != n_columns:
            raise ValueError(
                f"{name} has {matrix.shape[1]} columns, but block 0 has {n_columns}; all blocks "
                "must have the same columns."
            )
        # By the average size of a row; the one more byte is for a matrix that has none.
        step = rows_per_block or max(BLOCK_BYTES * matrix.shape[0] // (n_bytes(matrix) + 1), 1)
        for start in range(0, matrix.shape[0], step):
            yield matrix[start : start + step]
