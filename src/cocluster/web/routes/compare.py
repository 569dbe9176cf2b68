"""Comparison of two runs."""

from __future__ import annotations

from typing import Any

from cocluster.report.compare import compare
from cocluster.web.api import Asked, Endpoint
from cocluster.web.desk import Desk
from cocluster.web.routes.project import Number
from cocluster.web.samples import titled

# Samples that are listed by name.
MOVED = 200


class Two(Asked):
    """Two runs."""

    first: Number
    second: Number


def get_compare(desk: Desk, request: Two) -> Any:
    """Return the clusters that persist, flows between them, and samples that moved."""
    first, second = desk.number(request.first), desk.number(request.second)
    account, later_account = desk.account(first), desk.account(second)
    names = {cluster.id: cluster.name for cluster in account.samples}
    comparison = compare(desk.model(first), desk.model(second), desk.project.dataset, names=names)
    samples = comparison.samples
    plain = comparison.to_dict()
    changes = plain["types"][samples.type]
    after = {
        c.id: later_account.name_of(later_account.data.center, c.label) for c in samples.clusters
    }
    later = {c.id: c.name for c in later_account.samples}
    return {
        "first": first,
        "second": second,
        "samples": len(samples.labels),
        "agreement": changes["agreement"],
        "ari": changes["ari"],
        "nmi": changes["nmi"],
        "clusters": changes["clusters"],
        "gone": changes["gone"],
        "new": changes["new"],
        "flows": changes["flows"],
        "names": {str(i): name for i, name in names.items()},
        "names_after": {str(i): name for i, name in {**later, **after}.items()},
        "objective": plain["objective"],
        "scores": plain["scores"],
        "links": plain["links"],
        "moved": len(samples.moved),
        "moved_samples": [
            {**titled(desk.project, m.position), "source": m.source, "target": m.target}
            for m in samples.moved[:MOVED]
        ],
    }


ENDPOINTS = [Endpoint("GET", "/compare", get_compare, "What differs between two runs.", Two)]
