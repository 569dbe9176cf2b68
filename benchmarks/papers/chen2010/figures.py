"""Figures of chen2010: semi-supervised co-clustering of a star of types."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.papers.chen2010.toys import BLOCKS, FIGURE2, FIGURE3
from benchmarks.papers.figures.claims import ahead_by, all_below, close, first, rising, within
from benchmarks.papers.figures.curves import Curves, Mark
from benchmarks.papers.figures.figure import Figure
from benchmarks.papers.figures.times import Times
from benchmarks.papers.grids import Grid
from benchmarks.papers.protocol import Column, Sample, Scales, Table
from benchmarks.papers.solvers import method, tsvm
from cocluster.utils.randomness import generator

OWN = "SS-NMF"
TOLD: dict[str, Any] = {"supervision": "pairs"}
CT = tuple(f"CT{number}" for number in range(1, 9))
BT = tuple(f"BT{number}" for number in range(1, 8))
HT = tuple(f"HT{number}" for number in range(1, 10))
IT = tuple(f"IT{number}" for number in range(1, 8))


def _share_table(percent: float, sets: dict[str, Scales], columns: tuple[Column, ...]) -> Table:
    """The methods with links of some percent of the pairs."""
    small = tuple(name for name in sets if name not in ("CT8", "HT1"))
    make = partial(Table, "chen2010", "", "links", sets, columns, ("accuracy",), 10, quick_runs=1)
    return make(fraction=percent / 100, finalists=1, quick_sets=small)


def _pairwise() -> tuple[Column, ...]:
    """The methods of figure 5."""
    gamma: Grid = {"gamma": (None, 0.1, 1.0)}
    kernels = method("kernelkmeans", n_init=3)
    return (
        Column("TSVM", tsvm, supervision="samples"),
        Column("SS-KK", kernels, gamma, {"gamma": (None, 1.0)}, **TOLD),
        Column("SS-CMRF", method("cmrf"), **TOLD),
        Column(OWN, method("starssnmf"), **TOLD),
    )


# Every method searches these scalings; of HT8 and HT9, with 77,000 links and more at 1 %, none.
PAIRWISE: dict[str, Scales] = dict.fromkeys(CT, ("l2",))
PAIRWISE |= dict.fromkeys(BT, ("log l2", "range"))
STARS: dict[str, Scales] = dict.fromkeys((*HT[:7], *IT), ("l2",))
FIGURE5 = Curves(
    paper="chen2010",
    number="5",
    title="mean accuracy against links, pairwise co-clustering",
    shows="accuracy rises with links for all four methods, and SS-NMF is first throughout, on text "
    "by at least 12 points; it gains most from the first .5 %.",
    remark="Links are closed here, so many of them decide most classes for every method that "
    "keeps them: SS-CMRF, which moves must-linked samples as one, has .98 at 5 % on text, where "
    ".81 is printed for 10 %, and the lead of 12 points is gone. On genes SS-NMF is first at 3 % "
    "only, with two of the scalings that table 5 searches.",
    points=tuple((p, _share_table(p, PAIRWISE, _pairwise())) for p in (0.5, 1.0, 3.0, 5.0, 10.0)),
    panels={"text, CT1 to CT8": CT, "gene expression, BT1 to BT7": BT},
    axis="linked pairs, %",
    own=OWN,
    claims=(
        rising,
        first(OWN),
        within(("text, CT1 to CT8",), ahead_by(OWN, 0.12), "text"),
    ),
    mark=Mark("5", at=10.0),
)
FIGURE6 = Curves(
    paper="chen2010",
    number="6",
    title="mean accuracy against links, co-clustering of a star",
    shows="accuracy rises with links; on text SS-NMF is above SS-CMRF throughout, on images the "
    "two are very close.",
    remark="Links are closed here, so many of them decide most classes for both methods; from 5 % "
    "on SS-CMRF has more than .99 on text, where .67 is printed for 15 %.",
    points=tuple(
        (p, _share_table(p, STARS, _pairwise()[2:])) for p in (0.5, 1.0, 3.0, 5.0, 10.0, 15.0)
    ),
    panels={"text, HT1 to HT9": HT, "images, IT1 to IT7": IT},
    axis="linked pairs, %",
    own=OWN,
    claims=(
        rising,
        within(("text, HT1 to HT9",), first(OWN), "text"),
        within(("images, IT1 to IT7",), close("SS-CMRF", OWN, 0.05), "images"),
    ),
    mark=Mark("6", at=15.0),
)
SIZES = (250, 500, 1000, 2000)
FIXED = 500
PANELS = {"samples": "number of samples (a)", "features": "number of features (b)"}


def _star(paper: str, name: str, seed: int) -> Sample:
    """A star of two binary views with the block probabilities of figure 3."""
    what, size = name.split()
    n, m = (int(size), FIXED) if what == "samples" else (FIXED, int(size))
    rng, classes = generator(seed), np.repeat([0, 1], n // 2)
    features = np.repeat([0, 1], m // 2)
    views = {}
    for view, block in BLOCKS.items():
        chance = np.array(block)[np.ix_(classes, features)]
        views[view] = (rng.random(chance.shape) < chance).astype(float)
    return Sample(views, classes, 2)


def _size_table(what: str, size: int) -> Table:
    """All five methods on a star of some size."""
    columns = (
        Column("SRC", method("src")),
        Column("CMRF", method("cmrf")),
        Column("NMF", method("nmtf")),
        Column("SS-CMRF", method("cmrf"), **TOLD),
        Column(OWN, method("starssnmf", n_init=1), **TOLD),
    )
    sets: dict[str, Scales] = {f"{what} {size}": ("l2",)}
    return Table("chen2010", "7", "time", sets, columns, ("seconds",), 3, fraction=0.01)


FIGURE7 = Times(
    paper="chen2010",
    number="7",
    title="time against the numbers of samples and of features",
    shows="NMF is the quickest and SRC the slowest; SS-NMF is second for many samples, and grows "
    "faster than NMF with the features, CMRF and SS-CMRF lie between NMF and SRC.",
    remark=f"Binary stars of two views with {FIXED} samples or {FIXED} features a view, 1 % of the "
    "pairs linked, one thread; the sizes of the paper are not in its text. SRC here has iterative "
    "eigensolvers, CMRF no cubic step. SS-NMF, with one start, is the slowest but for few "
    "features, not SRC: its metric, an eigenproblem of the order of the features, takes the time.",
    changed="sizes of 250 to 2,000 instead of 100 to 800, 500 instead of 200 of what is fixed, and "
    "one start of SS-NMF instead of all.",
    points=tuple((float(size), _size_table(what, size)) for what in PANELS for size in SIZES),
    panels={title: tuple(f"{what} {size}" for size in SIZES) for what, title in PANELS.items()},
    axis="size",
    own=OWN,
    claims=(
        all_below(("NMF",), (OWN, "CMRF", "SS-CMRF", "SRC")),
        all_below((OWN, "CMRF", "SS-CMRF"), ("SRC",)),
    ),
    loader=_star,
)
FIGURES: tuple[Figure, ...] = (FIGURE2, FIGURE3, FIGURE5, FIGURE6, FIGURE7)
