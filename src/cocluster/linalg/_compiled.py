"""Compiled passes over some rows of compressed sparse arrays. Imported only for large matrices.

With an indicator factor a product is a sum by label: one pass over the non-zeros, whatever the
number of clusters. A kernel works on the rows from ``first`` up to ``last`` and releases the lock
of the interpreter, so that threads work at the same time; `cocluster.linalg.passes` hands out the
rows. The tests compare every kernel with a plain loop.

Indices and labels come as unsigned numbers, and positions are made so (``np.uintp``): Python counts
negative indices from the end, and the compiler leaves the code for that out where none can be.
With two sums per row this made label sums 1.7 times faster.
"""

from __future__ import annotations

import numpy as np

from cocluster.linalg.compiling import compiled
from cocluster.linalg.types import Array

# Rows whose costs are computed together: one instruction then serves several rows. 64 rows of a few
# dozen sums are some 20 KB, which stay in the fastest cache of a processor.
BATCH = 64


@compiled
def _row_label_sums(
    indptr: Array, indices: Array, data: Array, labels: Array, i: int, sums: Array
) -> None:
    """Entries of row i summed by label, as four partial sums that the caller adds up."""
    # Four, because neighbouring entries often have the same label: added to one sum, each would
    # wait for the addition before it.
    sums[:] = 0
    first, last = np.uintp(indptr[i]), np.uintp(indptr[i + 1])
    a, b, c, d = sums[0], sums[1], sums[2], sums[3]
    middle = last - (last - first) % np.uintp(4)
    for p in range(first, middle, np.uintp(4)):
        q, r, s = np.uintp(p + 1), np.uintp(p + 2), np.uintp(p + 3)
        a[labels[indices[p]]] += data[p]
        b[labels[indices[q]]] += data[q]
        c[labels[indices[r]]] += data[r]
        d[labels[indices[s]]] += data[s]
    for p in range(middle, last):
        a[labels[indices[p]]] += data[p]


@compiled
def minor_label_sums(
    indptr: Array, indices: Array, data: Array, labels: Array, first: int, last: int, out: Array
) -> None:
    """out[i, labels[j]] = sum of x_ij: labels on the compressed (minor) axis."""
    sums = np.empty((4, out.shape[1]), data.dtype)
    for i in range(first, last):
        _row_label_sums(indptr, indices, data, labels, i, sums)
        for k in range(out.shape[1]):
            out[i, k] = (sums[0, k] + sums[1, k]) + (sums[2, k] + sums[3, k])


@compiled
def _move_entries(
    indptr: Array, indices: Array, data: Array, i: int, old: Array, new: Array
) -> None:
    """Row i taken from one row of sums over the columns and added to another."""
    for p in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
        j, x = indices[p], data[p]
        old[j] -= x
        new[j] += x


@compiled
def major_label_sums(
    indptr: Array, indices: Array, data: Array, labels: Array, first: int, last: int, out: Array
) -> None:
    """out[labels[i], j] += x_ij: labels on the pointer (major) axis.

    Cluster-major: a row's entries fall into one short stretch of memory.
    """
    for i in range(first, last):
        sums = out[labels[i]]
        for p in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            sums[indices[p]] += data[p]


@compiled
def _cheapest(sums: Array, codes: Array, bias: Array, costs: Array, labels: Array) -> None:
    """The labels of a batch of rows replaced where another cluster costs less."""
    n_clusters, width = codes.shape
    whole = width - width % 4
    # The innermost loops run over the rows and have a fixed length: that is what the compiler turns
    # into instructions for several rows. Four columns at a time read and write each cost once.
    for k in range(n_clusters):
        cost = costs[k]
        for r in range(BATCH):
            cost[r] = bias[k]
        for m in range(0, whole, 4):
            w, x, y, z = codes[k, m], codes[k, m + 1], codes[k, m + 2], codes[k, m + 3]
            s, t, u, v = sums[m], sums[m + 1], sums[m + 2], sums[m + 3]
            for r in range(BATCH):
                cost[r] += (w * s[r] + x * t[r]) + (y * u[r] + z * v[r])
        for m in range(whole, width):
            w, s = codes[k, m], sums[m]
            for r in range(BATCH):
                cost[r] += w * s[r]
    # Compared with the cost of the label so far, and only less is better: a row stays if it can.
    low = costs[n_clusters]
    for r in range(BATCH):
        low[r] = costs[labels[r], r]
    for k in range(n_clusters):
        cost = costs[k]
        for r in range(BATCH):
            better = cost[r] < low[r]
            low[r] = cost[r] if better else low[r]
            labels[r] = k if better else labels[r]


@compiled
def assign(
    indptr: Array,
    indices: Array,
    data: Array,
    labels: Array,
    codes: Array,
    bias: Array,
    own: Array,
    first: int,
    last: int,
    change: Array,
) -> None:
    """Every row to its cheapest cluster, and what that changes in the column sums, in one pass.

    A row x costs bias_k + codes_k · (x summed by the labels of the columns). ``own`` are the
    labels of the rows, changed in place; a row stays where it is if that is as good. Rows that
    move are added to their new cluster in ``change`` and taken from their old one.
    """
    n_clusters, width = codes.shape
    row = np.empty((4, width), data.dtype)
    sums = np.zeros((width, BATCH), data.dtype)
    costs = np.empty((n_clusters + 1, BATCH), data.dtype)
    best = np.zeros(BATCH, own.dtype)
    for start in range(first, last, BATCH):
        size = min(BATCH, last - start)
        for r in range(size):
            _row_label_sums(indptr, indices, data, labels, start + r, row)
            for m in range(width):
                sums[m, r] = (row[0, m] + row[1, m]) + (row[2, m] + row[3, m])
            best[r] = own[start + r]
        _cheapest(sums, codes, bias, costs, best)
        for r in range(size):
            i = start + r
            if best[r] != own[i]:
                _move_entries(indptr, indices, data, i, change[own[i]], change[best[r]])
                own[i] = best[r]


@compiled
def row_information(
    indptr: Array, indices: Array, data: Array, first: int, last: int, out: Array
) -> None:
    """out += Σ_ij x log x less the same of the sums of the rows."""
    for i in range(first, last):
        total, inside = 0.0, 0.0
        for p in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            x = np.float64(data[p])
            total += x
            # Most counts are 1, which has the logarithm 0: they are passed over.
            if x != 1 and x > 0:
                inside += x * np.log(x)
        if total > 0:
            out[0, 0] += inside - total * np.log(total)


@compiled
def minor_product(
    indptr: Array, indices: Array, data: Array, F: Array, first: int, last: int, out: Array
) -> None:
    """X @ F for a compressed X and a narrow F; ``out`` must be zero."""
    # Four entries share one loop over the columns of F, so the row of the result is read and
    # written a quarter as often.
    real = F.dtype.type
    for i in range(first, last):
        row = out[i]
        start, end = np.uintp(indptr[i]), np.uintp(indptr[i + 1])
        middle = end - (end - start) % np.uintp(4)
        for p in range(start, middle, np.uintp(4)):
            q, r, s = np.uintp(p + 1), np.uintp(p + 2), np.uintp(p + 3)
            w, x, y, z = real(data[p]), real(data[q]), real(data[r]), real(data[s])
            a, b, c, d = F[indices[p]], F[indices[q]], F[indices[r]], F[indices[s]]
            for m in range(len(row)):
                row[m] += (w * a[m] + x * b[m]) + (y * c[m] + z * d[m])
        for p in range(middle, end):
            x, f = real(data[p]), F[indices[p]]
            for m in range(len(row)):
                row[m] += x * f[m]


@compiled
def major_product(
    indptr: Array, indices: Array, data: Array, G: Array, first: int, last: int, out: Array
) -> None:
    """out += Xᵀ @ G for a compressed X and a narrow G."""
    for i in range(first, last):
        g = G[i]
        for p in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            x, row = G.dtype.type(data[p]), out[indices[p]]
            for m in range(len(g)):
                row[m] += x * g[m]
