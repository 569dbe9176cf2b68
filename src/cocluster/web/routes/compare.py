"""What differs between two runs."""

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


def get_compare(desk: Desk, asked: Two) -> Any:
    """Clusters that go on, flows between them, and samples that moved."""
    first, second = desk.number(asked.first), desk.number(asked.second)
    told, other = desk.account(first), desk.account(second)
    names = {own.id: own.name for own in told.samples}
    found = compare(desk.model(first), desk.model(second), desk.project.dataset, names=names)
    own = found.samples
    plain = found.to_dict()
    changes = plain["types"][own.type]
    after = {c.id: other.name_of(other.data.center, c.label) for c in own.clusters}
    later = {c.id: c.name for c in other.samples}
    return {
        "first": first,
        "second": second,
        "samples": len(own.labels),
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
        "moved": len(own.moved),
        "moved_samples": [
            {**titled(desk.project, m.position), "source": m.source, "target": m.target}
            for m in own.moved[:MOVED]
        ],
    }


ENDPOINTS = [Endpoint("GET", "/compare", get_compare, "What differs between two runs.", Two)]
