"""Entries in any order, sorted into row blocks by way of the disk."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from cocluster.blocks.disk.memory import readable
from cocluster.linalg.checked import as_matrix
from cocluster.linalg.types import Array

# No room on the disk, or none left to this user.
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


def entry_type(dtype: np.dtype) -> np.dtype:
    """One entry in a file of a bucket; rows are counted from the first of the bucket."""
    return np.dtype([("row", np.int32), ("column", np.int32), ("value", dtype)])


def scatter(
    entries: Iterable[tuple[Array, Array, Array]], ends: Array, dtype: np.dtype, folder: Path
) -> None:
    """Append entries (rows, columns, values) to one file for each range of rows.

    `ends` are the ends of the ranges, the first of which starts at 0.
    """
    starts = np.append(0, ends[:-1])
    for rows, columns, values in entries:
        bucket = np.searchsorted(ends, rows, side="right")
        # Sorted by bucket, each file is appended to once per batch.
        order = np.argsort(bucket, kind="stable")
        records = np.empty(len(rows), dtype=entry_type(dtype))
        records["row"] = (rows - starts[bucket])[order]
        records["column"] = columns[order]
        records["value"] = values[order]
        numbers, first = np.unique(bucket[order], return_index=True)
        for number, part in zip(numbers, np.split(records, first[1:]), strict=True):
            with _bucket(folder, number).open("ab") as stream:
                stream.write(part.view(np.uint8).data)  # the bytes, without a copy


def gather(
    folder: Path, row_counts: tuple[int, ...], n_columns: int, dtype: np.dtype, name: str
) -> list[str]:
    """Turn every bucket into a CSR block, with repeated entries added; names of the blocks."""
    names = []
    for number, (start, stop) in enumerate(pairwise(accumulate(row_counts, initial=0))):
        bucket = _bucket(folder, number)
        rows, columns, values = _fields(bucket, dtype)
        bucket.unlink()
        shape = (stop - start, n_columns)
        block = sp.coo_array((values, (rows, columns)), shape=shape).tocsr()
        del rows, columns, values  # as large as the block, which is now checked and written
        names.append(f"rows {start}:{stop} of {name}")
        sp.save_npz(folder / f"{number}.npz", as_matrix(block, names[-1]), compressed=False)
    return names


@contextmanager
def disk_room(folder: Path, needed: int, path: Path) -> Iterator[None]:
    """Refuse a disk that is too small, before and while it is written to."""
    message = (
        f"Sorting {path.name} into row blocks needs {readable(needed)} in {folder.parent}, which "
        "has not so much left; free some, or set TMPDIR to a folder on a larger disk."
    )
    if shutil.disk_usage(folder).free < needed:
        raise OSError(errno.ENOSPC, message)
    try:
        yield
    except OSError as error:
        if error.errno not in DISK_FULL:
            raise
        raise OSError(errno.ENOSPC, message) from error


def _fields(bucket: Path, dtype: np.dtype) -> list[Array]:
    """Rows, columns and values of a bucket."""
    entries = np.fromfile(bucket, dtype=entry_type(dtype))
    return [entries[field].copy() for field in ("row", "column", "value")]


def _bucket(folder: Path, number: int) -> Path:
    """File of a range of rows."""
    return folder / f"{number}.entries"
