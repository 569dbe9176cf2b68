"""What is odd about the metadata of a cluster: values that are more frequent in it than elsewhere.

Columns of few values are counted, columns of many numbers compared by their ranks; names, dates and
texts, which hardly any two samples share, say nothing here. Metadata take no part in the fit, so
that what is found was not put there by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.partitions import Partition, as_partition
from cocluster.linalg.types import Array
from cocluster.report.compute.material import Material
from cocluster.report.compute.members import shown_value
from cocluster.report.statistics import scored
from cocluster.report.values import Trait
from cocluster.utils.text import is_missing

# Traits of a cluster that a card has room for.
SHOWN = 5
# Numbers of so many different values are measurements; fewer are codes or grades.
MEASURED = 12
# Most values of a column that are counted, all in all and for each sample: more are names.
MOST_VALUES, MOST_SHARE = 500, 0.5
# A chi-squared of one degree of freedom that chance exceeds once in ten thousand: dozens of values
# are compared in each cluster, and what is shown should be there.
LEAST_SCORE = 15.1


@dataclass(frozen=True)
class _Scored:
    """A trait of a cluster, and how far it is from chance."""

    cluster: int
    score: float
    shown: Trait


def traits_part(found: Material) -> list[tuple[Trait, ...]]:
    """The clearest traits of every cluster of samples, in the order of the clusters."""
    traits: list[list[_Scored]] = [[] for _ in range(len(found.own))]
    if found.described is not None:
        codes = found.own.codes[found.rows]
        for name, cells in found.described.metadata.items():
            for trait in _traits(str(name), np.asarray(cells, object)[found.rows], codes):
                traits[trait.cluster].append(trait)
    return [
        tuple(trait.shown for trait in sorted(own, key=lambda t: -t.score)[:SHOWN])
        for own in traits
    ]


def _traits(name: str, cells: Array, codes: Array) -> Iterator[_Scored]:
    """Traits in one column of metadata."""
    known = np.array([not is_missing(cell) and cell != "" for cell in cells], dtype=bool)
    cells, codes = cells[known], codes[known]
    if len(np.unique(codes)) < 2:
        return
    values, first, which = np.unique(
        [str(cell) for cell in cells], return_index=True, return_inverse=True
    )
    if len(values) > MEASURED:
        numbers = _numbers(cells)
        if numbers is not None:
            yield from _measured(name, numbers, codes)
            return
    if 2 <= len(values) <= min(MOST_VALUES, MOST_SHARE * len(cells)):
        shown = [shown_value(cells[i]) for i in first]
        yield from _counted(name, shown, which, codes)


def _numbers(cells: Array) -> Array | None:
    """Cells as numbers; None if some are none, or without end."""
    try:
        numbers = np.array([float(cell) for cell in cells])
    except (TypeError, ValueError):
        return None
    return numbers if np.isfinite(numbers).all() else None


def _counted(name: str, values: Sequence[str], which: Array, codes: Array) -> Iterator[_Scored]:
    """Values that a cluster has more often than the others."""
    n = len(codes)
    # Each sample has one value, so that a row has one entry.
    X = sp.csr_array((np.ones(n), which, np.arange(n + 1)), shape=(n, len(values)))
    found, clusters = scored(X, _partition(codes)), np.unique(codes)
    for row, value in zip(*np.nonzero(found.score >= LEAST_SCORE), strict=True):
        shown = Trait(
            name,
            values[value],
            share=float(found.share[row, value]),
            lift=float(found.lift[row, value]),
        )
        yield _Scored(int(clusters[row]), float(found.score[row, value]), shown)


def _measured(name: str, numbers: Array, codes: Array) -> Iterator[_Scored]:
    """Clusters whose numbers are larger or smaller than those of the others."""
    found = scored(numbers[:, None], _partition(codes), "wilcoxon")
    overall = float(np.median(numbers))
    for row, cluster in enumerate(np.unique(codes)):
        # The square of a z is a chi-squared: both kinds of traits are compared by it.
        score = float(found.score[row, 0]) ** 2
        if score >= LEAST_SCORE:
            median = float(np.median(numbers[codes == cluster]))
            shown = Trait(name, "", median=median, overall=overall)
            yield _Scored(int(cluster), score, shown)


def _partition(codes: Array) -> Partition:
    """Clusters that have known values, numbered without gaps."""
    present, places = np.unique(codes, return_inverse=True)
    return as_partition(places, len(present))
