"""Locally discriminative co-clustering: the tables and figures of the paper."""

from benchmarks.papers.paper import Paper

PAPER = Paper(
    "zhang2012",
    "locally discriminative co-clustering",
    "Zhang, Chen, Bu, Chen, Cai, Han: Locally discriminative coclustering. IEEE TKDE 24(6), 2012.",
    own=("LDCC",),
    without={
        "2": "LDCC against the best other method on the 100 sets of TechTC-100, of which no "
        "public copy was found.",
    },
)
