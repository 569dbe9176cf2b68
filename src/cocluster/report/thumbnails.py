"""Small pictures of samples that are image files."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cocluster.utils.optional import library

ENDINGS = (".jpg", ".jpeg", ".png", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".pgm")
# Pixels along the longer side: twice what the report shows, for fine screens.
PIXELS = 112
# A picture of this size then has about 3 kB.
QUALITY = 70


def thumbnails(folder: str | Path, names: Any) -> Callable[[int], str | None] | None:
    """What shows the samples of a folder of images, for `cocluster.account(thumbnail=...)`.

    Parameters
    ----------
    folder : str or Path
    names : sequence of str, or None
        Names of the samples: files, as seen from the folder.

    Returns
    -------
    callable of position to address of a picture, or None
        None where the samples are no image files, or Pillow is not installed.
    """
    show = image_files(folder, names, PIXELS)
    if show is None:
        return None

    def thumbnail(position: int) -> str | None:
        found = show(position)
        if found is None:
            return None
        return "data:image/jpeg;base64," + base64.b64encode(found).decode("ascii")

    return thumbnail


def image_files(
    folder: str | Path, names: Any, pixels: int
) -> Callable[[int], bytes | None] | None:
    """What gives the pictures of a folder, by position, as JPEG of so many pixels at most.

    They are drawn anew: whatever else a file may hold stays where it is. None where the samples
    are no image files, or Pillow is not installed.
    """
    root = Path(folder).resolve()
    if names is None or not all(str(name).lower().endswith(ENDINGS) for name in names):
        return None
    if not root.is_dir():
        return None
    try:
        pillow = library("PIL.Image", "pictures of samples", "image")
    except ImportError:
        return None

    def show(position: int) -> bytes | None:
        file = (root / str(names[position])).resolve()
        # Names come from a file, perhaps: nothing outside of the folder is shown.
        if not file.is_relative_to(root):
            return None
        try:
            with pillow.open(file) as image:
                small = image.convert("RGB")
                small.thumbnail((pixels, pixels))
        except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
            return None
        written = io.BytesIO()
        small.save(written, "JPEG", quality=QUALITY)
        return written.getvalue()

    return show
