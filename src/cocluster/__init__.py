"""Co-clustering: rows and columns together, on one matrix or many."""

from cocluster.estimators.fnmtf import FNMTF
from cocluster.estimators.general import TriFactorization
from cocluster.estimators.nmf import NMF, SemiNMF
from cocluster.estimators.nmtf import NMTF
from cocluster.estimators.onmtf import ONMTF
from cocluster.front import CoCluster
from cocluster.information.itcc import ITCC
from cocluster.links import Links
from cocluster.relations import Relation, RelationalData, bipartite, star

__version__ = "0.1.0.dev0"

__all__ = [
    "FNMTF",
    "ITCC",
    "NMF",
    "NMTF",
    "ONMTF",
    "CoCluster",
    "Links",
    "Relation",
    "RelationalData",
    "SemiNMF",
    "TriFactorization",
    "bipartite",
    "star",
]
