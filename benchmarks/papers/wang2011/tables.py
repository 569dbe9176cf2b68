"""Tables of wang2011."""

from __future__ import annotations

from typing import Any

from benchmarks.papers.grids import (
    ASSIGN,
    ENDS,
    FINALISTS,
    IMAGE,
    NEIGHBORS,
    START,
    SWEEPS,
    TEXT,
    Grid,
)
from benchmarks.papers.protocol import Column, Table
from benchmarks.papers.solvers import kmeans, method


def _columns() -> tuple[Column, ...]:
    """Columns of wang2011."""
    # Those below .1 are not in the paper, whose strengths have another unit (NOTES.md).
    strengths = (0.001, 0.003, 0.01, 0.1, 1, 10, 100, 500, 1000)
    graph: Grid = {"strength": strengths, "n_neighbors": NEIGHBORS} | START
    # The paper does not say which weights the edges of its graphs have.
    graph |= {"weights": ("binary", "heat", "cosine")}
    quick: Grid = {"strength": (0.01, 1, 100), "n_neighbors": (5,), "init": ("spectral",)}
    quick |= {"weights": ("binary",)}
    plain = START | ASSIGN
    return (
        Column("Kmeans", kmeans(1)),
        Column("NMF", method("nmf"), plain),
        Column("SNMF", method("seminmf"), plain),
        Column("ONMTF", method("onmtf"), plain),
        Column("GNMF", method("gnmf"), graph, quick),
        Column("DRCC", method("drcc"), graph | SWEEPS, quick | ENDS),
        Column("FNMTF", method("fnmtf"), START),
        Column("LP-FNMTF", method("lpfnmtf"), graph, quick),
    )


def tables() -> list[Table]:
    """Tables of wang2011."""
    sets = {"Coil20": IMAGE, "WebKB": TEXT, "WebACE": TEXT, "CSTR": TEXT, "RCV1": TEXT}
    small = ("CSTR", "Coil20", "WebACE", "WebKB")
    parts: dict[str, Any] = {"runs": 50, "quick_runs": 2, "quick_sets": small}
    parts["finalists"] = FINALISTS
    parts["costly"] = dict.fromkeys(("Coil20", "WebACE", "WebKB"), (1, 50))
    parts["quick_scales"] = (None, "l2", "degree")
    note = (
        "The accuracies printed for WebACE are, for five methods, those printed for Coil20 to the "
        "last digit: a misprint. The printed purities lie below the accuracies, which purity as it "
        "is usually defined (and here) cannot."
    )
    columns = _columns()
    return [
        Table(
            "wang2011",
            "2",
            "clustering results",
            sets,
            columns,
            ("accuracy", "nmi", "purity"),
            note=note,
            **parts,
        ),
        Table("wang2011", "3", "sweeps to converge", sets, columns, ("iterations",), **parts),
    ]
