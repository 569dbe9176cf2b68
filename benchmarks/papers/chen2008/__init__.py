"""Semi-supervised NMF of similarities: the tables and figures of the paper."""

from benchmarks.papers.paper import Paper

PAPER = Paper(
    "chen2008",
    "semi-supervised NMF of similarities",
    "Chen, Rege, Dong, Hua: Non-negative matrix factorization for semi-supervised data "
    "clustering. Knowledge and Information Systems 17, 2008.",
    own=("SS-NMF",),
)
