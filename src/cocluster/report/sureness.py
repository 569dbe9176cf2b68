"""How sure is a clustering: of every object, of every cluster, and of the whole."""

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
from cocluster.report.alignment import Alignment
from cocluster.report.evidence import Codes, codes_of, costs_of, margins, sides
from cocluster.report.explanation import Id
from cocluster.report.outliers import outlier_tests, rejected
from cocluster.report.subject import Clusters, Subject, labels_of, named_alike, subject_of
from cocluster.report.tables import Row, as_frame, check_table, plain
from cocluster.utils.checks import RandomState, check_integer, generator

# Share of the samples that a refit sees: many enough for the clusters to be about the same, few
# enough for those left out to judge by.
FRACTION = 0.75
# Samples left out of a refit that the temperature is found from: two digits need no more.
JUDGED = 2000
# A sample is borderline if its cluster is not even twice as probable as all others together. (Half
# would leave none but ties where there are two clusters.)
BORDERLINE = 2 / 3


@dataclass(frozen=True, eq=False)
class Sureness:
    """What `sureness` returns.

    Attributes
    ----------
    ids : array of shape (n_clusters,)
        Labels of the clusters of samples, the columns of ``probability``.
    probability : array of shape (n_samples, n_clusters)
        How probably each sample belongs to each cluster; rows sum to one.
    certainty : array of shape (n_samples,)
        The probability of the cluster that the sample is in.
    margins : dict of type to array
        By how much each object is cheaper in its cluster than in the next best; the unit is that of
        `cocluster.methods.default.probability.costs`. Below zero: something else holds it there,
        such as a link.
    seconds : dict of type to array
        That next best cluster.
    stability : dict of type to dict of cluster to float
        Mean share of a cluster that is found again when a part of the samples is fitted anew:
        members in both over members in either (Jaccard). 1 is always the same; below .5 there is
        no such cluster.
    agreement : float
        Mean share of the samples that stay in their cluster then.
    borderline : int array
        Samples whose cluster is at most twice as probable as all others together, the least
        certain first.
    outliers : int array
        Samples that fit no cluster, the worst first; see `cocluster.report.outliers`.
    p_values : array of shape (n_samples,)
        Of the test for outliers.
    temperature : dict of view to float
        What its evidence is divided by before it becomes a probability: 1 if features were
        independent, more where they repeat each other; see `cocluster.methods.default.probability`.
    names : list of str
        What the samples are called.
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
        """Everything as dicts, lists, texts and numbers, ready for JSON."""
        found: dict[str, Any] = plain(vars(self))
        return found

    def rows(self, table: str = "samples") -> list[Row]:
        """One of the tables, a dict for each row.

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
        """One of the tables (see `rows`) as a pandas frame."""
        return as_frame(self.rows(table))


def sureness(
    model: Any,
    data: Any,
    *,
    links: Any = None,
    n_refits: int = 5,
    random_state: RandomState = 0,
) -> Sureness:
    """Say how sure a fit is, without knowing any class.

    The model is fitted anew a few times, each time to three quarters of the samples drawn at
    random. Clusters that are found again are stable. The samples left out show how much evidence
    there really is (`cocluster.methods.default.probability`); and the probability of a sample is
    the mean over all these fits and the given one, so that it is low where the data are unclear as
    well as where the clusters are.

    Parameters
    ----------
    model : fitted method of this library
    data : Dataset, matrix, frame, AnnData, views or RelationalData
        The data that were fitted.
    links : Links or tuple (must_link, cannot_link), optional
        Those of the fit; refits take those between their samples.
    n_refits : int
        The costs are those of as many fits.
    random_state : int, RandomState, Generator or None
        Draws the samples; the same seed gives the same results.

    Examples
    --------
    >>> from cocluster import CoCluster
    >>> from cocluster.datasets import make_blocks
    >>> planted = make_blocks(150, 60, 3, contrast=10, random_state=0)
    >>> found = sureness(CoCluster(3, random_state=0).fit(planted.X), planted.X, n_refits=2)
    >>> found.agreement > 0.9, bool(found.certainty.mean() > 0.9)
    (True, True)
    """
    check_integer(n_refits, "n_refits")
    subject = subject_of(model, data)
    _check_refits(subject)
    n = len(subject.data)
    supervision = as_links(links, None, n)
    found = [_Judgement.of(subject.data, subject.clusters)]
    alignments: dict[str, list[Alignment]] = {name: [] for name in subject.clusters}
    halves: list[list[HalfCosts]] = []
    rng = generator(random_state)
    for _ in range(n_refits):
        rows = np.sort(rng.permutation(n)[: round(FRACTION * n)])
        clusters = _refitted(subject, rows, supervision, int(rng.integers(2**31)))
        judgement = _Judgement.of(subject.data[rows], clusters)
        halves.append(judgement.halves(_left_out(subject.data, rows, rng), rng))
        found.append(judgement)
        for name, own in subject.clusters.items():
            before = Clusters(
                own.ids, own.codes[rows] if name == subject.data.center else own.codes
            )
            alignments[name].append(Alignment(before, clusters[name]))
    return _told(subject, found, alignments, halves)


def _check_refits(subject: Subject) -> None:
    """Refuse what cannot be fitted anew to a part of the samples."""
    model, n = subject.model, len(subject.data)
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
    k = len(subject.clusters[subject.data.center])
    if round(FRACTION * n) <= k or n == round(FRACTION * n):
        raise ValueError(
            f"{n} samples in {k} clusters are too few: three quarters of them must be more than "
            "there are clusters."
        )


def _refitted(subject: Subject, rows: Array, links: Links | None, seed: int) -> dict[str, Clusters]:
    """The clusters that a new fit finds in some of the samples."""
    twin = clone(subject.model)
    given = twin.get_params(deep=False)
    fresh = {"random_state": seed} if "random_state" in given else {}
    if "init" in given and start_name(given["init"]) is None:
        # Labels to start from are those of all samples, and would lead every refit to one end.
        fresh["init"] = type(twin)().init
    twin.set_params(**fresh)
    data = with_types_of_fit(subject.model, subject.data)
    twin.fit(data[rows], links=None if links is None else links[rows])
    labels = named_alike(labels_of(twin), subject.data.types)
    return {name: Clusters.of(values) for name, values in labels.items()}


def _left_out(data: RelationalData, rows: Array, rng: np.random.Generator) -> RelationalData:
    """The samples that a refit has not seen, or some of them."""
    rest = np.setdiff1d(np.arange(len(data)), rows)
    return data[np.sort(rng.permutation(rest)[:JUDGED])]


@dataclass(frozen=True, eq=False)
class _Judgement:
    """What the clusters of one fit say of samples, view by view."""

    codes: list[Codes]

    @staticmethod
    def of(data: RelationalData, clusters: dict[str, Clusters]) -> _Judgement:
        """The judgement of clusters that were found in these data."""
        own = clusters[data.center]
        return _Judgement(
            [
                codes_of(side.matrix, side.members(own), side.groups(clusters))
                for side in sides(data, data.center)
            ]
        )

    def costs(self, data: RelationalData) -> list[Array]:
        """What samples cost in each cluster, by each view."""
        views = zip(sides(data, data.center), self.codes, strict=True)
        return [side.spread(codes.costs(side.matrix), len(data)) for side, codes in views]

    def halves(self, data: RelationalData, rng: np.random.Generator) -> list[HalfCosts]:
        """The same by one half of the features of each view, and by the other."""
        found = []
        for side, codes in zip(sides(data, data.center), self.codes, strict=True):
            m = side.matrix.shape[1]
            chosen = rng.permutation(m) < m // 2
            one, other = (
                side.spread(codes.costs(side.matrix, half), len(data)) for half in (chosen, ~chosen)
            )
            found.append((one, other))
        return found


def _temperatures(halves: list[list[HalfCosts]]) -> list[float]:
    """Temperature of each view: one by one, then all together."""
    views = list(zip(*halves, strict=True))
    alone = [temperature(view) for view in views]
    if len(alone) == 1:
        return alone
    # Views repeat each other, too: what they say together is not the sum of what each says.
    together = [
        (
            sum((one / t for (one, _), t in zip(refit, alone, strict=True)), start=np.zeros(1)),
            sum((other / t for (_, other), t in zip(refit, alone, strict=True)), start=np.zeros(1)),
        )
        for refit in halves
    ]
    common = temperature(together)
    return [t * common for t in alone]


def _told(
    subject: Subject,
    found: list[_Judgement],
    alignments: dict[str, list[Alignment]],
    halves: list[list[HalfCosts]],
) -> Sureness:
    """All that was found out, put together."""
    data, own = subject.data, subject.clusters[subject.data.center]
    heats = _temperatures(halves)
    mapped = [np.eye(len(own)), *(_continuing(alignment) for alignment in alignments[data.center])]
    probability = np.mean(
        [
            probabilities(_weighted(judgement.costs(data), heats), 1.0) @ mapping
            for judgement, mapping in zip(found, mapped, strict=True)
        ],
        axis=0,
    )
    certainty = probability[np.arange(len(data)), own.codes]
    judged = {
        name: margins(costs_of(subject, name), clusters.codes)
        for name, clusters in subject.clusters.items()
    }
    p_values = outlier_tests(subject)
    outliers, borderline = rejected(p_values), np.flatnonzero(certainty <= BORDERLINE)
    return Sureness(
        ids=own.ids,
        probability=probability,
        certainty=certainty,
        margins={name: margin for name, (margin, _) in judged.items()},
        seconds={name: subject.clusters[name].ids[second] for name, (_, second) in judged.items()},
        stability={name: _stability(refits) for name, refits in alignments.items()},
        agreement=float(np.mean([refit.agreement for refit in alignments[data.center]])),
        borderline=borderline[np.argsort(certainty[borderline], kind="stable")],
        outliers=outliers[np.argsort(p_values[outliers], kind="stable")],
        p_values=p_values,
        temperature=dict(zip((s.other for s in sides(data, data.center)), heats, strict=True)),
        names=subject.object_names[data.center],
    )


def _weighted(costs: list[Array], heats: list[float]) -> Array:
    """Costs of all views together, each by its temperature."""
    return np.asarray(sum(cost / heat for cost, heat in zip(costs, heats, strict=True)))


def _continuing(found: Alignment) -> Array:
    """Shares of the clusters of a refit (rows) that belong to each given cluster (columns).

    All of it to the one it continues. A cluster that continues none is spread over those that its
    members come from.
    """
    shares = found.table.T / np.maximum(found.table.sum(axis=0), 1)[:, None]
    for b, a in found.partners.items():
        shares[b] = np.eye(len(found.before))[a]
    return np.asarray(shares)


def _stability(refits: list[Alignment]) -> dict[Id, float]:
    """Mean overlap of each cluster with the one that continues it, 0 where none does."""
    ids = refits[0].before.ids.tolist()
    total = np.zeros(len(ids))
    for refit in refits:
        for b, a in refit.partners.items():
            total[a] += refit.overlap(a, b)
    return dict(zip(ids, (total / len(refits)).tolist(), strict=True))
