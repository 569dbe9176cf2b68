"""Questions about features: does this word belong to this group? And seed words for a topic."""

from __future__ import annotations

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.data.scaling import fit_scaling
from cocluster.interview.knowledge import Query
from cocluster.interview.understanding import Understanding
from cocluster.linalg.matrices import as_dense, times
from cocluster.linalg.types import Array

# So many samples at most, those with most of it, stand for a feature.
CARRIERS = 20


def shares(data: RelationalData, features: Array) -> Array:
    """How much of each sample some features of the first view are: of its tf-idf length."""
    relation = data.relations[0]
    Y = fit_scaling(relation.matrix, "tfidf").apply(relation.matrix)
    chosen = np.zeros((Y.shape[1], 1))
    chosen[features] = 1
    whole = np.zeros(len(data))
    index = slice(None) if relation.row_index is None else relation.row_index
    whole[index] = np.ravel(as_dense(times(Y, chosen)))
    return whole


def carriers(data: RelationalData, features: Array) -> Array:
    """Samples that have most of some features."""
    share = shares(data, features)
    best = np.argsort(-share, kind="stable")[:CARRIERS]
    return np.asarray(best[share[best] > 0])


def feature_question(now: Understanding, data: RelationalData, asked: set[int]) -> Query | None:
    """The feature that tells most of the samples in doubt that may belong to one group.

    Scored by how much more of it there is in the samples that are in doubt but lean to a group than
    in all others.
    """
    G = len(now.groups)
    lean = now.posterior[:, :G] * np.maximum(now.doubt, 0)[:, None]
    relation = data.relations[0]
    Y = fit_scaling(relation.matrix, "tfidf").apply(relation.matrix)
    lean = lean if relation.row_index is None else lean[relation.row_index]
    inside = as_dense(times(Y.T, lean)) / np.maximum(lean.sum(axis=0), np.finfo(float).tiny)
    outside = np.ravel(as_dense(times(Y.T, np.ones((Y.shape[0], 1))))) / Y.shape[0]
    # Weighted by the doubt that an answer would take away.
    gain = (inside - outside[:, None]) * lean.sum(axis=0)
    gain[sorted(asked)] = -np.inf
    feature, group = divmod(int(gain.argmax()), G)
    if not gain[feature, group] > 0:
        return None
    return Query(
        now.ground.core(now.groups[group]),
        feature,
        "many samples in doubt have this feature",
        float(min(gain[feature, group], 1.0)),
        changes=f"up to {len(carriers(data, np.array([feature])))} samples that have it would lean",
        about_feature=True,
    )
