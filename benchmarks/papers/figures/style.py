"""One look for all pictures of the papers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks import pictures
from cocluster.linalg.types import Array

OWN = "tab:orange"
OTHERS = (
    "tab:blue",
    "tab:green",
    "tab:purple",
    "tab:brown",
    "tab:pink",
    "tab:gray",
    "tab:olive",
    "tab:cyan",
    "tab:red",
)
MARKERS = "osD^vP*X<>"
WIDTH, DPI = 8.4, 110


def canvas(panels: int, columns: int, height: float = 2.9) -> tuple[Figure, list[Any]]:
    """A figure with so many axes, `columns` beside each other, each of this height in inches."""
    rows = -(-panels // columns)
    figure = Figure(figsize=(WIDTH, height * rows), layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(rows, columns)).ravel())
    for empty in axes[panels:]:
        empty.set_axis_off()
    for axis in axes[:panels]:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(color="0.9", linewidth=0.6)
        axis.set_axisbelow(True)
        axis.tick_params(which="both", labelsize=8)
    return figure, axes[:panels]


def looks(names: Iterable[str], own: str) -> dict[str, dict[str, Any]]:
    """Colour and marker of each method; the paper's own is orange in every picture.

    "NAME, how" has the colour of NAME and a dashed line.
    """
    names = list(dict.fromkeys(names))
    others = iter(OTHERS)
    colours = {own: OWN}
    for name in names:
        base = name.split(",")[0]
        colours[name] = colours[base] if base in colours else next(others)
    return {
        name: {"color": colours[name], "marker": marker, "linestyle": "--" if "," in name else "-"}
        for name, marker in zip(names, MARKERS, strict=False)
    }


def bars(axis: Any, names: list[str], heights: dict[str, Array], label: str) -> None:
    """Groups of bars, one group for each name, one colour for each entry of `heights`."""
    width = 0.8 / len(heights)
    colours = ("0.7", OWN) if len(heights) == 2 else (OWN,)
    for i, (series, colour) in enumerate(zip(heights, colours, strict=True)):
        offset = (i - (len(heights) - 1) / 2) * width
        places = np.arange(len(names)) + offset
        drawn = axis.bar(places, heights[series], width, label=series, color=colour)
        axis.bar_label(drawn, fmt=_shown, fontsize=6, padding=1)
    axis.set_xticks(np.arange(len(names)), names, rotation=35, ha="right", fontsize=8)
    axis.set_ylabel(label, fontsize=9)


def stack(axis: Any, names: list[str], below: Array, above: Array, label: str) -> None:
    """Two logarithmic bars for each name: what comes before, and what is compared."""
    places = np.arange(len(names))
    for offset, heights, colour, what in (
        (-0.2, below, "0.75", "start and graphs, to the first sweep"),
        (0.2, above, OWN, "further sweeps"),
    ):
        shown = np.where(heights > 0, heights, np.nan)
        drawn = axis.bar(places + offset, shown, 0.4, color=colour, label=what)
        axis.bar_label(drawn, fmt="{:,.0f}", fontsize=6, padding=1)
    axis.set_yscale("log")
    axis.set_xticks(places, names, rotation=35, ha="right", fontsize=8)
    axis.set_ylabel(label, fontsize=9)


def _shown(value: float) -> str:
    """A number over a bar."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def save(figure: Figure, file: Path) -> Path:
    """Write the picture."""
    return pictures.save(figure, file, DPI)
