"""The picture of the README: ``python docs/samples/picture.py``; needs matplotlib and pillow."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image

from cocluster import CoCluster
from cocluster.datasets import load_docstrings
from cocluster.report.plots import plot_reordering

# Few enough that the file stays small; blocks and their colours are still seen.
COLOURS = 24


def main(path: Path) -> None:
    """Draw the docstrings and their words, before and after."""
    words = load_docstrings().views["words"]
    model = CoCluster(10, random_state=0).fit(words)
    drawn = BytesIO()
    plot_reordering(words, model.labels_, model.column_labels_).savefig(drawn, dpi=72)
    Image.open(drawn).convert("RGB").quantize(COLOURS).save(path, optimize=True)


if __name__ == "__main__":
    main(Path(__file__).parents[1] / "_static" / "before-after.png")
