"""Names of typical features of the finest clusters, shown beside the leaves of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import as_dense, column_sums, safe_inverse, times
from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array
from cocluster.methods.how_many.cuts import Labels

# Names beside a leaf: what a line of a tree has room for.
WORDS = 3


def words_of_leaves(data: RelationalData, labels: Labels, name: str) -> list[str]:
    """Name the typical features of each cluster of a type; empty for features without names.

    Of samples those features that add most to the divergence of the cluster's profile from that
    of all; of features those with the largest sums.
    """
    n_leaves = int(labels[name].max()) + 1
    for relation in data.relations:
        names = data.names.get(relation.cols)
        if names is not None and name in (data.center, relation.cols):
            weights = (
                _divergence(relation, labels[name], n_leaves)
                if name == data.center
                else _sums(relation, labels[name], n_leaves)
            )
            return [_join_names(names, row) for row in weights]
    return [""] * n_leaves


def _divergence(relation: Relation, labels: Array, k: int) -> Array:
    """Return the term of each feature in the divergence of each cluster of samples."""
    present = labels if relation.row_index is None else labels[relation.row_index]
    sums = as_dense(times(relation.matrix.T, as_partition(present, k))).T
    profile = sums * safe_inverse(sums.sum(axis=1))[:, None]
    overall = sums.sum(axis=0) / max(float(sums.sum()), np.finfo(float).tiny)
    return np.asarray(xlogy(profile, profile * safe_inverse(overall)))


def _sums(relation: Relation, labels: Array, k: int) -> Array:
    """Return the sum of each feature in its cluster, zero in the others."""
    return np.where(labels == np.arange(k)[:, None], column_sums(relation.matrix), 0.0)


def _join_names(names: Any, weights: Array) -> str:
    """Join the names with the largest weights."""
    best = np.argsort(-weights, kind="stable")[:WORDS]
    return ", ".join(str(names[j]) for j in best if weights[j] > 0)
