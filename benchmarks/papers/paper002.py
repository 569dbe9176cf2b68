"""Tables of paper 002."""

from __future__ import annotations

from typing import Any

from benchmarks.papers.exhibit import Exhibit
from benchmarks.papers.exhibits002 import exhibits
from benchmarks.papers.grids import GENE, NEIGHBORS, TEXT, Grid
from benchmarks.papers.protocol import Column, Scales, Table
from benchmarks.papers.solvers import kmeans, method


def _columns(quick: Grid) -> tuple[Column, ...]:
    """Columns of paper 002; quick is the part of LDCC's grid, and so of DRCC's, for quick runs."""
    strength = (0.01, 0.1, 1, 10, 100)
    graph: Grid = {"strength": strength, "n_neighbors": NEIGHBORS}
    # The grid of the paper has no number near that of the classes, which is better (NOTES.md).
    components = {"n_components": (2, *range(5, 55, 5))}
    return (
        Column("Kmeans", kmeans(10)),
        Column("NCut", method("ncut"), {"bandwidth": strength}),
        Column("BGP", method("bsgp")),
        Column("DRCC", method("drcc"), graph, {k: v for k, v in quick.items() if k in graph}),
        Column("ITCC", method("itcc", init="random", n_init=10)),
        Column("LDCC", method("ldcc"), graph | components, quick),
    )


def tables() -> list[Table | Exhibit]:
    """Tables of paper 002."""
    groups = {f"NG{c}": TEXT for c in range(2, 11)}
    balanced = {f"WebKB{c}": TEXT for c in range(2, 8)}
    unbalanced = {f"{name}-unbalanced": TEXT for name in balanced}
    genes = {"Leukemia": GENE, "Medulloblastoma": GENE}
    strengths: Grid = {"strength": (0.1, 1, 10)}
    text = _columns(strengths | {"n_neighbors": (5, 10), "n_components": (5, 10)})
    parts: dict[str, Any] = {"unit": 100.0, "metrics": ("accuracy", "nmi")}
    drawn = parts | {"quick_scales": ("l2", "tfidf"), "columns": text, "runs": 10}
    few = drawn | {"quick_runs": 2, "quick_sets": ("NG2", "NG3")}
    # Without draws only the starts differ; few samples allow more neighbourhoods.
    small = parts | {"runs": 3, "quick_runs": 2, "quick_scales": ("l2", "log l2", None)}
    near: Grid = {"n_neighbors": (1, 3, 5, 7, 9, 10), "n_components": (2, 5, 10)}
    small["columns"] = _columns({"strength": (0.1, 1, 10, 100)} | near)
    made = (
        ("2", "balanced WebKB", balanced, {"quick_runs": 5}),
        ("3", "unbalanced WebKB", unbalanced, {"quick_runs": 3}),
    )
    return [
        Table("002", "1", "20 Newsgroups", groups, **few),
        *(
            Table("002", number, title, sets, quick_sets=_two_and_four(sets), **drawn | runs)
            for number, title, sets, runs in made
        ),
        Table("002", "4", "gene expression", genes, **small),
        *exhibits(),
    ]


def _two_and_four(sets: dict[str, Scales]) -> tuple[str, ...]:
    """The sets of two and of four classes."""
    return tuple(name for name in sets if name.startswith(("WebKB2", "WebKB4")))
