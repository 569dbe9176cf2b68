"""Figures that are bars: the time of each method, set by set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.papers.figures import style
from benchmarks.papers.figures.curves import Curves


@dataclass(frozen=True, kw_only=True)
class Bars(Curves):
    """One table, whose methods are bars instead of curves.

    Attributes
    ----------
    scale : float
    base : str
        Ending of the names whose bars are drawn below those of the names without it.
    """

    scale: float = 1.0
    base: str = ""

    def draw(self, folder: Path) -> Path:
        lines = self.lines(folder)
        figure, axes = style.canvas(len(self.panels), len(self.panels), height=3.2)
        for axis, panel in zip(axes, self.panels, strict=True):
            found = {name: self.scale * line[0.0] for name, line in lines.get(panel, {}).items()}
            names = [name for name in found if not (self.base and name.endswith(self.base))]
            below = np.array([found.get(name + self.base, 0.0) for name in names])
            style.stack(axis, names, below, np.array([found[name] for name in names]), self.label)
            axis.set_title(panel, fontsize=9)
        handles = axes[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside upper center", ncols=2, fontsize=8)
        return style.save(figure, self.picture(folder))
