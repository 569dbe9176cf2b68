"""Tables of li2012."""

from __future__ import annotations

from typing import Any

from benchmarks.papers.grids import ASSIGN, ENDS, FINALISTS, GENE, IMAGE, START, SWEEPS, TEXT, Grid
from benchmarks.papers.protocol import Column, Table
from benchmarks.papers.solvers import kmeans, method

# Multiples of the mean squared distance, or of its inverse as printed, whose graphs depend on the
# unit of the data: the pixels of UMIST therefore lie in [0, 1] where they are not unit rows.
BANDWIDTH: Grid = {"bandwidth": ("scaled", "printed")}


def _columns() -> tuple[Column, ...]:
    """Columns of li2012."""
    # RMC starts from k-means in the paper, the starts of others are not said: all search both.
    graph: Grid = START | {"strength": (0.001, 0.01, 0.1, 1, 10, 100, 500, 1500)} | SWEEPS
    strengths: Grid = {"strength": (0.1, 10, 100)}
    plain, usual = START | ASSIGN | SWEEPS, {"max_iter": (200,)}
    return (
        Column("KM", kmeans(20)),
        Column("NMF", method("nmf"), plain, usual),
        Column("GNMF", method("gnmf"), graph, strengths | usual),
        Column("DRCC", method("drcc"), graph, strengths | ENDS),
        Column("ONMTF", method("onmtf"), plain, usual),
        Column("SNMTF", method("snmtf"), graph, strengths | ENDS),
        Column("OSNTF", method("osntf"), graph, strengths | usual),
        Column("RMC", method("rmc"), graph, strengths | ENDS, {"UMIST": BANDWIDTH}),
    )


def tables() -> list[Table]:
    """Tables of li2012."""
    sets = {"NGroups5": TEXT, "RCV1-5": TEXT, "AlphaDigit": IMAGE, "UMIST": ("max", "l2")}
    sets |= {"Leukemia2": GENE, "LungCancer": GENE}
    parts: dict[str, Any] = {"runs": 20, "quick_runs": 2, "unit": 100.0}
    parts["finalists"] = 2 * FINALISTS
    parts["quick_sets"] = ("UMIST", "LungCancer", "Leukemia2", "AlphaDigit", "RCV1-5")
    parts["quick_scales"] = (None, "max", "l2", "log l2")
    shown = {"2": ("accuracy", "accuracy"), "3": ("normalised mutual information", "nmi")}
    parts["searched"] = ("accuracy", "nmi")
    return [
        Table("li2012", number, title, sets, _columns(), (metric,), **parts)
        for number, (title, metric) in shown.items()
    ]
