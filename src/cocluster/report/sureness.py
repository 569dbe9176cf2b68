"""Certainty of a clustering from refits: of every sample, of every cluster, and overall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from cocluster.data.relational import RelationalData
from cocluster.linalg.types import Array
from cocluster.links import Links, as_links
from cocluster.methods.default.probability import (
    HalfCosts,
    has_costs,
    probabilities,
    temperature,
    with_types_of_fit,
)
from cocluster.methods.starts import start_name
from cocluster.report.compare import Alignment
from cocluster.report.evidence import (
    CostModel,
    fit_cost_model,
    margins,
    object_costs,
    oriented_relations,
)
from cocluster.report.outliers import outlier_p_values, reject
from cocluster.report.report_input import Clusters, ReportInput, labels_by_type, match_types
from cocluster.report.tables import Row, as_frame, check_table, plain
from cocluster.report.values import Id
from cocluster.utils.checks import RandomState, check_integer, generator

# Share of the samples in a refit: enough to find about the same clusters, and to leave samples for
# the calibration.
REFIT_SHARE = 0.75
# Held-out samples of a refit for the calibration; more would not change two digits.
MAX_HELD_OUT = 2000
# A sample is borderline if its cluster is at most twice as probable as all others together. (With
# a bound of 1/2, two clusters would have no borderline samples but ties.)
BORDERLINE = 2 / 3


@dataclass(frozen=True, eq=False)
class Sureness:
    """The result of `sureness`.

    Attributes
    ----------
    ids : array of shape (n_clusters,)
        Labels of the clusters of samples, the columns of ``probability``.
    probability : array of shape (n_samples, n_clusters)
        Probability of each cluster for each sample; rows sum to one.
    certainty : array of shape (n_samples,)
        The probability of the cluster that the sample is in.
    margins : dict of type to array
        Cost of each object in its second best cluster less that in its own; the unit is that of
        `cocluster.methods.default.probability.costs`. Negative if something else keeps it there,
        such as a link.
    seconds : dict of type to array
        The second best cluster of each object.
    stability : dict of type to dict of cluster to float
        Mean Jaccard index of a cluster and the one that continues it in a refit. 1: always the
        same members; below 0.5 the cluster is not reproducible.
    agreement : float
        Mean share of the samples that stay in their cluster in a refit.
    borderline : int array
        Samples whose cluster is at most twice as probable as all others together, the least
        certain first.
    outliers : int array
        Samples that fit no cluster, the worst first; see `cocluster.report.outliers`.
    p_values : array of shape (n_samples,)
        Of the test for outliers.
    temperature : dict of view to float
        Divisor of the costs of a view before they become probabilities: 1 for independent
        features, more for redundant ones; see `cocluster.methods.default.probability`.
    names : list of str
        Names of the samples.
    """

    ids: Array
    probability: Array
    certainty: Array
    margins: dict[str, Array]
    seconds: dict[str, Array]
    stability: dict[str, dict[Id, float]]
    agreement: float
    borderline: Array
    outliers: Array
    p_values: Array
    temperature: dict[str, float]
    names: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dicts, lists, texts and numbers, ready for JSON."""
        values: dict[str, Any] = plain(vars(self))
        return values

    def rows(self, table: str = "samples") -> list[Row]:
        """Return one of the tables, a dict for each row.

        Parameters
        ----------
        table : {"samples", "clusters"}
        """
        check_table(table, ("samples", "clusters"))
        if table == "clusters":
            return [
                {"type": name, "cluster": cluster, "stability": value}
                for name, values in self.stability.items()
                for cluster, value in values.items()
            ]
        center = next(iter(self.margins))
        columns = {
            "name": self.names,
            "certainty": self.certainty.tolist(),
            "margin": self.margins[center].tolist(),
            "second": self.seconds[center].tolist(),
            "p_value": self.p_values.tolist(),
            "borderline": np.isin(np.arange(len(self.names)), self.borderline).tolist(),
            "outlier": np.isin(np.arange(len(self.names)), self.outliers).tolist(),
        }
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_frame(self, table: str = "samples") -> Any:
        """Return one of the tables (see `rows`) as a pandas frame."""
        return as_frame(self.rows(table))


def sureness(
    model: Any,
    data: Any,
    *,
    links: Any = None,
    n_refits: int = 5,
    random_state: RandomState = 0,
) -> Sureness:
    """Estimate the certainty of a fit from refits, without known classes.

    A clone of the model is fitted a few times, each time to three quarters of the samples drawn at
    random. Clusters that reappear are stable. The held-out samples calibrate the probabilities
    (`cocluster.methods.default.probability`). The probability of a sample is the mean over all
    these fits and the given one, so that it is low if the sample or the clusters are uncertain.

    Parameters
    ----------
    model : fitted method of this library
    data : Dataset, matrix, frame, AnnData, views or RelationalData
        The data that were fitted.
    links : Links or tuple (must_link, cannot_link), optional
        The links of the fit; refits use those between their samples.
    n_refits : int
        Number of refits; each takes about as long as the fit.
    random_state : int, RandomState, Generator or None
        Draws the samples; the same seed gives the same results.

    Examples
    --------
    >>> from cocluster import CoCluster
    >>> from cocluster.datasets import make_blocks
    >>> planted = make_blocks(150, 60, 3, contrast=10, random_state=0)
    >>> result = sureness(CoCluster(3, random_state=0).fit(planted.X), planted.X, n_refits=2)
    >>> result.agreement > 0.9, bool(result.certainty.mean() > 0.9)
    (True, True)
    """
    check_integer(n_refits, "n_refits")
    source = ReportInput.of(model, data, in_memory=True)
    assert source.data is not None
    _check_refits(source)
    n = len(source.data)
    supervision = as_links(links, None, n)
    judges = [_Judge.of(source.data, source.clusters)]
    alignments: dict[str, list[Alignment]] = {name: [] for name in source.clusters}
    halves: list[list[HalfCosts]] = []
    rng = generator(random_state)
    for _ in range(n_refits):
        rows = np.sort(rng.permutation(n)[: round(REFIT_SHARE * n)])
        clusters = _refit(source, rows, supervision, int(rng.integers(2**31)))
        judge = _Judge.of(source.data[rows], clusters)
        halves.append(judge.halves(_held_out(source.data, rows, rng), rng))
        judges.append(judge)
        for name, before in source.clusters.items():
            before = before.at(rows if name == source.center else None)
            alignments[name].append(Alignment(before, clusters[name]))
    return _result(source, judges, alignments, halves)


def _check_refits(source: ReportInput) -> None:
    """Refuse models and data that cannot be fitted again to a part of the samples."""
    model, n = source.model, len(source.sample_clusters.codes)
    if not has_costs(model):
        raise TypeError(
            "sureness fits the model anew and needs a method of this library; for labels alone, "
            "explain gives margins."
        )
    if model.__sklearn_tags__().input_tags.pairwise:
        raise ValueError(
            "sureness fits parts of the samples anew, which a matrix of similarities does not "
            "allow; pass the data that they were computed from."
        )
    k = len(source.sample_clusters)
    if round(REFIT_SHARE * n) <= k or n == round(REFIT_SHARE * n):
        raise ValueError(
            f"{n} samples in {k} clusters are too few: three quarters of them must be more than "
            "there are clusters."
        )


def _refit(source: ReportInput, rows: Array, links: Links | None, seed: int) -> dict[str, Clusters]:
    """Fit a clone of the model to some of the samples, and return its clusters."""
    assert source.data is not None
    refitted = clone(source.model)
    parameters = refitted.get_params(deep=False)
    if "random_state" in parameters:
        refitted.set_params(random_state=seed)
    if "init" in parameters and start_name(parameters["init"]) is None:
        # Initial labels are those of all samples, and would lead every refit to the same result.
        refitted.set_params(init=type(refitted)().init)
    data = with_types_of_fit(source.model, source.data)
    refitted.fit(data[rows], links=None if links is None else links[rows])
    labels = match_types(labels_by_type(refitted), source.data.types)
    return {name: Clusters.of(values) for name, values in labels.items()}


def _held_out(data: RelationalData, rows: Array, rng: np.random.Generator) -> RelationalData:
    """Return the samples that a refit has not seen, or a random part of them."""
    others = np.setdiff1d(np.arange(len(data)), rows)
    return data[np.sort(rng.permutation(others)[:MAX_HELD_OUT])]


@dataclass(frozen=True, eq=False)
class _Judge:
    """The cost models of the clusters of one fit, view by view."""

    models: list[CostModel]

    @staticmethod
    def of(data: RelationalData, clusters: dict[str, Clusters]) -> _Judge:
        """Return the cost models of clusters of these data."""
        samples = clusters[data.center]
        return _Judge(
            [
                fit_cost_model(
                    relation.matrix,
                    relation.row_partition(samples),
                    relation.column_partition(clusters),
                )
                for relation in oriented_relations(data, data.center)
            ]
        )

    def costs(self, data: RelationalData) -> list[Array]:
        """Return the costs of samples in each cluster, by each view."""
        views = zip(oriented_relations(data, data.center), self.models, strict=True)
        return [
            relation.scatter(model.costs(relation.matrix), len(data)) for relation, model in views
        ]

    def halves(self, data: RelationalData, rng: np.random.Generator) -> list[HalfCosts]:
        """Return the costs by one random half of the features of each view, and by the other."""
        halves = []
        for relation, model in zip(oriented_relations(data, data.center), self.models, strict=True):
            m = relation.matrix.shape[1]
            features = rng.permutation(m) < m // 2
            first, second = (
                relation.scatter(model.costs(relation.matrix, half), len(data))
                for half in (features, ~features)
            )
            halves.append((first, second))
        return halves


def _temperatures(halves: list[list[HalfCosts]]) -> list[float]:
    """Return the temperature of each view: calibrated alone, then together."""
    alone = [temperature(view) for view in zip(*halves, strict=True)]
    if len(alone) == 1:
        return alone
    # Views are redundant too: together they carry less evidence than the sum of their evidence.
    together = [
        (
            sum((one / t for (one, _), t in zip(refit, alone, strict=True)), start=np.zeros(1)),
            sum((other / t for (_, other), t in zip(refit, alone, strict=True)), start=np.zeros(1)),
        )
        for refit in halves
    ]
    common = temperature(together)
    return [t * common for t in alone]


def _result(
    source: ReportInput,
    judges: list[_Judge],
    alignments: dict[str, list[Alignment]],
    halves: list[list[HalfCosts]],
) -> Sureness:
    """Combine the judgements of all fits."""
    data, samples = source.data, source.sample_clusters
    assert data is not None
    temperatures = _temperatures(halves)
    mappings = [np.eye(len(samples)), *map(_cluster_mapping, alignments[source.center])]
    probability = np.mean(
        [
            probabilities(_weighted_sum(judge.costs(data), temperatures), 1.0) @ mapping
            for judge, mapping in zip(judges, mappings, strict=True)
        ],
        axis=0,
    )
    certainty = probability[np.arange(len(data)), samples.codes]
    judged = {
        name: margins(object_costs(source, name), clusters.codes)
        for name, clusters in source.clusters.items()
    }
    p_values = outlier_p_values(source)
    outliers, borderline = reject(p_values), np.flatnonzero(certainty <= BORDERLINE)
    views = [relation.column_type for relation in oriented_relations(data, source.center)]
    return Sureness(
        ids=samples.ids,
        probability=probability,
        certainty=certainty,
        margins={name: margin for name, (margin, _) in judged.items()},
        seconds={name: source.clusters[name].ids[second] for name, (_, second) in judged.items()},
        stability={name: _stability(refits) for name, refits in alignments.items()},
        agreement=float(np.mean([refit.agreement for refit in alignments[source.center]])),
        borderline=borderline[np.argsort(certainty[borderline], kind="stable")],
        outliers=outliers[np.argsort(p_values[outliers], kind="stable")],
        p_values=p_values,
        temperature=dict(zip(views, temperatures, strict=True)),
        names=source.object_names[source.center],
    )


def _weighted_sum(costs: list[Array], temperatures: list[float]) -> Array:
    """Return the sum of the costs of all views, each divided by its temperature."""
    return np.asarray(sum(cost / t for cost, t in zip(costs, temperatures, strict=True)))


def _cluster_mapping(alignment: Alignment) -> Array:
    """Return the shares of the clusters of a refit (rows) in each given cluster (columns).

    A cluster of the refit belongs to the given cluster that it continues. If it continues none,
    it is distributed over the clusters of its members.
    """
    shares = alignment.table.T / np.maximum(alignment.table.sum(axis=0), 1)[:, None]
    for b, a in alignment.partners.items():
        shares[b] = np.eye(len(alignment.before))[a]
    return np.asarray(shares)


def _stability(refits: list[Alignment]) -> dict[Id, float]:
    """Return the mean Jaccard index of each cluster with the cluster that continues it."""
    ids = refits[0].before.ids.tolist()
    total = np.zeros(len(ids))
    for refit in refits:
        for b, a in refit.partners.items():
            total[a] += refit.overlap(a, b)
    return dict(zip(ids, (total / len(refits)).tolist(), strict=True))
