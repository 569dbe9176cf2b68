"""One sample as a person wants to see it: its text, or the features that it has most of."""

from __future__ import annotations

from typing import Any

import numpy as np

from cocluster.linalg.matrices import as_dense
from cocluster.linalg.types import Array

# Features that stand for a sample without a text.
FEATURES = 15


def text_of(dataset: Any, i: int) -> str | None:
    """The text of a sample, without what was not counted; None where samples are no texts."""
    if dataset.texts is None:
        return None
    text = str(dataset.texts[i])
    bodies = getattr(dataset.counter, "bodies", None)
    return text if bodies is None else str(bodies([text])[0])


def values_of(dataset: Any, i: int, most: int = FEATURES) -> dict[str, list[tuple[str, float]]]:
    """The largest entries of a sample in every view that has it, by the name of the feature."""
    found = {}
    for view, X in dataset.views.items():
        row = row_of(dataset, view, X, i)
        if row is not None:
            names = dataset.feature_names.get(view)
            order = np.argsort(-np.abs(row), kind="stable")[:most]
            found[view] = [
                (str(j if names is None else names[j]), float(row[j])) for j in order if row[j] != 0
            ]
    return found


def row_of(dataset: Any, view: str, X: Any, i: int) -> Array | None:
    """The row of a sample in a view; None if it lacks the sample."""
    place = np.array([i])
    if view in dataset.present:
        place = np.flatnonzero(dataset.present[view] == i)[:1]
    return np.ravel(as_dense(X[place])) if len(place) else None
