"""Figures that are bars: the time of each method, set by set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.papers.figures import style
from benchmarks.papers.figures.curves import Curves


@dataclass(frozen=True, kw_only=True)
class Bars(Curves):
    """One table, whose methods are bars instead of curves."""

    label: str
    scale: float = 1.0

    def draw(self, folder: Path) -> Path:
        lines = self.lines(folder)
        figure, axes = style.canvas(len(self.panels), len(self.panels), height=3.2)
        for axis, panel in zip(axes, self.panels, strict=True):
            found = {name: self.scale * line[0.0] for name, line in lines.get(panel, {}).items()}
            heights = {"ours": np.array(list(found.values()))}
            style.bars(axis, list(found), heights, self.label)
            axis.set_title(panel, fontsize=9)
            axis.set_yscale("log")
        return style.save(figure, self.file(folder, "png"))
