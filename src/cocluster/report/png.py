"""Small pictures as PNG files, written without a library for images."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence

import numpy as np

from cocluster.linalg.types import Array

Colour = tuple[int, int, int]


def png(pixels: Array, palette: Sequence[Colour] | None = None) -> bytes:
    """An image as a PNG file.

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
    # Each line begins with a zero: no filter, which serves pictures of few colours best.
    lines = np.hstack([np.zeros((height, 1), np.uint8), values.reshape(height, -1)])
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0))]
    if palette is not None:
        chunks.append((b"PLTE", bytes(part for colour in palette for part in colour)))
    chunks += [(b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def data_address(pixels: Array, palette: Sequence[Colour] | None = None) -> str:
    """An image as an address that needs no request."""
    return "data:image/png;base64," + base64.b64encode(png(pixels, palette)).decode("ascii")


def _chunk(name: bytes, data: bytes) -> bytes:
    """Length, name, data and checksum."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
