"""Co-clustering: rows and columns together, on one matrix or many."""

from cocluster.estimators.drcc import DRCC
from cocluster.estimators.fnmtf import FNMTF
from cocluster.estimators.general import TriFactorization
from cocluster.estimators.gnmf import GNMF
from cocluster.estimators.lpfnmtf import LPFNMTF
from cocluster.estimators.nmf import NMF, SemiNMF
from cocluster.estimators.nmtf import NMTF
from cocluster.estimators.onmtf import ONMTF
from cocluster.estimators.osntf import OSNTF
from cocluster.estimators.rmc import RMC
from cocluster.estimators.snmtf import SNMTF
from cocluster.estimators.ssnmf import SSNMF
from cocluster.estimators.star_ssnmf import StarSSNMF
from cocluster.front import CoCluster
from cocluster.information.cmrf import CMRF
from cocluster.information.itcc import ITCC
from cocluster.interview import Interview
from cocluster.kernels.estimator import KernelKMeans
from cocluster.links import Links
from cocluster.relations import Relation, RelationalData, bipartite, star
from cocluster.spectral.bsgp import BSGP
from cocluster.spectral.ldcc import LDCC
from cocluster.spectral.ncut import NCut
from cocluster.spectral.src import SRC

__version__ = "0.1.0.dev0"

__all__ = [
    "BSGP",
    "CMRF",
    "DRCC",
    "FNMTF",
    "GNMF",
    "ITCC",
    "LDCC",
    "LPFNMTF",
    "NMF",
    "NMTF",
    "ONMTF",
    "OSNTF",
    "RMC",
    "SNMTF",
    "SRC",
    "SSNMF",
    "CoCluster",
    "Interview",
    "KernelKMeans",
    "Links",
    "NCut",
    "Relation",
    "RelationalData",
    "SemiNMF",
    "StarSSNMF",
    "TriFactorization",
    "bipartite",
    "star",
]
