"""The part of an account on the clusters: names, sizes, how sure, features and members."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace

from cocluster.linalg.types import Array
from cocluster.report.compute.material import Material
from cocluster.report.compute.members import Album
from cocluster.report.compute.traits import traits_part
from cocluster.report.explain import explained
from cocluster.report.explanation import Cluster as Explained
from cocluster.report.explanation import Explanation
from cocluster.report.naming import checked_names, unique
from cocluster.report.sureness import BORDERLINE, Sureness
from cocluster.report.values import (
    Association,
    Certainty,
    Cluster,
    ClusterView,
    Feature,
    Group,
    Member,
)

# Groups of another type that are named beside a cluster: those that matter.
GROUPS = 3


def explanation_of(
    found: Material, names: Mapping[Any, str], n_features: int, n_members: int
) -> Explanation | None:
    """Features and members of all clusters; None without data."""
    checked_names(names, found.own.ids.tolist())
    if found.subject is None:
        return None
    return explained(found.subject, "g2", n_features, n_members, names)


def clusters_part(
    found: Material,
    told: Explanation | None,
    names: Mapping[Any, str],
    album: Album,
    refitted: Sureness | None,
) -> dict[str, tuple[Cluster, ...]]:
    """The clusters of every type; `with_groups` adds what they go with."""
    shown = {}
    for name, own in found.clusters.items():
        sizes = np.bincount(own.codes, minlength=len(own))
        explained_ones = (
            _unexplained(found, name, names) if told is None else list(told.types[name])
        )
        stability = {} if refitted is None else refitted.stability.get(name, {})
        sure = _sure(found, name)
        traits = traits_part(found) if name == found.center else [()] * len(own)
        shown[name] = tuple(
            Cluster(
                id=cluster.id,
                name=cluster.name,
                given=name == found.center and cluster.id in names,
                # Those of all objects: explanations may have looked at some of them only.
                size=int(sizes[c]),
                share=float(sizes[c] / len(own.codes)),
                margin=cluster.margin,
                certainty=sure[c][0],
                borderline=sure[c][1],
                stability=stability.get(cluster.id),
                views=tuple(_view(view) for view in cluster.views),
                groups=(),
                representative=_members(found, name, cluster.representative, album),
                borderline_members=_members(found, name, cluster.borderline, album),
                traits=traits[c],
            )
            for c, cluster in enumerate(explained_ones)
        )
    return shown


def _unexplained(found: Material, name: str, names: Mapping[Any, str]) -> list[Explained]:
    """Clusters of which only the labels are known."""
    ids = found.clusters[name].ids.tolist()
    given = names if name == found.center else {}
    called = unique([given.get(i, "") for i in ids])
    return [Explained(i, text, 0, 0.0, (), (), ()) for i, text in zip(ids, called, strict=True)]


def _sure(found: Material, name: str) -> list[tuple[float | None, int | None]]:
    """Of each cluster the mean certainty of its members, and how many are borderline."""
    k = len(found.clusters[name])
    if name != found.center or found.certainty is None or found.subject is None:
        return [(None, None)] * k
    codes = found.subject.clusters[name].codes
    return [
        (float(own.mean()), _n_borderline(own, int((found.own.codes == c).sum())))
        for c in range(k)
        for own in (found.certainty[codes == c],)
    ]


def _n_borderline(certainty: Array, size: int) -> int:
    """Borderline members among all, from those looked at."""
    return round(float(np.mean(certainty <= BORDERLINE)) * size)


def _view(view: Any) -> ClusterView:
    """What a view says of a cluster; numbers that are none become None."""
    features = tuple(
        Feature(
            f.name,
            f.position,
            *(_finite(value) for value in (f.score, f.share, f.lift, f.exclusivity)),
        )
        for f in view.features
    )
    return ClusterView(view.name, view.statistic, view.information, features)


def _finite(value: float) -> float | None:
    """A number that JSON knows."""
    return value if np.isfinite(value) else None


def _members(
    found: Material, name: str, members: tuple[Any, ...], album: Album
) -> tuple[Member, ...]:
    """Members with all that is known of them."""
    shown = []
    for member in members:
        of_samples = name == found.center
        known = found.certainty if of_samples else None
        # Positions among the samples that were looked at become positions in the data.
        position = int(found.rows[member.position]) if of_samples else member.position
        shown.append(
            Member(
                name=member.name,
                position=position,
                **(album.page(position) if of_samples else album.empty()),
                margin=member.margin,
                probability=None if known is None else float(known[member.position]),
                second=member.second,
            )
        )
    return tuple(shown)


def with_groups(
    clusters: dict[str, tuple[Cluster, ...]], associations: tuple[Association, ...]
) -> dict[str, tuple[Cluster, ...]]:
    """The clusters, each with the groups of the other types that it goes with."""
    groups: dict[tuple[str, Any], list[Group]] = {}
    for table in associations:
        for i, j in table.marked:
            lift = None if table.lift is None else table.lift[i][j]
            ends = ((table.rows, table.row_ids[i]), (table.columns, table.column_ids[j]))
            for own, other in (ends, ends[::-1]):
                partner = next(c for c in clusters[other[0]] if c.id == other[1])
                groups.setdefault(own, []).append(
                    Group(*other, partner.name, partner.size, lift, table.effect[i][j])
                )
    return {
        name: tuple(
            replace(
                own,
                groups=tuple(
                    sorted(groups.get((name, own.id), ()), key=lambda g: -g.effect)[:GROUPS]
                ),
            )
            for own in found
        )
        for name, found in clusters.items()
    }


def sure_part(found: Material, refitted: Sureness | None, refits: int) -> Certainty:
    """How sure the clusters of the samples are, all in all."""
    # Twenty bars: a histogram that fits beside the names of the clusters.
    edges = np.linspace(0, 1, 21)
    certainty = found.certainty
    counts = [] if certainty is None else np.histogram(certainty, edges)[0].tolist()
    outliers = [] if refitted is None else refitted.outliers.tolist()
    return Certainty(
        certainty=None if certainty is None else float(certainty.mean()),
        borderline=None if certainty is None else _n_borderline(certainty, len(found.own.codes)),
        edges=() if certainty is None else tuple(edges.tolist()),
        counts=tuple(counts),
        refits=refits if refitted is not None else 0,
        agreement=None if refitted is None else refitted.agreement,
        outliers=tuple(found.name_of(found.center, int(found.rows[i])) for i in outliers),
    )
