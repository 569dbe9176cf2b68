"""What a report is about: data, and the clusters that a model or someone else has found in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from cocluster.data.containers import annotations_of
from cocluster.data.relational import RelationalData, blocks_of, relational
from cocluster.linalg.partitions import Partition, as_partition
from cocluster.linalg.types import Array
from cocluster.methods.base import check_complete
from cocluster.utils.checks import broadcast


@runtime_checkable
class Described(Protocol):
    """Data with whatever was known of the samples: what `cocluster.datasets.Dataset` has.

    Reports ask for no more, so that they need not know how files are read.
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
class Annotated:
    """What is known of the samples of annotated data: `Described`, with metadata alone."""

    data: RelationalData
    metadata: Any
    sample_names: Any
    name: str = ""
    labels: Any = None
    class_names: Any = None
    texts: Any = None
    titles: Any = None
    notes: Any = ()


def described_of(data: Any, read: RelationalData) -> Described | None:
    """What is known of samples beside the matrices; None if nothing is.

    ``read`` is the same as relational data.
    """
    if isinstance(data, Described):
        return data
    names = read.names.get(read.center)
    columns = annotations_of(data, names)
    return Annotated(read, columns, names) if columns else None


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
        """The clusters of labels, which may have gaps or be texts."""
        return Clusters(*np.unique(labels, return_inverse=True))

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def partition(self) -> Partition:
        """The same as a factor, clusters numbered by their position in ``ids``."""
        return as_partition(self.codes, len(self.ids))


@dataclass(frozen=True, eq=False)
class Subject:
    """Data with the clusters of their types.

    Attributes
    ----------
    data : RelationalData
        Samples in rows.
    clusters : dict of type to Clusters
        Of the samples first, then of whatever else is clustered.
    model : fitted co-clusterer, or None where there are labels only
    """

    data: RelationalData
    clusters: dict[str, Clusters]
    model: Any = None

    @cached_property
    def object_names(self) -> dict[str, list[str]]:
        """What the objects of every type are called: by their position where they have no name."""
        known: dict[str, Any] = {name: range(size) for name, size in self.data.sizes.items()}
        known |= self.data.names
        return {name: list(map(str, names)) for name, names in known.items()}


def subject_of(found: Any, data: Any) -> Subject:
    """What is to be reported on, checked.

    Parameters
    ----------
    found : fitted model, labels of the samples, or mapping of type to labels
    data : Dataset, matrix, frame, AnnData, views or RelationalData
        Those that the model was fitted to.
    """
    read = data_of(data)
    named = checked_labels(found, read)
    clusters = {name: Clusters.of(values) for name, values in named.items()}
    return Subject(read, clusters, found if is_model(found) else None)


def checked_labels(found: Any, data: RelationalData) -> dict[str, Array]:
    """Labels by the types of the data, which must be those that were clustered."""
    labels = labels_of(found)
    named = named_alike(labels, data.types)
    _check_sizes(found, labels, named, data)
    _check_names(found, data)
    return named


def data_of(data: Any) -> RelationalData:
    """Anything that holds data as relational data, samples in rows."""
    read = read_data(data)
    check_complete(read, "A report")
    if blocks_of(read) is not None:
        raise ValueError(
            "Reports need data in memory; take a sample of the rows, and the labels that the model "
            "predicts for it."
        )
    return read


def read_data(data: Any) -> RelationalData:
    """The same, wherever the rows are: blocks on disk stay there."""
    return relational(data.data if isinstance(data, Described) else data).oriented()


def named_alike(labels: Mapping[str, Array], types: Sequence[str]) -> dict[str, Array]:
    """Labels by the types of data: by name, else in order.

    A model may know the types by other names than a file does; their order is the same.
    """
    if set(labels) <= set(types):
        return dict(labels)
    return dict(zip(types, labels.values(), strict=False))


def classes_of(data: Any) -> Array | None:
    """Known classes of the samples, -1 where unknown; None if the data come without."""
    return data.labels if isinstance(data, Described) else None


def is_model(found: Any) -> bool:
    """Whether labels come with a model."""
    return hasattr(found, "fit")


def labels_of(found: Any) -> dict[str, Array]:
    """Labels by type of a fitted model, of an array or of a mapping; samples first."""
    given = getattr(found, "labels_by_type_", getattr(found, "labels_", None))
    if given is None and is_model(found):
        raise ValueError(f"This {type(found).__name__} has found nothing yet; call fit first.")
    named = broadcast(found if given is None else given, ["samples"])
    labels = {name: np.asarray(values) for name, values in named.items()}
    for name, values in labels.items():
        if values.ndim != 1 or not values.size:
            raise ValueError(
                f"Labels of {name} must be one label for each, got an array of shape "
                f"{values.shape}; give a fitted model or a list of labels."
            )
    return labels


def _check_sizes(
    found: Any, labels: Mapping[str, Array], named: Mapping[str, Array], data: RelationalData
) -> None:
    """Refuse data with other numbers of samples or features than those of the fit."""
    features = getattr(found, "n_features_in_", data.shape[1])
    wrong = any(len(values) != data.size(name) for name, values in named.items())
    if wrong or len(named) < len(labels) or features != data.shape[1]:
        fitted = {name: len(values) for name, values in labels.items()}
        raise ValueError(
            f"These are not the data of the fit: labels are of {_listed(fitted)}, the data have "
            f"{_listed(data.sizes)}. Pass the data that were fitted, or the labels of these "
            "samples, such as model.predict gives."
        )


def _check_names(found: Any, data: RelationalData) -> None:
    """Refuse columns with other names than those of the fit."""
    fitted = getattr(found, "feature_names_in_", None)
    given = [data.names[name] for name in data.types[1:] if name in data.names]
    if fitted is None or len(given) != 1 or len(data.types) != 2:
        return
    other = [(a, b) for a, b in zip(fitted, given[0], strict=True) if str(a) != str(b)]
    if other:
        raise ValueError(
            f"These are not the data of the fit: a column is named {other[0][1]!r} where the fit "
            f"had {other[0][0]!r}. Pass the columns that were fitted, in their order."
        )


def _listed(sizes: Mapping[str, int]) -> str:
    """Sizes in words."""
    return _joined([f"{size:,} {name}" for name, size in sizes.items()])


def _joined(parts: Sequence[str]) -> str:
    """Parts of a sentence."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
