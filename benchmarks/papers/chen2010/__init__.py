"""Semi-supervised co-clustering of a star of types: the tables and figures of the paper."""

from benchmarks.papers.paper import Paper

PAPER = Paper(
    "chen2010",
    "semi-supervised co-clustering of a star of types",
    "Chen, Wang, Dong: Non-negative matrix factorization for semisupervised heterogeneous "
    "data coclustering. IEEE TKDE 22(10), 2010.",
    own=("SS-NMF",),
    without={
        "1": "a schematic of the data and of links; there is nothing to reproduce.",
        "4": "samples of the Corel images, which are not shown here; it has no figures.",
    },
)
