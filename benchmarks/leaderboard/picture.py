"""Mean ranks with the critical difference, as bars."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pandas as pd

from benchmarks.leaderboard.methods import FRONT, PEERS
from benchmarks.pictures import save


def draw(panels: dict[str, tuple[pd.Series[float], float]], file: Path) -> None:
    """One panel for each title: mean ranks, best on top, and where the difference is critical."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    height = 1.2 + 0.2 * max(len(ranks) for ranks, _ in panels.values())
    rows = (len(panels) + 1) // 2
    figure, axes = plt.subplots(rows, 2, figsize=(12, rows * height), constrained_layout=True)
    for axis, (title, (ranks, difference)) in zip(axes.flat, panels.items(), strict=True):
        colours = ["C1" if n == FRONT else "C7" if n in PEERS else "C0" for n in ranks.index]
        axis.barh(ranks.index, ranks, color=colours)
        axis.invert_yaxis()
        axis.axvline(ranks[FRONT] + difference, color="k", ls=":", lw=1)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("mean rank (dotted: CoCluster + critical difference)", fontsize=8)
        axis.tick_params(labelsize=7)
        axis.margins(y=0.01)
    marks = {"CoCluster": "C1", "our other methods": "C0", "peers": "C7"}
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in marks.values()]
    figure.legend(handles, marks, loc="outside lower center", ncols=len(marks), fontsize=8)
    save(figure, file, dpi=100)
    plt.close(figure)
