"""Slow, obvious versions straight from the papers: loops and dense matrices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np
import scipy.sparse as sp

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.linalg.partitions import as_array
from cocluster.linalg.types import Array, Matrix
from cocluster.trifactor import BlockQuadratic


def dense(R: Matrix) -> Array:
    """Any matrix as an array."""
    return R.toarray() if sp.issparse(R) else np.asarray(R)


def known(relation: Relation) -> Array:
    """The matrix of a relation with NaN for unknown entries."""
    values = dense(relation.matrix)
    if relation.observed is None:
        return values
    return np.where(dense(relation.observed) == 1, values, np.nan)


def indicator(labels: Sequence[int], k: int) -> Array:
    """0/1 matrix with one 1 per row."""
    G = np.zeros((len(labels), k))
    for i, label in enumerate(labels):
        G[i, label] = 1
    return G


def label_sums(R: Array, labels: Array, k: int) -> Array:
    """Columns of R summed by label, entry by entry."""
    sums = np.zeros((R.shape[0], k))
    for i in range(R.shape[0]):
        for j in range(R.shape[1]):
            sums[i, labels[j]] += R[i, j]
    return sums


def squared_error(
    data: RelationalData, factors: Mapping[str, Array], associations: Sequence[Array]
) -> float:
    """Σ_r w_r ‖R_r - G S Gᵀ‖² over the entries that are known; all others are NaN."""
    total = 0.0
    for relation, S in zip(data.relations, associations, strict=True):
        rows = slice(None) if relation.row_index is None else relation.row_index
        full = np.full((data.size(relation.rows), data.size(relation.cols)), np.nan)
        full[rows] = known(relation)
        model = as_array(factors[relation.rows]) @ S @ as_array(factors[relation.cols]).T
        total += relation.weight * np.nansum((full - model) ** 2)
    return float(total)


def block_value(block: BlockQuadratic, G: Array) -> float:
    """q(G), term by term."""
    value = np.trace(G @ block.gram @ G.T) - 2 * np.trace(G.T @ block.linear) + block.constant
    for part in block.partial:
        for i in part.rows:
            value += G[i] @ part.gram @ G[i]
    for term in block.known:
        square = dense(term.observed) * (G[term.rows] @ term.prototypes.T) ** 2
        value += term.weight * square.sum()
    if block.laplacian is not None:
        value += np.trace(G.T @ dense(block.laplacian) @ G)
    return float(value)


def all_labelings(n: int, k: int) -> Iterator[Array]:
    """Every way to put n objects into k clusters."""
    for labels in product(range(k), repeat=n):
        yield np.array(labels)


def block_means(X: Array, rows: Array, columns: Array, k: int, m: int) -> Array:
    """FNMTF, Eq. (6): S_kl is the mean of block (k, l)."""
    S = np.zeros((k, m))
    for a in range(k):
        for b in range(m):
            block = X[np.ix_(rows == a, columns == b)]
            S[a, b] = block.mean() if block.size else 0.0
    return S


def known_block_means(X: Array, rows: Array, columns: Array, k: int, m: int) -> Array:
    """Means of what is not NaN in each block; of a block without it the mean of all."""
    S = np.full((k, m), np.nanmean(X))
    for a in range(k):
        for b in range(m):
            block = X[np.ix_(rows == a, columns == b)]
            if not np.isnan(block).all():
                S[a, b] = np.nanmean(block)
    return S


def nmtf_known_sweep(
    X: Array, W: Array, G: Array, S: Array, F: Array
) -> tuple[Array, Array, Array]:
    """One sweep of weighted NMTF: G, S, F, S, each by its multiplicative rule on dense arrays."""

    def over(numerator: Array, denominator: Array) -> Array:
        return numerator / np.maximum(denominator, 1e-12)

    def association(G: Array, S: Array, F: Array) -> Array:
        return S * over(G.T @ (W * X) @ F, G.T @ (W * (G @ S @ F.T)) @ F)

    G = G * over((W * X) @ F @ S.T, (W * (G @ S @ F.T)) @ F @ S.T)
    S = association(G, S, F)
    F = F * over((W * X).T @ G @ S, (W * (G @ S @ F.T)).T @ G @ S)
    return G, association(G, S, F), F


def fnmtf_row_step(X: Array, columns: Array, S: Array) -> Array:
    """FNMTF, Eq. (8): each row to the nearest prototype, a row of S spread over the columns."""
    prototypes = S[:, columns]
    return np.array([np.argmin([np.sum((x - p) ** 2) for p in prototypes]) for x in X])


def kl(p: Array, q: Array) -> float:
    """Kullback-Leibler divergence in nats."""
    where = p > 0
    return float(np.sum(p[where] * np.log(p[where] / q[where])))


def itcc_model(X: Array, rows: Array, columns: Array) -> Array:
    """ITCC, Eq. (5): q(x, y) = p(x̂, ŷ) p(x | x̂) p(y | ŷ), entry by entry."""
    p = X / X.sum()
    px, py = p.sum(axis=1), p.sum(axis=0)
    q = np.zeros_like(p)
    for i, a in enumerate(rows):
        for j, b in enumerate(columns):
            joint = p[np.ix_(rows == a, columns == b)].sum()
            if joint > 0:
                q[i, j] = joint * (px[i] / px[rows == a].sum()) * (py[j] / py[columns == b].sum())
    return q


def itcc_loss(X: Array, rows: Array, columns: Array) -> float:
    """ITCC, Lemma 2.1: the information lost is D(p ‖ q)."""
    return kl(X / X.sum(), itcc_model(X, rows, columns))


def itcc_row_step(X: Array, rows: Array, columns: Array, k: int) -> Array:
    """ITCC, Fig. 1, step 2: argmin over x̂ of D(p(Y | x) ‖ q(Y | x̂))."""
    p = X / X.sum()
    py = p.sum(axis=0)
    q = np.zeros((k, X.shape[1]))
    for a in range(k):
        in_a = p[rows == a]
        for j, b in enumerate(columns):
            q[a, j] = in_a[:, columns == b].sum() / in_a.sum() * py[j] / py[columns == b].sum()
    return np.array([np.argmin([kl(x / x.sum(), q[a]) for a in range(k)]) for x in p])


def slow_neighbours(X: Array, k: int) -> Array:
    """All distances, the point itself left out, ties to the lower index."""
    result = []
    for i in range(len(X)):
        d2 = [(round(float(((X[i] - x) ** 2).sum()), 9), j) for j, x in enumerate(X) if j != i]
        result.append([j for _, j in sorted(d2)[:k]])
    return np.array(result)


def slow_patch_laplacian(X: Array, k: int, ridge: float) -> Array:
    """Eq. 10 and 12 of the LDCC paper as printed, with the d x d inverse."""
    n, d = X.shape
    L = np.zeros((n, n))
    for i, others in enumerate(slow_neighbours(X, k)):
        patch = np.array([i, *others])
        m = len(patch)
        centre = np.eye(m) - np.ones((m, m)) / m
        Xi = X[patch]
        inverse = np.linalg.inv(Xi.T @ centre @ Xi + m * ridge * np.eye(d))
        L[np.ix_(patch, patch)] += (centre - centre @ Xi @ inverse @ Xi.T @ centre) / m
    return L
