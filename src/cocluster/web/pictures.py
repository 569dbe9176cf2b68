"""Pictures of the samples of a project: the image files that were read, or pixels as features."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cocluster.io.dataset import Dataset
from cocluster.linalg.matrices import values_of
from cocluster.linalg.types import Array, InMemory
from cocluster.projects import Project
from cocluster.report.images import grey, image_files, pixel_grid, png
from cocluster.report.samples import sample_row

# Pixels along the longer side: half a page, on a fine screen.
PIXELS = 900

# A picture and its media type.
Picture = tuple[bytes, str]
Show = Callable[[int], Picture | None]


def pictures_of(project: Project) -> Show | None:
    """What gives the picture of a sample by its position; None where samples have none.

    Files are looked for where they were read, and nowhere else.
    """
    dataset = project.dataset
    source = str(project.about.get("source", ""))
    files = image_files(source, dataset.sample_names, PIXELS) if source else None
    if files is not None:
        return lambda i: None if (found := files(i)) is None else (found, "image/jpeg")
    for view, X in dataset.views.items():
        grid = pixel_grid(dataset.feature_names.get(view))
        if grid is not None:
            return _pixels(dataset, view, X, grid)
    return None


def _pixels(dataset: Dataset, view: str, X: InMemory, grid: Array) -> Show:
    """Pictures of rows whose entries are pixels; all with the same black and white."""
    entries = values_of(X)
    # Pixels that are not stored are zero.
    low, high = min(float(np.nanmin(entries)), 0.0), float(np.nanmax(entries))

    def show(i: int) -> Picture | None:
        row = sample_row(dataset, view, i)
        return None if row is None else (png(grey(row[grid], low, high)), "image/png")

    return show
