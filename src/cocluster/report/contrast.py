"""Two samples side by side: where they differ most, and what sets both apart from all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cocluster.linalg.matrices import column_sums, entrywise
from cocluster.linalg.types import Array, InMemory
from cocluster.report.sample import row_of

# Features of each kind that are shown: as many as one reads before answering.
SHOWN = 8
# Standard deviations from the mean from which on a value sets a sample apart.
UNUSUAL = 1.0


@dataclass(frozen=True, eq=False)
class Scale:
    """Mean and standard deviation of each column, over the entries that are known."""

    mean: Array
    deviation: Array

    @staticmethod
    def of(X: InMemory) -> Scale:
        """The scale of a matrix, in which unknown entries are NaN."""
        unknown = column_sums(entrywise(lambda x: np.isnan(x).astype(float), X))
        known = np.maximum(X.shape[0] - unknown, 1)
        mean = column_sums(entrywise(np.nan_to_num, X)) / known
        squares = column_sums(entrywise(lambda x: np.nan_to_num(x) ** 2, X)) / known
        deviation = np.sqrt(np.maximum(squares - mean**2, 0))
        # Constant columns set nobody apart, whatever they are divided by.
        return Scale(mean, np.where(deviation > 0, deviation, 1.0))


def contrast(dataset: Any, i: int, j: int, scales: dict[str, Scale]) -> list[dict[str, Any]]:
    """What two samples have in each view that has both, in plain values.

    Parameters
    ----------
    dataset : Dataset
    i, j : int
    scales : dict of view to Scale

    Returns
    -------
    list of dict
        ``view``; ``differ``, the features in which they are farthest apart, and ``alike``, those
        in which both are far from the mean and near each other. Of each its ``name``, the two
        ``values``, and both in standard deviations from the mean of all (``scores``).
    """
    found = []
    for view, X in dataset.views.items():
        first, second = row_of(dataset, view, X, i), row_of(dataset, view, X, j)
        if first is None or second is None:
            continue
        values = np.stack([first, second])
        scores = np.nan_to_num((values - scales[view].mean) / scales[view].deviation)
        apart = np.abs(scores[0] - scores[1])
        out = np.abs(scores).min(axis=0)
        # Nearer to each other than either is to the mean.
        both = np.where((apart < out) & (out >= UNUSUAL), out, 0)
        named = dataset.feature_names.get(view)
        listed = [_largest(w, values, scores, named) for w in (np.where(both > 0, 0, apart), both)]
        found.append({"view": view, "differ": listed[0], "alike": listed[1]})
    return found


def _largest(weight: Array, values: Array, scores: Array, names: Any) -> list[dict[str, Any]]:
    """The features of the largest weight, none without."""
    order = np.argsort(-weight, kind="stable")[:SHOWN]
    return [
        {
            "name": str(f if names is None else names[f]),
            "values": [None if np.isnan(x) else float(x) for x in values[:, f]],
            "scores": [round(float(x), 3) for x in scores[:, f]],
        }
        for f in order
        if weight[f] > 0
    ]
