"""The alerts of an account: oddities in the data or in the result.

Every check is a generator of alerts. An alert says what is odd, how much of the data it concerns,
and what it means for the reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from cocluster.data.relation import Relation
from cocluster.linalg.matrices import column_counts, row_squares, times
from cocluster.linalg.partitions import gathered
from cocluster.linalg.types import Array
from cocluster.report.formatting import counted
from cocluster.report.report_input import ReportInput
from cocluster.report.values import Alert, Cluster, LinkSummary, NumberOfClusters

# Names that are listed as examples.
MAX_EXAMPLES = 5
# A cluster with more than this share of the samples hides its structure.
GIANT_SHARE = 0.8
# A larger share of borderline samples is more than the edges of well separated clusters have.
MANY_BORDERLINE = 1 / 3
# A sample with more than this share of all squared values dominates the result.
HEAVY_SHARE = 0.2
# A view with a smaller share of the information about every cluster could be left out.
SILENT_SHARE = 0.02
# Decimal digits that the sum of a row may lose to rounding.
ROUNDING_DIGITS = 2


def find_alerts(
    source: ReportInput,
    clusters: dict[str, tuple[Cluster, ...]],
    links: tuple[LinkSummary, ...],
    choice: NumberOfClusters | None,
) -> tuple[Alert, ...]:
    """Return all alerts, warnings first."""
    alerts = [
        *_data_alerts(source),
        *_cluster_alerts(source, clusters[source.center]),
        *_silent_views(clusters[source.center]),
        *_run_alerts(source),
        *_link_alerts(links),
        *_choice_alerts(choice, len(source.sample_clusters)),
        *(Alert("reading", "note", str(n), ()) for n in getattr(source.annotations, "notes", ())),
    ]
    return tuple(sorted(alerts, key=lambda alert: alert.level != "warning"))


def _examples(source: ReportInput, type_name: str, positions: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of the first few objects."""
    return tuple(source.object_name(type_name, int(i)) for i in list(positions)[:MAX_EXAMPLES])


def _data_alerts(source: ReportInput) -> Iterator[Alert]:
    """Check for odd samples, missing entries, absent samples, empty columns, repeated names."""
    if source.data is None or source.original is None:
        return
    yield from _sample_alerts(source)
    yield from _missing_entries(source.original.relations)
    for relation in source.relations:
        if relation.rows == source.center:
            yield from _absent_samples(source, relation)
        empty = np.flatnonzero(column_counts(relation.matrix) == 0)
        if len(empty):
            yield Alert(
                "empty features",
                "note",
                f"{counted(len(empty), 'column')} of {relation.cols} without any entry: they carry "
                "no information.",
                _examples(source, relation.cols, empty),
            )
    names = source.data.names.get(source.center)
    if names is not None and len(set(map(str, names))) < len(names):
        values, counts = np.unique(np.array(list(map(str, names))), return_counts=True)
        yield Alert(
            "repeated names",
            "warning",
            f"{counted(int((counts > 1).sum()), 'name')} stand for several {source.center}: use "
            "positions to distinguish them.",
            tuple(values[counts > 1][:MAX_EXAMPLES].tolist()),
        )


def _missing_entries(relations: tuple[Relation, ...]) -> Iterator[Alert]:
    """Check for missing entries."""
    for relation in relations:
        if relation.observed is not None:
            size = relation.matrix.shape[0] * relation.matrix.shape[1]
            share = 1 - float(column_counts(relation.observed).sum()) / size
            yield Alert(
                "unknown entries",
                "note",
                f"{share:.0%} of the entries of {relation.cols} are unknown: features and pictures "
                "show how the known entries differ from the mean of their column.",
                (),
            )


def _absent_samples(source: ReportInput, relation: Relation) -> Iterator[Alert]:
    """Check for samples that a view lacks."""
    n = len(source.sample_clusters.codes)
    if relation.row_index is not None and len(relation.row_index) < n:
        yield Alert(
            "absent samples",
            "note",
            f"{relation.cols} describe {len(relation.row_index):,} of the {n:,} {source.center}; "
            "the others are judged by the other views.",
            _examples(source, source.center, np.setdiff1d(np.arange(n), relation.row_index)),
        )


def _sample_alerts(source: ReportInput) -> Iterator[Alert]:
    """Check for samples that are empty, repeated or heavy, in all views together."""
    n = len(source.sample_clusters.codes)
    keys, totals = [], np.zeros(n)
    for relation in source.relations:
        if relation.rows != source.center:
            continue
        positions = np.arange(n) if relation.row_index is None else relation.row_index
        squares = row_squares(relation.matrix)
        fingerprints = np.zeros((n, 3))
        fingerprints[positions] = _fingerprints(relation.matrix, squares)
        keys.append(fingerprints)
        totals[positions] += squares
        yield from _heavy_sample(source, relation, squares, positions)
    empty = totals == 0
    if empty.any():
        yield Alert(
            "empty samples",
            "warning",
            f"{int(empty.sum()):,} of the {source.center} without any entry: their cluster is "
            "arbitrary.",
            _examples(source, source.center, np.flatnonzero(empty)),
        )
    repeated = ~empty
    repeated[np.unique(np.hstack(keys), axis=0, return_index=True)[1]] = False
    if repeated.any():
        yield Alert(
            "repeated samples",
            "note",
            f"{counted(int(repeated.sum()), 'copy', 'copies')} of other {source.center}: every "
            "copy counts as one sample.",
            _examples(source, source.center, np.flatnonzero(repeated)),
        )


def _heavy_sample(
    source: ReportInput, relation: Relation, squares: Array, positions: Array
) -> Iterator[Alert]:
    """Check for one sample that outweighs the others of its view."""
    shares = squares / (squares.sum() or 1.0)
    if len(shares) > 1 / HEAVY_SHARE and shares.max() > HEAVY_SHARE:
        yield Alert(
            "heavy sample",
            "warning",
            f"One of the {source.center} holds {shares.max():.0%} of all squared values of "
            f"{relation.cols}: look at it, and leave it out if it is odd.",
            _examples(source, source.center, [positions[shares.argmax()]]),
        )


def _fingerprints(R: Any, squares: Array) -> Array:
    """Return three numbers for each row that are equal for equal rows."""
    # Sums with random weights: different rows agree in both with a negligible probability.
    precision = np.float32 if R.dtype == np.float32 else np.float64
    F = np.random.default_rng(0).random((R.shape[1], 2)).astype(precision)
    projections = np.asarray(gathered(times(R, F)), dtype=np.float64)
    # Equal rows may be summed in different orders; the last digits are rounded away.
    digits = np.finfo(precision).precision - ROUNDING_DIGITS
    lengths = np.sqrt(np.maximum(squares, np.finfo(float).tiny))
    return np.column_stack([np.round(projections / lengths[:, None], digits), squares])


def _cluster_alerts(source: ReportInput, clusters: tuple[Cluster, ...]) -> Iterator[Alert]:
    """Check for a giant cluster, clusters of one sample, empty clusters, and many borderlines."""
    n = len(source.sample_clusters.codes)
    largest = max(clusters, key=lambda cluster: cluster.share)
    if len(clusters) > 1 and largest.share > GIANT_SHARE:
        yield Alert(
            "giant cluster",
            "warning",
            f"“{largest.name}” holds {largest.share:.0%} of the {source.center}: ask for more "
            "clusters, or look for features that all share.",
            (),
        )
    single = [cluster.name for cluster in clusters if cluster.size == 1]
    if single:
        yield Alert(
            "lone samples",
            "note",
            f"{counted(len(single), 'cluster')} with a single member: perhaps outliers.",
            tuple(single[:MAX_EXAMPLES]),
        )
    n_clusters = getattr(source.model, "n_clusters", None)
    if isinstance(n_clusters, int) and len(clusters) < n_clusters:
        yield Alert(
            "empty clusters",
            "warning",
            f"{n_clusters} clusters were asked for and {len(clusters)} have members.",
            (),
        )
    share = sum(cluster.borderline or 0 for cluster in clusters) / n
    if len(clusters) > 1 and share > MANY_BORDERLINE:
        yield Alert(
            "many borderline",
            "warning",
            f"{share:.0%} of the {source.center} are borderline: other numbers of clusters may "
            "fit better.",
            (),
        )


def _silent_views(clusters: tuple[Cluster, ...]) -> Iterator[Alert]:
    """Check for views without information about any cluster."""
    best: dict[str, float] = {}
    for cluster in clusters:
        for view in cluster.views:
            best[view.name] = max(best.get(view.name, 0.0), view.share)
    for name, share in best.items():
        if len(best) > 1 and share < SILENT_SHARE:
            yield Alert(
                "silent view",
                "note",
                f"{name} carry at most {share:.1%} of the information about any cluster.",
                (),
            )


def _run_alerts(source: ReportInput) -> Iterator[Alert]:
    """Check whether the run has converged."""
    if getattr(source.method, "converged_", True) is False:
        yield Alert(
            "not converged",
            "note",
            f"The run ended after {getattr(source.method, 'n_iter_', 0)} sweeps before it "
            "converged; raise max_iter.",
            (),
        )


def _link_alerts(links: tuple[LinkSummary, ...]) -> Iterator[Alert]:
    """Check for broken links."""
    for summary in links:
        if summary.violated:
            yield Alert(
                "broken links",
                "warning",
                f"{summary.violated:,} of {counted(summary.stated, 'link')} on {summary.type} are "
                "not kept.",
                (),
            )


def _choice_alerts(choice: NumberOfClusters | None, n_clusters: int) -> Iterator[Alert]:
    """Check whether the number of clusters is the recommended one."""
    if choice is None or not choice.sides:
        return
    recommended = choice.sides[0].stable
    if recommended == 1:
        text = "No grouping was reproduced in halves of the data: the clusters may be chance."
        yield Alert("no stable grouping", "warning", text, ())
    elif recommended != n_clusters:
        text = f"{n_clusters} clusters are shown where {recommended} were recommended."
        yield Alert("other number", "note", text, ())
