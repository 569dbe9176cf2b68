"""Figures of wang2011: fast tri-factorisation."""

from __future__ import annotations

from benchmarks.papers.figures.claims import all_below
from benchmarks.papers.figures.figure import Figure
from benchmarks.papers.figures.times import ONE_SWEEP, TimeBars
from benchmarks.papers.grids import Grid
from benchmarks.papers.protocol import Column, Sample, Table, load
from benchmarks.papers.solvers import kmeans, method

STAND_IN = "RCV1 stand-in"
SLOWER = ("NMF", "SNMF", "ONMTF", "GNMF", "DRCC")
GRAPH: Grid = {"strength": (1.0,), "n_neighbors": (5,)}


def _load(paper: str, name: str, seed: int) -> Sample:
    """A set of the paper; the small part of RCV1 that li2012's stand-in is."""
    return load("li2012", "RCV1-5", seed) if name == STAND_IN else load(paper, name, seed)


METHODS: dict[str, tuple[str, Grid]] = {
    "NMF": ("nmf", {}),
    "SNMF": ("seminmf", {}),
    "ONMTF": ("onmtf", {}),
    "GNMF": ("gnmf", GRAPH),
    # To convergence, for which its default does not wait.
    "DRCC": ("drcc", GRAPH | {"max_iter": (1000,)}),
    "FNMTF": ("fnmtf", {}),
    "LP-FNMTF": ("lpfnmtf", GRAPH),
}
# What a fit takes to its first sweep is start and graphs.
BEFORE = tuple(
    Column(name + ONE_SWEEP, method(key), grid | {"max_iter": (1,)})
    for name, (key, grid) in METHODS.items()
)
TABLE = Table(
    "wang2011",
    "1",
    "convergence time",
    {"WebKB": ("l2",), STAND_IN: ("l2",)},
    (
        Column("Kmeans", kmeans(1)),
        *(Column(name, method(key), grid) for name, (key, grid) in METHODS.items()),
        *BEFORE,
    ),
    ("seconds",),
    runs=50,
    quick_runs=3,
)
FIGURE1 = TimeBars(
    paper="wang2011",
    number="1",
    title="time to converge, WebKB and RCV1",
    shows="FNMTF and LP-FNMTF are slower than k-means only, and much faster than all others.",
    remark="On the left both are ahead of k-means, too; on the right NMF is a little ahead of "
    "FNMTF: its sweeps of sparse data are as cheap. Compared are the sweeps after the first; what "
    "comes before, start and graphs, is grey: the time of a fit that ends after one sweep. Rows at "
    "unit length, 5 neighbours, strength 1. RCV1 with 193,844 documents cannot be had; the right "
    "panel is a part of it with 3,406 documents and 944 words.",
    changed="whole fits were compared, by the clock on the wall.",
    points=((0.0, TABLE),),
    panels={"WebKB": ("WebKB",), STAND_IN: (STAND_IN,)},
    axis="",
    own="LP-FNMTF",
    label="processor milliseconds",
    scale=1000.0,
    claims=(
        all_below(("Kmeans",), ("FNMTF", "LP-FNMTF")),
        all_below(("FNMTF",), SLOWER),
        all_below(("LP-FNMTF",), SLOWER),
    ),
    loader=_load,
)
FIGURES: tuple[Figure, ...] = (FIGURE1,)
