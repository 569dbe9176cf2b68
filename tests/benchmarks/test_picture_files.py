"""Picture files are small and look as they were drawn."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure
from PIL import Image

from benchmarks.pictures import save


def test_a_saved_picture_is_smaller_and_no_pixel_is_far_off(tmp_path: Path) -> None:
    figure = Figure(figsize=(6, 4))
    axis = figure.subplots()
    rng = np.random.default_rng(0)
    for name in "abcdefgh":
        axis.plot(rng.normal(size=30).cumsum(), marker="o", label=name)
    axis.legend()
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=100)
    file = save(figure, tmp_path / "lines.png", dpi=100)
    assert file.stat().st_size < drawn.getbuffer().nbytes / 2
    pixels = [np.asarray(Image.open(one).convert("RGB"), dtype=int) for one in (drawn, file)]
    assert np.abs(pixels[0] - pixels[1]).max() <= 15
