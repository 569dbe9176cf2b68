"""Tables of zhang2012."""

from __future__ import annotations

from typing import Any

from benchmarks.papers.exhibit import Exhibit
from benchmarks.papers.grids import COUNTS, ENDS, FINALISTS, GENE, NEIGHBORS, SWEEPS, Grid
from benchmarks.papers.protocol import Column, Scales, Table
from benchmarks.papers.solvers import kmeans, method
from benchmarks.papers.zhang2012.exhibits import exhibits

PAGES = (
    "Of the pages themselves; the first version was of a copy of stems without stop words, with "
    "which LDCC had {before} in the mean (`../NOTES.md`)."
)


def _columns(quick: Grid, patches: Grid | None = None) -> tuple[Column, ...]:
    """Columns of zhang2012.

    Quick is the part of LDCC's grid, and so of DRCC's and BGP's, for quick runs; patches is what
    LDCC searches besides the paper's grid.
    """
    strength = (0.01, 0.1, 1, 10, 100)
    graph: Grid = {"strength": strength, "n_neighbors": NEIGHBORS}
    # The grid of the paper has no number near that of the classes, which is better (NOTES.md).
    components = (2, *range(5, 55, 5))
    # The vectors of BGP are searched as those of LDCC are; None is the number of its own paper.
    vectors: Grid = {"n_components": (None, *components), "unit_rows": (False, True)}
    few: Grid = {"n_components": (None, *quick["n_components"])}
    few_graphs = {name: values for name, values in quick.items() if name in graph}
    return (
        Column("Kmeans", kmeans(10)),
        Column("NCut", method("ncut"), {"bandwidth": strength}),
        Column("BGP", method("bsgp"), vectors, few),
        Column("DRCC", method("drcc"), graph | SWEEPS, few_graphs | ENDS),
        Column("ITCC", method("itcc", init="random", n_init=10)),
        Column(
            "LDCC", method("ldcc"), graph | {"n_components": components} | (patches or {}), quick
        ),
    )


def tables() -> list[Table | Exhibit]:
    """Tables of zhang2012."""
    groups = {f"NG{c}": COUNTS for c in range(2, 11)}
    balanced = {f"WebKB{c}": COUNTS for c in range(2, 8)}
    unbalanced = {f"{name}-unbalanced": COUNTS for name in balanced}
    genes = {"Leukemia": GENE, "Medulloblastoma": GENE}
    coarse: Grid = {"strength": (0.1, 1, 10), "n_neighbors": (10,), "n_components": (5, 10)}
    # The paper says nothing of the length of samples and features in a patch.
    text = _columns(coarse | {"patch_scale": ("unit",)}, {"patch_scale": ("unit", "given")})
    parts: dict[str, Any] = {"unit": 100.0, "metrics": ("accuracy", "nmi"), "runs": 10}
    parts["finalists"] = FINALISTS
    drawn = parts | {"quick_scales": ("log l2", "log tfidf"), "columns": text}
    # What differs from draw to draw needs more draws and more settings to compare.
    drawn |= {"quick_runs": 3, "finalists": 2 * FINALISTS, "each_draw": True}
    # Without draws only the starts differ; few samples allow more settings.
    small = parts | {"quick_runs": 1, "quick_scales": ("l2", "log l2", None)}
    small["columns"] = _columns({"strength": (0.1, 1, 10), "n_components": (2, 5)})
    # Last the accuracy of LDCC in the mean on the first copy of the pages.
    made = (("2", "balanced WebKB", balanced, 60.9), ("3", "unbalanced WebKB", unbalanced, 59.7))
    return [
        Table("zhang2012", "1", "20 Newsgroups", groups, quick_sets=("NG2", "NG3"), **drawn),
        *(
            Table(
                "zhang2012",
                number,
                title,
                sets,
                quick_sets=_two_and_four(sets),
                note=PAGES.format(before=before),
                **drawn,
            )
            for number, title, sets, before in made
        ),
        Table("zhang2012", "4", "gene expression", genes, **small),
        *exhibits(),
    ]


def _two_and_four(sets: dict[str, Scales]) -> tuple[str, ...]:
    """The sets of two and of four classes."""
    return tuple(name for name in sets if name.startswith(("WebKB2", "WebKB4")))
