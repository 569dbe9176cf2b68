"""Samples in plain values, as pages show them; text from data is text, never markup."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cocluster.io.dataset import Dataset
from cocluster.linalg.types import Array
from cocluster.projects import Project
from cocluster.report.samples import largest_features, sample_text

# Letters of a text: a screen of it.
LONGEST = 2_000
# Words of a text that were counted, so that a page can tell those that two texts share from words
# that are in every text.
COUNTED = 400

# Values of a metadata column that have colours of their own.
VALUES = 15


def coded(column: Any) -> tuple[list[str], Array]:
    """A column of metadata as numbers: its commonest values, and -1 for all others.

    >>> coded(["b", "a", None, "b"])
    (['b', '', 'a'], array([0, 2, 1, 0]))
    """
    texts = ["" if _is_missing(value) else str(value) for value in column]
    names, inverse, counts = np.unique(texts, return_inverse=True, return_counts=True)
    common = np.argsort(-counts, kind="stable")[:VALUES]
    place = np.full(len(names), -1)
    place[common] = np.arange(len(common))
    return names[common].tolist(), place[inverse]


def classes_of(dataset: Dataset) -> list[str | None]:
    """Names of the known classes; None where a sample has none."""
    if dataset.labels is None:
        return [None] * len(dataset)
    names = dataset.class_names
    return [
        None if i < 0 else str(i if names is None else names[i]) for i in dataset.labels.tolist()
    ]


def _is_missing(value: Any) -> bool:
    """Whether a cell is empty."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def titled(project: Project, i: int) -> dict[str, Any]:
    """What a sample is called, and how it begins."""
    dataset = project.dataset
    text = sample_text(dataset, i)
    return {
        "position": i,
        "id": str(project.ids[i]),
        "title": "" if dataset.titles is None else str(dataset.titles[i]),
        "snippet": "" if text is None else " ".join(text.split())[:160],
    }


def shown_sample(project: Project, i: int) -> dict[str, Any]:
    """All that is to be shown of a sample: its text, or its largest values; and its metadata."""
    dataset = project.dataset
    text = sample_text(dataset, i)
    cut = text is not None and len(text) > LONGEST
    counted = {} if text is None else largest_features(dataset, i, COUNTED)
    return {
        **titled(project, i),
        "words": [name for found in counted.values() for name, _ in found],
        "text": None if text is None else text[:LONGEST] + ("…" if cut else ""),
        "values": largest_features(dataset, i),
        "metadata": {name: str(column[i]) for name, column in dataset.metadata.items()},
    }
