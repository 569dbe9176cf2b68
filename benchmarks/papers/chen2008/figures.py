"""Figures of chen2008: semi-supervised NMF of similarities."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.papers.chen2008.matrices import FIGURE3
from benchmarks.papers.chen2008.printed import cut, cut_densely, factor, factor_with_shared_rows
from benchmarks.papers.chen2008.rings import FIGURE1
from benchmarks.papers.chen2008.tables import SIMILARITIES, WIDTHS
from benchmarks.papers.figures.claims import (
    above_at_last,
    all_below,
    catches_up,
    first,
    last,
    rising,
    within,
)
from benchmarks.papers.figures.curves import Curves, Mark
from benchmarks.papers.figures.figure import Figure
from benchmarks.papers.figures.times import Times
from benchmarks.papers.grids import GENE, IMAGE, TEXT, Grid
from benchmarks.papers.protocol import Column, Sample, Scales, Table
from benchmarks.papers.solvers import method
from cocluster.datasets import fetch
from cocluster.utils.randomness import generator

OWN = "SS-NMF"
PERCENT = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
SIZES, CLASSES = (200, 400, 800, 1500), 5
SHARED, DENSE = f"{OWN}, shared rows", "SS-SNC, all eigenvectors"
SHOWN = "accuracy rises with the share of linked pairs for all three methods"
PRINTED = (
    "All three methods are as printed: a link changes the similarity of its pair, and no more. "
    "Dashed is SS-NMF as the library has it, where must-linked samples share a row of G. Both "
    "start from the leading eigenvectors: the paper leaves the start open, and with three random "
    "ones 200 sweeps were too few (Iris, 5 %: accuracy .78 instead of .98, higher objective). "
    "The text names no percentages beyond those of the tables; .5 to 5 % are ours."
)


def _columns(affinity: Grid, gamma: Grid, few: int) -> tuple[Column, ...]:
    """The three methods as printed, and SS-NMF as it is here; a quick run has `few` settings."""
    quick = {"affinity": affinity["affinity"][:few]}, {"gamma": gamma["gamma"][:few]}
    told: dict[str, Any] = {"supervision": "pairs"}
    kernels = method("kernelkmeans", n_init=3)
    return (
        Column("SS-KK", kernels, gamma, quick[1], **told),
        Column("SS-SNC", cut, affinity, quick[0], **told),
        Column(OWN, factor, affinity, quick[0], **told),
        Column(SHARED, factor_with_shared_rows, affinity, quick[0], **told),
    )


def _links(
    title: str, sets: Mapping[str, Scales], methods: tuple[Column, ...], **rest: Any
) -> Curves:
    """A figure of accuracy against links."""
    parts: dict[str, Any] = {name: rest.pop(name) for name in ("quick_scales", "quick_runs")}
    parts["finalists"] = 1
    make = partial(Table, "chen2008", "", "links", sets, methods, ("accuracy",), 20, **parts)
    return Curves(
        paper="chen2008",
        title=f"accuracy against links, {title}",
        points=tuple((percent, make(fraction=percent / 100)) for percent in PERCENT),
        panels={name: (name,) for name in sets},
        axis="linked pairs, %",
        own=OWN,
        **rest,
    )


START = "the start of SS-NMF, from three random ones to the leading eigenvectors."
TEXTS = ("Graft-Phos", "England-Heart", "Interest-Trade")
FBIS = ("Fbis2", "Fbis3", "Fbis4", "Fbis5", "Fbis10")
GENES = ("ALL-AML", "Colon", "Prostate", "ALL-MLL-AML", "CNS")
UCI = ("Iris", "LettersIJL", "Soybean")
SIMILAR: Grid = {"affinity": ("rbf", "linear", *SIMILARITIES["affinity"][2:])}
FIGURE4 = _links(
    "documents",
    dict.fromkeys((*TEXTS, *FBIS), TEXT[:3]),
    _columns({"affinity": ("linear",)}, {"gamma": (None, *WIDTHS)}, 1),
    number="4",
    shows=f"{SHOWN}; SS-NMF is first, head to head with SS-SNC on Fbis2 and Fbis3, and SS-KK is "
    "far behind with more than two classes.",
    remark="With two classes SS-KK is ahead of SS-NMF, by .06 at most (Graft-Phos, .5 %), and "
    "SS-SNC mostly level with it; SS-NMF itself is not below print. Settings are chosen by one run "
    f"here, which makes the dips. {PRINTED}",
    claims=(rising, first(OWN), within(FBIS, last("SS-KK"), "Fbis2 to Fbis10")),
    mark=Mark("5", at=3.0),
    columns=4,
    quick_scales=(None, "tfidf"),
    quick_runs=1,
)
FIGURE5 = _links(
    "gene expression",
    dict.fromkeys(GENES, GENE),
    _columns(SIMILAR, {"gamma": (None, *WIDTHS)}, 2),
    number="5",
    shows=f"{SHOWN}; SS-NMF is first, clearly for Colon and Prostate.",
    remark="SS-NMF passes SS-SNC on most sets, but not SS-KK, whose moves end here only where no "
    f"single sample can move: on Colon it has .85 at .5 %, where KK has .532 in print. {PRINTED}",
    changed=START,
    claims=(rising, first(OWN)),
    mark=Mark("7", at=3.0),
    columns=3,
    quick_scales=("l2", "log l2", "range"),
    quick_runs=2,
)
FIGURE6 = _links(
    "UCI data",
    dict.fromkeys(UCI, IMAGE),
    _columns(SIMILAR, {"gamma": (None, *WIDTHS)}, 2),
    number="6",
    shows=f"{SHOWN}; SS-NMF is first on LettersIJL and Soybean; on Iris it begins below SS-KK and "
    "catches up.",
    remark="On Soybean (47 samples, 5 links at .5 %) and from 3 % on LettersIJL the three methods "
    f"lie within some points of each other and change places. {PRINTED}",
    changed=START,
    claims=(
        rising,
        within(UCI[1:], first(OWN), "LettersIJL and Soybean"),
        within(UCI[:1], catches_up(OWN, "SS-KK"), "Iris"),
    ),
    mark=Mark("9", at=5.0),
    columns=3,
    quick_scales=(None, "l2"),
    quick_runs=2,
)


def _documents(paper: str, name: str, seed: int) -> Sample:
    """So many random documents of the five largest classes of fbis."""
    whole = fetch("fbis")
    assert whole.labels is not None
    largest = np.argsort(-np.bincount(whole.labels), kind="stable")[:CLASSES]
    among = np.flatnonzero(np.isin(whole.labels, largest))
    rows = generator(seed).choice(among, int(name.split()[0]), replace=False)
    return Sample({"words": whole.X[rows]}, whole.labels[rows], CLASSES)


def _size_table(size: int) -> Table:
    """The three methods on so many documents, one trial each."""
    affinity: Grid = {"affinity": ("linear",)}
    told: dict[str, Any] = {"supervision": "pairs"}
    columns = (
        Column("SS-KK", method("kernelkmeans", n_init=1), supervision="pairs"),
        Column("SS-SNC", cut, affinity, **told),
        Column(DENSE, cut_densely, affinity, **told),
        Column(OWN, factor, affinity, **told),
        Column(SHARED, factor_with_shared_rows, affinity, **told),
    )
    sets: dict[str, Scales] = {f"{size} documents": ("l2",)}
    return Table("chen2008", "2", "time", sets, columns, ("seconds",), 3, fraction=0.03)


FIGURE2 = Times(
    paper="chen2008",
    number="2",
    title="time against the number of samples",
    shows="SS-SNC is the slowest as the number of samples grows; SS-KK is the quickest, closely "
    "followed by SS-NMF.",
    remark="The paper does not name its data: ours are random documents of the five largest "
    "classes of fbis, 3 % of the pairs linked, one trial for each fit, the similarities included. "
    "SS-SNC with all eigenvectors (dashed green) costs n³, as the paper says; by the leading ones, "
    "with an iterative solver, it is the quickest for 1,500 samples. SS-KK and SS-NMF are level "
    "there. Dashed orange: must-linked samples share a row of G.",
    changed="the five largest classes instead of all 17; SS-SNC is looked for as the slowest with "
    "all eigenvectors, and no more with the leading ones.",
    points=tuple((float(size), _size_table(size)) for size in SIZES),
    panels={"random documents of fbis": tuple(f"{size} documents" for size in SIZES)},
    axis="samples",
    own=OWN,
    claims=(all_below(("SS-KK",), (OWN,)), above_at_last(DENSE, ("SS-KK", OWN))),
    loader=_documents,
)
FIGURES: tuple[Figure, ...] = (FIGURE1, FIGURE2, FIGURE3, FIGURE4, FIGURE5, FIGURE6)
