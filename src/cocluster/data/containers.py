"""From what a user holds (arrays, sparse matrices, frames, annotated data) to one checked matrix.

Containers are recognised by what they offer, not by class: no frame library is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from cocluster.linalg.matrices import Array, Matrix, is_blocked

# What scikit-learn's messages say is wrong, and the remedy they leave out.
_REMEDIES = (
    ("NaN", "Drop or fill missing values first, for example with sklearn.impute.SimpleImputer."),
    ("infinity", "Replace infinite values by finite ones, or drop their rows."),
    ("Complex data", "Pass real numbers, for example numpy.abs(X)."),
    ("string", "Encode text as numbers first, for example with a CountVectorizer."),
    ("sample(s)", "Pass a matrix with at least one row."),
    ("feature(s)", "Pass a matrix with at least one column."),
    ("with dim", "Pass one matrix, with samples as rows, or a dict of matrices as views."),
    ("fill value must be 0", "Use sparse columns whose fill value is 0."),
    ("sequence", "Pass a matrix of numbers with rows of equal length."),
)
_TEXT_OR_DATES = frozenset("USVmM")

MOST_INT32 = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Table:
    """One matrix with the names its container had.

    Attributes
    ----------
    matrix : ndarray (C order) or csr_array, float32 or float64
    row_ids : object array of shape (n_rows,) or None
        ids of the samples, None where the container has none.
    column_names : object array of shape (n_columns,) or None
    """

    matrix: Matrix
    row_ids: Array | None = None
    column_names: Array | None = None


def as_table(X: Any, name: str = "X") -> Table:
    """Read one matrix of any container.

    Parameters
    ----------
    X : array-like, scipy sparse array or matrix, pandas or polars DataFrame, AnnData, row blocks
        (`cocluster.blocks`), Dask array or Dask DataFrame
        Samples are rows. Of AnnData only ``.X`` is read. The default index and the default
        columns of pandas (0, 1, 2, ...) are positions, not names.
    name : str
        What error messages call it.

    Returns
    -------
    Table
        Its matrix shares memory with `X` wherever type and layout allow; `X` is never changed.
    """
    if is_blocked(X):
        return Table(X, X.row_names, X.column_names)
    if hasattr(X, "__dask_graph__"):
        from cocluster.blocks.dask.matrix import dask_blocks

        blocks = dask_blocks(X)
        return Table(blocks, None, blocks.column_names)
    if has_views(X):
        raise TypeError(f"{name} holds several matrices; pass one, or use star() for views.")
    if hasattr(X, "obs_names"):
        return _read(_anndata_matrix(X, name), name, X.obs_names, X.var_names)
    if hasattr(X, "get_columns"):
        return _read(X.to_numpy(), name, None, X.columns)
    if hasattr(X, "collect_schema"):
        raise TypeError(f"{name} is a lazy frame; pass the result of its collect() method.")
    if hasattr(X, "iloc"):
        return _read(X, name, X.index, getattr(X, "columns", None))
    return _read(X, name)


def has_views(X: Any) -> bool:
    """Whether X is a collection of views: a mapping, MuData, or a list of 2-D containers."""
    if sp.issparse(X):
        return False  # the DOK format is a mapping, of entries
    # Frames have a method mod; the mod of MuData is a mapping.
    if isinstance(X, Mapping) or isinstance(getattr(X, "mod", None), Mapping):
        return True
    # A list of lists or of 1-D arrays is one matrix, row by row, as everywhere in scikit-learn.
    return isinstance(X, list | tuple) and any(len(getattr(view, "shape", ())) == 2 for view in X)


def views_of(X: Any) -> dict[str, Any]:
    """Name the views of a mapping, of MuData (its modalities) or of a list ("view0", ...)."""
    if not has_views(X):
        raise TypeError(
            f"Views must be a dict or list of matrices or MuData, not {type(X).__name__}; "
            "use bipartite() for one matrix."
        )
    if isinstance(X, list | tuple):
        return {f"view{i}": view for i, view in enumerate(X)}
    views = dict(X if isinstance(X, Mapping) else X.mod)
    if not views:
        raise ValueError("There are no views; pass at least one matrix.")
    for name in views:
        if not isinstance(name, str):
            raise TypeError(f"Names of views must be strings, not {name!r}; rename the view.")
    return views


def as_matrix(X: Any, name: str = "X", min_size: int = 1) -> Matrix:
    """Check values and bring them to a C-ordered float ndarray or a canonical float csr_array.

    Parameters
    ----------
    X : array-like, scipy sparse array or matrix, or pandas DataFrame
    name : str
        What error messages call it.
    min_size : int
        Smallest number of rows and of columns that is accepted.
    """
    _refuse_unreadable(X, name)
    try:
        checked = check_array(
            # scikit-learn would read sparse columns too, but as float64.
            X.sparse.to_coo() if hasattr(X, "sparse") else X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_min_samples=min_size,
            ensure_min_features=min_size,
            input_name=name,
        )
    except (TypeError, ValueError) as error:
        raise type(error)(_with_remedy(str(error), name)) from error
    return _canonical(checked) if sp.issparse(checked) else checked


def _read(X: Any, name: str, row_ids: Any = None, column_names: Any = None) -> Table:
    """Table of a container whose names were found."""
    return Table(as_matrix(X, name), _labels(row_ids), _labels(column_names))


def _labels(index: Any) -> Array | None:
    """Names as an object array (tuples stay whole); None for positions 0, 1, 2, ..."""
    if index is None:
        return None
    if type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1:
        return None
    return np.fromiter(index, dtype=object, count=len(index))


def _anndata_matrix(X: Any, name: str) -> Any:
    """The main matrix of AnnData, loaded if it is a sparse matrix on disk."""
    if X.X is None:
        raise ValueError(f"{name} is AnnData without .X; put the wanted layer into .X first.")
    return X.X.to_memory() if hasattr(X.X, "to_memory") else X.X


def _refuse_unreadable(X: Any, name: str) -> None:
    """Refuse what conversion to float would silently change: masks, text, dates."""
    if np.ma.isMaskedArray(X):
        raise TypeError(f"{name} is a masked array; fill it or drop the masked rows first.")
    dtypes = getattr(X, "dtypes", None)
    for dtype in [getattr(X, "dtype", None)] if dtypes is None else np.ravel(dtypes):
        if getattr(dtype, "kind", "") in _TEXT_OR_DATES:
            raise ValueError(f"{name} holds {dtype} values; encode text and dates as numbers.")


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


def _canonical(X: Any) -> Matrix:
    """csr_array with sorted, distinct 32-bit indices; shares memory with X if X is so already."""
    matrix = sp.csr_array(X)
    if matrix.indices.dtype != np.int32 and max(*matrix.shape, matrix.nnz) <= MOST_INT32:
        # Half the memory, and scikit-learn takes no others.
        parts = (matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32))
        matrix = sp.csr_array(parts, shape=matrix.shape)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix
