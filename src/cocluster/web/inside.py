"""A look inside some samples: what they would part into, if they were clusters of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cocluster.projects import Project
from cocluster.report.account import account
from cocluster.report.edits import Edits
from cocluster.report.values import Cluster
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
    positions = np.unique(samples)
    labels = edits.labels[positions]
    parts_account = account(labels, project.dataset.select(positions))
    clusters = sorted(parts_account.samples, key=lambda cluster: -cluster.size)
    return {
        "samples": positions.tolist(),
        "labels": labels.tolist(),
        "parts": [_part_summary(project, positions.tolist(), cluster) for cluster in clusters],
    }


def _part_summary(project: Project, positions: list[int], cluster: Cluster) -> dict[str, Any]:
    """One part as a page shows it."""
    typical = [positions[member.position] for member in cluster.representative[:TYPICAL]]
    return {
        "id": int(cluster.id),
        "name": cluster.name,
        "size": cluster.size,
        "features": {
            view.name: [feature.name for feature in view.features[:FEATURES]]
            for view in cluster.views
        },
        "typical": [titled(project, i) for i in typical],
    }
