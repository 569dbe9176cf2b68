"""Samples in plain values, as pages show them; text from data is text, never markup."""

from __future__ import annotations

from typing import Any

from cocluster.projects import Project
from cocluster.report.sample import text_of, values_of

# Letters of a text: a screen of it.
LONGEST = 2_000
# Words of a text that were counted, so that a page can tell those that two texts share from words
# that are in every text.
COUNTED = 400


def titled(project: Project, i: int) -> dict[str, Any]:
    """What a sample is called, and how it begins."""
    dataset = project.dataset
    text = text_of(dataset, i)
    return {
        "position": i,
        "id": str(project.ids[i]),
        "title": "" if dataset.titles is None else str(dataset.titles[i]),
        "snippet": "" if text is None else " ".join(text.split())[:160],
    }


def shown_sample(project: Project, i: int) -> dict[str, Any]:
    """All that is to be shown of a sample: its text, or its largest values; and its metadata."""
    dataset = project.dataset
    text = text_of(dataset, i)
    cut = text is not None and len(text) > LONGEST
    counted = {} if text is None else values_of(dataset, i, COUNTED)
    return {
        **titled(project, i),
        "words": [name for found in counted.values() for name, _ in found],
        "text": None if text is None else text[:LONGEST] + ("…" if cut else ""),
        "values": values_of(dataset, i),
        "metadata": {name: str(column[i]) for name, column in dataset.metadata.items()},
    }
