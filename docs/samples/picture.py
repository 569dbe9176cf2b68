"""Draw the figure of the README: ``python docs/samples/picture.py`` (matplotlib and pillow)."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image

from cocluster import CoCluster
from cocluster.datasets import load_docstrings
from cocluster.report.plots import plot_reordering

# Number of colours in the PNG: a small palette keeps the file small, and the blocks stay visible.
COLOURS = 24


def main(path: Path) -> None:
    """Draw the matrix of docstrings and words before and after sorting by cluster."""
    words = load_docstrings().views["words"]
    model = CoCluster(10, random_state=0).fit(words)
    buffer = BytesIO()
    plot_reordering(words, model.labels_, model.column_labels_).savefig(buffer, dpi=72)
    Image.open(buffer).convert("RGB").quantize(COLOURS).save(path, optimize=True)


if __name__ == "__main__":
    main(Path(__file__).parents[1] / "_static" / "before-after.png")
