"""The data of an account: sizes and kinds of values, known classes, and links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cocluster.data.relation import Relation
from cocluster.linalg.matrices import column_counts, is_nonnegative, values_of
from cocluster.linalg.rowwise import summed
from cocluster.links import Links, Violations, as_links
from cocluster.metrics import confusion_matrix, scores
from cocluster.report.report_input import ReportInput
from cocluster.report.values import BrokenLink, Classes, Data, DataView, LinkSummary, TypeSize
from cocluster.utils.checks import broadcast

# Broken links that are listed; the number of all of them is given as well.
MAX_BROKEN_LINKS = 50


def describe_data(source: ReportInput, title: str | None) -> Data:
    """Return the sizes and views of the data, and how they were read."""
    annotations, data = source.annotations, source.data
    reading: Any = getattr(annotations, "reading", None)
    sizes = {name: len(clusters.codes) for name, clusters in source.clusters.items()}
    # Types without clusters come last: some methods cluster the samples only.
    sizes |= {} if data is None else {n: size for n, size in data.sizes.items() if n not in sizes}
    return Data(
        name=title or getattr(annotations, "name", "") or "data",
        center=source.center,
        types=tuple(
            TypeSize(name, size, data is not None and name in data.names)
            for name, size in sizes.items()
        ),
        views=() if source.original is None else tuple(map(_view, source.original.relations)),
        reading=reading.summary() if reading else "",
        counting=getattr(reading, "counting", ""),
        alignment="" if data is None or data.alignment is None else str(data.alignment),
        notes=tuple(map(str, getattr(annotations, "notes", ()))),
        info={str(key): str(value) for key, value in getattr(annotations, "info", {}).items()},
        looked_at=len(source.inspected_rows),
    )


def _view(relation: Relation) -> DataView:
    """Return the size, density and kind of values of one relation."""
    R = relation.matrix
    n_entries = int(column_counts(R if relation.observed is None else relation.observed).sum())
    return DataView(
        name=relation.cols,
        rows=relation.rows,
        columns=relation.cols,
        n_rows=int(R.shape[0]),
        n_columns=int(R.shape[1]),
        entries=n_entries,
        density=n_entries / max(R.shape[0] * R.shape[1], 1),
        kind=_kind_of_values(R) + ("" if relation.observed is None else ", some unknown"),
        weight=float(relation.weight),
    )


def _kind_of_values(R: Any) -> str:
    """Return "counts", "not negative" or "any sign"."""
    if not is_nonnegative(R):
        return "any sign"
    return "not negative" if summed(_count_fractions, R) else "counts"


def _count_fractions(R: Any) -> int:
    """Count the entries that are not whole numbers."""
    values = values_of(R)
    return int(np.count_nonzero(values != np.floor(values)))


def compare_with_classes(source: ReportInput) -> Classes | None:
    """Compare the clusters with the known classes; None if no class is known."""
    annotations = source.annotations
    if annotations is None or annotations.labels is None:
        return None
    known = np.asarray(annotations.labels) >= 0
    if not known.any():
        return None
    clusters = source.sample_clusters
    codes, labels = np.asarray(annotations.labels)[known], clusters.ids[clusters.codes][known]
    table, class_codes, cluster_ids = confusion_matrix(codes, labels)
    names = annotations.class_names
    return Classes(
        names=tuple(str(code if names is None else names[code]) for code in class_codes),
        cluster_ids=tuple(cluster_ids),
        table=tuple(tuple(int(count) for count in row) for row in table),
        known=int(known.sum()),
        **scores(codes, labels),
    )


def summarise_links(source: ReportInput, links: Any) -> tuple[LinkSummary, ...]:
    """Return the links on every type: those that are given, else those the model reports on."""
    given: dict[str, Links] = {}
    for name, stated in broadcast(links, [source.center]).items():
        if name not in source.clusters:
            types = ", ".join(source.clusters)
            raise ValueError(f"links name the type {name!r}, which has no clusters; {types} have.")
        checked = as_links(stated, None, len(source.clusters[name].codes))
        if checked is not None:
            given[name] = checked
    summaries = [
        _summary(source, name, checked.violations(source.clusters[name].codes), checked)
        for name, checked in given.items()
    ]
    # The model may use other names for the types; their order is the same.
    model_types = getattr(source.model, "labels_by_type_", {})
    renamed = dict(zip(model_types, source.clusters, strict=False))
    for name, violations in (getattr(source.model, "links_report_", None) or {}).items():
        type_name = renamed.get(name, name)
        if type_name not in given:
            summaries.append(_summary(source, type_name, violations, None))
    return tuple(summaries)


def _summary(
    source: ReportInput, type_name: str, violations: Violations, links: Links | None
) -> LinkSummary:
    """Return the summary of the links on one type."""
    return LinkSummary(
        type=type_name,
        stated=int(violations.n_stated),
        must=None if links is None else int(links.n_must),
        cannot=None if links is None else int(links.n_cannot),
        implied=None if links is None else int(links.n_implied),
        satisfied=int(violations.n_satisfied),
        violated=int(violations.n_violated),
        broken=tuple(_broken_links(source, type_name, violations))[:MAX_BROKEN_LINKS],
    )


def _broken_links(
    source: ReportInput, type_name: str, violations: Violations
) -> Iterator[BrokenLink]:
    """Yield the broken links with the names and clusters of both objects."""
    clusters = source.clusters[type_name]
    for must, pairs in ((True, violations.must_link), (False, violations.cannot_link)):
        for pair in pairs[:MAX_BROKEN_LINKS].tolist():
            names = (source.object_name(type_name, i) for i in pair)
            yield BrokenLink(must, *names, *(clusters.ids[clusters.codes[i]].item() for i in pair))
