"""Matrices without column roles: numpy's ``.npz`` and ``.npy``, Matrix Market, CLUTO's text."""

from __future__ import annotations

import re
from inspect import signature
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from cocluster.io.dataset import Dataset, Reading, encode_labels, list_names
from cocluster.io.files import read_text, split_lines
from cocluster.io.options import ReadOptions
from cocluster.io.tables.parse import LABEL_NAMES
from cocluster.linalg.npz import load_arrays, matrices_in
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.text import as_float

# Option of the functions of scipy.io for sparse arrays; older versions of scipy lack it.
AS_ARRAY: dict[str, Any] = (
    {"spmatrix": False} if "spmatrix" in signature(scipy.io.mmread).parameters else {}
)
# Python refuses to parse integers of some thousand digits; no size has as many as this.
SIZE = r"\d{1,100}"


def read_npz(file: Path, options: ReadOptions) -> Dataset:
    """Read a ``.npz`` or ``.npy`` file: the matrices that have as many rows as the first."""
    arrays = load_arrays(file, options.byte_limit(file))
    for key, shape in arrays.items():
        # Empty rows and columns of a sparse matrix take no room in the file, but in memory.
        if key.endswith("shape") and shape.dtype.kind in "iu":
            options.check_size(file, int(shape.sum()), "rows and columns")
    with wrap_read_errors(file.name, ValueError, TypeError):
        matrices, extras = matrices_in(arrays)
    if not matrices:
        names = list_names(map(repr, extras)) or "nothing"
        raise ValueError(f"{file.name} holds no matrix of numbers; it holds {names}.")
    n = next(iter(matrices.values())).shape[0]
    candidates = LABEL_NAMES if options.label is None else (options.label,)
    key = next((k for k in candidates if k in extras and extras[k].shape == (n,)), "")
    if options.label and not key:
        raise ValueError(f"{file.name} has no array {options.label!r} with one class for each row.")
    labels, class_names = _take_classes(extras, key) if key else (None, None)
    return Dataset(
        file.stem,
        # A matrix with another number of rows, such as a similarity of features, is no view.
        {name: X for name, X in matrices.items() if X.shape[0] == n},
        labels=labels,
        class_names=class_names,
        feature_names=_take_feature_names(extras, matrices),
        extras=extras,
        reading=Reading(label=key),
    )


def _take_classes(extras: dict[str, Array], key: str) -> tuple[Array | None, Array | None]:
    """Remove the classes from the further arrays; return their codes and names."""
    values = extras.pop(key)
    # `write` stores codes, with the names of the classes beside them.
    names = extras.get("class_names")
    if names is not None and values.dtype.kind in "iu" and values.max(initial=-1) < len(names):
        return values.astype(np.int64), extras.pop("class_names")
    return encode_labels(values.tolist())


def _take_feature_names(
    extras: dict[str, Array], matrices: dict[str, InMemory]
) -> dict[str, Array]:
    """Remove the names of features from the further arrays; return them by view."""
    names = {}
    for view, X in matrices.items():
        for key in (f"{view}_names", "feature_names", "terms"):
            if key in extras and extras[key].shape == X.shape[1:]:
                names[view] = extras.pop(key)
                break
    return names


def is_cluto(file: Path) -> bool:
    """Return whether a file begins with a line of two or three integers."""
    with file.open("rb") as stream:
        # A binary file may have no line end at all; three integers need far less than this.
        return re.fullmatch(rb"\s*\d+\s+\d+(\s+\d+)?\s*", stream.readline(200)) is not None


def read_cluto(file: Path, options: ReadOptions) -> Dataset:
    """Read a CLUTO matrix, dense or sparse, with its files of names.

    ``FILE.rlabel`` names the rows, ``FILE.clabel`` the columns, ``FILE.rclass`` the classes.
    """
    text, notes = read_text(file)
    header, *lines = split_lines(text)
    sizes = [int(word) for word in header.split() if re.fullmatch(SIZE, word)]
    if len(sizes) != len(header.split()) or len(sizes) not in (2, 3):
        raise ValueError(f"{file.name}: line 1 must hold two or three whole numbers.")
    n, m = sizes[:2]
    # An empty column takes no room in the file, but in memory.
    options.check_size(file, m, "columns")
    while len(lines) > n and not lines[-1].strip():
        lines.pop()
    if len(lines) != n:
        raise ValueError(
            f"{file.name}: line 1 announces {n} rows but {len(lines)} follow; it may be cut off."
        )
    X = _parse_sparse(file, lines, sizes) if len(sizes) == 3 else _parse_dense(file, lines, m)
    rows, columns, classes = (_cluto_names(file, end) for end in (".rlabel", ".clabel", ".rclass"))
    if columns is not None and len(columns) != m:
        raise ValueError(
            f"{file.name}.clabel has {len(columns)} names but {file.name} {m} columns; they must "
            "fit."
        )
    labels, class_names = encode_labels(classes)
    return Dataset(
        file.stem,
        {"X": X},
        labels=labels,
        class_names=class_names,
        sample_names=None if rows is None else np.array(rows),
        feature_names={} if columns is None else {"X": np.array(columns)},
        notes=notes,
        reading=Reading(label="" if classes is None else f"{file.name}.rclass"),
    )


def read_matrix_market(file: Path, options: ReadOptions) -> Dataset:
    """Read a ``.mtx`` file, samples as rows; it holds no labels."""
    # The compiled reader would read past the end of a last line without a line end.
    content = file.read_bytes() + b"\n"
    with wrap_read_errors(file.name, ValueError, EOFError, OSError, OverflowError, StopIteration):
        _check_matrix_market(file, content, options)
        X = scipy.io.mmread(BytesIO(content), **AS_ARRAY)
    # Older versions of scipy return a matrix.
    X = sp.csr_array(X) if sp.issparse(X) else X
    return Dataset(file.name.split(".")[0], {"X": X.astype(np.float64)})


def _check_matrix_market(file: Path, content: bytes, options: ReadOptions) -> None:
    """Raise ValueError for a Matrix Market file that scipy would misread or crash on."""
    if b"\0" in content:
        # scipy's compiled reader takes it for the end of a text and runs past its buffer.
        raise ValueError(f"{file.name} holds a NUL byte; it is damaged or no text, get it again.")
    n, m, entries, _, kind, _ = scipy.io.mminfo(BytesIO(content))
    if kind == "complex":
        raise ValueError(f"{file.name} holds complex numbers; store real ones, such as abs(X).")
    if n < 1 or m < 1:
        # scipy's compiled reader divides by the number of rows.
        raise ValueError(f"{file.name} announces {n} rows and {m} columns: it holds no data.")
    # An entry takes at least two bytes, and symmetry may omit half of the entries. Without this
    # check a file of a few bytes could ask for any amount of memory.
    if entries > 2 * (len(content) - 1):
        raise ValueError(f"{file.name} announces {entries} entries but is too short for them.")
    # Empty rows and columns take no room in the file, but in memory.
    options.check_size(file, n + m, "rows and columns")


def _parse_sparse(file: Path, lines: list[str], sizes: list[int]) -> sp.csr_array:
    """Parse rows of pairs: column, counted from 1, and value."""
    n, m, nnz = sizes
    rows = [_parse_numbers(file, i, line) for i, line in enumerate(lines, start=2)]
    for line, row in enumerate(rows, start=2):
        columns = row[::2]
        if len(row) % 2 or ((columns < 1) | (columns > m) | (columns != np.floor(columns))).any():
            raise ValueError(
                f"{file.name}, line {line}: expected pairs of a column (1 to {m}) and a value."
            )
    pairs = np.concatenate([*rows, np.empty(0)])
    if len(pairs) != 2 * nnz:
        raise ValueError(
            f"{file.name}: line 1 announces {nnz} entries but there are {len(pairs) // 2}; it may "
            "be cut off."
        )
    indptr = np.cumsum([0, *(len(row) // 2 for row in rows)])
    X = sp.csr_array((pairs[1::2], pairs[::2].astype(np.int64) - 1, indptr), shape=(n, m))
    X.sum_duplicates()
    return X


def _parse_dense(file: Path, lines: list[str], m: int) -> Array:
    """Parse rows of m values."""
    rows = [_parse_numbers(file, i, line) for i, line in enumerate(lines, start=2)]
    for line, row in enumerate(rows, start=2):
        if len(row) != m:
            raise ValueError(f"{file.name}, line {line}: expected {m} values, found {len(row)}.")
    return np.stack(rows)


def _parse_numbers(file: Path, line: int, text: str) -> Array:
    """Parse the numbers of a line."""
    try:
        return np.array([as_float(word) for word in text.split()], dtype=np.float64)
    except ValueError as error:
        raise ValueError(f"{file.name}, line {line}: {error}.") from None


def _cluto_names(file: Path, ending: str) -> list[str] | None:
    """Return the names in the file beside the matrix, one per line; None without such a file."""
    names_file = file.with_name(file.name + ending)
    return split_lines(read_text(names_file)[0]) if names_file.exists() else None
