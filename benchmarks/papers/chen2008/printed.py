"""The methods of chen2008 as printed: links change the similarity, pair by pair, and no more.

The library goes beyond this: must-linked samples share a row of G in `SSNMF`, and move as one in
`NCut`. Curves that compare the paper's three methods take all of them as the paper does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from benchmarks.papers.protocol import Answer, Problem, Setting
from cocluster import SSNMF, NCut
from cocluster.graphs.kernels import kernel_matrix
from cocluster.graphs.similarity import linked_similarity
from cocluster.linalg.types import Array


def linked(problem: Problem, affinity: str) -> Array:
    """Similarities, "linear", "rbf" or "rbf" and its gamma, with the linked pairs replaced."""
    kind, _, gamma = affinity.partition(" ")
    A = kernel_matrix(problem.data, kind, gamma=float(gamma) if gamma else None)
    if A.min() < 0:
        raise ValueError(
            "The similarities have negative values, which cuts and factors cannot take."
        )
    A = (A + A.T) / 2  # exactly symmetric, so that a replaced pair is 0 and not a rounding below
    written: Any = linked_similarity(A, problem.links, "replace", 1.0)
    changed = np.asarray(written.correction.toarray())
    return np.asarray(np.maximum(A + changed, 0.0))


def cut(problem: Problem, setting: Setting, seed: int) -> Answer:
    """SS-SNC: the normalised cut of these similarities, Eq. (22)."""
    model = NCut(problem.n_clusters, affinity="precomputed", random_state=seed)
    return Answer(model.fit(linked(problem, setting["affinity"])).labels_)


def cut_densely(problem: Problem, setting: Setting, seed: int) -> Answer:
    """SS-SNC by all eigenvectors of the matrix, which costs n³, instead of the leading ones."""
    A, k = linked(problem, setting["affinity"]), problem.n_clusters
    scale = 1 / np.sqrt(np.maximum(A.sum(axis=1), np.finfo(float).tiny))
    _, vectors = np.linalg.eigh(scale[:, None] * A * scale)
    points = normalize(vectors[:, -k:])
    return Answer(KMeans(k, n_init=10, random_state=seed).fit(points).labels_)


def factor(problem: Problem, setting: Setting, seed: int) -> Answer:
    """SS-NMF: their factorisation, Eqs. (3) to (5)."""
    model = SSNMF(problem.n_clusters, affinity="precomputed", random_state=seed)
    model.fit(linked(problem, setting["affinity"]))
    return Answer(model.labels_, model.n_iter_)


def factor_with_shared_rows(problem: Problem, setting: Setting, seed: int) -> Answer:
    """SS-NMF as the library has it."""
    kind, _, gamma = setting["affinity"].partition(" ")
    width = float(gamma) if gamma else None
    model = SSNMF(problem.n_clusters, affinity=kind, gamma=width, random_state=seed)
    model.fit(problem.data, links=problem.links)
    return Answer(model.labels_, model.n_iter_)
