"""Figures of paper 002: locally discriminative co-clustering."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.papers.figures.claims import close, steady
from benchmarks.papers.figures.curves import Curves, Mark
from benchmarks.papers.figures.figure import Figure, Finding
from benchmarks.papers.figures.pictures import Panels, Picture, column, line, of_kind, points
from benchmarks.papers.protocol import Column, Table, load, rescaled
from benchmarks.papers.runner import Row
from benchmarks.papers.solvers import method
from cocluster import BSGP, LDCC
from cocluster.matrices import Array

BGP, OURS = "BGP", "LDCC"
DRAWS = 10
RIDGES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
KINDS = {"class 0": "tab:blue", "class 1": "tab:red", "words": "0.6"}


def _projection(name: str) -> list[Row]:
    """Samples and words on the line that the method gives, and how all draws are cut by theirs."""
    fitted = [_fitted(name, seed) for seed in range(DRAWS)]
    model, labels = fitted[0]
    samples, words = _places(model)
    classes = np.array([f"class {code}" for code in labels])
    cuts = [best_cut(_places(one)[0], known) for one, known in fitted]
    return [
        *points("point", np.full(len(words), "words"), _standard(words, samples), words > 0),
        *points("point", classes, _standard(samples, samples), labels),
        *(line("cut", x=seed, value=cut) for seed, cut in enumerate(cuts)),
    ]


def _fitted(name: str, seed: int) -> tuple[Any, Array]:
    """The method on one draw of two classes, and the classes."""
    sample = load("002", "WebKB2", seed)
    X = rescaled(next(iter(sample.views.values())), "l2")
    model: Any = BSGP if name == BGP else LDCC
    return model(2, normalize=None, random_state=0).fit(X), sample.labels


def _places(model: Any) -> tuple[Array, Array]:
    """Samples and words on a line: the coordinate before it, if any, is about constant."""
    samples, words = (np.asarray(Z)[:, -1] for Z in model.embedding_.values())
    return samples, words


def best_cut(places: Array, labels: Array) -> float:
    """Share of samples on the side of their class, two classes, for the best threshold."""
    first = (labels == labels.min())[np.argsort(places, kind="stable")]
    n, left = len(first), np.concatenate([[0], np.cumsum(first)])
    good = left + (n - np.arange(n + 1)) - (left[-1] - left)
    return float(max(good.max(), (n - good).max()) / n)


def _standard(values: Array, by: Array) -> Array:
    """In units of the spread of all samples."""
    return (values - np.median(by)) / max(float(by.std()), 1e-12)


def _paint(axis: Any, rows: list[Row]) -> None:
    """Histograms of words and of the two classes above each other."""
    drawn = of_kind(rows, "point")
    if not drawn:
        return
    low, high = np.clip(np.quantile(column(drawn, "x"), (0.005, 0.995)), -6, 6)
    edges = np.linspace(low, high, 60)
    for group, colour in KINDS.items():
        x = np.clip(column([row for row in drawn if row["group"] == group], "x"), low, high)
        axis.hist(x, edges, density=True, color=colour, alpha=0.55, label=f"{group} ({len(x)})")
    axis.set_xlabel("projection, in standard deviations of the samples", fontsize=8)
    axis.set_ylabel("density", fontsize=8)
    axis.legend(fontsize=8, frameon=False)


def _separated(panels: Panels) -> Finding:
    """In how many draws LDCC's line separates the classes better than BGP's."""
    theirs, ours = (column(of_kind(panels.get(n, []), "cut"), "value") for n in (BGP, OURS))
    means = f"{ours.mean():.2f} against {theirs.mean():.2f} of the samples" if len(ours) else ""
    text = "draws in which a cut of LDCC's line separates the classes better than one of BGP's"
    return Finding(text, int((ours > theirs).sum()), len(ours), means)


def _spread(panels: Panels) -> Finding:
    """How many words lie apart from the largest heap of them."""

    def apart(name: str) -> tuple[int, int]:
        x = column(
            [r for r in of_kind(panels.get(name, []), "point") if r["group"] == "words"], "x"
        )
        return int((np.abs(x - np.median(x)) > 0.25).sum()) if len(x) else 0, len(x)

    other = "{} of {}".format(*apart(BGP))
    return Finding("words of LDCC apart from their median", *apart(OURS), f"BGP: {other}")


FIGURE1 = Picture(
    paper="002",
    number="1",
    title="one-dimensional projections of samples and words, two classes of WebKB",
    shows="BGP maps most words and documents together; LDCC almost separates the two classes "
    "of documents and spreads the words more evenly.",
    remark="Apart means a quarter of the documents' standard deviation. Shown is the first of ten "
    "draws of two classes, rows at unit length; the paper does not name its classes.",
    panels={name: lambda name=name: _projection(name) for name in (BGP, OURS)},  # type: ignore[misc]
    paint=_paint,
    claims=(_separated, _spread),
    needs=("webkb7_rossi",),
    columns=2,
    height=3.4,
)


def _ridge_table(ridge: float) -> Table:
    """LDCC at three strengths for one ridge."""
    solve = method("ldcc")
    rest = {"ridge": (ridge,), "n_neighbors": tuple(range(1, 11))}
    rest |= {"n_components": (2, *range(5, 55, 5))}
    quick = {"n_neighbors": (5,), "n_components": (5, 10)}
    columns = tuple(
        Column(f"α = {strength:g}", solve, rest | {"strength": (strength,)}, quick)
        for strength in (0.1, 1.0, 10.0)
    )
    table = Table("002", "3", "ridge", {"WebKB4": ("l2", "tfidf")}, columns, ("accuracy",), 10)
    return replace(table, quick_runs=3, quick_scales=("l2",), unit=100.0)


FIGURE3 = Curves(
    paper="002",
    number="3",
    title="accuracy of LDCC against λ for three values of α, WebKB with four classes",
    shows="accuracy is stable in λ below some threshold, and changes little with α.",
    remark="Patches here are made of rows of unit length, so λ has a scale of its own; the "
    "paper's range of λ is not in its text.",
    points=tuple((ridge, _ridge_table(ridge)) for ridge in RIDGES),
    panels={"WebKB4": ("WebKB4",)},
    axis="λ",
    own="α = 1",
    claims=(steady(3.0, up_to=1.0), close("α = 0.1", "α = 10", 3.0)),
    log="x",
    mark=Mark("2", column="LDCC"),
)

FIGURES: tuple[Figure, ...] = (FIGURE1, FIGURE3)
