"""Co-clustering: rows and columns together, on one matrix or many."""

from cocluster.estimators.fnmtf import FNMTF
from cocluster.estimators.general import TriFactorization
from cocluster.estimators.nmf import NMF, SemiNMF
from cocluster.estimators.nmtf import NMTF
from cocluster.estimators.onmtf import ONMTF
from cocluster.estimators.ssnmf import SSNMF
from cocluster.estimators.star_ssnmf import StarSSNMF
from cocluster.front import CoCluster
from cocluster.information.cmrf import CMRF
from cocluster.information.itcc import ITCC
from cocluster.kernels.estimator import KernelKMeans
from cocluster.links import Links
from cocluster.relations import Relation, RelationalData, bipartite, star

__version__ = "0.1.0.dev0"

__all__ = [
    "CMRF",
    "FNMTF",
    "ITCC",
    "NMF",
    "NMTF",
    "ONMTF",
    "SSNMF",
    "CoCluster",
    "KernelKMeans",
    "Links",
    "Relation",
    "RelationalData",
    "SemiNMF",
    "StarSSNMF",
    "TriFactorization",
    "bipartite",
    "star",
]
