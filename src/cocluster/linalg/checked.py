"""From anything like an array to one of the two matrices in memory that the library works on."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from cocluster.linalg.types import InMemory

# What scikit-learn's messages say is wrong, and the remedy they leave out.
_REMEDIES = (
    ("NaN", "Drop or fill missing values first, for example with sklearn.impute.SimpleImputer."),
    ("infinity", "Replace infinite values by finite ones, or drop their rows."),
    ("Complex data", "Pass real numbers, for example numpy.abs(X)."),
    ("string", "Encode text as numbers first, for example with a CountVectorizer."),
    ("sample(s)", "Pass a matrix with at least one row."),
    ("feature(s)", "Pass a matrix with at least one column."),
    ("with dim", "Pass one matrix, with samples as rows, or a dict of matrices as views."),
    ("1d sparse array", "Expected 2D data. Reshape your data to one row or one column."),
    ("fill value must be 0", "Use sparse columns whose fill value is 0."),
    ("sequence", "Pass a matrix of numbers with rows of equal length."),
)
# Letters by which numpy names kinds of types: text (U, S), bytes (V), durations and dates (m, M).
_TEXT_OR_DATES = frozenset("USVmM")

# Largest index that fits in 32 bits.
MOST_INT32 = np.iinfo(np.int32).max


def as_matrix(X: Any, name: str = "X", min_size: int = 1, *, allow_nan: bool = False) -> InMemory:
    """Check values and bring them to a C-ordered float ndarray or a canonical float csr_array.

    Parameters
    ----------
    X : array-like, scipy sparse array or matrix, or pandas DataFrame
    name : str
        What error messages call it.
    min_size : int
        Smallest number of rows and of columns that is accepted.
    allow_nan : bool
        Whether NaN stays, as the mark of an unknown entry. Of masked arrays the masked entries
        become NaN.
    """
    if allow_nan and np.ma.isMaskedArray(X):
        X = np.ma.filled(X.astype(np.result_type(X.dtype, np.float32)), np.nan)
    _refuse_unreadable(X, name)
    try:
        in_bounds(X)
    except ValueError as error:
        raise ValueError(
            f"{name} is a sparse matrix whose parts do not fit together ({error}); build it anew "
            "from its entries, for example as scipy.sparse.coo_array."
        ) from None
    try:
        checked = check_array(
            # scikit-learn would read sparse columns too, but as float64.
            X.sparse.to_coo() if hasattr(X, "sparse") else X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite="allow-nan" if allow_nan else True,
            ensure_min_samples=min_size,
            ensure_min_features=min_size,
            input_name=name,
        )
    except (TypeError, ValueError) as error:
        raise type(error)(_with_remedy(str(error), name)) from error
    return in_form(checked)


def in_form(X: InMemory) -> InMemory:
    """The same numbers as a C-ordered ndarray or a canonical csr_array, for values known as good.

    Costs next to nothing if X has that form already.
    """
    return _canonical(X) if sp.issparse(X) else np.ascontiguousarray(X)


def in_bounds(matrix: Any) -> Any:
    """A matrix from outside; ValueError if it is sparse and its indices point out of it.

    scipy's compiled code trusts indices: a wrong one reads or writes memory that is not the
    matrix's, and may end the interpreter. So they are looked at before any conversion.
    """
    layout = matrix.format if sp.issparse(matrix) else ""
    if layout in ("csr", "csc", "bsr"):
        # A matrix of its own, which shares the arrays: scipy's check may replace those of what it
        # looks at by shorter ones.
        parts = (matrix.data, matrix.indices, matrix.indptr)
        # scipy looks at the places of the rows only if the last one says that there are entries.
        if (matrix.indptr[1:] < matrix.indptr[:-1]).any():
            raise ValueError("index pointer values must form a non-decreasing sequence")
        type(matrix)(parts, shape=matrix.shape).check_format(full_check=True)
    elif layout == "lil":
        # Lists of Python, which are turned into arrays without harm; a wrong index stays in them.
        in_bounds(matrix.tocsr())
    elif layout == "coo":
        for indices, size in zip(_coordinates(matrix), matrix.shape, strict=True):
            if len(indices) and not 0 <= indices.min() <= indices.max() < size:
                raise ValueError(f"indices must be from 0 to {size - 1}")
    return matrix


def _coordinates(matrix: Any) -> tuple[Any, ...]:
    """Indices of the entries of a COO matrix, one array for each axis."""
    # scipy before 1.14 names them by axis, and knows no others than two.
    return getattr(matrix, "coords", None) or (matrix.row, matrix.col)


def _refuse_unreadable(X: Any, name: str) -> None:
    """Refuse what conversion to float would silently change: masks, text, dates."""
    if np.ma.isMaskedArray(X):
        raise TypeError(f"{name} is a masked array; fill it or drop the masked rows first.")
    dtypes = getattr(X, "dtypes", None)
    for dtype in [getattr(X, "dtype", None)] if dtypes is None else np.ravel(dtypes):
        kind = getattr(dtype, "kind", "")
        if kind in _TEXT_OR_DATES:
            raise ValueError(f"{name} holds {dtype} values; encode text and dates as numbers.")
        # Objects may be anything, also numbers. "7" would become 7, which a code or a name is not.
        texts = (v for v in np.asarray(X, object).flat if isinstance(v, str)) if kind == "O" else ()
        for text in texts:
            raise ValueError(
                f"{name} holds text ({text!r}); encode text as numbers first, for example with a "
                "CountVectorizer, and numbers that are held as text by .astype(float)."
            )


def _with_remedy(message: str, name: str) -> str:
    """Message of scikit-learn that names the input and says what to do."""
    if message.startswith("Complex data"):
        message = message.splitlines()[0] + "."  # the rest prints the matrix
    if f"Input {name}" not in message:
        message = f"{name}: {message}"
    if "Reshape your data" in message:
        return message
    remedy = next((remedy for key, remedy in _REMEDIES if key in message), "")
    return f"{message} {remedy}".rstrip()


def _canonical(X: Any) -> InMemory:
    """csr_array with sorted, distinct 32-bit indices; shares memory with X if X is so already."""
    matrix = sp.csr_array(X)
    if matrix.indices.dtype != np.int32 and max(*matrix.shape, matrix.nnz) <= MOST_INT32:
        # Half the memory, and scikit-learn takes no others.
        parts = (matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32))
        matrix = sp.csr_array(parts, shape=matrix.shape)
    if not matrix.has_canonical_format:
        # A copy, because duplicates are summed in place and the arrays may be the user's.
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix
