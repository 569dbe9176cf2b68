"""Figures of chen2010: semi-supervised co-clustering of a star of types."""

from __future__ import annotations

import numpy as np

from benchmarks.papers.chen2010.tables import AMONG, of_stars, pairwise
from benchmarks.papers.chen2010.toys import BLOCKS, FIGURE2, FIGURE3
from benchmarks.papers.figures.claims import ahead_by, all_below, close, first, rising, within
from benchmarks.papers.figures.curves import Curves, Mark
from benchmarks.papers.figures.figure import Figure
from benchmarks.papers.figures.times import Times
from benchmarks.papers.grids import FINALISTS, GENE, IMAGE, TEXT
from benchmarks.papers.protocol import Column, Sample, Scales, Table
from benchmarks.papers.solvers import method
from cocluster.utils.checks import generator

OWN = "SS-NMF"
SUPERVISION = (
    "first links of random pairs were told, which decide most classes once they are closed, "
    "SS-NMF went on with the links as the library does, and the search had one run for each "
    "setting; now it has two, as that of the tables."
)
DASHED = (
    "Dashed, and not in the paper: the default of the library, which goes on with the links after "
    "the paper's two algorithms."
)
CONTINUED = Column(f"{OWN}, continued", method("starssnmf"), supervision=AMONG)
CT = tuple(f"CT{number}" for number in range(1, 9))
BT = tuple(f"BT{number}" for number in range(1, 8))
HT = tuple(f"HT{number}" for number in range(1, 10))
IT = tuple(f"IT{number}" for number in range(1, 8))


def _share_table(percent: float, sets: dict[str, Scales], columns: tuple[Column, ...]) -> Table:
    """The methods with links of some percent of the pairs."""
    # A run of SS-NMF takes seconds on these, on HT9 more than 20.
    large = ("CT8", "HT1", "HT8", "HT9")
    small = tuple(name for name in sets if name not in large)
    return Table(
        "chen2010",
        "",
        "links",
        sets,
        columns,
        ("accuracy",),
        runs=10,
        quick_runs=2,
        finalists=FINALISTS,
        quick_sets=small,
        quick_scales=("l2", "range"),
        fraction=percent / 100,
    )


def _told(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """The methods of a table that learn from links or classes, and the library's own way."""
    return (*(column for column in columns if column.supervision), CONTINUED)


# Every method searches the scalings of the tables.
PAIRWISE: dict[str, Scales] = dict.fromkeys(CT, TEXT) | dict.fromkeys(BT, GENE)
STARS: dict[str, Scales] = dict.fromkeys(HT, TEXT) | dict.fromkeys(IT, IMAGE)
FIGURE5 = Curves(
    paper="chen2010",
    number="5",
    title="mean accuracy against links, pairwise co-clustering",
    shows="accuracy rises with links for all four methods, and SS-NMF is first throughout, on text "
    "by at least 12 points; it gains most from the first .5 %.",
    remark="Told are the classes of random samples, so many that their pairs are the share on the "
    "axis, with the scalings of table 5 searched. On text SS-NMF is 7 to 12 points above SS-KK and "
    "SS-CMRF, but TSVM, told the same samples, is level with it (.94 at 10 %, where .63 is "
    "printed). On genes SS-KK is first up to 5 %: the metric that is learned from few samples of "
    f"2,000 genes brings nothing on BT2 and BT3. {DASHED}",
    changed=SUPERVISION,
    points=tuple(
        (p, _share_table(p, PAIRWISE, _told(pairwise()))) for p in (0.5, 1.0, 3.0, 5.0, 10.0)
    ),
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
    remark="Told as in figure 5. Both methods are above print throughout. On text SS-NMF is behind "
    "from 10 % on because of HT8 and HT9, the largest sets, where the learned metric alone does "
    "harm once many samples are told (.88 and .91 at 1 %, .72 and .77 at 3 %). "
    f"{DASHED} It has .83 and .89 on these two at 3 %, .87 and .93 at 15 %.",
    changed=SUPERVISION,
    points=tuple(
        (p, _share_table(p, STARS, _told(of_stars()))) for p in (0.5, 1.0, 3.0, 5.0, 10.0, 15.0)
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
        Column("SS-CMRF", method("cmrf"), supervision=AMONG),
        Column(OWN, method("starssnmf", n_init=1, continued=False), supervision=AMONG),
    )
    sets: dict[str, Scales] = {f"{what} {size}": ("l2",)}
    return Table("chen2010", "7", "time", sets, columns, ("seconds",), 3, fraction=0.01)


FIGURE7 = Times(
    paper="chen2010",
    number="7",
    title="time against the numbers of samples and of features",
    shows="NMF is the quickest and SRC the slowest; SS-NMF is second for many samples, and grows "
    "faster than NMF with the features, CMRF and SS-CMRF lie between NMF and SRC.",
    remark=f"Binary stars of two views with {FIXED} samples or {FIXED} features a view, the "
    "classes of 10 % of the samples told, one thread; the sizes of the paper are not in its text. "
    "SRC here has iterative eigensolvers, CMRF no cubic step. SS-NMF, with one start, lies between "
    "the others and SRC: what it takes more than NMF is its metric.",
    changed="sizes of 250 to 2,000 instead of 100 to 800, 500 instead of 200 of what is fixed, "
    "one start of SS-NMF instead of all, its two algorithms without going on, and told samples "
    "instead of random pairs, with which SS-NMF was mostly the slowest.",
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
