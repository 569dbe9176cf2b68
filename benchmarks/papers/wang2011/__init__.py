"""Fast tri-factorisation: the tables and figures of the paper."""

from benchmarks.papers.paper import Paper

PAPER = Paper(
    "wang2011",
    "fast tri-factorisation",
    "Wang, Nie, Huang, Makedon: Fast nonnegative matrix tri-factorization for large-scale "
    "data co-clustering. IJCAI 2011.",
    own=("FNMTF", "LP-FNMTF"),
)
