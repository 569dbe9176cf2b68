"""Characteristic features, typical and borderline members, and a name for every cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from scipy.special import entr

from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array
from cocluster.report.cluster_names import check_names, make_names, make_unique
from cocluster.report.evidence import OrientedRelation, costs_by_relation, margins, object_costs
from cocluster.report.formatting import cluster_lines
from cocluster.report.report_input import Clusters, ReportInput
from cocluster.report.statistics import Scores, check_statistic, score_features
from cocluster.report.tables import CLUSTER_TABLES, Row, as_frame, check_table, plain
from cocluster.report.values import Cluster, ClusterView, Feature, Id, Member, Value
from cocluster.utils.checks import check_integer

# Features that the name of a cluster is chosen from. Many are skipped, because they belong to
# another cluster or are not words.
NAME_CANDIDATES = 50


class Explanation(Value, frozen=True):
    """The clusters of every type, explained: the names, features and members of an `Account`.

    Attributes
    ----------
    by : str
        The statistic that features are scored by.
    types : dict of type to tuple of Cluster
        The samples first. Probabilities, metadata and texts are left to `cocluster.account`.
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
        """Return everything as dicts, lists, texts and numbers, ready for JSON."""
        values: dict[str, Any] = plain(msgspec.to_builtins(self, str_keys=True))
        return values

    def rows(self, table: str = "features") -> list[Row]:
        """Return one of the tables, a dict for each row; the same as `Account.rows`.

        Parameters
        ----------
        table : {"clusters", "views", "features", "members"}
        """
        check_table(table, CLUSTER_TABLES)
        return list(CLUSTER_TABLES[table](self.types))

    def to_frame(self, table: str = "features") -> Any:
        """Return one of the tables (see `rows`) as a pandas frame."""
        return as_frame(self.rows(table))

    def __str__(self) -> str:
        return cluster_lines(self.clusters)


def explain(
    model: Any,
    data: Any,
    by: str = "g2",
    *,
    n_features: int = 10,
    n_members: int = 5,
    names: Mapping[Any, str] | None = None,
) -> Explanation:
    """Explain every cluster by its characteristic features, typical and borderline members.

    Parameters
    ----------
    model : fitted model, labels of the samples, or mapping of type to labels
        For new samples pass the labels that the model predicts.
    data : Dataset, matrix, frame, AnnData, views or RelationalData
        The data that were fitted, with the names of samples and features if they have some.
    by : {"g2", "ctfidf", "relevance", "frex", "wilcoxon", "t"}
        How features are scored, see `cocluster.report.statistics`: by default the log-likelihood
        ratio of having the feature; a view with negative values or hardly any zeros has the rank
        sum test instead.
    n_features, n_members : int
        Most features, and most members of each kind, that are listed.
    names : mapping of cluster to name, optional
        Names that people gave to clusters of samples; the others are named after their features.

    Returns
    -------
    Explanation
        ``clusters`` of the samples, ``types`` with those of the features too (explained by the
        samples they occur in), ``to_dict()``, ``to_frame("features")``; print it for an overview.

    Examples
    --------
    >>> from cocluster import CoCluster, explain
    >>> from cocluster.datasets import Dataset
    >>> words = np.array(["team", "game", "god", "faith"])
    >>> X = np.kron(np.eye(2), np.ones((3, 2))) + np.eye(6, 4)
    >>> data = Dataset("toy", {"words": X}, feature_names={"words": words})
    >>> explanation = explain(CoCluster(2, random_state=0).fit(data.data), data)
    >>> sorted(cluster.name for cluster in explanation.clusters)
    ['faith, god', 'team, game']
    """
    check_statistic(by)
    check_integer(n_features, "n_features")
    check_integer(n_members, "n_members", 0)
    source = ReportInput.of(model, data, in_memory=True)
    return explain_clusters(source, by, n_features, n_members, names or {})


def explain_clusters(
    source: ReportInput, by: str, n_features: int, n_members: int, names: Mapping[Any, str]
) -> Explanation:
    """Explain the clusters of checked data in memory; see `explain`."""
    given_names = check_names(names, source.sample_clusters.ids.tolist())
    types = {}
    for type_name in source.clusters:
        analysis = _analyse(source, type_name, by)
        cluster_names = _choose_names(analysis, given_names if analysis.of_samples else {})
        types[type_name] = tuple(
            _cluster(analysis, c, name, n_features, n_members)
            for c, name in enumerate(cluster_names)
        )
    return Explanation(by, types)


@dataclass(frozen=True, eq=False)
class _Analysis:
    """Scores, evidence and margins of the clusters of one type.

    ``columns`` has the names and positions of the columns of each relation, and ``information``
    the share of each relation (rows) in the information about each cluster (columns).
    """

    source: ReportInput
    type_name: str
    relations: list[OrientedRelation]
    columns: list[list[tuple[str, int]]]
    scores: list[Scores]
    information: Array
    margin: Array
    second: Array
    typicality: Array

    @property
    def clusters(self) -> Clusters:
        """The clusters of the type."""
        return self.source.clusters[self.type_name]

    @property
    def of_samples(self) -> bool:
        """Whether the type is that of the samples."""
        return self.type_name == self.source.center

    def members(self, c: int, by: Array) -> Array:
        """Return the members of a cluster, those with the largest values first."""
        members = np.flatnonzero(self.clusters.codes == c)
        return members[np.argsort(-by[members], kind="stable")]


def _analyse(source: ReportInput, type_name: str, by: str) -> _Analysis:
    """Compute scores, information and margins of the clusters of one type."""
    clusters = source.clusters[type_name]
    judged = costs_by_relation(source, type_name)
    margin, second = margins(object_costs(source, type_name), clusters.codes)
    return _Analysis(
        source,
        type_name,
        [relation for relation, _ in judged],
        [_named_columns(source, relation) for relation, _ in judged],
        [
            score_features(relation.matrix, relation.row_partition(clusters), by)
            for relation, _ in judged
        ],
        _shares(np.vstack([_information(clusters, costs) for _, costs in judged])),
        margin,
        second,
        _typicality(clusters, judged) if type_name == source.center else margin,
    )


def _typicality(clusters: Clusters, judged: list[tuple[OrientedRelation, Array]]) -> Array:
    """Return the evidence for the cluster of each sample, relative to the size of the sample.

    By margins alone the longest texts would be the most typical ones. The size of one more median
    sample is added, so that texts of a single word are not typical either.
    """
    n = len(clusters.codes)
    evidence = sum((costs for _, costs in judged[1:]), start=judged[0][1])
    masses = sum(relation.scatter(relation.row_masses(), n) for relation, _ in judged)
    return np.asarray(margins(evidence, clusters.codes)[0] / (1 + masses))


def _named_columns(source: ReportInput, relation: OrientedRelation) -> list[tuple[str, int]]:
    """Return the name and position of every column of a relation."""
    names = source.object_names[relation.column_type]
    index = relation.column_index
    return [(names[j], j) for j in (range(len(names)) if index is None else index.tolist())]


def _information(clusters: Clusters, costs: Array) -> Array:
    """Return the information in nats between being in a cluster and the cheapest cluster."""
    # Objects that the view lacks, or of which it knows nothing, do not count.
    informed = np.ptp(costs, axis=1) > 0
    cheapest = as_partition(costs[informed].argmin(axis=1), len(clusters))
    table = clusters.partition[np.flatnonzero(informed)].inner(cheapest.dense()) / len(informed)
    total = table.sum()
    # H(in or out) + H(cheapest) - H(both), each of shares that sum to the total.
    inside, both = table.sum(axis=1), entr(table).sum(axis=1)
    outside = entr(np.maximum(table.sum(axis=0) - table, 0)).sum(axis=1)
    alone = entr(inside) + entr(np.maximum(total - inside, 0)) - entr(total)
    return np.asarray(np.maximum(alone + entr(table.sum(axis=0)).sum() - both - outside, 0))


def _shares(information: Array) -> Array:
    """Divide each column by its sum; equal shares where the sum is zero."""
    total = information.sum(axis=0)
    return np.where(total > 0, information / np.where(total > 0, total, 1), 1 / len(information))


def _choose_names(analysis: _Analysis, given: Mapping[Id, str]) -> list[str]:
    """Return a name for every cluster: given by a person, or made of its features."""
    candidates = _feature_candidates if analysis.of_samples else _member_candidates
    made = make_names([candidates(analysis, c) for c in range(len(analysis.clusters))])
    taken = {name.casefold() for name in given.values()}
    free = ["" if name.casefold() in taken else name for name in made]
    ids = analysis.clusters.ids.tolist()
    return make_unique([given.get(i, name) for i, name in zip(ids, free, strict=True)])


def _member_candidates(analysis: _Analysis, c: int) -> dict[str, float]:
    """Return the members that belong to a group of features most clearly, with their margins."""
    names = analysis.source.object_names[analysis.type_name]
    members = analysis.members(c, analysis.margin)[:NAME_CANDIDATES]
    return {names[i]: float(analysis.margin[i]) for i in members}


def _feature_candidates(analysis: _Analysis, c: int) -> dict[str, float]:
    """Return the best features of the most informative view that has names, with their scores."""
    assert analysis.source.data is not None
    with_names = [
        r
        for r, relation in enumerate(analysis.relations)
        if relation.column_type in analysis.source.data.names
    ]
    if not with_names:
        return {}
    r = max(with_names, key=lambda r: float(analysis.information[r, c]))
    columns, scores = analysis.columns[r], analysis.scores[r]
    return {columns[j][0]: float(scores.score[c, j]) for j in scores.best(c, NAME_CANDIDATES)}


def _cluster(analysis: _Analysis, c: int, name: str, n_features: int, n_members: int) -> Cluster:
    """Describe one cluster."""
    typical = analysis.members(c, analysis.typicality)[:n_members]
    members = analysis.members(c, -analysis.margin)
    # In a small cluster typical members come first; none of them is listed as borderline too.
    borderline = members[~np.isin(members, typical)][:n_members]
    views = [_view(analysis, r, c, n_features) for r in range(len(analysis.relations))]
    return Cluster(
        id=analysis.clusters.ids[c].item(),
        name=name,
        given=False,
        size=len(members),
        share=len(members) / len(analysis.clusters.codes),
        margin=float(analysis.margin[members].mean()),
        certainty=None,
        borderline=None,
        stability=None,
        views=tuple(sorted(views, key=lambda view: -view.share)),
        groups=(),
        representative=tuple(_member(analysis, i) for i in typical.tolist()),
        borderline_members=tuple(_member(analysis, i) for i in borderline.tolist()),
    )


def _member(analysis: _Analysis, position: int) -> Member:
    """Describe one member by its name, margin and second best cluster."""
    ids = analysis.clusters.ids
    return Member(
        name=analysis.source.object_names[analysis.type_name][position],
        position=position,
        title="",
        snippet="",
        picture="",
        metadata={},
        margin=float(analysis.margin[position]),
        probability=None,
        second=ids[analysis.second[position]].item() if len(ids) > 1 else None,
        class_name="",
    )


def _view(analysis: _Analysis, r: int, c: int, n: int) -> ClusterView:
    """Return the best features of a cluster in one view, and the share of the view."""
    scores, columns = analysis.scores[r], analysis.columns[r]
    features = tuple(
        Feature(
            *columns[j],
            *(
                float(values[c, j]) if np.isfinite(values[c, j]) else None
                for values in (scores.score, scores.share, scores.lift, scores.exclusivity)
            ),
        )
        for j in scores.best(c, n)
    )
    share = float(analysis.information[r, c])
    return ClusterView(analysis.relations[r].column_type, scores.by, share, features)
