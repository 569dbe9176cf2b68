"""Compiled label sums over compressed sparse arrays. Imported only for large matrices.

With an indicator factor a product is a sum by label: one pass over the non-zeros, whatever the
number of clusters. Indices and labels come unsigned: the compiler then leaves out the code for
negative ones (40 against 70 ms for 20 million entries). The numpy twins are in the tests.
"""

from __future__ import annotations

import numba
import numpy as np

from cocluster.matrices import Array

# A fixed number of partial sums: the result does not depend on the number of threads.
N_PARTS = 8


# Enough for any number of threads to share the rows evenly.
N_ROW_PARTS = 64


@numba.njit(parallel=True, cache=True, nogil=True)
def minor_label_sums(
    indptr: Array, indices: Array, data: Array, labels: Array, n_clusters: int, n_major: int
) -> Array:
    """out[i, labels[j]] = sum of x_ij: labels on the compressed (minor) axis."""
    out = np.empty((n_major, n_clusters), dtype=data.dtype)
    for part in numba.prange(N_ROW_PARTS):
        # Two sums, so that an entry need not wait for the one before it.
        even, odd = np.zeros(n_clusters, data.dtype), np.zeros(n_clusters, data.dtype)
        for i in range(n_major * part // N_ROW_PARTS, n_major * (part + 1) // N_ROW_PARTS):
            even[:] = 0
            odd[:] = 0
            first, last = indptr[i], indptr[i + 1]
            for p in range(first, last - 1, 2):
                even[labels[indices[p]]] += data[p]
                odd[labels[indices[p + 1]]] += data[p + 1]
            if (last - first) % 2:
                even[labels[indices[last - 1]]] += data[last - 1]
            for k in range(n_clusters):
                out[i, k] = even[k] + odd[k]
    return out


@numba.njit(parallel=True, cache=True, nogil=True)
def major_label_sums(
    indptr: Array, indices: Array, data: Array, labels: Array, n_clusters: int, n_minor: int
) -> Array:
    """out[j, labels[i]] = sum of x_ij: labels on the pointer (major) axis."""
    n_major = len(indptr) - 1
    # Cluster-major partial sums: a row's entries then fall into one short stretch of memory.
    parts = np.zeros((N_PARTS, n_clusters, n_minor), dtype=data.dtype)
    for part in numba.prange(N_PARTS):
        for i in range(n_major * part // N_PARTS, n_major * (part + 1) // N_PARTS):
            sums = parts[part, labels[i]]
            for p in range(indptr[i], indptr[i + 1]):
                sums[indices[p]] += data[p]
    out = np.zeros((n_minor, n_clusters), dtype=data.dtype)
    for j in numba.prange(n_minor):
        for part in range(N_PARTS):
            for k in range(n_clusters):
                out[j, k] += parts[part, k, j]
    return out
