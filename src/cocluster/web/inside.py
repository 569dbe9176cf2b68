"""A look inside some samples: what they would part into, if they were clusters of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cocluster.projects import Project
from cocluster.report.account import account
from cocluster.report.edits import Edits
from cocluster.report.parts.values import ClusterShown
from cocluster.web.samples import titled

# What a page shows of each part: typical samples, and features of each view.
TYPICAL, FEATURES = 3, 6


def looked_into(project: Project, samples: Sequence[int], parts: int) -> dict[str, Any]:
    """What samples part into, in plain values; nothing of the project is changed.

    Parameters
    ----------
    project : Project
    samples : sequence of int
        Positions.
    parts : int

    Returns
    -------
    dict
        ``samples``, in order; ``labels`` of them, those that `Edits.part` gives; and ``parts``,
        the largest first, each with its ``id``, ``name``, ``size``, ``features`` and ``typical``
        samples.
    """
    edits = Edits.of(project.model, project.dataset, names=project.names).part(samples, parts)
    chosen = np.unique(samples)
    labels = edits.labels[chosen]
    told = account(labels, project.dataset.select(chosen))
    found = sorted(told.samples, key=lambda part: -part.size)
    return {
        "samples": chosen.tolist(),
        "labels": labels.tolist(),
        "parts": [_shown(project, chosen.tolist(), part) for part in found],
    }


def _shown(project: Project, chosen: list[int], part: ClusterShown) -> dict[str, Any]:
    """One part as a page shows it."""
    typical = [chosen[member.position] for member in part.representative[:TYPICAL]]
    return {
        "id": int(part.id),
        "name": part.name,
        "size": part.size,
        "features": {
            view.name: [feature.name for feature in view.features[:FEATURES]] for view in part.views
        },
        "typical": [titled(project, i) for i in typical],
    }
