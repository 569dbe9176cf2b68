"""Conversion of arrays, sparse matrices, frames and annotated data to one checked matrix.

Containers are recognised by what they offer, not by class: no frame library is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.checked import as_matrix
from cocluster.linalg.types import Array, Matrix, is_blocked


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


def as_table(X: Any, name: str = "X", *, allow_nan: bool = False) -> Table:
    """Read one matrix of any container.

    Parameters
    ----------
    X : array-like, scipy sparse array or matrix, pandas or polars DataFrame, AnnData, row blocks
        (`cocluster.blocks`), Dask array or Dask DataFrame
        Samples are rows. Of AnnData only ``.X`` is read. The default index and the default
        columns of pandas (0, 1, 2, ...) are positions, not names.
    name : str
        What error messages call it.
    allow_nan : bool
        Whether NaN stays, as the mark of an unknown entry.

    Returns
    -------
    Table
        Its matrix shares memory with `X` wherever type and layout allow; `X` is never changed.
    """
    if is_blocked(X):
        return Table(X, X.row_names, X.column_names)
    # Before the readers: MuData has views, and else looks like AnnData.
    if has_views(X):
        raise TypeError(f"{name} holds several matrices; pass one, or use star() for views.")
    read = next((read for mark, read in _READERS if hasattr(X, mark)), _read)
    return read(X, name, allow_nan)


def has_views(X: Any) -> bool:
    """Whether X is a collection of views: a mapping, MuData, or a list of 2-D containers."""
    return _views(X) is not None


def named_views(X: Any) -> dict[str, Any]:
    """Name the views of a mapping, of MuData (its modalities) or of a list ("view0", ...)."""
    views = _views(X)
    if views is None:
        raise TypeError(
            f"Views must be a dict or list of matrices or MuData, not {type(X).__name__}; "
            "use bipartite() for one matrix."
        )
    if not views:
        raise ValueError("There are no views; pass at least one matrix.")
    for name in views:
        if not isinstance(name, str):
            raise TypeError(f"Names of views must be strings, not {name!r}; rename the view.")
    return dict(views)


def _views(X: Any) -> Mapping[str, Any] | None:
    """The views of X by name, None if it has none."""
    if isinstance(X, list | tuple):
        # A list of lists or of 1-D arrays is one matrix, row by row, as everywhere in scikit-learn.
        several = any(len(getattr(view, "shape", ())) == 2 for view in X)
        return {f"view{i}": view for i, view in enumerate(X)} if several else None
    if sp.issparse(X):
        return None  # the DOK format is a mapping, of entries
    # The mod of MuData is a mapping of its modalities; frames have a method of that name.
    return next((v for v in (X, getattr(X, "mod", None)) if isinstance(v, Mapping)), None)


def _read(
    X: Any, name: str, allow_nan: bool, row_ids: Any = None, column_names: Any = None
) -> Table:
    """Make the table of a matrix and the names of its rows and columns."""
    return Table(as_matrix(X, name, allow_nan=allow_nan), _labels(row_ids), _labels(column_names))


def _labels(index: Any) -> Array | None:
    """Names as an object array (tuples stay whole); None for positions 0, 1, 2, ..."""
    if index is None:
        return None
    # What pandas makes up for rows without names. Two views that both have it would seem to have
    # the same ids.
    if type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1:
        return None
    # Not np.array: it would take names that are tuples apart into a second dimension.
    return np.fromiter(index, dtype=object, count=len(index))


def _read_dask(X: Any, name: str, allow_nan: bool) -> Table:
    """Read a Dask array or frame, which stays on its cluster."""
    # Here, because Dask takes a second to import; whoever holds its collections has done so.
    from cocluster.blocks.dask.matrix import dask_blocks

    blocks = dask_blocks(X)
    return Table(blocks, None, blocks.column_names)


def _read_anndata(X: Any, name: str, allow_nan: bool) -> Table:
    """Read the main matrix of AnnData, loaded if it is a sparse matrix on disk."""
    if X.X is None:
        raise ValueError(f"{name} is AnnData without .X; put the wanted layer into .X first.")
    matrix = X.X.to_memory() if hasattr(X.X, "to_memory") else X.X
    return _read(matrix, name, allow_nan, X.obs_names, X.var_names)


@dataclass(frozen=True, eq=False)
class Layer:
    """One matrix of annotated data, with the names of its rows and columns as AnnData has them."""

    X: Any
    obs_names: Any
    var_names: Any


def select_layer(data: Any, layer: str | None) -> Any:
    """A layer of AnnData, or of every modality of MuData, in place of the main matrix.

    ``None`` gives the data as they are.
    """
    if layer is None:
        return data
    modalities = getattr(data, "mod", None)
    if isinstance(modalities, Mapping):
        return {name: select_layer(modality, layer) for name, modality in modalities.items()}
    if not hasattr(data, "layers"):
        raise TypeError(f"layer= is for AnnData and MuData, not for {type(data).__name__}.")
    if layer not in data.layers:
        # Newer versions of anndata list the matrix itself, too, as a layer that has no name.
        layer_names = ", ".join(repr(name) for name in data.layers if name is not None) or "none"
        raise ValueError(f"There is no layer {layer!r}; the layers are: {layer_names}.")
    return Layer(data.layers[layer], data.obs_names, data.var_names)


def sample_annotations(data: Any, ids: Array | None) -> dict[str, Array]:
    """Read the sample annotations of annotated data: the columns of ``.obs``.

    In the order of ``ids``, the names of the samples (None: as they are). Empty for anything that
    is not annotated.
    """
    if not (hasattr(data, "obs") and hasattr(data, "obs_names")):
        return {}
    position = {name: i for i, name in enumerate(data.obs_names)}
    rows = slice(None) if ids is None else np.array([position[name] for name in ids], dtype=np.intp)
    return {str(name): np.array(data.obs[name], dtype=object)[rows] for name in data.obs.columns}


def feature_annotations(data: Any) -> dict[str, Array]:
    """Read the feature annotations of annotated data: the columns of ``.var``, as texts.

    Empty for anything that is not annotated; so is the text of what is missing.
    """
    table: Any = getattr(data, "var", None)
    if not hasattr(table, "columns"):
        return {}
    texts = {name: np.where(table[name].isna(), "", table[name].astype(str)) for name in table}
    return {str(name): column.astype(object) for name, column in texts.items()}


def _read_polars(X: Any, name: str, allow_nan: bool) -> Table:
    """Read a polars frame, which has no row names."""
    return _read(X.to_numpy(), name, allow_nan, None, X.columns)


def _refuse_lazy(X: Any, name: str, allow_nan: bool) -> Table:
    """Refuse a polars frame that has not been computed."""
    raise TypeError(f"{name} is a lazy frame; pass the result of its collect() method.")


def _read_pandas(X: Any, name: str, allow_nan: bool) -> Table:
    """Read a pandas frame; a series, which is refused later, has only an index."""
    return _read(X, name, allow_nan, X.index, getattr(X, "columns", None))


# The attribute that identifies a container, and its reader. The order matters: polars frames have
# both of the marks of polars, and Dask frames have that of pandas.
_READERS: tuple[tuple[str, Callable[[Any, str, bool], Table]], ...] = (
    ("__dask_graph__", _read_dask),
    ("obs_names", _read_anndata),
    ("get_columns", _read_polars),
    ("collect_schema", _refuse_lazy),
    ("iloc", _read_pandas),
)
