"""The clusters of a fit in plain values: what `cocluster.explain` returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from cocluster.report.tables import Row, as_frame, check_table, plain

Id = int | str


@dataclass(frozen=True)
class Feature:
    """A feature (in general: an object of another type) that is characteristic of a cluster.

    ``share``, ``lift`` and ``exclusivity`` are those of `cocluster.report.statistics.Scores`.
    """

    name: str
    position: int
    score: float
    share: float
    lift: float
    exclusivity: float


@dataclass(frozen=True)
class View:
    """What one view says of a cluster.

    Attributes
    ----------
    name : str
    statistic : str
        How the features were scored.
    information : float
        This view's share of what all views tell about the cluster: of the information between
        being in the cluster and the cluster that the view alone would choose. The shares of all
        views sum to one.
    features : tuple of Feature, the most characteristic first
    """

    name: str
    statistic: str
    information: float
    features: tuple[Feature, ...]


@dataclass(frozen=True)
class Member:
    """An object of a cluster; ``second`` is the next best cluster, ``margin`` how far off it is.

    The margin is in the unit of the costs, see `cocluster.methods.default.probability.costs`.
    """

    name: str
    position: int
    margin: float
    second: Id | None


@dataclass(frozen=True)
class Cluster:
    """A cluster, explained.

    Attributes
    ----------
    id : int or str
        Its label.
    name : str
        Given by a person, else made of its features; no two clusters of a type have the same.
    size : int
    margin : float
        Mean margin of its members.
    views : tuple of View
        The one that says most about the cluster first.
    representative : tuple of Member
        The most typical: samples for which most speaks, for their size (not simply the largest
        ones); features with the largest margins.
    borderline : tuple of Member
        Those with the smallest margins; nobody is in both lists.
    """

    id: Id
    name: str
    size: int
    margin: float
    views: tuple[View, ...]
    representative: tuple[Member, ...]
    borderline: tuple[Member, ...]


@dataclass(frozen=True)
class Explanation:
    """The clusters of every type, explained.

    Attributes
    ----------
    by : str
        The statistic that was asked for.
    types : dict of type to tuple of Cluster
        The samples first.
    """

    by: str
    types: dict[str, tuple[Cluster, ...]]

    @property
    def clusters(self) -> tuple[Cluster, ...]:
        """The clusters of the samples."""
        return next(iter(self.types.values()))

    @property
    def names(self) -> dict[Id, str]:
        """Name of each cluster of the samples, by its label."""
        return {cluster.id: cluster.name for cluster in self.clusters}

    def to_dict(self) -> dict[str, Any]:
        """Everything as dicts, lists, texts and numbers, ready for JSON."""
        found: dict[str, Any] = plain(asdict(self))
        return found

    def rows(self, table: str = "features") -> list[Row]:
        """One of the tables, a dict for each row.

        Parameters
        ----------
        table : {"clusters", "views", "features", "members"}
        """
        check_table(table, TABLES)
        return [
            {"type": name, "cluster": cluster.id, "name": cluster.name, **row}
            for name, clusters in self.types.items()
            for cluster in clusters
            for row in TABLES[table](cluster)
        ]

    def to_frame(self, table: str = "features") -> Any:
        """One of the tables (see `rows`) as a pandas frame."""
        return as_frame(self.rows(table))

    def __str__(self) -> str:
        lines = []
        for cluster in self.clusters:
            words = [feature.name for feature in cluster.views[0].features]
            lines.append(f"{cluster.id} {cluster.name} ({cluster.size:,}): {', '.join(words)}")
        return "\n".join(lines)


def _cluster_rows(cluster: Cluster) -> Iterator[Row]:
    """The cluster itself."""
    yield {"size": cluster.size, "margin": cluster.margin, "told by": cluster.views[0].name}


def _view_rows(cluster: Cluster) -> Iterator[Row]:
    """What each view contributes."""
    for view in cluster.views:
        yield {"view": view.name, "statistic": view.statistic, "information": view.information}


def _feature_rows(cluster: Cluster) -> Iterator[Row]:
    """Its features in every view."""
    for view in cluster.views:
        for rank, feature in enumerate(view.features, start=1):
            found = asdict(feature)
            found["feature"] = found.pop("name")
            yield {"view": view.name, "statistic": view.statistic, "rank": rank, **found}


def _member_rows(cluster: Cluster) -> Iterator[Row]:
    """Its members, as far as they are listed."""
    for kind in ("representative", "borderline"):
        for member in getattr(cluster, kind):
            found = asdict(member)
            found["member"] = found.pop("name")
            yield {"kind": kind, **found}


TABLES = {
    "clusters": _cluster_rows,
    "views": _view_rows,
    "features": _feature_rows,
    "members": _member_rows,
}
