"""Tables of chen2008."""

from __future__ import annotations

from typing import Any

from benchmarks.papers.chen2008.exhibits import exhibits
from benchmarks.papers.exhibit import Exhibit
from benchmarks.papers.grids import FINALISTS, GENE, IMAGE, TEXT, Grid
from benchmarks.papers.protocol import Answer, Column, Problem, Setting, Table
from benchmarks.papers.solvers import kmeans, method

TEXT_SETS = ("Graft-Phos", "England-Heart", "Interest-Trade")
DRAWN_SETS = ("Fbis2", "Fbis3", "Fbis4", "Fbis5", "Fbis10")
WIDTHS = (0.01, 0.1, 1.0)
# The widths of KK, for the similarity that is factorised.
SIMILARITIES: Grid = {"affinity": ("linear", "rbf", *(f"rbf {width}" for width in WIDTHS))}


def factorise(problem: Problem, setting: Setting, seed: int) -> Answer:
    """SS-NMF of a similarity: "linear", "rbf", or "rbf" and its gamma."""
    affinity, _, gamma = setting.get("affinity", "linear").partition(" ")
    chosen = {"affinity": affinity, "gamma": float(gamma) if gamma else None}
    return method("ssnmf", n_init=3, init="random")(problem, chosen, seed)


def _columns(similarity: Grid) -> tuple[Column, ...]:
    """Columns of chen2008; links replace similarities by the largest and the smallest."""
    spread: Grid = {"gamma": (None, *WIDTHS)}
    return (
        Column("k-means", kmeans(3)),
        Column("KK", method("kernelkmeans", n_init=3), spread, {"gamma": (None, 1.0)}),
        Column("SNC", method("ncut", affinity="cosine")),
        Column("NMF", factorise, similarity),
        Column("SS-NMF", factorise, similarity, supervision="pairs"),
    )


def tables() -> list[Table | Exhibit]:
    """Tables of chen2008."""
    text = dict.fromkeys((*TEXT_SETS, *DRAWN_SETS), TEXT)
    genes = dict.fromkeys(("ALL-AML", "Colon", "Prostate", "ALL-MLL-AML", "CNS"), GENE)
    uci = dict.fromkeys(("Iris", "LettersIJL", "Soybean"), IMAGE)
    parts: dict[str, Any] = {"metrics": ("accuracy",), "runs": 20, "finalists": FINALISTS}
    parts["quick_scales"] = (None, "l2", "tfidf", "range")
    # X Xᵀ is said for documents only; elsewhere a kernel as that of KK is searched too.
    dense = _columns(SIMILARITIES)
    return [
        Table("chen2008", "5", "documents", text, _columns({}), fraction=0.03, **parts),
        Table("chen2008", "7", "gene expression", genes, dense, fraction=0.03, **parts),
        Table("chen2008", "9", "UCI data", uci, dense, fraction=0.05, **parts),
        *exhibits(),
    ]
