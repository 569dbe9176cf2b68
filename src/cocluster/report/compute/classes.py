"""The part of an account on known classes, which are shown and never used."""

from __future__ import annotations

import numpy as np

from cocluster.metrics import confusion_matrix, scores
from cocluster.report.compute.material import Material
from cocluster.report.values import Classes


def classes_part(found: Material) -> Classes | None:
    """How the clusters meet the classes of those samples whose class is known."""
    about = found.described
    if about is None or about.labels is None:
        return None
    known = np.asarray(about.labels) >= 0
    if not known.any():
        return None
    codes, labels = np.asarray(about.labels)[known], found.own.ids[found.own.codes][known]
    table, classes, clusters = confusion_matrix(codes, labels)
    names = about.class_names
    return Classes(
        names=tuple(str(code if names is None else names[code]) for code in classes),
        cluster_ids=tuple(clusters),
        table=tuple(tuple(int(count) for count in row) for row in table),
        known=int(known.sum()),
        **scores(codes, labels),
    )
