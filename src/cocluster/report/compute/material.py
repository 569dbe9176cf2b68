"""What the parts of an account are computed from, read and checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, blocks_of
from cocluster.linalg.matrices import column_sums, safe_inverse, scaled
from cocluster.linalg.types import Array
from cocluster.methods.default.probability import costs, has_costs, probabilities
from cocluster.report.evidence import costs_of, margins
from cocluster.report.subject import (
    Clusters,
    Described,
    Subject,
    checked_labels,
    described_of,
    is_model,
    labels_of,
    read_data,
)

# Samples among which features and members are looked for: what is true of as many is true of all,
# and a fit of millions of rows should not wait longer for its account than for its labels.
LOOKED_AT = 50_000
# Of a small cluster at least so many are looked at, or all.
FROM_EACH = 50


@dataclass(frozen=True, eq=False)
class Material:
    """A model and the data it was fitted to.

    Attributes
    ----------
    model : Any
        What was found: a fitted model, or labels.
    data : RelationalData or None
        All of the data, samples in rows, wherever they are; None where only the model is known.
        Where entries are unknown, the known ones are told by how far they are from the mean of
        their column, and the unknown ones say nothing (zero): see `centred`.
    given : RelationalData or None
        The same as it came.
    clusters : dict of type to Clusters
        Of all objects, samples first.
    described : Described or None
        Texts, titles and classes of the samples, where the data come with them.
    """

    model: Any
    data: RelationalData | None
    clusters: dict[str, Clusters]
    described: Described | None = None
    given: RelationalData | None = None

    @staticmethod
    def of(model: Any, data: Any) -> Material:
        """The material of an account, checked."""
        if data is None:
            labels = labels_of(model)
            return Material(model, None, _clusters(labels))
        read = read_data(data)
        clusters = _clusters(checked_labels(model, read))
        return Material(model, centred(read), clusters, described_of(data, read), read)

    @property
    def has_unknown(self) -> bool:
        """Whether entries of the data are unknown."""
        return self.given is not None and any(
            relation.observed is not None for relation in self.given.relations
        )

    @property
    def center(self) -> str:
        """The type of the samples."""
        return next(iter(self.clusters))

    @property
    def own(self) -> Clusters:
        """The clusters of the samples."""
        return self.clusters[self.center]

    @property
    def fitted(self) -> Any:
        """The method that ran: `CoCluster` keeps the one that it chose."""
        return getattr(self.model, "model_", self.model)

    @cached_property
    def rows(self) -> Array:
        """Positions of the samples that are looked at one by one."""
        codes = self.own.codes
        if len(codes) <= LOOKED_AT:
            return np.arange(len(codes))
        # A fixed seed: the same fit has the same account.
        order = np.random.default_rng(0).permutation(len(codes))
        chosen = np.zeros(len(codes), dtype=bool)
        chosen[order[:LOOKED_AT]] = True
        for c in range(len(self.own)):
            chosen[order[codes[order] == c][:FROM_EACH]] = True
        return np.flatnonzero(chosen)

    @cached_property
    def subject(self) -> Subject | None:
        """Those samples with their clusters, in memory."""
        if self.data is None:
            return None
        whole = len(self.rows) == len(self.own.codes)
        looked = self.data if whole and blocks_of(self.data) is None else self.data[self.rows]
        clusters = self.clusters | {self.center: Clusters(self.own.ids, self.own.codes[self.rows])}
        # A model knows nothing of centred data.
        judge = self.model if is_model(self.model) and not self.has_unknown else None
        return Subject(looked, clusters, judge)

    @cached_property
    def costs(self) -> Array | None:
        """What those samples cost in every cluster."""
        if self.subject is None or self.given is None:
            return None
        if self.has_unknown and has_costs(self.model):
            return costs(self.model, self.given[self.rows])[:, self.own.ids]
        return costs_of(self.subject, self.center)

    @cached_property
    def probability(self) -> Array | None:
        """How probably those samples are in each cluster; None where the method does not say."""
        model = self.model
        if self.costs is None or not has_costs(model) or not hasattr(model, "predict_proba"):
            return None
        heat = getattr(model, "temperature_", None)
        # Costs without a temperature are one minus a membership, see `CoCluster.predict_proba`.
        return 1 - self.costs if heat is None else probabilities(self.costs, heat)

    @cached_property
    def certainty(self) -> Array | None:
        """How probably those samples are in the cluster that they are in."""
        if self.probability is None or self.subject is None:
            return None
        codes = self.subject.clusters[self.center].codes
        return np.asarray(self.probability[np.arange(len(codes)), codes])

    @cached_property
    def margin(self) -> Array | None:
        """By how much those samples are cheaper in their cluster than in the next best."""
        if self.costs is None or self.subject is None:
            return None
        return margins(self.costs, self.subject.clusters[self.center].codes)[0]

    def name_of(self, name: str, position: int) -> str:
        """What an object is called."""
        known = {} if self.data is None else self.data.names
        return str(known[name][position]) if name in known else str(position)


def centred(data: RelationalData) -> RelationalData:
    """Data without unknown entries: of relations that have some, deviations of the known ones.

    Sparse matrices stay sparse, and an unknown entry counts neither for nor against a cluster.
    """
    return data.derive(map(_centred, data.relations))


def _centred(relation: Relation) -> Relation:
    """Known entries less the mean of those of their column."""
    if relation.observed is None:
        return relation
    R: Any = relation.matrix
    known = relation.observed.astype(np.float64)
    means = column_sums(R) * safe_inverse(column_sums(known))
    return relation.derive(matrix=R - scaled(known, None, means), observed=None)


def _clusters(labels: Mapping[str, Array]) -> dict[str, Clusters]:
    """Clusters of labels by type."""
    return {name: Clusters.of(values) for name, values in labels.items()}
