"""CLUTO's matrices as text, and Matrix Market files."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

from cocluster.io.dataset import Dataset, Reading
from cocluster.io.readers.archives import refuse_size
from cocluster.io.readers.common import (
    AS_ARRAY,
    encode_labels,
    encoding_notes,
    lines_of,
    read_text,
)
from cocluster.io.readers.options import ReadOptions
from cocluster.linalg.types import Array
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.text import as_float

# More digits than any size has; of some thousands Python makes no number.
SIZE = r"\d{1,100}"


def is_cluto(file: Path) -> bool:
    """Whether a file begins with a line of two or three whole numbers."""
    with file.open("rb") as stream:
        # A binary file may have no line end at all; three numbers need far less than this.
        return re.fullmatch(rb"\s*\d+\s+\d+(\s+\d+)?\s*", stream.readline(200)) is not None


def read_cluto(file: Path, asked: ReadOptions) -> Dataset:
    """Data set of a CLUTO matrix, dense or sparse, with its files of names.

    ``FILE.rlabel`` names the rows, ``FILE.clabel`` the columns, ``FILE.rclass`` the classes.
    """
    text, latin = read_text(file)
    header, *lines = lines_of(text)
    sizes = [int(word) for word in header.split() if re.fullmatch(SIZE, word)]
    if len(sizes) != len(header.split()) or len(sizes) not in (2, 3):
        raise ValueError(f"{file.name}: line 1 must hold two or three whole numbers.")
    n, m = sizes[:2]
    # An empty column takes no room in the file, but a place in whatever counts columns.
    refuse_size(file, m, "columns", asked.max_bytes)
    while len(lines) > n and not lines[-1].strip():
        lines.pop()
    if len(lines) != n:
        raise ValueError(
            f"{file.name}: line 1 announces {n} rows but {len(lines)} follow; it may be cut off."
        )
    X = _sparse(file, lines, sizes) if len(sizes) == 3 else _dense(file, lines, m)
    rows, columns, classes = (_names(file, end) for end in (".rlabel", ".clabel", ".rclass"))
    labels, class_names = encode_labels(classes)
    return Dataset(
        file.stem,
        {"X": X},
        labels=labels,
        class_names=class_names,
        sample_names=None if rows is None else np.array(rows),
        feature_names={} if columns is None else {"X": _of_size(file, columns, m)},
        notes=encoding_notes([file.name] if latin else []),
        reading=Reading(label="" if classes is None else f"{file.name}.rclass"),
    )


def read_matrix_market(file: Path, asked: ReadOptions) -> Dataset:
    """Data set of a ``.mtx`` file, samples as rows; it holds no labels."""
    content = file.read_bytes()
    errors = (ValueError, EOFError, OSError, OverflowError, StopIteration)
    with wrap_read_errors(file.name, *errors):
        _refuse_market(file, content, asked)
        X = scipy.io.mmread(_stream(content), **AS_ARRAY)
    # Older versions of scipy give a matrix.
    X = sp.csr_array(X) if sp.issparse(X) else X
    return Dataset(file.name.split(".")[0], {"X": X.astype(np.float64)})


def _refuse_market(file: Path, content: bytes, asked: ReadOptions) -> None:
    """Refuse a Matrix Market file that scipy would read wrongly, or crash on."""
    if b"\0" in content:
        # scipy's compiled reader takes it for the end of a text and runs past its buffer.
        raise ValueError(f"{file.name} holds a NUL byte; it is damaged or no text, get it again.")
    n, m, entries, _, values, _ = scipy.io.mminfo(_stream(content))
    if values == "complex":
        raise ValueError(f"{file.name} holds complex numbers; store real ones, such as abs(X).")
    if n < 1 or m < 1:
        # scipy's compiled reader divides by the number of rows.
        raise ValueError(f"{file.name} announces {n} rows and {m} columns: it holds no data.")
    # An entry takes two bytes at least, and half of them may be left out by symmetry. Without
    # this a file of a few bytes could ask for any amount of memory.
    if entries > 2 * len(content):
        raise ValueError(f"{file.name} announces {entries} entries but is too short for them.")
    # Empty rows and columns take no room in the file, but in memory they do.
    refuse_size(file, n + m, "rows and columns", asked.max_bytes)


def _stream(content: bytes) -> BytesIO:
    """Contents as a file; a last line without an end would be read past its end."""
    return BytesIO(content + b"\n")


def _sparse(file: Path, lines: list[str], sizes: list[int]) -> sp.csr_array:
    """Rows of pairs: column (counted from 1) and value."""
    n, m, nnz = sizes
    cells = [_numbers(file, i, line) for i, line in enumerate(lines, start=2)]
    for line, row in enumerate(cells, start=2):
        columns = row[::2]
        if len(row) % 2 or ((columns < 1) | (columns > m) | (columns != np.floor(columns))).any():
            raise ValueError(
                f"{file.name}, line {line}: expected pairs of a column (1 to {m}) and a value."
            )
    flat = np.concatenate([*cells, np.empty(0)])
    if len(flat) != 2 * nnz:
        raise ValueError(
            f"{file.name}: line 1 announces {nnz} entries but there are {len(flat) // 2}; it may "
            "be cut off."
        )
    indptr = np.cumsum([0, *(len(row) // 2 for row in cells)])
    X = sp.csr_array((flat[1::2], flat[::2].astype(np.int64) - 1, indptr), shape=(n, m))
    X.sum_duplicates()
    return X


def _dense(file: Path, lines: list[str], m: int) -> Array:
    """Rows of m values."""
    rows = [_numbers(file, i, line) for i, line in enumerate(lines, start=2)]
    for line, row in enumerate(rows, start=2):
        if len(row) != m:
            raise ValueError(f"{file.name}, line {line}: expected {m} values, found {len(row)}.")
    return np.stack(rows)


def _numbers(file: Path, line: int, text: str) -> Array:
    """Numbers of a line."""
    try:
        return np.array([as_float(word) for word in text.split()], dtype=np.float64)
    except ValueError as error:
        raise ValueError(f"{file.name}, line {line}: {error}.") from None


def _names(file: Path, ending: str) -> list[str] | None:
    """Names in the file beside the matrix, one a line; None without such a file."""
    beside = file.with_name(file.name + ending)
    return lines_of(read_text(beside)[0]) if beside.exists() else None


def _of_size(file: Path, names: list[str], m: int) -> Array:
    """Names of columns, of which there must be one for each."""
    if len(names) != m:
        raise ValueError(
            f"{file.name}.clabel has {len(names)} names but {file.name} {m} columns; they must fit."
        )
    return np.array(names)
