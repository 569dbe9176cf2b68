"""Co-clustering: rows and columns together, on one matrix or many.

Names are loaded when first used: a small fit does not wait for methods it has no need of.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cocluster.utils.addresses import MOVED, register

if TYPE_CHECKING:
    from cocluster.blocks.disk.stored import open_blocks
    from cocluster.blocks.disk.writing import write_blocks
    from cocluster.data.relation import Relation
    from cocluster.data.relational import RelationalData, bipartite, star
    from cocluster.interview import Interview
    from cocluster.links import Links
    from cocluster.methods.auto import CoCluster
    from cocluster.methods.factorization.compose import TriFactorization
    from cocluster.methods.factorization.drcc import DRCC
    from cocluster.methods.factorization.fnmtf import FNMTF
    from cocluster.methods.factorization.gnmf import GNMF
    from cocluster.methods.factorization.lpfnmtf import LPFNMTF
    from cocluster.methods.factorization.nmf import NMF, SemiNMF
    from cocluster.methods.factorization.nmtf import NMTF
    from cocluster.methods.factorization.onmtf import ONMTF
    from cocluster.methods.factorization.osntf import OSNTF
    from cocluster.methods.factorization.rmc import RMC
    from cocluster.methods.factorization.snmtf import SNMTF
    from cocluster.methods.factorization.ssnmf import SSNMF
    from cocluster.methods.factorization.star_ssnmf import StarSSNMF
    from cocluster.methods.how_many.choose import choose_n_clusters
    from cocluster.methods.information.cmrf import CMRF
    from cocluster.methods.information.itcc import ITCC
    from cocluster.methods.kernel_kmeans.estimator import KernelKMeans
    from cocluster.methods.spectral.bsgp import BSGP
    from cocluster.methods.spectral.ldcc import LDCC
    from cocluster.methods.spectral.ncut import NCut
    from cocluster.methods.spectral.src import SRC
    from cocluster.methods.voting import consensus
    from cocluster.projects import load, open_project, save
    from cocluster.report.account import Account, account
    from cocluster.report.compare import compare
    from cocluster.report.explain import explain

__version__ = "0.2.0"

register(__name__)

_MODULES = {
    "Account": "report.account",
    "BSGP": "methods.spectral.bsgp",
    "CMRF": "methods.information.cmrf",
    "CoCluster": "methods.auto",
    "DRCC": "methods.factorization.drcc",
    "FNMTF": "methods.factorization.fnmtf",
    "GNMF": "methods.factorization.gnmf",
    "ITCC": "methods.information.itcc",
    "Interview": "interview",
    "KernelKMeans": "methods.kernel_kmeans.estimator",
    "LDCC": "methods.spectral.ldcc",
    "LPFNMTF": "methods.factorization.lpfnmtf",
    "Links": "links",
    "NCut": "methods.spectral.ncut",
    "NMF": "methods.factorization.nmf",
    "NMTF": "methods.factorization.nmtf",
    "ONMTF": "methods.factorization.onmtf",
    "OSNTF": "methods.factorization.osntf",
    "RMC": "methods.factorization.rmc",
    "Relation": "data.relational",
    "RelationalData": "data.relational",
    "SNMTF": "methods.factorization.snmtf",
    "SRC": "methods.spectral.src",
    "SSNMF": "methods.factorization.ssnmf",
    "SemiNMF": "methods.factorization.nmf",
    "StarSSNMF": "methods.factorization.star_ssnmf",
    "TriFactorization": "methods.factorization.compose",
    "account": "report.account",
    "bipartite": "data.relational",
    "choose_n_clusters": "methods.how_many.choose",
    "compare": "report.compare",
    "consensus": "methods.voting",
    "explain": "report.explain",
    "load": "projects",
    "open_blocks": "blocks.disk.stored",
    "open_project": "projects",
    "save": "projects",
    "star": "data.relational",
    "write_blocks": "blocks.disk.writing",
}

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
    "Account",
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
    "account",
    "bipartite",
    "choose_n_clusters",
    "compare",
    "consensus",
    "explain",
    "load",
    "open_blocks",
    "open_project",
    "save",
    "star",
    "write_blocks",
]


def __getattr__(name: str) -> Any:
    if name in MOVED:
        return import_module(f"cocluster.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'cocluster' has no attribute {name!r}")
    value = getattr(import_module(f"cocluster.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
