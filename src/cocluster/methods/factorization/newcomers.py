"""Effect of the samples' graph on new samples, which were not in the fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from cocluster.data.relational import RelationalData, row_blocks, stack_relations
from cocluster.graphs.weights import Metric
from cocluster.linalg.matrices import row_squares
from cocluster.linalg.types import Array
from cocluster.trifactor.block import BlockQuadratic, RowGram

# Distance up to which two samples are equal but for rounding.
SAME = 1e-7


def points_of(data: RelationalData, given: Mapping[str, Any] | None) -> Any:
    """The samples of a fit, among which new ones have neighbours as the graph was found in them.

    None for row blocks, which are not kept, and if the graph of the samples is among those given.
    """
    has_neighbours = row_blocks(data) is None and data.center not in (given or {})
    return stack_relations(data, data.center) if has_neighbours else None


def nearest_samples(points: Any, new: Any, n_neighbors: int, metric: Metric) -> tuple[Array, Array]:
    """The nearest samples of the fit, and how much each of them counts.

    Equal samples count alone; else all neighbours count the same. By cosine a sample without data
    has no direction, and so no neighbours: nothing counts.

    Returns
    -------
    nearest : int array of shape (n_new, n_neighbors)
    weights : array of the same shape, rows sum to 1, or to 0 without neighbours
    """
    search = NearestNeighbors(n_neighbors=n_neighbors, metric=metric).fit(points)
    distances, nearest = search.kneighbors(new)
    same = distances <= SAME
    weights = np.where(same.any(axis=1, keepdims=True), same, 1.0)
    weights /= weights.sum(axis=1, keepdims=True)
    if metric == "cosine":
        weights[row_squares(new) == 0] = 0
    return nearest, weights


def pull_of(L: Any, G: Array) -> tuple[Array, Array]:
    """How tr(Gᵀ L G) acts on each row alone: ``diagonal`` times ‖g‖² less 2 g · ``pull``."""
    diagonal = np.asarray(L.diagonal())
    return diagonal, np.asarray(diagonal[:, None] * G - L @ G)


def pulled(
    block: BlockQuadratic, diagonal: Array, pull: Array, nearest: Array, weights: Array
) -> BlockQuadratic:
    """The block of new samples that are pulled as their neighbours in the fit."""
    k = block.gram.shape[0]
    # The diagonal of the nearest sample, not a mean: rows with equal values are solved together.
    row_diagonal = np.where(weights.any(axis=1), diagonal[nearest[:, 0]], 0)
    rows = {
        value: np.flatnonzero(row_diagonal == value)
        for value in np.unique(row_diagonal[row_diagonal > 0])
    }
    grams = tuple(RowGram(row_index, value * np.eye(k)) for value, row_index in rows.items())
    linear = np.einsum("ij,ijk->ik", weights, pull[nearest])
    return block + BlockQuadratic(linear, np.zeros((k, k)), partial=grams)
