"""The rule of version 0.1, to compare the new default with: ITCC from three embeddings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from cocluster import CoCluster
from cocluster.data.relational import RelationalData, relational
from cocluster.data.scaling import shift_features
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.matrices import entrywise, values_of
from cocluster.linalg.subspace import start_scaled, unit_rows
from cocluster.methods.default.embedding import rows_of_all_samples, scale_by_cosines
from cocluster.methods.starts import singular_vectors

FORMER = "CoCluster, rule of 0.1"
# Data with more entries had the first of the three embeddings only.
THREE_UP_TO_ENTRIES = 1_000_000


def former_rule(X: Any, k: int, seed: int) -> Any:
    """Labels of the samples."""
    start = kmeans_labels(former_embedding(relational(X), k, seed), k, seed)
    return CoCluster(k, init=start, random_state=seed).fit(X).labels_


def former_embedding(data: RelationalData, k: int, seed: int) -> Any:
    """Unit rows of k singular vectors of the data scaled in three ways, side by side."""
    data = shift_features(data)
    few = sum(values_of(r.matrix).size for r in data.relations) <= THREE_UP_TO_ENTRIES
    logs = partial(entrywise, np.log1p)
    ways = (start_scaled, lambda X: start_scaled(logs(X)), scale_by_cosines)
    blocks = []
    for r in data.relations:
        for way in ways if few else ways[:1]:
            Z = unit_rows(singular_vectors(way(r.matrix), k, seed)[0])
            blocks.append(rows_of_all_samples(Z, r, len(data)))
    return np.hstack(blocks)
