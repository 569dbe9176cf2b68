"""The part of an account on the data: sizes, kinds of values, how they were read."""

from __future__ import annotations

from typing import Any

import numpy as np

from cocluster.data.relation import Relation
from cocluster.linalg.matrices import column_counts, is_nonnegative, values_of
from cocluster.linalg.rowwise import summed
from cocluster.report.compute.material import Material
from cocluster.report.values import Data, DataView, TypeSize


def data_part(found: Material, title: str | None) -> Data:
    """What was clustered."""
    about, data = found.described, found.data
    reading: Any = getattr(about, "reading", None)
    return Data(
        name=title or getattr(about, "name", "") or "data",
        center=found.center,
        types=tuple(
            TypeSize(name, len(own.codes), data is not None and name in data.names)
            for name, own in found.clusters.items()
        )
        + _unclustered(found),
        views=() if found.given is None else tuple(map(_view, found.given.relations)),
        reading=reading.summary() if reading else "",
        counting=getattr(reading, "counting", ""),
        alignment="" if data is None or data.alignment is None else str(data.alignment),
        notes=tuple(map(str, getattr(about, "notes", ()))),
        info={str(key): str(value) for key, value in getattr(about, "info", {}).items()},
        looked_at=len(found.rows),
    )


def _unclustered(found: Material) -> tuple[TypeSize, ...]:
    """Types that have no clusters: some methods find those of the samples only."""
    data = found.data
    if data is None:
        return ()
    return tuple(
        TypeSize(name, size, name in data.names)
        for name, size in data.sizes.items()
        if name not in found.clusters
    )


def _view(relation: Relation) -> DataView:
    """One matrix in numbers."""
    R = relation.matrix
    entries = int(column_counts(R if relation.observed is None else relation.observed).sum())
    return DataView(
        name=relation.cols,
        rows=relation.rows,
        columns=relation.cols,
        n_rows=int(R.shape[0]),
        n_columns=int(R.shape[1]),
        entries=entries,
        density=entries / max(R.shape[0] * R.shape[1], 1),
        kind=_kind(R) + ("" if relation.observed is None else ", some unknown"),
        weight=float(relation.weight),
    )


def _kind(R: Any) -> str:
    """What the entries are, in words."""
    if not is_nonnegative(R):
        return "any sign"
    return "not negative" if summed(_n_fractions, R) else "counts"


def _n_fractions(R: Any) -> int:
    """How many entries are no whole numbers."""
    values = values_of(R)
    return int(np.count_nonzero(values != np.floor(values)))
