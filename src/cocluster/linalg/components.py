"""Connected components of a matrix read as a graph between its rows and its columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from cocluster.linalg.matrices import ENTRIES_AT_ONCE, chunks
from cocluster.linalg.types import Array, InMemory, is_blocked


@dataclass(frozen=True, eq=False)
class Components:
    """The components that have rows, those with most rows first.

    Attributes
    ----------
    labels : int array of shape (n_columns,)
        The component of every column; -1 for an empty column.
    sizes : int array
        Number of rows in each component.
    """

    labels: Array
    sizes: Array


def column_components(X: Any) -> Components:
    """Components of a matrix in memory or in blocks, in one pass.

    Examples
    --------
    >>> X = np.array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 2]])
    >>> found = column_components(X)
    >>> found.labels, found.sizes
    (array([ 0,  0, -1,  1]), array([2, 1]))
    """
    # Of the rows nothing is kept but how many begin with each column: a row is in the component of
    # any of its columns. So rows may be on disk or on a cluster, and only columns travel.
    parts = X.collect(_joined_columns) if is_blocked(X) else [_joined_columns(X)]
    leaders, begun = zip(*parts, strict=True)
    labels = _components(np.concatenate(leaders), len(leaders))
    rows = np.bincount(labels, weights=sum(begun))
    largest = np.argsort(-rows, kind="stable")[: np.count_nonzero(rows)]
    number = np.full(len(rows), -1)
    number[largest] = np.arange(len(largest))
    return Components(number[labels], rows[largest].astype(np.intp))


def _joined_columns(X: InMemory) -> tuple[Array, Array]:
    """For each column one of those it is joined with, and the number of rows that begin with it."""
    n, m = X.shape
    per_row = max(X.size // max(n, 1), 1)
    found = [_joined_in_chunk(X[rows]) for rows in chunks(n, ENTRIES_AT_ONCE // per_row)]
    leaders = [leader for leader, _ in found] or [np.arange(m)]
    labels = _components(np.concatenate(leaders), len(leaders))
    # The first column of a component stands for it.
    first = np.unique(labels, return_index=True)[1]
    return first[labels], sum((begun for _, begun in found), start=np.zeros(m))


def _joined_in_chunk(X: InMemory) -> tuple[Array, Array]:
    """The same for a few rows."""
    pattern = sp.csr_array(X != 0)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(pattern.indptr))
    # A row joins its columns, which a chain through them does as well: one edge for each entry.
    same = rows[1:] == rows[:-1]
    ends = pattern.indices[:-1][same], pattern.indices[1:][same]
    graph = sp.coo_array((np.ones(len(ends[0])), ends), shape=(X.shape[1],) * 2)
    labels = connected_components(graph.tocsr(), directed=False)[1]
    first = np.unique(labels, return_index=True)[1]
    begins = pattern.indices[pattern.indptr[:-1][np.diff(pattern.indptr) > 0]]
    return first[labels], np.bincount(begins, minlength=X.shape[1])


def _components(leaders: Array, times: int) -> Array:
    """Labels of columns, each of which is joined with several others, one list after the other."""
    m = len(leaders) // times
    ends = np.tile(np.arange(m), times), leaders
    graph = sp.coo_array((np.ones(len(leaders)), ends), shape=(m, m))
    return np.asarray(connected_components(graph.tocsr(), directed=False)[1])
