"""The part of an account on what is odd in the data or in the result.

Each check is a generator of alerts; `CHECKS` lists them all. An alert says what is odd, how much of
it, and what it means for the reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from cocluster.data.relation import Relation
from cocluster.linalg.matrices import column_counts, row_squares, times
from cocluster.linalg.partitions import gathered
from cocluster.linalg.types import Array
from cocluster.report.compute.material import Material
from cocluster.report.values import Alert, Cluster, LinkSummary, NumberOfClusters

# Names given as examples.
EXAMPLES = 5
# A cluster with more than this share of the samples hides what is in it.
GIANT = 0.8
# So many borderline samples are more than the edges of clusters have.
UNSURE = 1 / 3
# A sample with more than this share of all entries weighs on every result.
HEAVY = 0.2
# A view that tells less than this of every cluster might as well be left out.
SILENT = 0.02
# Digits that sums of one row may lose to rounding.
ROUNDING = 2


def alerts_part(
    found: Material,
    clusters: dict[str, tuple[Cluster, ...]],
    links: tuple[LinkSummary, ...],
    choice: NumberOfClusters | None,
) -> tuple[Alert, ...]:
    """All that is odd, warnings first."""
    alerts = [
        *_of_data(found),
        *_of_clusters(found, clusters[found.center]),
        *_of_run(found),
        *_of_links(links),
        *_of_choice(choice, len(found.own)),
        *_notes(found),
    ]
    return tuple(sorted(alerts, key=lambda alert: alert.level != "warning"))


def _examples(found: Material, name: str, positions: Iterable[Any]) -> tuple[str, ...]:
    """The first few objects by name."""
    return tuple(found.name_of(name, int(i)) for i in list(positions)[:EXAMPLES])


def _several(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def _of_data(found: Material) -> Iterator[Alert]:
    """Empty and repeated rows, empty columns, heavy rows, views of other samples."""
    if found.data is None:
        return
    yield from _of_samples(found)
    yield from _unknown(found)
    for relation in found.data.relations:
        if relation.rows == found.center:
            yield from _absent(found, relation)
        empty = np.flatnonzero(column_counts(relation.matrix) == 0)
        if len(empty):
            yield Alert(
                "empty features",
                "note",
                f"{_several(len(empty), 'column')} of {relation.cols} without any entry: they say "
                "nothing about any sample.",
                _examples(found, relation.cols, empty),
            )
    names = found.data.names.get(found.center)
    if names is not None and len(set(map(str, names))) < len(names):
        values, counts = np.unique(np.array(list(map(str, names))), return_counts=True)
        yield Alert(
            "repeated names",
            "warning",
            f"{_several(int((counts > 1).sum()), 'name')} stand for several {found.center}: tell "
            "them apart by their positions.",
            tuple(values[counts > 1][:EXAMPLES].tolist()),
        )


def _unknown(found: Material) -> Iterator[Alert]:
    """Entries that are not known."""
    for relation in () if found.given is None else found.given.relations:
        if relation.observed is not None:
            size = relation.matrix.shape[0] * relation.matrix.shape[1]
            share = 1 - float(column_counts(relation.observed).sum()) / size
            yield Alert(
                "unknown entries",
                "note",
                f"{share:.0%} of the entries of {relation.cols} are unknown: features and pictures "
                "tell how the known ones differ from the mean of their column.",
                (),
            )


def _absent(found: Material, relation: Relation) -> Iterator[Alert]:
    """Samples that a view lacks."""
    n = len(found.own.codes)
    positions = np.arange(n) if relation.row_index is None else relation.row_index
    if len(positions) < n:
        yield Alert(
            "absent samples",
            "note",
            f"{relation.cols} describe {len(positions):,} of the {n:,} {found.center}; the others "
            "are judged by the other views.",
            _examples(found, found.center, np.setdiff1d(np.arange(n), positions)),
        )


def _of_samples(found: Material) -> Iterator[Alert]:
    """Samples that are empty, repeated or heavy, in all views together."""
    assert found.data is not None
    n = len(found.own.codes)
    keys, total = [], np.zeros(n)
    for relation in found.data.relations:
        if relation.rows != found.center:
            continue
        positions = np.arange(n) if relation.row_index is None else relation.row_index
        squares = row_squares(relation.matrix)
        own = np.zeros((n, 3))
        own[positions] = _fingerprints(relation.matrix, squares)
        keys.append(own)
        total[positions] += squares
        yield from _heavy(found, relation, squares, positions)
    empty = total == 0
    if empty.any():
        yield Alert(
            "empty samples",
            "warning",
            f"{int(empty.sum()):,} of the {found.center} without any entry: nothing tells which "
            "cluster they belong to.",
            _examples(found, found.center, np.flatnonzero(empty)),
        )
    first = np.unique(np.hstack(keys), axis=0, return_index=True)[1]
    again = ~empty
    again[first] = False
    if again.any():
        yield Alert(
            "repeated samples",
            "note",
            f"{_several(int(again.sum()), 'copy', 'copies')} of other {found.center}: they count "
            "as much as originals.",
            _examples(found, found.center, np.flatnonzero(again)),
        )


def _heavy(
    found: Material, relation: Relation, squares: Array, positions: Array
) -> Iterator[Alert]:
    """One row that outweighs the others of its view."""
    shares = squares / (squares.sum() or 1.0)
    if len(shares) > 1 / HEAVY and shares.max() > HEAVY:
        yield Alert(
            "heavy sample",
            "warning",
            f"One of the {found.center} holds {shares.max():.0%} of all squared values of "
            f"{relation.cols}: look at it, and leave it out if it is odd.",
            _examples(found, found.center, [positions[shares.argmax()]]),
        )


def _fingerprints(R: Any, squares: Array) -> Array:
    """Three numbers for each row that are the same for rows that are the same."""
    # Sums with random weights: two rows that agree in both are the same, but for one chance in far
    # more than there are pairs.
    precision = np.float32 if R.dtype == np.float32 else np.float64
    F = np.random.default_rng(0).random((R.shape[1], 2)).astype(precision)
    codes = np.asarray(gathered(times(R, F)), dtype=np.float64)
    # The same row may be summed in another order at another place.
    digits = np.finfo(precision).precision - ROUNDING
    lengths = np.sqrt(np.maximum(squares, np.finfo(float).tiny))
    return np.column_stack([np.round(codes / lengths[:, None], digits), squares])


def _of_clusters(found: Material, clusters: tuple[Cluster, ...]) -> Iterator[Alert]:
    """One giant cluster, lone samples, clusters that nobody is in, borders, silent views."""
    largest = max(clusters, key=lambda cluster: cluster.share)
    if len(clusters) > 1 and largest.share > GIANT:
        yield Alert(
            "giant cluster",
            "warning",
            f"“{largest.name}” holds {largest.share:.0%} of the {found.center}: ask for more "
            "clusters, or look for features that all share.",
            (),
        )
    lone = [cluster for cluster in clusters if cluster.size == 1]
    if lone:
        yield Alert(
            "lone samples",
            "note",
            f"{_several(len(lone), 'cluster')} with a single member: perhaps outliers.",
            tuple(cluster.name for cluster in lone[:EXAMPLES]),
        )
    asked = getattr(found.model, "n_clusters", None)
    if isinstance(asked, int) and len(clusters) < asked:
        yield Alert(
            "empty clusters",
            "warning",
            f"{asked} clusters were asked for and {len(clusters)} have members.",
            (),
        )
    if found.certainty is not None and len(clusters) > 1:
        unsure = sum(cluster.borderline or 0 for cluster in clusters)
        share = unsure / len(found.own.codes)
        if share > UNSURE:
            yield Alert(
                "many borderline",
                "warning",
                f"{share:.0%} of the {found.center} are borderline: other numbers of clusters may "
                "fit better.",
                (),
            )
    yield from _silent_views(clusters)


def _silent_views(clusters: tuple[Cluster, ...]) -> Iterator[Alert]:
    """Views that no cluster owes anything to."""
    best: dict[str, float] = {}
    for cluster in clusters:
        for view in cluster.views:
            best[view.name] = max(best.get(view.name, 0.0), view.share)
    for name, share in best.items():
        if len(best) > 1 and share < SILENT:
            yield Alert(
                "silent view",
                "note",
                f"{name} tell next to nothing about any cluster, at most {share:.1%}.",
                (),
            )


def _of_run(found: Material) -> Iterator[Alert]:
    """Runs that were cut off."""
    fitted = found.fitted
    if getattr(fitted, "converged_", True) is False:
        yield Alert(
            "not converged",
            "note",
            f"The run ended after {getattr(fitted, 'n_iter_', 0)} sweeps and was still gaining; "
            "raise max_iter.",
            (),
        )


def _of_links(links: tuple[LinkSummary, ...]) -> Iterator[Alert]:
    """Links that are broken."""
    for own in links:
        if own.violated:
            yield Alert(
                "broken links",
                "warning",
                f"{own.violated:,} of {_several(own.stated, 'link')} on {own.type} are not kept.",
                (),
            )


def _of_choice(choice: NumberOfClusters | None, n_clusters: int) -> Iterator[Alert]:
    """Numbers of clusters that were not recommended."""
    if choice is None or not choice.sides:
        return
    side = choice.sides[0]
    if side.stable == 1:
        text = "No grouping was found again in halves of the data: clusters may be chance."
        yield Alert("no stable grouping", "warning", text, ())
    elif side.stable != n_clusters:
        text = f"{n_clusters} clusters are shown where {side.stable} were recommended."
        yield Alert("other number", "note", text, ())


def _notes(found: Material) -> Iterator[Alert]:
    """What the reader of the file noted."""
    for note in getattr(found.described, "notes", ()):
        yield Alert("reading", "note", str(note), ())
