"""Co-clustering: rows and columns together, on one matrix or many.

Names are loaded when first used: a small fit does not wait for methods it has no need of.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cocluster.blocks.stored import open_blocks
    from cocluster.blocks.writing import write_blocks
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

_MODULES = {
    "BSGP": "spectral.bsgp",
    "CMRF": "information.cmrf",
    "CoCluster": "front",
    "DRCC": "estimators.drcc",
    "FNMTF": "estimators.fnmtf",
    "GNMF": "estimators.gnmf",
    "ITCC": "information.itcc",
    "Interview": "interview",
    "KernelKMeans": "kernels.estimator",
    "LDCC": "spectral.ldcc",
    "LPFNMTF": "estimators.lpfnmtf",
    "Links": "links",
    "NCut": "spectral.ncut",
    "NMF": "estimators.nmf",
    "NMTF": "estimators.nmtf",
    "ONMTF": "estimators.onmtf",
    "OSNTF": "estimators.osntf",
    "RMC": "estimators.rmc",
    "Relation": "relations",
    "RelationalData": "relations",
    "SNMTF": "estimators.snmtf",
    "SRC": "spectral.src",
    "SSNMF": "estimators.ssnmf",
    "SemiNMF": "estimators.nmf",
    "StarSSNMF": "estimators.star_ssnmf",
    "TriFactorization": "estimators.general",
    "bipartite": "relations",
    "open_blocks": "blocks.stored",
    "star": "relations",
    "write_blocks": "blocks.writing",
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
    "open_blocks",
    "star",
    "write_blocks",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'cocluster' has no attribute {name!r}")
    value = getattr(import_module(f"cocluster.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
