"""Pictures of a run: growth, time against accuracy, and sweeps against the memory limit."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from benchmarks.pictures import save
from benchmarks.speed.cases import OURS
from benchmarks.speed.page import curves, in_passes
from benchmarks.speed.run import Row

# Colours of peers, and of our own methods.
NAMED = ("C7", "C1")


def draw(rows: list[Row], folder: Path) -> None:
    """All pictures for which there are rows."""
    done = [r for r in rows if r["status"] == "done"]
    for name, picture in (("growth", growth), ("fits", fits), ("sweeps", sweeps)):
        figure = picture(done)
        if figure is not None:
            save(figure, folder / f"{name}.png", dpi=120)


def growth(rows: list[Row]) -> Figure | None:
    """Time of a sweep, over the first, against what is varied; a grey line has slope one."""
    lines = list(curves([r for r in rows if r["group"] == "growth"]))
    names = list(dict.fromkeys(grows for grows, _, _ in lines))
    if not names:
        return None
    figure = Figure(figsize=(3 * len(names), 3.2), layout="constrained")
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for axes, name in zip(panels, names, strict=True):
        for _, method, own in (line for line in lines if line[0] == name):
            values = [r["value"] for r in own]
            axes.plot(values, [r["sweep"] / own[0]["sweep"] for r in own], "o-", label=method)
        axes.plot(values, [v / values[0] for v in values], color="0.7", linestyle="--", zorder=0)
        axes.set(xscale="log", yscale="log", xlabel=name)
        axes.legend(fontsize=7)
    panels[0].set_ylabel("time of a sweep / first")
    return figure


def fits(rows: list[Row]) -> Figure | None:
    """Time, in those of the front door, against accuracy: one panel for each planted size."""
    rows = [r for r in rows if r["group"] == "planted" and r["seed"] in (0, "0")]
    names = [n for n in dict.fromkeys(r["data"] for r in rows) if "checkerboard" not in n]
    if not names:
        return None
    figure = Figure(figsize=(3.4 * len(names), 3.4), layout="constrained")
    for axes, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        own = [r for r in rows if r["data"] == name]
        first = next(r["seconds"] for r in own if r["method"] == OURS[0])
        # Names of neighbours stand below each other, so that none covers another.
        for step, r in enumerate(sorted(own, key=lambda r: r["seconds"])):
            place, colour = (r["seconds"] / first, r["accuracy"]), NAMED[r["method"] in OURS]
            axes.scatter(*place, color=colour)
            below = (0, -9 - 7 * (step % 3))
            axes.annotate(
                r["method"], place, below, textcoords="offset points", fontsize=6, ha="center"
            )
        axes.axhline(own[0]["best_possible"], color="0.7", linestyle="--")
        axes.set(xscale="log", title=name, xlabel="time / CoCluster's", ylabel="accuracy")
        # Plain numbers, and room for names at both sides.
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.margins(x=0.2, y=0.15)
    return figure


def sweeps(rows: list[Row]) -> Figure | None:
    """Time of a sweep in passes over the arrays."""
    rows = [r for r in rows if r["group"] == "sweep"]
    if not rows:
        return None
    figure = Figure(figsize=(7, 0.6 + 0.3 * len(rows)), layout="constrained")
    axes = figure.subplots()
    names = [f"{r['method']}, {r['data']}" for r in rows]
    axes.barh(names, [in_passes(r) for r in rows], color="C0")
    axes.axvline(1, color="black", linestyle=":")
    axes.set(xscale="log", xlabel="time of a sweep / reading the arrays once")
    axes.invert_yaxis()
    axes.tick_params(labelsize=7)
    return figure
