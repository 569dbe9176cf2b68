"""Single samples and pairs of samples: texts, largest features, differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cocluster.linalg.matrices import as_dense, column_sums, entrywise
from cocluster.linalg.types import Array, InMemory

# Features listed for a sample without a text.
MAX_FEATURES = 15
# Features of each kind listed for a pair: as many as people read before they answer.
MAX_CONTRASTS = 8
# Standard deviations from the mean from which on a value is unusual.
UNUSUAL = 1.0


def sample_text(dataset: Any, i: int) -> str | None:
    """Return the counted part of the text of a sample; None if samples are not texts."""
    if dataset.texts is None:
        return None
    text = str(dataset.texts[i])
    bodies = getattr(dataset.counter, "bodies", None)
    return text if bodies is None else str(bodies([text])[0])


def largest_features(
    dataset: Any, i: int, n: int = MAX_FEATURES
) -> dict[str, list[tuple[str, float]]]:
    """Return the n largest entries of a sample in every view that has it, with feature names."""
    features = {}
    for view in dataset.views:
        row = sample_row(dataset, view, i)
        if row is not None:
            names = dataset.feature_names.get(view)
            order = np.argsort(-np.abs(row), kind="stable")[:n]
            features[view] = [
                (str(j if names is None else names[j]), float(row[j])) for j in order if row[j] != 0
            ]
    return features


def sample_row(dataset: Any, view: str, i: int) -> Array | None:
    """Return the row of a sample in a view; None if the view lacks the sample."""
    position = np.array([i])
    if view in dataset.present:
        position = np.flatnonzero(dataset.present[view] == i)[:1]
    return np.ravel(as_dense(dataset.views[view][position])) if len(position) else None


@dataclass(frozen=True, eq=False)
class Scale:
    """Mean and standard deviation of each column, without the missing entries."""

    mean: Array
    deviation: Array

    @staticmethod
    def of(X: InMemory) -> Scale:
        """Return the scale of a matrix, in which missing entries are NaN."""
        n_missing = column_sums(entrywise(lambda x: np.isnan(x).astype(float), X))
        n_observed = np.maximum(X.shape[0] - n_missing, 1)
        mean = column_sums(entrywise(np.nan_to_num, X)) / n_observed
        squares = column_sums(entrywise(lambda x: np.nan_to_num(x) ** 2, X)) / n_observed
        deviation = np.sqrt(np.maximum(squares - mean**2, 0))
        # Constant columns distinguish no samples, whatever they are divided by.
        return Scale(mean, np.where(deviation > 0, deviation, 1.0))


def contrast(dataset: Any, i: int, j: int, scales: dict[str, Scale]) -> list[dict[str, Any]]:
    """Compare two samples in each view that has both.

    Parameters
    ----------
    dataset : Dataset
    i, j : int
    scales : dict of view to Scale

    Returns
    -------
    list of dict
        ``view``; ``differ``, the features in which the samples are farthest apart, and ``alike``,
        those in which both are far from the mean and near each other. Each feature has its
        ``name``, the two ``values``, and both in standard deviations from the mean (``scores``).
    """
    views = []
    for view, scale in scales.items():
        first, second = sample_row(dataset, view, i), sample_row(dataset, view, j)
        if first is None or second is None:
            continue
        values = np.stack([first, second])
        scores = np.nan_to_num((values - scale.mean) / scale.deviation)
        distance = np.abs(scores[0] - scores[1])
        deviation = np.abs(scores).min(axis=0)
        # Alike: both unusual, and nearer to each other than either is to the mean.
        alike = np.where((distance < deviation) & (deviation >= UNUSUAL), deviation, 0)
        differ = np.where(alike > 0, 0, distance)
        names = dataset.feature_names.get(view)
        views.append(
            {
                "view": view,
                "differ": _largest(differ, values, scores, names),
                "alike": _largest(alike, values, scores, names),
            }
        )
    return views


def _largest(weight: Array, values: Array, scores: Array, names: Any) -> list[dict[str, Any]]:
    """Return the features with the largest positive weights."""
    order = np.argsort(-weight, kind="stable")[:MAX_CONTRASTS]
    return [
        {
            "name": str(f if names is None else names[f]),
            "values": [None if np.isnan(x) else float(x) for x in values[:, f]],
            "scores": [round(float(x), 3) for x in scores[:, f]],
        }
        for f in order
        if weight[f] > 0
    ]
