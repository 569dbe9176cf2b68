"""What changed between two fits: clusters that go on, objects that moved, links, scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from cocluster.linalg.types import Array
from cocluster.metrics import ari, nmi, scores
from cocluster.report.alignment import Alignment, aligned
from cocluster.report.explanation import Id
from cocluster.report.naming import checked_names
from cocluster.report.subject import classes_of, data_of, labels_of, named_alike
from cocluster.report.tables import Row, as_frame, check_table, plain


@dataclass(frozen=True)
class Continued:
    """A cluster in both: its id and name, its label in the second, and how much is the same."""

    id: Id
    name: str | None
    label: Id
    before: int
    after: int
    common: int
    overlap: float


@dataclass(frozen=True)
class Flow:
    """How many objects went from a cluster of the first to a cluster of the second."""

    source: Id
    target: Id
    count: int


@dataclass(frozen=True)
class Moved:
    """An object that is in another cluster now."""

    name: str
    position: int
    source: Id
    target: Id


@dataclass(frozen=True, eq=False)
class Changes:
    """What changed for the objects of one type.

    Clusters of the second are called by the ids of those of the first that they continue, and by
    new ids where they continue none.

    Attributes
    ----------
    type : str
    agreement : float
        Share of the objects that stay.
    ari, nmi : float
        Adjusted Rand index and normalised mutual information of the two (`cocluster.metrics`).
    clusters : tuple of Continued
        Clusters that go on.
    gone, new : tuple of ids
        Clusters of the first that do not, and clusters that only the second has.
    flows : tuple of Flow
        All pairs of clusters that share objects, those that stay included.
    moved : tuple of Moved
    labels : array
        Labels of the second in the ids of the first.
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
    """What `compare` returns.

    Attributes
    ----------
    types : dict of type to Changes
        The samples first; other types where both cluster them.
    objective : tuple of float or None
        Objective of the first and of the second, where they have one. Only fits of one method to
        one set of data can be compared by it.
    links : tuple of dict or None
        Links that each of the two satisfies and violates, by type.
    scores : tuple of dict or None
        Scores of each of the two against known classes, if the data have some.
    """

    types: dict[str, Changes]
    objective: tuple[float | None, float | None]
    links: tuple[dict[str, Any] | None, dict[str, Any] | None]
    scores: tuple[dict[str, float] | None, dict[str, float] | None]

    @property
    def samples(self) -> Changes:
        """What changed for the samples."""
        return next(iter(self.types.values()))

    @property
    def names(self) -> dict[Id, str]:
        """Names that go on, by the id of their cluster."""
        return {c.id: c.name for c in self.samples.clusters if c.name is not None}

    def to_dict(self) -> dict[str, Any]:
        """Everything as dicts, lists, texts and numbers, ready for JSON."""
        found: dict[str, Any] = plain(asdict(self))
        return found

    def rows(self, table: str = "moved") -> list[Row]:
        """One of the tables, a dict for each row.

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
        """One of the tables (see `rows`) as a pandas frame."""
        return as_frame(self.rows(table))

    @property
    def told(self) -> str:
        """How much has changed, in a sentence."""
        own = self.samples
        return (
            f"{len(own.moved):,} of {len(own.labels):,} samples moved; "
            f"{len(own.clusters)} clusters go on, gone: {len(own.gone)}, new: {len(own.new)}."
        )

    def __str__(self) -> str:
        own, lines = self.samples, [self.told]
        largest = sorted(own.flows, key=lambda flow: -flow.count)
        crossing = [flow for flow in largest if flow.source != flow.target]
        lines += [f"{flow.count:,}: {flow.source} -> {flow.target}" for flow in crossing[:SHOWN]]
        return "\n".join(lines)


# Tables of `Comparison.rows`, and flows that are printed.
TABLES = ("clusters", "flows", "moved")
SHOWN = 5


def compare(
    a: Any, b: Any, data: Any = None, *, names: Mapping[Any, str] | None = None
) -> Comparison:
    """Say what changed from one fit to another one of the same samples.

    Parameters
    ----------
    a, b : fitted models, labels of the samples, or mappings of type to labels
        The first and the second.
    data : Dataset, frame, AnnData, views or RelationalData, optional
        Where the names of samples and features come from; a `Dataset` with known classes gives
        scores, too.
    names : mapping of cluster to name, optional
        Names of the clusters of the first; those that go on keep them.

    Returns
    -------
    Comparison
        ``samples`` with what moved, ``names`` that go on, ``to_frame("flows")``; print it for an
        overview.

    Examples
    --------
    >>> found = compare([0, 0, 0, 1, 1, 1], [2, 2, 0, 0, 0, 0], names={0: "tea", 1: "coffee"})
    >>> print(found)
    1 of 6 samples moved; 2 clusters go on, gone: 0, new: 0.
    1: 0 -> 1
    >>> found.samples.labels.tolist(), found.names
    ([0, 0, 1, 1, 1, 1], {0: 'tea', 1: 'coffee'})
    """
    first, second = labels_of(a), labels_of(b)
    center, *others = first
    # Whatever the samples are called in the second, they come first.
    shared = {center: next(iter(second.values()))}
    shared |= {name: second[name] for name in others if name in second}
    for name, labels in shared.items():
        _check_lengths(name, len(first[name]), len(labels))
    objects = _object_names(data, first)
    known = checked_names(names or {}, np.unique(first[center]).tolist())
    classes = classes_of(data)
    return Comparison(
        {
            name: _changes(
                name,
                aligned(first[name], labels),
                objects.get(name, range(len(labels))),
                known if name == center else {},
            )
            for name, labels in shared.items()
        },
        objective=(_objective(a), _objective(b)),
        links=(_links(a), _links(b)),
        scores=(_scores(classes, first[center]), _scores(classes, shared[center])),
    )


def _check_lengths(name: str, first: int, second: int) -> None:
    """Refuse labels of different objects."""
    if first != second:
        raise ValueError(
            f"The first has {first:,} {name} and the second {second:,}: compare two clusterings of "
            "the same ones."
        )


def _object_names(data: Any, labels: Mapping[str, Array]) -> dict[str, Sequence[Any]]:
    """Names of the objects, by the types of the labels, which are those of the data in order."""
    if data is None:
        return {}
    read = data_of(data)
    pairs = zip(labels, named_alike(labels, read.types), strict=False)
    found = {name: known for name, known in pairs if known in read.names}
    for name, known in found.items():
        if len(labels[name]) != read.size(known):
            raise ValueError(
                f"The labels are of {len(labels[name]):,} {name}, the data have "
                f"{read.size(known):,}: pass the data that were clustered."
            )
    return {name: read.names[known].tolist() for name, known in found.items()}


def _changes(
    name: str, found: Alignment, objects: Sequence[Any], names: Mapping[Any, str]
) -> Changes:
    """What changed for one type, in plain values."""
    before, ids = found.before.ids.tolist(), found.ids.tolist()
    old, new = (clusters.ids[clusters.codes] for clusters in (found.before, found.after))
    labels = found.labels
    return Changes(
        type=name,
        agreement=found.agreement,
        ari=ari(old, new),
        nmi=nmi(old, new),
        clusters=tuple(_continued(found, names)),
        gone=tuple(i for i in before if i not in ids),
        new=tuple(i for i in ids if i not in before),
        flows=tuple(
            Flow(before[a], ids[b], int(found.table[a, b]))
            for a, b in zip(*np.nonzero(found.table), strict=True)
        ),
        moved=tuple(
            Moved(str(objects[i]), i, old[i].item(), labels[i].item())
            for i in np.flatnonzero(old != labels).tolist()
        ),
        labels=labels,
    )


def _continued(found: Alignment, names: Mapping[Any, str]) -> Iterator[Continued]:
    """Clusters that go on, in the order of the first."""
    for b, a in sorted(found.partners.items(), key=lambda pair: pair[1]):
        own = found.before.ids[a].item()
        yield Continued(
            id=own,
            name=names.get(own),
            label=found.after.ids[b].item(),
            before=int(found.table[a].sum()),
            after=int(found.table[:, b].sum()),
            common=int(found.table[a, b]),
            overlap=found.overlap(a, b),
        )


def _objective(found: Any) -> float | None:
    """Objective of a model; labels have none."""
    value = getattr(found, "objective_", None)
    return None if value is None else float(value)


def _links(found: Any) -> dict[str, Any] | None:
    """Links that a model satisfies and violates; None where there are labels only."""
    report = getattr(found, "links_report_", None)
    if report is None:
        return None
    return {
        name: {"satisfied": int(links.n_satisfied), "violated": int(links.n_violated)}
        for name, links in report.items()
    }


def _scores(classes: Array | None, labels: Array) -> dict[str, float] | None:
    """Scores against the classes of those samples whose class is known."""
    if classes is None or not (classes >= 0).any():
        return None
    return scores(classes[classes >= 0], labels[classes >= 0])
