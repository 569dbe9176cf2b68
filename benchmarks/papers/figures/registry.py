"""The papers, all figures that can be run, and why the others cannot."""

from __future__ import annotations

from benchmarks.papers.figures import paper000, paper001, paper002, paper003, paper004
from benchmarks.papers.figures.figure import Figure

PAPERS = (paper000, paper001, paper002, paper003, paper004)
FIGURES: dict[str, Figure] = {figure.name: figure for paper in PAPERS for figure in paper.FIGURES}
# Title and reference.
REFERENCES = {
    "000": (
        "semi-supervised co-clustering of a star of types",
        "Chen, Wang, Dong: Non-negative matrix factorization for semisupervised heterogeneous "
        "data coclustering. IEEE TKDE 22(10), 2010. Own method: SS-NMF.",
    ),
    "001": (
        "semi-supervised NMF of similarities",
        "Chen, Rege, Dong, Hua: Non-negative matrix factorization for semi-supervised data "
        "clustering. Knowledge and Information Systems 17, 2008. Own method: SS-NMF.",
    ),
    "002": (
        "locally discriminative co-clustering",
        "Zhang, Chen, Bu, Chen, Cai, Han: Locally discriminative coclustering. IEEE TKDE 24(6), "
        "2012. Own method: LDCC.",
    ),
    "003": (
        "fast tri-factorisation",
        "Wang, Nie, Huang, Makedon: Fast nonnegative matrix tri-factorization for large-scale "
        "data co-clustering. IJCAI 2011. Own methods: FNMTF and LP-FNMTF.",
    ),
    "004": (
        "relational co-clustering with an ensemble of manifolds",
        "Li, Bu, Chen, He: Relational co-clustering via manifold ensemble learning. CIKM 2012. "
        "Own method: RMC.",
    ),
}
# Figures that are not of data, or of data that cannot be had.
WITHOUT = {
    "000": {
        "1": "a schematic of the data and of links; there is nothing to reproduce.",
        "4": "samples of the Corel images, which are not shown here; it has no figures.",
    },
    "002": {
        "2": "LDCC against the best other method on the 100 sets of TechTC-100, of which no "
        "public copy was found.",
    },
}
