"""The public names of the package: the one list, also read when the package is imported."""

from .blocks.disk.read import open_blocks as open_blocks
from .blocks.disk.write import write_blocks as write_blocks
from .data.relation import Relation as Relation
from .data.relational import RelationalData as RelationalData
from .data.relational import bipartite as bipartite
from .data.relational import star as star
from .interview import Interview as Interview
from .links import Links as Links
from .methods.cocluster import CoCluster as CoCluster
from .methods.consensus import consensus as consensus
from .methods.factorization.compose import TriFactorization as TriFactorization
from .methods.factorization.drcc import DRCC as DRCC
from .methods.factorization.fnmtf import FNMTF as FNMTF
from .methods.factorization.gnmf import GNMF as GNMF
from .methods.factorization.lpfnmtf import LPFNMTF as LPFNMTF
from .methods.factorization.nmf import NMF as NMF
from .methods.factorization.nmf import SemiNMF as SemiNMF
from .methods.factorization.nmtf import NMTF as NMTF
from .methods.factorization.onmtf import ONMTF as ONMTF
from .methods.factorization.osntf import OSNTF as OSNTF
from .methods.factorization.rmc import RMC as RMC
from .methods.factorization.snmtf import SNMTF as SNMTF
from .methods.factorization.ssnmf import SSNMF as SSNMF
from .methods.factorization.star_ssnmf import StarSSNMF as StarSSNMF
from .methods.information.cmrf import CMRF as CMRF
from .methods.information.itcc import ITCC as ITCC
from .methods.kernel_kmeans.estimator import KernelKMeans as KernelKMeans
from .methods.n_clusters.search import choose_n_clusters as choose_n_clusters
from .methods.spectral.bsgp import BSGP as BSGP
from .methods.spectral.ldcc import LDCC as LDCC
from .methods.spectral.ncut import NCut as NCut
from .methods.spectral.src import SRC as SRC
from .projects import load as load
from .projects import open_project as open_project
from .projects import save as save
from .report.account import Account as Account
from .report.account import account as account
from .report.compare import compare as compare
from .report.explain import explain as explain

__version__: str
