"""Pictures of samples whose features are the pixels of an image, such as ``pixel_0_7``."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from cocluster.linalg.types import Array

# "pixel", and the row and the column that it is in.
_PIXEL = re.compile(r"(?:pixel|px)\D*(\d+)\D+(\d+)", re.IGNORECASE)


def pixel_grid(names: Sequence[str] | Array | None) -> Array | None:
    """Position of the feature of every pixel, as an array of rows and columns.

    None unless the features are the pixels of an image, each of them there once.

    >>> pixel_grid(["pixel_0_0", "pixel_0_1", "pixel_1_0", "pixel_1_1"]).tolist()
    [[0, 1], [2, 3]]
    >>> pixel_grid(["pixel_0_0", "weight"]) is None
    True
    """
    # One look at the first name is enough for most data, which may have a million others.
    if names is None or not len(names) or not _PIXEL.fullmatch(str(names[0])):
        return None
    found = [one for one in (_PIXEL.fullmatch(str(name)) for name in names) if one is not None]
    if len(found) < len(names):
        return None
    places = np.array([[int(number) for number in one.groups()] for one in found])
    rows, columns = (places - places.min(axis=0)).T
    height, width = int(rows.max()) + 1, int(columns.max()) + 1
    if height * width != len(found):
        return None
    grid = np.full((height, width), -1)
    grid[rows, columns] = np.arange(len(found))
    return None if (grid < 0).any() else grid


def grey(values: Array, low: float, high: float) -> Array:
    """Values as shades from black to white; what is not known is black."""
    share = (np.nan_to_num(values, nan=low) - low) / ((high - low) or 1.0)
    return np.asarray(np.clip(255 * share, 0, 255).astype(np.uint8))
