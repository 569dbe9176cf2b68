"""Figures of paper 001: semi-supervised NMF of similarities."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.papers.figures.claims import all_below, first, rising
from benchmarks.papers.figures.curves import Curves, Mark
from benchmarks.papers.figures.figure import Figure
from benchmarks.papers.figures.matrices001 import FIGURE3
from benchmarks.papers.figures.rings001 import FIGURE1
from benchmarks.papers.grids import GENE, IMAGE, TEXT, Grid
from benchmarks.papers.paper001 import SIMILARITIES, WIDTHS, factorise
from benchmarks.papers.protocol import Column, Sample, Scales, Table
from benchmarks.papers.solvers import method
from cocluster.datasets import fetch
from cocluster.randomness import generator

OWN = "SS-NMF"
PERCENT = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
SIZES = (200, 400, 800, 1600)
SHOWN = "accuracy rises with the share of linked pairs for all three methods"


def _columns(affinity: Grid, cut: Grid, gamma: Grid) -> tuple[Column, ...]:
    """The three methods with links; of each grid a quick run has the first entry or two."""
    few = [{key: values[:2] for key, values in grid.items()} for grid in (gamma, cut, affinity)]
    parts: dict[str, Any] = {"supervision": "pairs"}
    kernels = method("kernelkmeans", n_init=3)
    return (
        Column("SS-KK", kernels, gamma, few[0], **parts),
        Column("SS-SNC", method("ncut"), cut, few[1], **parts),
        Column(OWN, factorise, affinity, few[2], **parts),
    )


def _points(
    sets: Mapping[str, Scales], columns: tuple[Column, ...], quick_scales: Scales
) -> tuple[tuple[float, Table], ...]:
    """A table for each share of linked pairs."""
    make = partial(Table, "001", "", "links", sets, columns, ("accuracy",), 20)
    return tuple(
        (percent, make(quick_runs=2, quick_scales=quick_scales, fraction=percent / 100))
        for percent in PERCENT
    )


def _links(
    number: str,
    title: str,
    sets: Mapping[str, Scales],
    mark: Mark,
    shows: str,
    columns: tuple[Column, ...],
    quick_scales: Scales,
) -> Curves:
    """A figure of accuracy against links."""
    return Curves(
        paper="001",
        number=number,
        title=f"accuracy against links, {title}",
        shows=f"{SHOWN}; {shows}.",
        remark="The text names no percentages beyond those of the tables; .5 to 5 % are ours.",
        points=_points(sets, columns, quick_scales),
        panels={name: (name,) for name in sets},
        axis="linked pairs, %",
        own=OWN,
        claims=(rising, first(OWN)),
        columns=4 if len(sets) == 8 else 3,
        mark=mark,
    )


DOCUMENTS = _columns(
    {"affinity": ("linear",)}, {"affinity": ("cosine",)}, {"gamma": (None, *WIDTHS)}
)
DENSE = _columns(
    {"affinity": ("rbf", *(a for a in reversed(SIMILARITIES["affinity"]) if a != "rbf"))},
    {"affinity": ("cosine", "heat")},
    {"gamma": (None, *reversed(WIDTHS))},
)
TEXTS = ("Graft-Phos", "England-Heart", "Interest-Trade", "Fbis2", "Fbis3", "Fbis4", "Fbis5")
FIGURE4 = _links(
    "4",
    "documents",
    dict.fromkeys((*TEXTS, "Fbis10"), TEXT),
    Mark("5", at=3.0),
    "SS-NMF is first, head to head with SS-SNC on Fbis2 and Fbis3, and SS-KK is far behind with "
    "more than two classes",
    DOCUMENTS,
    (None, "l2"),
)
FIGURE5 = _links(
    "5",
    "gene expression",
    dict.fromkeys(("ALL-AML", "Colon", "Prostate", "ALL-MLL-AML", "CNS"), GENE),
    Mark("7", at=3.0),
    "SS-NMF is first, clearly for Colon and Prostate",
    DENSE,
    ("range",),
)
FIGURE6 = _links(
    "6",
    "UCI data",
    dict.fromkeys(("Iris", "LettersIJL", "Soybean"), IMAGE),
    Mark("9", at=5.0),
    "SS-NMF is first on LettersIJL and Soybean, and catches up with SS-KK on Iris",
    DENSE,
    (None,),
)


def _documents(paper: str, name: str, seed: int) -> Sample:
    """So many random documents of fbis."""
    whole = fetch("fbis")
    assert whole.labels is not None
    rows = generator(seed).choice(len(whole), int(name.split()[0]), replace=False)
    labels = whole.labels[rows]
    return Sample({"words": whole.X[rows]}, labels, len(np.unique(labels)))


def _size_table(size: int) -> Table:
    """The three methods on so many documents."""
    columns = _columns({"affinity": ("linear",)}, {"affinity": ("cosine",)}, {"gamma": (None,)})
    sets: dict[str, Scales] = {f"{size} documents": ("l2",)}
    parts: dict[str, Any] = {"quick_runs": 2, "fraction": 0.03}
    return Table("001", "2", "time", sets, columns, ("seconds",), 10, **parts)


FIGURE2 = Curves(
    paper="001",
    number="2",
    title="time against the number of samples",
    shows="SS-SNC is the slowest as the number of samples grows; SS-KK is the quickest, closely "
    "followed by SS-NMF.",
    remark="The paper does not name its data: ours are random documents of fbis, 17 classes, 3 % "
    "of the pairs linked, one thread. SS-SNC here has an iterative eigensolver and products "
    "that never form the graph.",
    points=tuple((float(size), _size_table(size)) for size in SIZES),
    panels={"random documents of fbis": tuple(f"{size} documents" for size in SIZES)},
    axis="samples",
    own=OWN,
    metric="seconds",
    log="xy",
    claims=(all_below(("SS-KK",), (OWN,)), all_below((OWN,), ("SS-SNC",))),
    loader=_documents,
)
FIGURES: tuple[Figure, ...] = (FIGURE1, FIGURE2, FIGURE3, FIGURE4, FIGURE5, FIGURE6)
