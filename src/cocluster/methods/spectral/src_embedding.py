"""Spectral relational clustering: one orthonormal basis per type, all types together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, stack_relations
from cocluster.linalg.eigen import signs, truncated_svd
from cocluster.linalg.matrices import squared_norm
from cocluster.linalg.types import Array

Bases = dict[str, Array]


def relational_embedding(
    data: RelationalData,
    n_clusters: Mapping[str, int],
    rng: np.random.Generator,
    *,
    max_iter: int = 100,
    tol: float = 1e-6,
) -> tuple[Bases, Array]:
    r"""Lower the objective of spectral relational clustering [1]_ by alternation over types.

    .. math:: J(C) = \sum_{ij} w_{ij} \min_A \|R_{ij} - C_i A C_j^T\|^2
              = \sum_{ij} w_{ij} (\|R_{ij}\|^2 - \|C_i^T R_{ij} C_j\|^2), \qquad C_i^T C_i = I

    With all other types fixed the best :math:`C_i` holds the leading eigenvectors of
    :math:`\sum_j w_{ij} R_{ij} C_j C_j^T R_{ij}^T`. They are the left singular vectors of the
    narrow matrix :math:`[\sqrt{w_{ij}} R_{ij} C_j]_j`, so no n x n matrix is formed and J never
    rises.

    Parameters
    ----------
    data : RelationalData
        Relations join different types.
    n_clusters : mapping from type to int
        Columns of each basis (fewer, if the relations have no more directions to offer).
    rng : numpy Generator
    max_iter, tol : int, float
        Stop after ``max_iter`` sweeps, or when J falls by less than ``tol`` times its start.

    Returns
    -------
    bases : dict from type to ndarray of shape (n_objects, n_clusters)
    history : ndarray, J after each sweep

    Notes
    -----
    Starts from the singular vectors of all relations of a type side by side; with two types this
    is the optimum. Objects absent from a relation count as zero rows of it.

    References
    ----------
    .. [1] Long et al., "Spectral clustering for multi-type relational data", ICML 2006.
    """
    for relation in data.relations:
        if relation.rows == relation.cols:
            raise ValueError(
                f"SRC joins different types, but a relation joins {relation.rows!r} with itself; "
                "leave it out or cluster it as a graph with NCut."
            )
    bases = {name: _start(data, name, n_clusters[name], rng) for name in data.types}
    total = sum(relation.weight * squared_norm(relation.matrix) for relation in data.relations)
    history: list[float] = []
    for _ in range(max_iter):
        for name in data.types:
            bases[name] = _best_basis(data, name, n_clusters[name], bases)
        history.append(total - _captured(data, bases))
        # Relative to the first sweep: J itself may be close to zero.
        if len(history) > 1 and history[-2] - history[-1] <= tol * history[0]:
            break
    return bases, np.asarray(history)


def _start(data: RelationalData, name: str, k: int, rng: np.random.Generator) -> Array:
    """Leading left singular vectors of all relations of a type side by side."""
    view = stack_relations(data, name)
    return truncated_svd(view, min(k, *view.shape), rng)[0]


def _best_basis(data: RelationalData, name: str, k: int, bases: Bases) -> Array:
    """The best basis of one type, all others fixed."""
    # Signs are fixed, so that the basis, and with it k-means, is the same on every machine.
    U = np.linalg.svd(side_by_side(data, name, bases), full_matrices=False)[0][:, :k]
    return np.asarray(U * signs(U))


def side_by_side(data: RelationalData, name: str, bases: Bases) -> Array:
    r"""The narrow matrix :math:`[\sqrt{w_{ij}} R_{ij} C_j]_j` of one type i."""
    return np.hstack(
        [
            np.sqrt(relation.weight) * _seen_from(relation, name, data.size(name), bases)
            for relation in data.relations
            if name in (relation.rows, relation.cols)
        ]
    )


def _seen_from(relation: Relation, name: str, n: int, bases: Bases) -> Array:
    """R_ij C_j for the objects of type i, with zeros for objects absent from the relation."""
    present = slice(None) if relation.row_index is None else relation.row_index
    if name == relation.cols:
        return np.asarray(relation.matrix.T @ bases[relation.rows][present])
    result = np.zeros((n, bases[relation.cols].shape[1]))
    result[present] = relation.matrix @ bases[relation.cols]
    return result


def _captured(data: RelationalData, bases: Bases) -> float:
    """Sum of w ‖C_iᵀ R_ij C_j‖² over the relations."""
    total = 0.0
    for relation in data.relations:
        seen = _seen_from(relation, relation.rows, data.size(relation.rows), bases)
        total += relation.weight * squared_norm(bases[relation.rows].T @ seen)
    return total
