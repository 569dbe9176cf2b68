"""The input of every report: data, the clusters that a model or a person found in them, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from cocluster.data.containers import sample_annotations
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, relational, row_blocks
from cocluster.linalg.matrices import column_sums, safe_inverse, scaled
from cocluster.linalg.partitions import Partition, as_partition
from cocluster.linalg.types import Array
from cocluster.methods.base import check_complete
from cocluster.utils.checks import broadcast

# Samples that are inspected for features and members. Statistics of as many samples hardly differ
# from those of all, and an account of millions of rows should not take longer than the fit.
MAX_INSPECTED = 50_000
# Samples of every cluster that are inspected at least, so that small clusters have members.
MIN_PER_CLUSTER = 50


@runtime_checkable
class AnnotatedData(Protocol):
    """Data with annotations of the samples, such as a `cocluster.datasets.Dataset`.

    Reports need only these attributes, so that they do not depend on the readers of files.
    """

    name: str
    labels: Any
    class_names: Any
    sample_names: Any
    texts: Any
    titles: Any
    metadata: Any
    notes: Any

    @property
    def data(self) -> RelationalData:
        """The views as relational data."""


@dataclass(eq=False)
class SampleMetadata:
    """The metadata of annotated matrices (AnnData), as `AnnotatedData`."""

    data: RelationalData
    metadata: Any
    sample_names: Any
    name: str = ""
    labels: Any = None
    class_names: Any = None
    texts: Any = None
    titles: Any = None
    notes: Any = ()


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters of one type.

    Attributes
    ----------
    ids : array
        The labels that occur, sorted.
    codes : int array of shape (n_objects,)
        For each object the position of its label in ``ids``.
    """

    ids: Array
    codes: Array

    @staticmethod
    def of(labels: Array) -> Clusters:
        """Return the clusters of labels, which may have gaps or be texts."""
        return Clusters(*np.unique(labels, return_inverse=True))

    def __len__(self) -> int:
        return len(self.ids)

    def at(self, rows: Array | None) -> Clusters:
        """Return the clusters of some of the objects; None stands for all objects."""
        return self if rows is None else Clusters(self.ids, self.codes[rows])

    @cached_property
    def partition(self) -> Partition:
        """The clusters as a factor, numbered by their position in ``ids``."""
        return as_partition(self.codes, len(self.ids))


@dataclass(frozen=True, eq=False)
class ReportInput:
    """A clustering and the data it was found in.

    Attributes
    ----------
    model : fitted model, or None for labels alone
    data : RelationalData or None
        The data, samples in rows, wherever they are stored; None if only the model is known. A
        relation with missing entries holds the deviations of its entries from their column means,
        and zero where an entry is missing: see `centre_observed`.
    clusters : dict of type to Clusters
        The samples first, then every other type that is clustered.
    annotations : AnnotatedData or None
        Texts, titles, metadata and classes of the samples.
    original : RelationalData or None
        The data with their missing entries.
    """

    model: Any
    data: RelationalData | None
    clusters: dict[str, Clusters]
    annotations: AnnotatedData | None = None
    original: RelationalData | None = None

    @staticmethod
    def of(model: Any, data: Any, in_memory: bool = False) -> ReportInput:
        """Check that a clustering and data belong together, and return both.

        Parameters
        ----------
        model : fitted model, labels of the samples, or mapping of type to labels
        data : Dataset, matrix, frame, AnnData, views, RelationalData, row blocks, or None
            The data that the model was fitted to.
        in_memory : bool
            Whether row blocks and missing entries are refused.
        """
        fitted = model if is_model(model) else None
        if data is None:
            return ReportInput(fitted, None, _clusters(labels_by_type(model)))
        original = data_in_memory(data) if in_memory else as_relational(data)
        clusters = _clusters(_match_labels(model, original))
        return ReportInput(
            fitted, centre_observed(original), clusters, _annotations(data, original), original
        )

    @property
    def center(self) -> str:
        """The type of the samples."""
        return next(iter(self.clusters))

    @property
    def sample_clusters(self) -> Clusters:
        """The clusters of the samples."""
        return self.clusters[self.center]

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relations of the data; none without data."""
        return () if self.data is None else self.data.relations

    @property
    def has_missing(self) -> bool:
        """Whether entries of the data are missing."""
        return self.original is not None and any(
            relation.observed is not None for relation in self.original.relations
        )

    @property
    def method(self) -> Any:
        """The method that ran: `CoCluster` delegates to the one that it selected."""
        return getattr(self.model, "model_", self.model)

    @cached_property
    def object_names(self) -> dict[str, list[str]]:
        """Names of the objects of every type; positions where they have no names."""
        assert self.data is not None
        names: dict[str, Any] = {name: range(size) for name, size in self.data.sizes.items()}
        names |= self.data.names
        return {name: list(map(str, values)) for name, values in names.items()}

    def object_name(self, type_name: str, position: int) -> str:
        """Return the name of one object, or its position if it has none."""
        names = {} if self.data is None else self.data.names
        return str(names[type_name][position]) if type_name in names else str(position)

    @cached_property
    def inspected_rows(self) -> Array:
        """Positions of the samples that are inspected one by one: all, or a random sample."""
        codes = self.sample_clusters.codes
        if len(codes) <= MAX_INSPECTED:
            return np.arange(len(codes))
        # A fixed seed, so that the same fit has the same account.
        order = np.random.default_rng(0).permutation(len(codes))
        inspected = np.zeros(len(codes), dtype=bool)
        inspected[order[:MAX_INSPECTED]] = True
        for c in range(len(self.sample_clusters)):
            inspected[order[codes[order] == c][:MIN_PER_CLUSTER]] = True
        return np.flatnonzero(inspected)

    @cached_property
    def inspected(self) -> ReportInput | None:
        """The inspected samples with their clusters, in memory; None without data."""
        if self.data is None:
            return None
        rows = self.inspected_rows
        whole = len(rows) == len(self.sample_clusters.codes)
        data = self.data if whole and row_blocks(self.data) is None else self.data[rows]
        clusters = self.clusters | {self.center: self.sample_clusters.at(rows)}
        # The model was not fitted to centred data and cannot judge them.
        return ReportInput(None if self.has_missing else self.model, data, clusters)


def is_model(model: Any) -> bool:
    """Return whether this is an estimator rather than labels."""
    return hasattr(model, "fit")


def labels_by_type(model: Any) -> dict[str, Array]:
    """Return the labels of a fitted model, an array or a mapping by type; samples first."""
    fitted = getattr(model, "labels_by_type_", getattr(model, "labels_", None))
    if fitted is None and is_model(model):
        raise ValueError(f"This {type(model).__name__} has found nothing yet; call fit first.")
    labels = {
        name: np.asarray(values)
        for name, values in broadcast(model if fitted is None else fitted, ["samples"]).items()
    }
    for name, values in labels.items():
        if values.ndim != 1 or not values.size:
            raise ValueError(
                f"Labels of {name} must be one label for each, got an array of shape "
                f"{values.shape}; give a fitted model or a list of labels."
            )
    return labels


def match_types(labels: Mapping[str, Array], types: Sequence[str]) -> dict[str, Array]:
    """Return labels by the types of the data: matched by name, else by order.

    A model may use other names for the types than a file does; their order is the same.
    """
    if set(labels) <= set(types):
        return dict(labels)
    return dict(zip(types, labels.values(), strict=False))


def as_relational(data: Any) -> RelationalData:
    """Return any data as relational data with the samples in rows; row blocks stay on disk."""
    return relational(data.data if isinstance(data, AnnotatedData) else data).oriented()


def data_in_memory(data: Any) -> RelationalData:
    """Return any data as relational data; raise if entries are missing or rows are on disk."""
    converted = as_relational(data)
    check_complete(converted, "A report")
    if row_blocks(converted) is not None:
        raise ValueError(
            "Reports need data in memory; take a sample of the rows, and the labels that the model "
            "predicts for it."
        )
    return converted


def known_classes(data: Any) -> Array | None:
    """Return the classes of the samples, -1 where unknown; None if the data have no classes."""
    return data.labels if isinstance(data, AnnotatedData) else None


def centre_observed(data: RelationalData) -> RelationalData:
    """Replace relations with missing entries by the deviations of their observed entries.

    Sparse matrices stay sparse, and a missing entry counts neither for nor against a cluster.
    """
    if all(relation.observed is None for relation in data.relations):
        return data
    return data.derive(map(_centre_relation, data.relations))


def _centre_relation(relation: Relation) -> Relation:
    """Subtract the mean of the observed entries of each column."""
    if relation.observed is None:
        return relation
    R: Any = relation.matrix
    observed = relation.observed.astype(np.float64)
    means = column_sums(R) * safe_inverse(column_sums(observed))
    return relation.derive(matrix=R - scaled(observed, None, means), observed=None)


def _annotations(data: Any, converted: RelationalData) -> AnnotatedData | None:
    """Return the annotations of the samples; None if there are none."""
    if isinstance(data, AnnotatedData):
        return data
    names = converted.names.get(converted.center)
    columns = sample_annotations(data, names)
    return SampleMetadata(converted, columns, names) if columns else None


def _clusters(labels: Mapping[str, Array]) -> dict[str, Clusters]:
    """Return the clusters of every type."""
    return {name: Clusters.of(values) for name, values in labels.items()}


def _match_labels(model: Any, data: RelationalData) -> dict[str, Array]:
    """Return labels by the types of the data; raise if these are not the data of the fit."""
    labels = labels_by_type(model)
    matched = match_types(labels, data.types)
    n_features = getattr(model, "n_features_in_", data.shape[1])
    other_size = any(len(values) != data.size(name) for name, values in matched.items())
    if other_size or len(matched) < len(labels) or n_features != data.shape[1]:
        fitted = {name: len(values) for name, values in labels.items()}
        raise ValueError(
            f"These are not the data of the fit: labels are of {_list_sizes(fitted)}, the data "
            f"have {_list_sizes(data.sizes)}. Pass the data that were fitted, or the labels of "
            "these samples, such as model.predict gives."
        )
    _check_feature_names(model, data)
    return matched


def _check_feature_names(model: Any, data: RelationalData) -> None:
    """Refuse a matrix whose columns have other names than those of the fit."""
    fitted = getattr(model, "feature_names_in_", None)
    if fitted is None or len(data.types) != 2 or data.types[1] not in data.names:
        return
    pairs = zip(fitted, data.names[data.types[1]], strict=True)
    different = [(a, b) for a, b in pairs if str(a) != str(b)]
    if different:
        raise ValueError(
            f"These are not the data of the fit: a column is named {different[0][1]!r} where the "
            f"fit had {different[0][0]!r}. Pass the columns that were fitted, in their order."
        )


def _list_sizes(sizes: Mapping[str, int]) -> str:
    """Return sizes by type as part of a sentence."""
    texts = [f"{size:,} {name}" for name, size in sizes.items()]
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))
