"""The part of an account on links: kept, broken, implied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cocluster.links import Links, Violations, as_links
from cocluster.report.compute.material import Material
from cocluster.report.values import BrokenLink, LinkSummary
from cocluster.utils.checks import broadcast

# Broken links that are listed: whoever has more has another problem than to read them all.
LISTED = 50


def links_part(found: Material, links: Any) -> tuple[LinkSummary, ...]:
    """The links of every type that has some: those given, else those the model reports on."""
    given: dict[str, Links] = {}
    for name, stated in broadcast(links, [found.center]).items():
        if name not in found.clusters:
            known = ", ".join(found.clusters)
            raise ValueError(f"links name the type {name!r}, which has no clusters; {known} have.")
        own = as_links(stated, None, len(found.clusters[name].codes))
        if own is not None:
            given[name] = own
    shown = [
        _shown(found, name, own.violations(found.clusters[name].codes), own)
        for name, own in given.items()
    ]
    reported = getattr(found.model, "links_report_", None) or {}
    # The model may know the types by other names; their order is the same.
    for name, report in zip(_renamed(found, reported), reported.values(), strict=True):
        if name not in given:
            shown.append(_shown(found, name, report, None))
    return tuple(shown)


def _renamed(found: Material, reported: Any) -> list[str]:
    """Types of the model in the words of the data."""
    known = dict(zip(getattr(found.model, "labels_by_type_", {}), found.clusters, strict=False))
    return [known.get(name, name) for name in reported]


def _shown(found: Material, name: str, report: Violations, links: Links | None) -> LinkSummary:
    """The links of one type."""
    return LinkSummary(
        type=name,
        stated=int(report.n_stated),
        must=None if links is None else int(links.n_must),
        cannot=None if links is None else int(links.n_cannot),
        implied=None if links is None else int(links.n_implied),
        satisfied=int(report.n_satisfied),
        violated=int(report.n_violated),
        broken=tuple(_broken(found, name, report))[:LISTED],
    )


def _broken(found: Material, name: str, report: Violations) -> Iterator[BrokenLink]:
    """The broken links in words."""
    own = found.clusters[name]
    for must, pairs in ((True, report.must_link), (False, report.cannot_link)):
        for i, j in pairs[:LISTED].tolist():
            ends = (found.name_of(name, i), found.name_of(name, j))
            yield BrokenLink(must, *ends, *(own.ids[own.codes[at]].item() for at in (i, j)))
