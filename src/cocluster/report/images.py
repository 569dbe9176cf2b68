"""Small images: PNG files, samples whose features are pixels, thumbnails of image files."""

from __future__ import annotations

import base64
import io
import re
import struct
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.linalg.types import Array
from cocluster.report.colours import Colour
from cocluster.utils.optional import library

ENDINGS = (".jpg", ".jpeg", ".png", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".pgm")
# Pixels along the longer side of a thumbnail: twice its size in the report, for fine screens.
PIXELS = 112
# JPEG quality of thumbnails; a thumbnail has about 3 kB.
QUALITY = 70
# Name of a pixel: "pixel", its row and its column.
_PIXEL = re.compile(r"(?:pixel|px)\D*(\d+)\D+(\d+)", re.IGNORECASE)


def png(pixels: Array, palette: Sequence[Colour] | None = None) -> bytes:
    """Return an image as a PNG file.

    Parameters
    ----------
    pixels : array of shape (height, width) or (height, width, 3)
        From 0 to 255: shades of grey, numbers in the palette, or red, green and blue.
    palette : colours by number, optional

    Examples
    --------
    >>> png(np.zeros((2, 3)))[:4]
    b'\\x89PNG'
    """
    values = np.ascontiguousarray(np.clip(pixels, 0, 255), dtype=np.uint8)
    height, width = values.shape[:2]
    kind = 3 if palette is not None else 2 if values.ndim == 3 else 0
    # Each line begins with a zero: no filter, which is best for images of few colours.
    lines = np.hstack([np.zeros((height, 1), np.uint8), values.reshape(height, -1)])
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0))]
    if palette is not None:
        chunks.append((b"PLTE", bytes(channel for colour in palette for channel in colour)))
    chunks += [(b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def data_address(pixels: Array, palette: Sequence[Colour] | None = None) -> str:
    """Return an image as a ``data:`` address, which needs no request."""
    return "data:image/png;base64," + base64.b64encode(png(pixels, palette)).decode("ascii")


def _chunk(name: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG file: length, name, data and checksum."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def pixel_grid(names: Sequence[str] | Array | None) -> Array | None:
    """Return the positions of the features of all pixels, as an array of rows and columns.

    None unless the features are the pixels of an image, each of them once.

    >>> pixel_grid(["pixel_0_0", "pixel_0_1", "pixel_1_0", "pixel_1_1"]).tolist()
    [[0, 1], [2, 3]]
    >>> pixel_grid(["pixel_0_0", "weight"]) is None
    True
    """
    # The first name is enough to tell for most data, which may have a million others.
    if names is None or not len(names) or not _PIXEL.fullmatch(str(names[0])):
        return None
    matches = [match for name in names if (match := _PIXEL.fullmatch(str(name)))]
    if len(matches) < len(names):
        return None
    pixels = np.array([[int(number) for number in match.groups()] for match in matches])
    rows, columns = (pixels - pixels.min(axis=0)).T
    height, width = int(rows.max()) + 1, int(columns.max()) + 1
    if height * width != len(names):
        return None
    grid = np.full((height, width), -1)
    grid[rows, columns] = np.arange(len(names))
    return None if (grid < 0).any() else grid


def grey(values: Array, low: float, high: float) -> Array:
    """Return values as shades from black to white; missing values are black."""
    share = (np.nan_to_num(values, nan=low) - low) / ((high - low) or 1.0)
    return np.asarray(np.clip(255 * share, 0, 255).astype(np.uint8))


def thumbnails(folder: str | Path, names: Any) -> Callable[[int], str | None] | None:
    """Return a function for the thumbnails of a folder, for `cocluster.account(thumbnail=...)`.

    Parameters
    ----------
    folder : str or Path
    names : sequence of str, or None
        Names of the samples: paths of files relative to the folder.

    Returns
    -------
    callable of position to address of a picture, or None
        None if the samples are not image files, or Pillow is not installed.
    """
    read_image = image_files(folder, names, PIXELS)
    if read_image is None:
        return None

    def thumbnail(position: int) -> str | None:
        jpeg = read_image(position)
        if jpeg is None:
            return None
        return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii")

    return thumbnail


def image_files(
    folder: str | Path, names: Any, pixels: int
) -> Callable[[int], bytes | None] | None:
    """Return a function that reads the images of a folder by position, as JPEG.

    Images are encoded again with at most ``pixels`` pixels along a side, so that nothing else in a
    file is passed on. None if the samples are not image files, or Pillow is not installed.
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

    def read_image(position: int) -> bytes | None:
        file = (root / str(names[position])).resolve()
        # Names may come from a file; nothing outside of the folder is read.
        if not file.is_relative_to(root):
            return None
        try:
            with pillow.open(file) as image:
                small = image.convert("RGB")
                small.thumbnail((pixels, pixels))
        except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
            return None
        jpeg = io.BytesIO()
        small.save(jpeg, "JPEG", quality=QUALITY)
        return jpeg.getvalue()

    return read_image
