"""Parquet in long format: one line for each entry, with columns sample, feature and value."""

from __future__ import annotations

import errno
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.blocks.disk.memory import readable
from cocluster.blocks.disk.sources.base import budget, cut_rows, index_bytes
from cocluster.blocks.disk.sources.folder import Blocks, open_files
from cocluster.linalg.checked import as_matrix
from cocluster.linalg.types import Array
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.optional import library

# Columns of a table in long format.
LONG = ("sample", "feature", "value")
# Bytes of a line while it is worked on: two texts, their codes, positions and sorted copies.
LINE_BYTES = 256
# Bytes of a name besides its text: an object in a list, and its place in a table of names.
NAME_BYTES = 100


def open_parquet(path: Path, memory: int) -> Blocks:
    """Source of a file or folder in long format, with lines in any order.

    The names of samples and features are collected first, in the order in which they appear; then
    entries are sorted into row blocks in a temporary folder, which is removed with the source.
    Repeated entries are added.
    """
    lines = _lines(path, memory)
    samples, features = Names(), Names()
    row_entries = _survey(lines, samples, features, memory)
    if not len(samples):
        raise ValueError(f"{path.name} has no lines.")
    entry = np.dtype(lines.dtype).itemsize + index_bytes(len(features))
    costs = row_entries * entry + index_bytes(len(features))
    row_counts = cut_rows([costs], path.name, memory)
    folder = Path(tempfile.mkdtemp(prefix="cocluster-"))
    try:
        with disk_room(folder, int(row_entries.sum()) * entry_type(lines.dtype).itemsize, path):
            coded = (
                (samples.codes(sample), features.codes(feature), value)
                for sample, feature, value in lines
            )
            scatter(coded, np.cumsum(row_counts), lines.dtype, folder)
            names = gather(folder, row_counts, len(features), lines.dtype, path.name)
        return _source(folder, names, samples, features, memory)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _source(folder: Path, names: list[str], samples: Names, features: Names, memory: int) -> Blocks:
    """Source that takes its folder with it when it goes."""
    blocks = open_files(folder.glob("*.npz"), memory)
    source = replace(
        blocks,
        pieces=tuple(
            replace(piece, name=name) for piece, name in zip(blocks.pieces, names, strict=True)
        ),
        column_names=features.as_array(),
        row_names=samples.as_array(),
    )
    # Also when the interpreter ends; a plain __del__ might come too late for that.
    weakref.finalize(source, shutil.rmtree, folder, ignore_errors=True)
    return source


class Names:
    """Names, numbered as they first appear."""

    def __init__(self) -> None:
        self._names = _pyarrow().array([], _pyarrow().large_string())

    def __len__(self) -> int:
        return len(self._names)

    @property
    def n_bytes(self) -> int:
        """Bytes of the names, as they are kept and as they are handed out."""
        return 2 * int(self._names.nbytes) + NAME_BYTES * len(self)

    def codes(self, names: Any) -> Array:
        """Numbers of the names in an Arrow array, new ones after those that are known."""
        # Each name of a batch is looked up once, however often it occurs.
        encoded = names.dictionary_encode()
        positions = _compute().index_in(encoded.dictionary, value_set=self._names)
        new = encoded.dictionary.filter(positions.is_null())
        codes = positions.fill_null(-1).to_numpy(zero_copy_only=False).copy()
        # New names are numbered after the known ones, in the order in which they come.
        codes[codes < 0] = len(self) + np.arange(len(new))
        if len(new):
            self._names = _pyarrow().concat_arrays([self._names, new])
        return np.asarray(codes[encoded.indices.to_numpy()])

    def as_array(self) -> Array:
        """All names in their order."""
        return np.asarray(self._names.to_numpy(zero_copy_only=False))


@dataclass(frozen=True)
class Lines:
    """The lines of some files, streamed anew in every iteration.

    `columns` are, by file, its names of the columns sample, feature and value.
    """

    columns: dict[Path, tuple[str, ...]]
    dtype: np.dtype
    at_once: int

    def __iter__(self) -> Iterator[tuple[Any, Any, Array]]:
        """Samples and features as Arrow arrays, and values."""
        for file, columns in self.columns.items():
            with wrap_read_errors(file.name, *_errors()), _open_file(file) as opened:
                for batch in opened.iter_batches(self.at_once, columns=list(columns)):
                    sample, feature, value = (_plain(file, batch, name) for name in columns)
                    numbers = value.to_numpy(zero_copy_only=False).astype(self.dtype)
                    yield _texts(sample), _texts(feature), numbers


def _survey(lines: Lines, samples: Names, features: Names, memory: int) -> Array:
    """Collect all names; the number of entries of each sample."""
    counts = np.zeros(0, dtype=np.int64)
    for sample, feature, _ in lines:
        rows = samples.codes(sample)
        features.codes(feature)
        counts = np.pad(counts, (0, len(samples) - len(counts)))
        counts += np.bincount(rows, minlength=len(counts))
        taken = samples.n_bytes + features.n_bytes
        if 2 * taken > memory:
            raise ValueError(
                f"The names of {len(samples)} samples and {len(features)} features "
                f"take {readable(taken)}, more than half of the memory, and more may "
                f"come; allow much more than {readable(2 * taken)}."
            )
    return counts


def _lines(path: Path, memory: int) -> Lines:
    """Files in long format, after a look at their columns."""
    pyarrow = _pyarrow()
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    columns, single = {}, True
    n_lines = 0
    for file in files:
        with wrap_read_errors(file.name, *_errors()), _open_file(file) as opened:
            schema, n_lines = opened.schema_arrow, n_lines + opened.metadata.num_rows
            columns[file] = _long_columns(file, schema.names)
        value = schema.field(columns[file][-1]).type
        numeric = pyarrow.types.is_floating(value) or pyarrow.types.is_integer(value)
        if not numeric and not pyarrow.types.is_decimal(value):
            raise ValueError(f"{file.name}: column 'value' holds {value}; store numbers.")
        single = single and value == pyarrow.float32()
    if n_lines == 0:
        raise ValueError(f"{path.name} has no lines.")
    # Not so few that every batch is mostly overhead, nor more than a row group mostly has.
    at_once = int(np.clip(budget(memory) // LINE_BYTES, 256, 1 << 20))
    return Lines(columns, np.dtype(np.float32 if single else np.float64), at_once)


def _long_columns(file: Path, names: list[str]) -> tuple[str, ...]:
    """The columns sample, feature and value as a file spells them."""
    lower = {name.strip().lower(): name for name in names}
    if not all(name in lower for name in LONG):
        raise ValueError(
            f"{file.name} has no columns {', '.join(LONG)} but {', '.join(names[:10])}; only the "
            "long format, with one line for each entry, is read block by block."
        )
    if "modality" in lower:
        raise ValueError(
            f"{file.name} has a column 'modality'; write one modality, without that column, to "
            "each file: matrices are read block by block one at a time."
        )
    return tuple(lower[name] for name in LONG)


def _plain(file: Path, batch: Any, name: str) -> Any:
    """Column of a batch without dictionary, in which nothing may be missing."""
    column = batch.column(name)
    if column.null_count:
        raise ValueError(
            f"{file.name} misses {column.null_count} of {len(column)} cells of column {name!r} in "
            "one place; drop those lines or fill the cells."
        )
    return column.dictionary_decode() if hasattr(column, "dictionary") else column


def _texts(column: Any) -> Any:
    """Names as text, spelled as the reader in memory spells them."""
    pyarrow = _pyarrow()
    # Damaged texts would come to light only much later, when the names are handed out.
    column.validate(full=True)
    if column.type in (pyarrow.string(), pyarrow.large_string()) or pyarrow.types.is_integer(
        column.type
    ):
        return column.cast(pyarrow.large_string())
    spelled = column.to_numpy(zero_copy_only=False).astype(str)
    return pyarrow.array(spelled, pyarrow.large_string())


def _open_file(file: Path) -> Any:
    """A parquet file, read piece by piece."""
    # Without a buffer whole column chunks would be held.
    return library("pyarrow.parquet", "parquet files", "parquet").ParquetFile(
        file, buffer_size=1 << 16, pre_buffer=False
    )


def _pyarrow() -> Any:
    """The library that reads parquet."""
    return library("pyarrow", "parquet files", "parquet")


def _errors() -> tuple[type[Exception], ...]:
    """What it raises on a file that is damaged."""
    return _pyarrow().ArrowException, OSError, UnicodeDecodeError


def _compute() -> Any:
    """Its functions of arrays."""
    return library("pyarrow.compute", "parquet files", "parquet")


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
        for number, batch in zip(numbers, np.split(records, first[1:]), strict=True):
            with _bucket(folder, number).open("ab") as stream:
                stream.write(batch.view(np.uint8).data)  # the bytes, without a copy


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
