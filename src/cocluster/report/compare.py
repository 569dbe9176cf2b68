"""Changes between two fits: clusters that continue, objects that moved, links, scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from cocluster.linalg.types import Array
from cocluster.metrics import ari, nmi, scores
from cocluster.report.cluster_names import check_names
from cocluster.report.report_input import (
    Clusters,
    data_in_memory,
    known_classes,
    labels_by_type,
    match_types,
)
from cocluster.report.tables import Row, as_frame, check_table, plain
from cocluster.report.values import Id

# Tables of `Comparison.rows`.
TABLES = ("clusters", "flows", "moved")
# Flows that are printed.
MAX_FLOWS = 5


@dataclass(frozen=True, eq=False)
class Alignment:
    """The clusters of one fit matched with those of another fit of the same objects.

    Attributes
    ----------
    before, after : Clusters
    """

    before: Clusters
    after: Clusters

    @cached_property
    def table(self) -> Array:
        """Number of common objects of each pair of clusters."""
        table = self.before.partition.sparse().T @ self.after.partition.sparse()
        return np.asarray(table.toarray(), dtype=np.int64)

    @cached_property
    def partners(self) -> dict[int, int]:
        """The cluster before that each cluster after continues, by their positions.

        The assignment is one to one and keeps as many objects as possible in their cluster. A
        cluster that shares no object with its partner continues none.
        """
        pairs = zip(*linear_sum_assignment(self.table, maximize=True), strict=True)
        return {int(b): int(a) for a, b in pairs if self.table[a, b] > 0}

    @cached_property
    def ids(self) -> Array:
        """Id of each cluster after: that of the cluster it continues, else an unused one."""
        unused = _unused_ids(self.before.ids)
        ids = self.before.ids.tolist()
        return np.array(
            [
                ids[self.partners[b]] if b in self.partners else next(unused)
                for b in range(len(self.after))
            ]
        )

    @property
    def labels(self) -> Array:
        """Labels after, by the ids of the clusters before."""
        return np.asarray(self.ids[self.after.codes])

    @property
    def agreement(self) -> float:
        """Share of the objects that stay in their cluster."""
        stay = sum(int(self.table[a, b]) for b, a in self.partners.items())
        return stay / len(self.before.codes)

    def overlap(self, a: int, b: int) -> float:
        """Return the Jaccard index of two clusters."""
        common = int(self.table[a, b])
        union = int(self.table[a].sum()) + int(self.table[:, b].sum()) - common
        return common / union if union else 0.0


def align(before: Any, after: Any) -> Alignment:
    """Match the clusters of two labellings of the same objects.

    Examples
    --------
    >>> alignment = align([0, 0, 1, 1, 2], [5, 5, 3, 3, 3])
    >>> alignment.labels.tolist(), alignment.agreement
    ([0, 0, 1, 1, 1], 0.8)
    """
    return Alignment(Clusters.of(np.asarray(before)), Clusters.of(np.asarray(after)))


def _unused_ids(before: Array) -> Iterator[Any]:
    """Yield ids that no cluster has: the next numbers, or "new 1", "new 2", ... for texts."""
    taken = set(before.tolist())
    if before.dtype.kind in "iu":
        yield from count(max(taken) + 1)
    for text in (f"new {number}" for number in count(1)):
        if text not in taken:
            yield text


@dataclass(frozen=True)
class Continued:
    """A cluster of both fits: id, name, label in the second fit, sizes, common objects, Jaccard."""

    id: Id
    name: str | None
    label: Id
    before: int
    after: int
    common: int
    overlap: float


@dataclass(frozen=True)
class Flow:
    """Number of objects of a cluster of the first fit that are in a cluster of the second."""

    source: Id
    target: Id
    count: int


@dataclass(frozen=True)
class Moved:
    """An object that changed its cluster."""

    name: str
    position: int
    source: Id
    target: Id


@dataclass(frozen=True, eq=False)
class Changes:
    """The changes of the objects of one type.

    Clusters of the second fit have the ids of those of the first that they continue, and new ids
    if they continue none.

    Attributes
    ----------
    type : str
    agreement : float
        Share of the objects that stay in their cluster.
    ari, nmi : float
        Adjusted Rand index and normalised mutual information of the two (`cocluster.metrics`).
    clusters : tuple of Continued
        Clusters that continue.
    gone, new : tuple of ids
        Clusters of the first fit that do not continue, and clusters that only the second has.
    flows : tuple of Flow
        All pairs of clusters that share objects, including those that continue.
    moved : tuple of Moved
    labels : array
        Labels of the second fit by the ids of the first.
    """

    type: str
    agreement: float
    ari: float
    nmi: float
    clusters: tuple[Continued, ...]
    gone: tuple[Id, ...]
    new: tuple[Id, ...]
    flows: tuple[Flow, ...]
    moved: tuple[Moved, ...]
    labels: Array


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of `compare`.

    Attributes
    ----------
    types : dict of type to Changes
        The samples first; other types where both cluster them.
    objective : tuple of float or None
        Objectives of both fits, if they have some. They are comparable only for the same method
        and the same data.
    links : tuple of dict or None
        Number of links that each fit satisfies and violates, by type.
    scores : tuple of dict or None
        Scores of each fit against known classes, if the data have some.
    """

    types: dict[str, Changes]
    objective: tuple[float | None, float | None]
    links: tuple[dict[str, Any] | None, dict[str, Any] | None]
    scores: tuple[dict[str, float] | None, dict[str, float] | None]

    @property
    def samples(self) -> Changes:
        """The changes of the samples."""
        return next(iter(self.types.values()))

    @property
    def names(self) -> dict[Id, str]:
        """Names of the clusters that continue, by their ids."""
        return {c.id: c.name for c in self.samples.clusters if c.name is not None}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dicts, lists, texts and numbers, ready for JSON."""
        values: dict[str, Any] = plain(asdict(self))
        return values

    def rows(self, table: str = "moved") -> list[Row]:
        """Return one of the tables, a dict for each row.

        Parameters
        ----------
        table : {"clusters", "flows", "moved"}
        """
        check_table(table, TABLES)
        return [
            {"type": name, **asdict(row)}
            for name, changes in self.types.items()
            for row in getattr(changes, table)
        ]

    def to_frame(self, table: str = "moved") -> Any:
        """Return one of the tables (see `rows`) as a pandas frame."""
        return as_frame(self.rows(table))

    @property
    def summary(self) -> str:
        """The changes of the samples in one sentence."""
        changes = self.samples
        return (
            f"{len(changes.moved):,} of {len(changes.labels):,} samples moved; "
            f"{len(changes.clusters)} clusters continue, {len(changes.gone)} are gone and "
            f"{len(changes.new)} are new."
        )

    def __str__(self) -> str:
        crossing = [flow for flow in self.samples.flows if flow.source != flow.target]
        largest = sorted(crossing, key=lambda flow: -flow.count)[:MAX_FLOWS]
        lines = [f"{flow.count:,}: {flow.source} -> {flow.target}" for flow in largest]
        return "\n".join([self.summary, *lines])


def compare(
    a: Any, b: Any, data: Any = None, *, names: Mapping[Any, str] | None = None
) -> Comparison:
    """Compare two fits of the same samples.

    Parameters
    ----------
    a, b : fitted models, labels of the samples, or mappings of type to labels
        The first and the second fit.
    data : Dataset, frame, AnnData, views or RelationalData, optional
        Source of the names of samples and features. A `Dataset` with known classes also gives
        scores.
    names : mapping of cluster to name, optional
        Names of the clusters of the first fit; clusters that continue keep them.

    Returns
    -------
    Comparison
        ``samples`` with the objects that moved, ``names`` of clusters that continue,
        ``to_frame("flows")``; print it for an overview.

    Examples
    --------
    >>> changes = compare([0, 0, 0, 1, 1, 1], [2, 2, 0, 0, 0, 0], names={0: "tea", 1: "coffee"})
    >>> print(changes)
    1 of 6 samples moved; 2 clusters continue, 0 are gone and 0 are new.
    1: 0 -> 1
    >>> changes.samples.labels.tolist(), changes.names
    ([0, 0, 1, 1, 1, 1], {0: 'tea', 1: 'coffee'})
    """
    first, second = labels_by_type(a), labels_by_type(b)
    center, *others = first
    # The samples come first in both, even if their type has another name in the second.
    shared = {center: next(iter(second.values()))}
    shared |= {name: second[name] for name in others if name in second}
    for name, labels in shared.items():
        if len(first[name]) != len(labels):
            raise ValueError(
                f"The first has {len(first[name]):,} {name} and the second {len(labels):,}: "
                "compare two clusterings of the same ones."
            )
    objects = _object_names(data, first)
    cluster_names = check_names(names or {}, np.unique(first[center]).tolist())
    classes = known_classes(data)
    return Comparison(
        {
            name: _changes(
                name,
                align(first[name], labels),
                objects.get(name, range(len(labels))),
                cluster_names if name == center else {},
            )
            for name, labels in shared.items()
        },
        objective=(_objective(a), _objective(b)),
        links=(_links(a), _links(b)),
        scores=(_scores(classes, first[center]), _scores(classes, shared[center])),
    )


def _object_names(data: Any, labels: Mapping[str, Array]) -> dict[str, Sequence[Any]]:
    """Return the names of the objects by the types of the labels; raise if sizes differ."""
    if data is None:
        return {}
    converted = data_in_memory(data)
    pairs = zip(labels, match_types(labels, converted.types), strict=False)
    with_names = {name: type_name for name, type_name in pairs if type_name in converted.names}
    for name, type_name in with_names.items():
        if len(labels[name]) != converted.size(type_name):
            raise ValueError(
                f"The labels are of {len(labels[name]):,} {name}, the data have "
                f"{converted.size(type_name):,}: pass the data that were clustered."
            )
    return {name: converted.names[known].tolist() for name, known in with_names.items()}


def _changes(
    type_name: str, alignment: Alignment, objects: Sequence[Any], names: Mapping[Any, str]
) -> Changes:
    """Return the changes of one type in plain values."""
    before, ids = alignment.before.ids.tolist(), alignment.ids.tolist()
    old, new = (clusters.ids[clusters.codes] for clusters in (alignment.before, alignment.after))
    labels = alignment.labels
    return Changes(
        type=type_name,
        agreement=alignment.agreement,
        ari=ari(old, new),
        nmi=nmi(old, new),
        clusters=tuple(_continued_clusters(alignment, names)),
        gone=tuple(i for i in before if i not in ids),
        new=tuple(i for i in ids if i not in before),
        flows=tuple(
            Flow(before[a], ids[b], int(alignment.table[a, b]))
            for a, b in zip(*np.nonzero(alignment.table), strict=True)
        ),
        moved=tuple(
            Moved(str(objects[i]), i, old[i].item(), labels[i].item())
            for i in np.flatnonzero(old != labels).tolist()
        ),
        labels=labels,
    )


def _continued_clusters(alignment: Alignment, names: Mapping[Any, str]) -> Iterator[Continued]:
    """Yield the clusters that continue, in the order of the first fit."""
    for b, a in sorted(alignment.partners.items(), key=lambda pair: pair[1]):
        cluster = alignment.before.ids[a].item()
        yield Continued(
            id=cluster,
            name=names.get(cluster),
            label=alignment.after.ids[b].item(),
            before=int(alignment.table[a].sum()),
            after=int(alignment.table[:, b].sum()),
            common=int(alignment.table[a, b]),
            overlap=alignment.overlap(a, b),
        )


def _objective(model: Any) -> float | None:
    """Return the objective of a model; None for labels."""
    value = getattr(model, "objective_", None)
    return None if value is None else float(value)


def _links(model: Any) -> dict[str, Any] | None:
    """Return the numbers of links that a model satisfies and violates; None for labels."""
    report = getattr(model, "links_report_", None)
    if report is None:
        return None
    return {
        name: {"satisfied": int(links.n_satisfied), "violated": int(links.n_violated)}
        for name, links in report.items()
    }


def _scores(classes: Array | None, labels: Array) -> dict[str, float] | None:
    """Return the scores of the samples whose class is known; None if no class is known."""
    if classes is None or not (classes >= 0).any():
        return None
    return scores(classes[classes >= 0], labels[classes >= 0])
