"""Relational co-clustering with an ensemble of manifolds: the tables and figures of the paper."""

from benchmarks.papers.paper import Paper

PAPER = Paper(
    "li2012",
    "relational co-clustering with an ensemble of manifolds",
    "Li, Bu, Chen, He: Relational co-clustering via manifold ensemble learning. CIKM 2012.",
    own=("RMC",),
)
