"""Figures of li2012: relational co-clustering with an ensemble of manifolds."""

from __future__ import annotations

from benchmarks.papers.figures.claims import good_from, higher_at
from benchmarks.papers.figures.curves import Curves, Mark
from benchmarks.papers.figures.figure import Figure
from benchmarks.papers.grids import ENDS, GENE, IMAGE, SWEEPS, TEXT
from benchmarks.papers.protocol import Column, Table
from benchmarks.papers.solvers import method

SETS = {
    "NGroups5": TEXT,
    "RCV1-5": TEXT,
    "AlphaDigit": IMAGE,
    "UMIST": ("max", "l2"),
    "Leukemia2": GENE,
    "LungCancer": GENE,
}
STRENGTHS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 500.0, 1500.0)


def _table(strength: float) -> Table:
    """RMC with one strength on all sets."""
    return Table(
        "li2012",
        "1",
        "strength",
        SETS,
        (Column("RMC", method("rmc"), {"strength": (strength,)} | SWEEPS, ENDS),),
        ("accuracy",),
        runs=20,
        unit=100.0,
        quick_runs=1,
        finalists=1,
        quick_sets=("AlphaDigit", "UMIST", "Leukemia2", "LungCancer"),
        quick_scales=("log l2",),
    )


FIGURE1 = Curves(
    paper="li2012",
    number="1",
    title="accuracy of RMC against α",
    shows="accuracy is satisfactory for large α, around 500 or 1000.",
    remark="α here is relative to the size of the data term, so the paper's numbers do not carry "
    "over; β = .1 α. Sweeps are searched as in the tables; starts are spectral, bandwidths by the "
    "mean squared distance: table 2 searches k-means starts, and on UMIST bandwidths as printed, "
    "too, and passes print there. On NGroups5, above print throughout, small α does better.",
    changed="we had looked for curves that are best beyond 100, as if the paper said best, not "
    "satisfactory, and for no point 3 below the best at any α; the sweeps were not searched.",
    points=tuple((strength, _table(strength)) for strength in STRENGTHS),
    panels={name: (name,) for name in SETS},
    axis="α",
    own="RMC",
    claims=(higher_at(500.0), good_from(100.0, 3.0)),
    log="x",
    columns=3,
    mark=Mark("2"),
)
FIGURES: tuple[Figure, ...] = (FIGURE1,)
