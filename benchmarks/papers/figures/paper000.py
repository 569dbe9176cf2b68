"""Figures of paper 000: semi-supervised co-clustering of a star of types."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.papers.figures.claims import all_below, close, first, rising
from benchmarks.papers.figures.curves import Claim, Curves, Lines, Mark
from benchmarks.papers.figures.figure import Figure, Finding
from benchmarks.papers.figures.toys000 import BLOCKS, FIGURE2, FIGURE3
from benchmarks.papers.grids import GENE, IMAGE, TEXT, Grid
from benchmarks.papers.protocol import Column, Sample, Scales, Table
from benchmarks.papers.solvers import method, tsvm
from cocluster.randomness import generator

OWN = "SS-NMF"
TOLD: dict[str, Any] = {"supervision": "pairs"}
CT = tuple(f"CT{number}" for number in range(1, 9))
BT = tuple(f"BT{number}" for number in range(1, 8))
HT = tuple(f"HT{number}" for number in range(1, 10))
IT = tuple(f"IT{number}" for number in range(1, 8))
# Large sets, which a quick run leaves out.
LARGE = ("CT8", "HT1", "HT8", "HT9")


def _share_table(percent: float, sets: dict[str, Scales], columns: tuple[Column, ...]) -> Table:
    """The methods with links of some percent of the pairs."""
    small = tuple(name for name in sets if name not in LARGE)
    make = partial(Table, "000", "", "links", sets, columns, ("accuracy",), 10)
    return make(quick_runs=1, quick_sets=small, quick_scales=("range",), fraction=percent / 100)


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


def in_panel(panel: str, claim: Claim) -> Claim:
    """What is seen in one panel only."""

    def within(lines: Lines) -> Finding:
        found = claim({name: lines[name] for name in lines if name == panel})
        return Finding(f"{panel}: {found.text}", found.held, found.cases)

    return within


# The first scaling of text is unit rows, which a quick run takes.
TEXT_FIRST: Scales = ("l2", *(scale for scale in TEXT if scale != "l2"))
IMAGE_FIRST: Scales = ("l2", *(scale for scale in IMAGE if scale != "l2"))
PAIRWISE = dict.fromkeys(CT, TEXT_FIRST) | dict.fromkeys(BT, GENE)
STARS = dict.fromkeys(HT, TEXT_FIRST) | dict.fromkeys(IT, IMAGE_FIRST)
FIGURE5 = Curves(
    paper="000",
    number="5",
    title="mean accuracy against links, pairwise co-clustering",
    shows="accuracy rises with links for all four methods, and SS-NMF is first throughout, on text "
    "by at least 12 points; it gains most from the first .5 %.",
    remark="Links are closed here, so many of them decide most classes for every method that "
    "keeps them.",
    points=tuple((p, _share_table(p, PAIRWISE, _pairwise())) for p in (0.5, 1.0, 3.0, 5.0, 10.0)),
    panels={"text, CT1 to CT8": CT, "gene expression, BT1 to BT7": BT},
    axis="linked pairs, %",
    own=OWN,
    claims=(rising, first(OWN)),
    mark=Mark("5", at=10.0),
)
FIGURE6 = Curves(
    paper="000",
    number="6",
    title="mean accuracy against links, co-clustering of a star",
    shows="accuracy rises with links; on text SS-NMF is above SS-CMRF throughout, on images the "
    "two are very close.",
    remark="Links are closed here, so many of them decide most classes for both methods.",
    points=tuple(
        (p, _share_table(p, STARS, _pairwise()[2:])) for p in (0.5, 1.0, 3.0, 5.0, 10.0, 15.0)
    ),
    panels={"text, HT1 to HT9": HT, "images, IT1 to IT7": IT},
    axis="linked pairs, %",
    own=OWN,
    claims=(
        rising,
        in_panel("text, HT1 to HT9", first(OWN)),
        in_panel("images, IT1 to IT7", close("SS-CMRF", OWN, 0.05)),
    ),
    mark=Mark("6", at=15.0),
)
SIZES = (100, 200, 400, 800)
FIXED = 200
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
        Column(OWN, method("starssnmf"), **TOLD),
    )
    sets: dict[str, Scales] = {f"{what} {size}": ("l2",)}
    parts: dict[str, Any] = {"quick_runs": 2, "fraction": 0.01}
    return Table("000", "7", "time", sets, columns, ("seconds",), 10, **parts)


FIGURE7 = Curves(
    paper="000",
    number="7",
    title="time against the numbers of samples and of features",
    shows="NMF is the quickest and SRC the slowest; SS-NMF is second for many samples, and grows "
    "faster than NMF with the features, CMRF and SS-CMRF lie between NMF and SRC.",
    remark=f"Binary stars of two views with {FIXED} samples or {FIXED} features a view, 1 % of the "
    "pairs linked, one thread; the sizes of the paper are not in its text. SRC here has iterative "
    "eigensolvers, CMRF no cubic step. Second measurement, by the clock of a shared machine: in "
    "the first, SS-NMF took 46 and 13 s for 800 samples, and 1.3 s when repeated.",
    points=tuple((float(size), _size_table(what, size)) for what in PANELS for size in SIZES),
    panels={title: tuple(f"{what} {size}" for size in SIZES) for what, title in PANELS.items()},
    axis="size",
    own=OWN,
    metric="seconds",
    log="xy",
    claims=(
        all_below(("NMF",), (OWN, "CMRF", "SS-CMRF", "SRC")),
        all_below((OWN, "CMRF", "SS-CMRF"), ("SRC",)),
    ),
    loader=_star,
)
FIGURES: tuple[Figure, ...] = (FIGURE2, FIGURE3, FIGURE5, FIGURE6, FIGURE7)
