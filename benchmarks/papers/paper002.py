"""Tables of paper 002."""

from __future__ import annotations

from typing import Any

from benchmarks.papers.grids import GENE, NEIGHBORS, TEXT, Grid
from benchmarks.papers.protocol import Column, Table
from benchmarks.papers.solvers import kmeans, method


def _columns() -> tuple[Column, ...]:
    """Columns of paper 002."""
    strength = (0.01, 0.1, 1, 10, 100)
    graph: Grid = {"strength": strength, "n_neighbors": NEIGHBORS}
    quick: Grid = {"strength": (0.1, 1, 10, 100), "n_neighbors": (5, 10)}
    # The grid of the paper has no number near that of the classes, which is better (NOTES.md).
    components = {"n_components": (2, *range(5, 55, 5))}
    return (
        Column("Kmeans", kmeans(10)),
        Column("NCut", method("ncut"), {"bandwidth": strength}),
        Column("BGP", method("bsgp")),
        Column("DRCC", method("drcc"), graph, quick),
        Column("ITCC", method("itcc", init="random", n_init=10)),
        Column("LDCC", method("ldcc"), graph | components, quick | {"n_components": (2, 5, 10)}),
    )


def tables() -> list[Table]:
    """Tables of paper 002."""
    groups = {f"NG{c}": TEXT for c in range(2, 11)}
    balanced = {f"WebKB{c}": TEXT for c in range(2, 8)}
    unbalanced = {f"{name}-unbalanced": TEXT for name in balanced}
    genes = {"Leukemia": GENE, "Medulloblastoma": GENE}
    parts: dict[str, Any] = {"unit": 100.0, "quick_runs": 2}
    columns = _columns()
    made = [
        ("1", "20 Newsgroups", groups, ("NG2", "NG4")),
        ("2", "balanced WebKB", balanced, ("WebKB2", "WebKB4")),
        ("3", "unbalanced WebKB", unbalanced, ("WebKB2-unbalanced", "WebKB4-unbalanced")),
        ("4", "gene expression", genes, ()),
    ]
    return [
        Table(
            "002",
            number,
            title,
            sets,
            columns,
            ("accuracy", "nmi"),
            # Without draws, as for genes, only the starts differ from run to run.
            runs=3 if number == "4" else 10,
            quick_sets=small,
            quick_scales=("l2", "log l2", None) if number == "4" else ("l2", "tfidf"),
            **parts,
        )
        for number, title, sets, small in made
    ]
