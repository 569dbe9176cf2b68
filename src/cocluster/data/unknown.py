"""Entries that are unknown: NaN, what a mask leaves out, and what sparse data do not store."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.checked import in_form
from cocluster.linalg.known import ones_like
from cocluster.linalg.matrices import DENSE_FROM_SHARE, DENSE_UP_TO_ENTRIES, as_dense
from cocluster.linalg.types import InMemory, is_operator
from cocluster.utils.checks import check_choice

# What it means that sparse data do not store an entry.
MISSING = ("zero", "unobserved")


def known_entries(
    matrix: Any, name: str = "X", *, mask: Any = None, missing: str = "zero"
) -> tuple[Any, InMemory | None]:
    """Split a matrix into values, zero where unknown, and a mask, 1 where known.

    Parameters
    ----------
    matrix : array with NaN where values are unknown, csr_array, or an operator
        See `cocluster.linalg.types`.
    name : str
        What error messages call it.
    mask : boolean array or sparse array of the same shape, optional
        True where an entry is known.
    missing : {"zero", "unobserved"}
        What a sparse matrix does not store is zero, or unknown.

    Returns
    -------
    matrix, observed : matrices of one form (see `cocluster.linalg.known`)
        ``observed`` is None if every entry is known.

    Examples
    --------
    >>> known_entries(np.array([[1.0, np.nan], [3.0, 4.0]]))
    (array([[1., 0.],
           [3., 4.]]), array([[1., 0.],
           [1., 1.]]))
    """
    check_choice(missing, "missing", MISSING)
    if is_operator(matrix):
        if mask is not None or missing != "zero":
            raise ValueError(
                f"{name} is in row blocks or on a cluster, where every entry must be known; "
                "load it into memory as one sparse matrix."
            )
        return matrix, None
    mask = None if mask is None else _check_mask(mask, matrix, name)
    if sp.issparse(matrix):
        return _known_sparse_entries(matrix, name, mask, missing)
    is_known = ~np.isnan(matrix)
    if mask is not None:
        is_known &= mask.toarray() if sp.issparse(mask) else mask
    if is_known.all():
        return matrix, None
    return np.where(is_known, matrix, 0).astype(matrix.dtype), is_known.astype(matrix.dtype)


def _check_mask(raw_mask: Any, matrix: InMemory, name: str) -> Any:
    """Check a boolean mask, dense or sparse, of the shape of the matrix."""
    mask = raw_mask if sp.issparse(raw_mask) else np.asarray(raw_mask)
    if mask.shape != matrix.shape:
        raise ValueError(
            f"The mask of {name} has shape {mask.shape}, but the data have {matrix.shape}; "
            "give one True or False for each entry."
        )
    values = mask.data if sp.issparse(mask) else mask
    # Zeros and ones are what a mask is kept as.
    if mask.dtype != bool and not np.isin(values, (0, 1)).all():
        raise ValueError(f"The mask of {name} must be boolean: True where an entry is known.")
    return mask.astype(bool)


def _known_sparse_entries(
    matrix: sp.csr_array, name: str, mask: Any, missing: str
) -> tuple[InMemory, InMemory | None]:
    """Split sparse data into values and mask; as dense arrays, if many are known."""
    nan = np.isnan(matrix.data)
    if missing == "zero" and nan.any():
        raise ValueError(
            f"{name} is sparse and stores NaN; say missing='unobserved' if all that is not "
            "stored is unknown, too, or pass a dense array if it is zero."
        )
    if missing == "unobserved":
        stored = sp.csr_array((~nan, matrix.indices, matrix.indptr), shape=matrix.shape)
        mask = stored if mask is None else stored.multiply(mask)
    if mask is None:
        return matrix, None
    values, size = _read_at(sp.csr_array(mask), matrix), prod(matrix.shape)
    if values.nnz == size:
        return values, None
    observed = ones_like(values)
    if DENSE_FROM_SHARE * size < values.nnz and size <= DENSE_UP_TO_ENTRIES:
        return as_dense(values), as_dense(observed)
    return values, observed


def _read_at(mask: sp.csr_array, matrix: sp.csr_array) -> sp.csr_array:
    """Read the values of a matrix where a mask is True; zeros are stored as well."""
    if (
        mask.nnz == matrix.nnz
        and mask.data.all()
        and np.shares_memory(mask.indices, matrix.indices)
    ):
        return matrix  # the mask is what the matrix stores
    mask = mask.copy()
    mask.eliminate_zeros()
    coordinates = in_form(mask).tocoo()
    values = np.asarray(matrix[coordinates.row, coordinates.col], dtype=matrix.dtype).ravel()
    return in_form(sp.csr_array((values, (coordinates.row, coordinates.col)), shape=matrix.shape))
