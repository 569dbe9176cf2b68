"""The clusters of an account: sizes, certainty, features, members, metadata and related groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from msgspec.structs import replace

from cocluster.linalg.partitions import Partition, as_partition
from cocluster.linalg.types import Array
from cocluster.report.cluster_names import check_names, make_unique
from cocluster.report.explain import explain_clusters
from cocluster.report.formatting import shorten
from cocluster.report.images import data_address
from cocluster.report.report_input import AnnotatedData, ReportInput
from cocluster.report.statistics import score_features
from cocluster.report.sureness import BORDERLINE, Sureness
from cocluster.report.values import Association, Certainty, Cluster, Group, Id, Member, Trait
from cocluster.utils.text import is_missing

# Groups of another type that are listed with a cluster.
MAX_GROUPS = 3
# Length of the beginning of a text, in characters: three or four lines.
SNIPPET_LENGTH = 240
# Columns of metadata shown with a sample, and characters of each value and title.
MAX_COLUMNS, CELL_LENGTH = 6, 80
# Numbers from here on are written as whole numbers: 12345, not 1.234e+04.
WHOLE_FROM = 1e4
# Traits listed with a cluster, so that they fit on its card.
MAX_TRAITS = 5
# A numeric column with more different values than this holds measurements; otherwise codes or
# grades, which are counted.
MIN_MEASURED_VALUES = 12
# A column with more different values than this, or than this share of the samples, holds names
# or texts and has no traits.
MAX_VALUES, MAX_VALUE_SHARE = 500, 0.5
# Least chi-squared of one degree of freedom (p = 0.0001) of a trait: dozens of values are compared
# in each cluster, and chance should yield none.
MIN_TRAIT_SCORE = 15.1
# Bars of the histogram of certainty, which has little space in the page.
BINS = 20

Thumbnail = Callable[[int], Array | str | None]


def describe_clusters(
    source: ReportInput,
    names: Mapping[Any, str],
    n_features: int,
    n_members: int,
    thumbnail: Thumbnail | None,
    certainty: Array | None,
    sureness: Sureness | None,
) -> dict[str, tuple[Cluster, ...]]:
    """Return the clusters of every type; `add_groups` adds the related groups of other types.

    Parameters
    ----------
    source : ReportInput
    names : mapping of cluster to name
        Names that people gave to clusters of samples.
    n_features, n_members : int
        Most features, and most members of each kind, that are listed.
    thumbnail : callable of position to image or address, or None
    certainty : array or None
        Probability of the cluster of each inspected sample.
    sureness : Sureness or None
        Results of refits.
    """
    check_names(names, source.sample_clusters.ids.tolist())
    if source.inspected is None:
        explained = {name: _unexplained(source, name, names) for name in source.clusters}
    else:
        explained = explain_clusters(source.inspected, "g2", n_features, n_members, names).types
    described = {}
    for type_name, clusters in explained.items():
        codes = source.clusters[type_name].codes
        # Sizes count all objects; the explanation may have inspected only some of them.
        sizes = np.bincount(codes, minlength=len(clusters))
        stability = {} if sureness is None else sureness.stability.get(type_name, {})
        described[type_name] = tuple(
            replace(
                cluster,
                size=int(size),
                share=float(size / len(codes)),
                stability=stability.get(cluster.id),
            )
            for cluster, size in zip(clusters, sizes, strict=True)
        )
    samples = described[source.center]
    described[source.center] = _describe_samples(source, samples, names, thumbnail, certainty)
    return described


def _unexplained(
    source: ReportInput, type_name: str, names: Mapping[Any, str]
) -> tuple[Cluster, ...]:
    """Return clusters of which only the labels are known."""
    ids = source.clusters[type_name].ids.tolist()
    given = names if type_name == source.center else {}
    return tuple(
        Cluster(i, name, False, 0, 0.0, 0.0, None, None, None, (), (), (), ())
        for i, name in zip(ids, make_unique([given.get(i, "") for i in ids]), strict=True)
    )


def _describe_samples(
    source: ReportInput,
    clusters: tuple[Cluster, ...],
    names: Mapping[Any, str],
    thumbnail: Thumbnail | None,
    certainty: Array | None,
) -> tuple[Cluster, ...]:
    """Add certainty, metadata and descriptions of members to the clusters of the samples."""
    codes = source.sample_clusters.codes[source.inspected_rows]
    described = []
    for c, (cluster, traits) in enumerate(zip(clusters, find_traits(source), strict=True)):
        inside = None if certainty is None else certainty[codes == c]
        described.append(
            replace(
                cluster,
                given=cluster.id in names,
                certainty=None if inside is None else float(inside.mean()),
                borderline=None if inside is None else _count_borderline(inside, cluster.size),
                representative=tuple(
                    _describe_member(source, member, thumbnail, certainty)
                    for member in cluster.representative
                ),
                borderline_members=tuple(
                    _describe_member(source, member, thumbnail, certainty)
                    for member in cluster.borderline_members
                ),
                traits=traits,
            )
        )
    return tuple(described)


def _count_borderline(certainty: Array, size: int) -> int:
    """Estimate the number of borderline members among ``size`` from the inspected ones."""
    return round(float(np.mean(certainty <= BORDERLINE)) * size)


def _describe_member(
    source: ReportInput, member: Member, thumbnail: Thumbnail | None, certainty: Array | None
) -> Member:
    """Add the probability, picture, texts and metadata of a sample."""
    # Members have positions among the inspected samples; the account has those in the data.
    position = int(source.inspected_rows[member.position])
    image = None if thumbnail is None else thumbnail(position)
    return replace(
        member,
        position=position,
        probability=None if certainty is None else float(certainty[member.position]),
        picture=image if isinstance(image, str) else "" if image is None else data_address(image),
        **_annotations_of_sample(source.annotations, position),
    )


def _annotations_of_sample(annotations: AnnotatedData | None, position: int) -> dict[str, Any]:
    """Return the fields of `Member` that come from the annotations of a sample."""
    if annotations is None:
        return {}
    fields: dict[str, Any] = {}
    if annotations.titles is not None:
        fields["title"] = _one_line(str(annotations.titles[position]), CELL_LENGTH)
    if annotations.texts is not None:
        fields["snippet"] = _one_line(_text_body(annotations, position), SNIPPET_LENGTH)
    if annotations.labels is not None and annotations.labels[position] >= 0:
        code, names = int(annotations.labels[position]), annotations.class_names
        fields["class_name"] = str(code if names is None else names[code])
    columns = list(annotations.metadata.items())[:MAX_COLUMNS]
    fields["metadata"] = {
        str(name): _one_line(format_cell(cells[position]), CELL_LENGTH)
        for name, cells in columns
        if not is_missing(cells[position]) and cells[position] != ""
    }
    return fields


def _text_body(annotations: AnnotatedData, position: int) -> str:
    """Return a text without mail headers and shared lines, if these were not counted."""
    text = str(annotations.texts[position])
    bodies = getattr(getattr(annotations, "counter", None), "bodies", None)
    return text if bodies is None else str(bodies([text])[0]) or text


def format_cell(cell: Any) -> str:
    """Format a value of the metadata.

    >>> format_cell(3.0), format_cell(0.123456789), format_cell("0.50")
    ('3', '0.1235', '0.50')
    """
    if not isinstance(cell, float | np.floating):
        return str(cell)
    # Digits of single-precision numbers beyond the fourth are noise to the reader.
    return f"{cell:.4g}" if abs(float(cell)) < WHOLE_FROM else f"{cell:.0f}"


def _one_line(text: str, length: int) -> str:
    """Return a text on one line of at most ``length`` characters."""
    return shorten(" ".join(text.split()), length)


def add_groups(
    clusters: dict[str, tuple[Cluster, ...]], associations: tuple[Association, ...]
) -> dict[str, tuple[Cluster, ...]]:
    """Return the clusters, each with the most related groups of the other types."""
    groups: dict[tuple[str, Id], list[Group]] = {}
    for table in associations:
        for i, j in table.marked:
            lift = None if table.lift is None else table.lift[i][j]
            ends = ((table.rows, table.row_ids[i]), (table.columns, table.column_ids[j]))
            for cluster, (type_name, partner_id) in (ends, ends[::-1]):
                partner = next(c for c in clusters[type_name] if c.id == partner_id)
                groups.setdefault(cluster, []).append(
                    Group(
                        type_name, partner_id, partner.name, partner.size, lift, table.effect[i][j]
                    )
                )
    return {
        type_name: tuple(
            replace(
                cluster,
                groups=tuple(
                    sorted(groups.get((type_name, cluster.id), ()), key=lambda g: -g.effect)
                )[:MAX_GROUPS],
            )
            for cluster in of_type
        )
        for type_name, of_type in clusters.items()
    }


def summarise_certainty(
    source: ReportInput, certainty: Array | None, sureness: Sureness | None, refits: int
) -> Certainty:
    """Return the certainty of all samples: mean, histogram, agreement of refits, outliers."""
    edges = np.linspace(0, 1, BINS + 1)
    n = len(source.sample_clusters.codes)
    outliers = [] if sureness is None else sureness.outliers.tolist()
    return Certainty(
        certainty=None if certainty is None else float(certainty.mean()),
        borderline=None if certainty is None else _count_borderline(certainty, n),
        edges=() if certainty is None else tuple(edges.tolist()),
        counts=() if certainty is None else tuple(np.histogram(certainty, edges)[0].tolist()),
        refits=refits if sureness is not None else 0,
        agreement=None if sureness is None else sureness.agreement,
        outliers=tuple(source.object_name(source.center, i) for i in outliers),
    )


@dataclass(frozen=True)
class _ScoredTrait:
    """A trait of a cluster with its chi-squared."""

    cluster: int
    score: float
    trait: Trait


def find_traits(source: ReportInput) -> list[tuple[Trait, ...]]:
    """Return the values of metadata that characterise each cluster of samples, best first.

    Columns of few values are counted, columns of many numbers compared by their ranks; names,
    dates and texts, which hardly any two samples share, have no traits. Metadata take no part in
    the fit, so that traits are independent evidence.
    """
    scored: list[list[_ScoredTrait]] = [[] for _ in range(len(source.sample_clusters))]
    if source.annotations is not None:
        codes = source.sample_clusters.codes[source.inspected_rows]
        for name, cells in source.annotations.metadata.items():
            column = np.asarray(cells, object)[source.inspected_rows]
            for trait in _column_traits(str(name), column, codes):
                scored[trait.cluster].append(trait)
    return [
        tuple(t.trait for t in sorted(traits, key=lambda t: -t.score)[:MAX_TRAITS])
        for traits in scored
    ]


def _column_traits(name: str, cells: Array, codes: Array) -> Iterator[_ScoredTrait]:
    """Yield the traits in one column of metadata."""
    present = np.array([not is_missing(cell) and cell != "" for cell in cells], dtype=bool)
    cells, codes = cells[present], codes[present]
    if len(np.unique(codes)) < 2:
        return
    values, first, inverse = np.unique(
        [str(cell) for cell in cells], return_index=True, return_inverse=True
    )
    if len(values) > MIN_MEASURED_VALUES:
        numbers = _as_numbers(cells)
        if numbers is not None:
            yield from _measured_traits(name, numbers, codes)
            return
    if 2 <= len(values) <= min(MAX_VALUES, MAX_VALUE_SHARE * len(cells)):
        yield from _counted_traits(name, [format_cell(cells[i]) for i in first], inverse, codes)


def _as_numbers(cells: Array) -> Array | None:
    """Convert cells to numbers; return None if a cell is not a finite number."""
    try:
        numbers = np.array([float(cell) for cell in cells])
    except (TypeError, ValueError):
        return None
    return numbers if np.isfinite(numbers).all() else None


def _counted_traits(
    name: str, values: Sequence[str], inverse: Array, codes: Array
) -> Iterator[_ScoredTrait]:
    """Yield the values that are more frequent in a cluster than among the other samples."""
    n = len(codes)
    # Each sample has one value, hence each row one entry.
    X = sp.csr_array((np.ones(n), inverse, np.arange(n + 1)), shape=(n, len(values)))
    scores, clusters = score_features(X, _partition(codes)), np.unique(codes)
    for row, value in zip(*np.nonzero(scores.score >= MIN_TRAIT_SCORE), strict=True):
        share, lift = float(scores.share[row, value]), float(scores.lift[row, value])
        trait = Trait(name, values[value], share=share, lift=lift)
        yield _ScoredTrait(int(clusters[row]), float(scores.score[row, value]), trait)


def _measured_traits(name: str, numbers: Array, codes: Array) -> Iterator[_ScoredTrait]:
    """Yield the clusters whose numbers are larger or smaller than those of the other samples."""
    scores = score_features(numbers[:, None], _partition(codes), "wilcoxon")
    overall = float(np.median(numbers))
    for row, cluster in enumerate(np.unique(codes)):
        # The square of a z is a chi-squared, so that both kinds of traits can be compared.
        score = float(scores.score[row, 0]) ** 2
        if score >= MIN_TRAIT_SCORE:
            median = float(np.median(numbers[codes == cluster]))
            trait = Trait(name, "", median=median, overall=overall)
            yield _ScoredTrait(int(cluster), score, trait)


def _partition(codes: Array) -> Partition:
    """Return the clusters that occur as a partition, numbered without gaps."""
    present, positions = np.unique(codes, return_inverse=True)
    return as_partition(positions, len(present))
