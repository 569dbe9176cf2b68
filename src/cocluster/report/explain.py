"""Why is this a cluster? Characteristic features, typical and borderline members, and a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import entr

from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array
from cocluster.report.evidence import Side, costs_by_side, costs_of, margins
from cocluster.report.explanation import Cluster, Explanation, Feature, Id, Member, View
from cocluster.report.naming import checked_names, names_of, unique
from cocluster.report.statistics import Scores, check_statistic, scored
from cocluster.report.subject import Clusters, Subject, subject_of
from cocluster.utils.checks import check_integer

# Features that a name is chosen from: many are passed over, because they belong to another cluster
# or are no words.
CANDIDATES = 50


def explain(
    model: Any,
    data: Any,
    by: str = "g2",
    *,
    n_features: int = 10,
    n_members: int = 5,
    names: Mapping[Any, str] | None = None,
) -> Explanation:
    """Say what sets each cluster apart, who is typical of it, and who is on its border.

    Parameters
    ----------
    model : fitted model, labels of the samples, or mapping of type to labels
        For new samples pass the labels that the model predicts.
    data : Dataset, matrix, frame, AnnData, views or RelationalData
        The data that were fitted, with the names of samples and features where they have some.
    by : {"g2", "ctfidf", "relevance", "frex", "wilcoxon", "t"}
        How features are scored, see `cocluster.report.statistics`: by default the log-likelihood
        ratio of having the feature; a view with negative values or hardly any zeros has the rank
        sum test instead.
    n_features, n_members : int
        Most features, and most members of each kind, that are listed.
    names : mapping of cluster to name, optional
        Names that people gave to clusters of samples; the others get names of their own.

    Returns
    -------
    Explanation
        ``clusters`` of the samples, ``types`` with those of the features too (explained by the
        samples they are found in), ``to_dict()``, ``to_frame("features")``; print it for an
        overview.

    Examples
    --------
    >>> from cocluster import CoCluster, explain
    >>> from cocluster.datasets import Dataset
    >>> words = np.array(["team", "game", "god", "faith"])
    >>> X = np.kron(np.eye(2), np.ones((3, 2))) + np.eye(6, 4)
    >>> data = Dataset("toy", {"words": X}, feature_names={"words": words})
    >>> found = explain(CoCluster(2, random_state=0).fit(data.data), data)
    >>> sorted(cluster.name for cluster in found.clusters)
    ['faith, god', 'team, game']
    """
    check_statistic(by)
    check_integer(n_features, "n_features")
    check_integer(n_members, "n_members", 0)
    return explained(subject_of(model, data), by, n_features, n_members, names or {})


def explained(
    subject: Subject, by: str, n_features: int, n_members: int, names: Mapping[Any, str]
) -> Explanation:
    """`explain`, of data and clusters that were checked."""
    given = checked_names(names, subject.clusters[subject.data.center].ids.tolist())
    types = {}
    for name in subject.clusters:
        found = _found(subject, name, by)
        chosen = _names(found, given if name == subject.data.center else {})
        types[name] = tuple(
            _cluster(found, c, chosen[c], n_features, n_members) for c in range(len(chosen))
        )
    return Explanation(by, types)


@dataclass(frozen=True, eq=False)
class _Found:
    """All that is known of the clusters of one type, before it is put into words."""

    subject: Subject
    name: str
    own: Clusters
    sides: list[Side]
    # Names and positions of what is in the columns of each side.
    columns: list[list[tuple[str, int]]]
    scores: list[Scores]
    # Share of each side (rows) in what is known of each cluster (columns).
    information: Array
    margin: Array
    second: Array
    typical: Array

    def members(self, c: int, by: Array) -> Array:
        """Members of a cluster, those with the largest values first."""
        members = np.flatnonzero(self.own.codes == c)
        return members[np.argsort(-by[members], kind="stable")]


def _found(subject: Subject, name: str, by: str) -> _Found:
    """Scores, shares and margins of the clusters of one type."""
    own = subject.clusters[name]
    judged = costs_by_side(subject, name)
    margin, second = margins(costs_of(subject, name), own.codes)
    return _Found(
        subject,
        name,
        own,
        [side for side, _ in judged],
        [_columns(subject, side) for side, _ in judged],
        [scored(side.matrix, side.members(own), by) for side, _ in judged],
        np.array(_shares([_information(own, costs) for _, costs in judged])),
        margin,
        second,
        _typicality(subject, name, judged) if name == subject.data.center else margin,
    )


def _typicality(subject: Subject, name: str, judged: list[tuple[Side, Array]]) -> Array:
    """How much the data say for the cluster of each sample, for its size.

    By margins alone the longest texts would be the most typical ones. The size of one more, median
    sample is added, so that neither are those that consist of a single word.
    """
    n = subject.data.size(name)
    evidence = sum((costs for _, costs in judged[1:]), start=judged[0][1])
    masses = sum(side.spread(side.masses(), n) for side, _ in judged)
    return np.asarray(margins(evidence, subject.clusters[name].codes)[0] / (1 + masses))


def _columns(subject: Subject, side: Side) -> list[tuple[str, int]]:
    """Name and position of what is in the columns of a side."""
    names = subject.object_names[side.other]
    positions = range(len(names)) if side.columns is None else side.columns.tolist()
    return [(names[j], j) for j in positions]


def _information(own: Clusters, costs: Array) -> Array:
    """Of each cluster: what the cluster that the costs choose tells about being in it, in nats."""
    # Objects that the view lacks, or of which it knows nothing, are not asked about.
    known = np.ptp(costs, axis=1) > 0
    chosen = as_partition(costs[known].argmin(axis=1), len(own))
    table = own.partition[np.flatnonzero(known)].inner(chosen.dense()) / len(known)
    total = table.sum()
    # H(in or out) + H(chosen) - H(both), each of shares that sum to the total.
    inside, both = table.sum(axis=1), entr(table).sum(axis=1)
    outside = entr(np.maximum(table.sum(axis=0) - table, 0)).sum(axis=1)
    alone = entr(inside) + entr(np.maximum(total - inside, 0)) - entr(total)
    return np.asarray(np.maximum(alone + entr(table.sum(axis=0)).sum() - both - outside, 0))


def _shares(parts: list[Array]) -> Array:
    """Parts over their sum; equal where there is nothing to share."""
    stacked = np.vstack(parts)
    total = stacked.sum(axis=0)
    return np.where(total > 0, stacked / np.where(total > 0, total, 1), 1 / len(parts))


def _names(found: _Found, given: Mapping[Id, str]) -> list[str]:
    """A name for every cluster: given by a person, or made up."""
    of_samples = found.name == found.subject.data.center
    candidates = _words if of_samples else _typical
    made = names_of([candidates(found, c) for c in range(len(found.own))])
    taken = {name.casefold() for name in given.values()}
    free = ["" if name.casefold() in taken else name for name in made]
    return unique(
        [given.get(i, name) for i, name in zip(found.own.ids.tolist(), free, strict=True)]
    )


def _typical(found: _Found, c: int) -> dict[str, float]:
    """Features for the name of their own group: those that belong to it most clearly."""
    objects = found.subject.object_names[found.name]
    members = found.members(c, found.margin)[:CANDIDATES]
    return {objects[i]: float(found.margin[i]) for i in members}


def _words(found: _Found, c: int) -> dict[str, float]:
    """Features for the name of a cluster, from the view that says most among those with names."""
    known = found.subject.data.names
    named = [r for r, side in enumerate(found.sides) if side.other in known]
    if not named:
        return {}
    r = max(named, key=lambda r: float(found.information[r, c]))
    columns, scores = found.columns[r], found.scores[r]
    return {columns[j][0]: float(scores.score[c, j]) for j in scores.best(c, CANDIDATES)}


def _cluster(found: _Found, c: int, name: str, n_features: int, n_members: int) -> Cluster:
    """One cluster in words."""
    typical = found.members(c, found.typical)
    members = found.members(c, -found.margin)
    # In a small cluster typical members come first, and who is one of them is not borderline.
    shown = typical[:n_members]
    views = [_view(found, r, c, n_features) for r in range(len(found.sides))]
    return Cluster(
        id=found.own.ids[c].item(),
        name=name,
        size=len(members),
        margin=float(found.margin[members].mean()),
        views=tuple(sorted(views, key=lambda view: -view.information)),
        representative=tuple(_member(found, i) for i in shown),
        borderline=tuple(_member(found, i) for i in members[~np.isin(members, shown)][:n_members]),
    )


def _member(found: _Found, i: int) -> Member:
    """One member in words."""
    second = found.own.ids[found.second[i]].item() if len(found.own) > 1 else None
    name = found.subject.object_names[found.name][i]
    return Member(name, int(i), float(found.margin[i]), second)


def _view(found: _Found, r: int, c: int, n: int) -> View:
    """What one view says of a cluster, in words."""
    scores, columns = found.scores[r], found.columns[r]
    features = tuple(
        Feature(
            name,
            position,
            score=float(scores.score[c, j]),
            share=float(scores.share[c, j]),
            lift=float(scores.lift[c, j]),
            exclusivity=float(scores.exclusivity[c, j]),
        )
        for j in scores.best(c, n)
        for name, position in (columns[j],)
    )
    return View(found.sides[r].other, scores.by, float(found.information[r, c]), features)
